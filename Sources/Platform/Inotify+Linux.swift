// The system calls of inotify(7).

#if os(Linux)
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The calls of inotify.
package enum InotifyCall {
  /// Creates a non-blocking instance with close-on-exec.
  ///
  /// - Returns: The descriptor of the instance.
  /// - Throws: The system error.
  package static func makeInstance() throws(Errno) -> Int32 {
    let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0 else { throw .last }
    return descriptor
  }

  /// Adds a watch for a path.
  ///
  /// - Parameters:
  ///   - descriptor: The instance.
  ///   - path: The path.
  ///   - mask: The events to watch, as in ``InotifyMask``.
  /// - Returns: The number of the watch.
  /// - Throws: The system error.
  package static func addWatch(
    _ descriptor: Int32, _ path: String, _ mask: UInt32
  ) throws(Errno) -> Int32 {
    let watch = unsafe inotify_add_watch(descriptor, path, mask)
    guard watch >= 0 else { throw .last }
    return watch
  }

  /// Removes a watch.
  ///
  /// - Parameters:
  ///   - descriptor: The instance.
  ///   - watch: The number of the watch.
  package static func removeWatch(_ descriptor: Int32, _ watch: Int32) {
    _ = inotify_rm_watch(descriptor, watch)
  }
}

/// The events and options of an inotify watch.
package struct InotifyMask: OptionSet, Sendable {
  /// The bits as the system defines them.
  package let rawValue: UInt32

  /// Creates a mask.
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Permissions or times were set.
  package static let attributes = Self(rawValue: UInt32(IN_ATTRIB))
  /// A file was written to.
  package static let written = Self(rawValue: UInt32(IN_MODIFY))
  /// A file that was open for writing was closed.
  package static let closedByWriter = Self(rawValue: UInt32(IN_CLOSE_WRITE))
  /// An entry was moved out of the folder.
  package static let movedFrom = Self(rawValue: UInt32(IN_MOVED_FROM))
  /// An entry was moved into the folder.
  package static let movedTo = Self(rawValue: UInt32(IN_MOVED_TO))
  /// An entry was created or linked.
  package static let created = Self(rawValue: UInt32(IN_CREATE))
  /// An entry was removed.
  package static let deleted = Self(rawValue: UInt32(IN_DELETE))
  /// The watched path was deleted.
  package static let selfDeleted = Self(rawValue: UInt32(IN_DELETE_SELF))
  /// The watched path was moved.
  package static let selfMoved = Self(rawValue: UInt32(IN_MOVE_SELF))
  /// The file system of the watched path was unmounted.
  package static let unmounted = Self(rawValue: UInt32(IN_UNMOUNT))
  /// Events were lost.
  package static let overflowed = Self(rawValue: UInt32(IN_Q_OVERFLOW))
  /// The watch was removed.
  package static let ended = Self(rawValue: UInt32(IN_IGNORED))
  /// The event is about a folder.
  package static let isFolder = Self(rawValue: UInt32(IN_ISDIR))
  /// Watch folders only.
  package static let onlyFolders = Self(rawValue: UInt32(IN_ONLYDIR))
  /// Watch a link itself instead of its target.
  package static let notThroughLinks = Self(rawValue: UInt32(IN_DONT_FOLLOW))
  /// Add to the events of an existing watch.
  package static let added = Self(rawValue: UInt32(IN_MASK_ADD))
}

/// An event record of inotify.
package struct InotifyRecord {
  /// The watch that the event belongs to; -1 if events were lost.
  package let watch: Int32
  /// The event.
  package let mask: InotifyMask
  /// The bytes of the name in the folder; empty for the folder itself.
  package let name: [UInt8]

  /// Parses the bytes that were read from an instance.
  ///
  /// - Parameter bytes: The result of one read.
  /// - Returns: The records in order.
  package static func records(in bytes: ArraySlice<UInt8>) -> [InotifyRecord] {
    var records: [InotifyRecord] = []
    unsafe bytes.withUnsafeBytes { bytes in
      var start = 0
      let header = MemoryLayout<inotify_event>.size
      while start + header <= bytes.count {
        let event = unsafe bytes.loadUnaligned(fromByteOffset: start, as: inotify_event.self)
        let nameStart = start + header
        let name = unsafe bytes[nameStart..<(nameStart + Int(event.len))].prefix { $0 != 0 }
        records.append(
          InotifyRecord(
            watch: event.wd, mask: InotifyMask(rawValue: event.mask), name: unsafe Array(name)))
        start = nameStart + Int(event.len)
      }
    }
    return records
  }
}
#endif

// The system calls of inotify. Knows no folders and no pictures of them.

#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The calls that may run into a limit, so that tests can say when.
struct InotifyCalls: Sendable {
  /// `inotify_init1`: a descriptor, or the negated number of the error.
  var open: @Sendable () -> Int32 = {
    let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    return descriptor >= 0 ? descriptor : -errno
  }
  /// `inotify_add_watch`: a watch, or the negated number of the error.
  var add: @Sendable (_ descriptor: Int32, _ path: String, _ mask: UInt32) -> Int32 = {
    let watch = inotify_add_watch($0, $1, $2)
    return watch >= 0 ? watch : -errno
  }
}

/// What inotify tells, or is to tell.
struct InotifyMask: OptionSet, Sendable {
  /// The bits as the system has them.
  let rawValue: UInt32

  /// Rights or times were set.
  static let attributes = Self(rawValue: UInt32(IN_ATTRIB))
  /// A file that was open for writing was closed.
  static let closedByWriter = Self(rawValue: UInt32(IN_CLOSE_WRITE))
  /// Something was moved away.
  static let movedFrom = Self(rawValue: UInt32(IN_MOVED_FROM))
  /// Something was moved here.
  static let movedTo = Self(rawValue: UInt32(IN_MOVED_TO))
  /// Something was made or linked.
  static let created = Self(rawValue: UInt32(IN_CREATE))
  /// A name was removed.
  static let deleted = Self(rawValue: UInt32(IN_DELETE))
  /// What is watched is no more.
  static let selfDeleted = Self(rawValue: UInt32(IN_DELETE_SELF))
  /// What is watched has another place.
  static let selfMoved = Self(rawValue: UInt32(IN_MOVE_SELF))
  /// What is watched is not mounted any more.
  static let unmounted = Self(rawValue: UInt32(IN_UNMOUNT))
  /// News were lost.
  static let overflowed = Self(rawValue: UInt32(IN_Q_OVERFLOW))
  /// There is no such watch any more.
  static let ended = Self(rawValue: UInt32(IN_IGNORED))
  /// It happened to a folder.
  static let isFolder = Self(rawValue: UInt32(IN_ISDIR))
  /// Asks to watch folders only.
  static let onlyFolders = Self(rawValue: UInt32(IN_ONLYDIR))
  /// Asks to watch a link and not what it leads to.
  static let notThroughLinks = Self(rawValue: UInt32(IN_DONT_FOLLOW))
  /// Asks for more than was asked before.
  static let added = Self(rawValue: UInt32(IN_MASK_ADD))
}

/// What inotify has told.
struct InotifyEvent {
  /// The watch that saw it; -1 for lost news.
  let watch: Int32
  /// What has happened.
  let mask: InotifyMask
  /// The name in the folder; empty for the folder itself.
  let name: FileName
  /// Whether the name is not UTF-8 and so only an approximation.
  let isNameBad: Bool
}

extension InotifyEvent {
  /// Whether the writer of the file of each event closes it, as far as the events tell.
  ///
  /// - Parameter events: Events in their order.
  /// - Returns: An answer for each.
  static func isClosedLater(_ events: [InotifyEvent]) -> [Bool] {
    var closed: [Int32: Set<FileName>] = [:]
    var answers: [Bool] = []
    // From the last to the first: what happens after a file has got a name is known when this is seen.
    for event in events.reversed() {
      answers.append(closed[event.watch]?.contains(event.name) ?? false)
      if event.mask.contains(.closedByWriter) {
        closed[event.watch, default: []].insert(event.name)
      } else if !event.mask.isDisjoint(with: [.created, .deleted, .movedFrom, .movedTo]) {
        closed[event.watch]?.remove(event.name)
      }
    }
    return answers.reversed()
  }
}

/// An inotify instance that counts how often each watch is held.
///
/// Used on one queue. Who makes it closes it.
struct Inotify {
  /// The descriptor to read from.
  let descriptor: Int32
  private let calls: InotifyCalls
  private var holds: [Int32: Int32] = [:]
  /// 64 KiB: some two thousand events.
  private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

  /// Makes an instance.
  ///
  /// - Returns: nil when the system refuses; the negated error is in `failure`.
  init?(_ calls: InotifyCalls, failure: inout Int32) {
    descriptor = calls.open()
    failure = descriptor
    guard descriptor >= 0 else { return nil }
    self.calls = calls
  }

  /// Watches a path and holds the watch once more.
  ///
  /// - Returns: The watch, or the negated number of the error.
  mutating func watch(_ path: String, _ mask: InotifyMask) -> Int32 {
    let watch = calls.add(descriptor, path, mask.rawValue)
    if watch >= 0 { holds[watch, default: 0] += 1 }
    return watch
  }

  /// Gives a watch back once; the last time ends it.
  ///
  /// The system never uses its number for another one, so that its late events mean nothing.
  mutating func unwatch(_ watch: Int32) {
    guard let count = holds[watch] else { return }
    holds[watch] = count > 1 ? count - 1 : nil
    if count == 1 { _ = inotify_rm_watch(descriptor, watch) }
  }

  /// Takes note that the system has ended a watch.
  mutating func ended(_ watch: Int32) {
    holds[watch] = nil
  }

  /// Reads what has happened, as much as fits in one read.
  ///
  /// - Returns: The events in their order; none when there is nothing yet.
  mutating func read() -> [InotifyEvent] {
    var count = 0
    repeat {
      count = readBytes(descriptor, &buffer, buffer.count)
    } while count < 0 && errno == EINTR
    guard count > 0 else { return [] }
    var events: [InotifyEvent] = []
    buffer.withUnsafeBytes { bytes in
      var start = 0
      let header = MemoryLayout<inotify_event>.size
      while start + header <= count {
        let event = bytes.loadUnaligned(fromByteOffset: start, as: inotify_event.self)
        let nameStart = start + header
        let raw = bytes[nameStart..<(nameStart + Int(event.len))].prefix { $0 != 0 }
        let name = String(validating: raw, as: UTF8.self)
        events.append(
          InotifyEvent(
            watch: event.wd, mask: InotifyMask(rawValue: event.mask),
            name: FileName(name ?? String(decoding: raw, as: UTF8.self)), isNameBad: name == nil))
        start = nameStart + Int(event.len)
      }
    }
    return events
  }
}

/// `read`, which has the name of a method here.
private func readBytes(_ descriptor: Int32, _ buffer: inout [UInt8], _ count: Int) -> Int {
  read(descriptor, &buffer, count)
}
#endif

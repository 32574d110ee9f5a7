// A file that is open as long as a value lives.

package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An open file; the end of the value closes it.
///
/// Paths are passed to the system as they are. `FilePath` would normalize them: without its trailing slash
/// a path may mean a file where it meant a folder.
package struct OpenFile: ~Copyable, Sendable {
  /// The descriptor, which this value closes.
  package let descriptor: Int32

  /// Opens a file, which is closed in children.
  ///
  /// - Parameters:
  ///   - path: Its path.
  ///   - mode: Whether it is read or written.
  ///   - options: The further flags of open(2).
  ///   - permissions: Those of a file that is created.
  /// - Throws: The error of the system, also when a signal interrupts a wait.
  package init(
    _ path: String, _ mode: FileDescriptor.AccessMode = .readOnly,
    options: FileDescriptor.OpenOptions = [], permissions: FilePermissions = []
  ) throws(Errno) {
    let flags = mode.rawValue | options.rawValue | O_CLOEXEC
    let opened = unsafe open(path, flags, permissions.rawValue)
    guard opened >= 0 else { throw .last }
    descriptor = opened
  }

  deinit {
    close(descriptor)
  }

  /// Reads its status.
  package func status() throws(Errno) -> Stat { try Stat(FileDescriptor(rawValue: descriptor)) }

  /// Reads up to the end, or until more than a limit has been read.
  ///
  /// - Parameter limit: A number of bytes. A longer file gives up to 64 KiB more than that, by which a caller
  ///   recognizes it.
  /// - Returns: The bytes; those that are there when the file does not block and has no more for now.
  /// - Throws: The error of the system.
  package func readAll(upTo limit: Int = .max) throws(Errno) -> [UInt8] {
    var bytes: [UInt8] = []
    try unsafe readPieces(of: min(limit, 0xFFFF) + 1) { piece in
      unsafe bytes += piece
      return bytes.count <= limit
    }
    return bytes
  }

  /// Reads piece by piece up to the end.
  ///
  /// - Parameters:
  ///   - size: The largest piece, in bytes.
  ///   - body: Called with each piece; the reading ends when it returns false.
  /// - Throws: The error of the system.
  package func readPieces(
    of size: Int = 1 << 16, _ body: (UnsafeRawBufferPointer) -> Bool
  ) throws(Errno) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    defer { unsafe buffer.deallocate() }
    while true {
      let count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
      guard count >= 0 else {
        let error = Errno.last
        if error == .interrupted { continue }
        if error == .resourceTemporarilyUnavailable { return }
        throw error
      }
      guard count > 0 else { return }
      guard unsafe body(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else { return }
    }
  }

  /// Reads once from a place in the file.
  ///
  /// - Parameters:
  ///   - offset: Where the place is, in bytes.
  ///   - buffer: What is read into; its size is the most that is read.
  /// - Returns: How many bytes were read; 0 at the end.
  /// - Throws: The error of the system.
  package func readOnce(at offset: Int64, into buffer: inout [UInt8]) throws(Errno) -> Int {
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
      }
      if count >= 0 { return count }
      let error = Errno.last
      guard error == .interrupted else { throw error }
    }
  }

  /// Replaces the contents, as far as one call writes them.
  ///
  /// - Parameter bytes: The contents.
  /// - Returns: Whether all of them were written.
  @discardableResult
  package func replaceContents(with bytes: [UInt8]) -> Bool {
    ftruncate(descriptor, 0) == 0
      && (unsafe pwrite(descriptor, bytes, bytes.count, 0)) == bytes.count
  }

  /// Waits until what was written is on the disk.
  package func sync() throws(Errno) {
    guard fsync(descriptor) == 0 else { throw .last }
  }
}

/// Reads a small file whole, as far as it can be read; nil where it cannot be opened.
///
/// - Parameters:
///   - path: The path of the file.
///   - limit: How many bytes are wanted; a longer file gives up to 64 KiB more.
/// - Returns: The bytes.
package func fileContents(_ path: String, upTo limit: Int = .max) -> [UInt8]? {
  do throws(Errno) {
    let file = try OpenFile(path)
    return (try? file.readAll(upTo: limit)) ?? []
  } catch {
    return nil
  }
}

extension FileDescriptor.OpenOptions {
  /// A terminal that is opened does not become that of this process (`O_NOCTTY`).
  package static var noControllingTerminal: Self { Self(rawValue: O_NOCTTY) }
}

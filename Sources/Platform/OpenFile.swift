// An open file that is closed when its value is destroyed.

package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An open file, closed when the value is destroyed.
///
/// Paths are passed to the system unchanged. `FilePath` would normalize them, but without its
/// trailing slash a path may refer to a file instead of a folder.
package struct OpenFile: ~Copyable, Sendable {
  /// The descriptor, owned by this value.
  package let descriptor: Int32

  /// Opens a file with close-on-exec.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - mode: Whether it is opened for reading or writing.
  ///   - options: Additional flags of open(2).
  ///   - permissions: The permissions of a created file.
  /// - Throws: The system error, including when a signal interrupts a wait.
  package init(
    _ path: String, _ mode: FileDescriptor.AccessMode = .readOnly,
    options: FileDescriptor.OpenOptions = [], permissions: FilePermissions = []
  ) throws(Errno) {
    let flags = mode.rawValue | options.rawValue | O_CLOEXEC
    let opened = unsafe open(path, flags, permissions.rawValue)
    guard opened >= 0 else { throw .last }
    descriptor = opened
  }

  /// Takes the result of openat(2).
  ///
  /// - Throws: The last system error if it is negative.
  init(takingDescriptor opened: Int32) throws(Errno) {
    guard opened >= 0 else { throw .last }
    descriptor = opened
  }

  deinit {
    close(descriptor)
  }

  /// Reads the status of the file.
  package func status() throws(Errno) -> Stat { try Stat(FileDescriptor(rawValue: descriptor)) }

  /// Reads until the end, or until more than a limit has been read.
  ///
  /// - Parameter limit: A number of bytes. If the file is longer, the result exceeds the limit by
  ///   up to 64 KiB, so that the caller can detect it.
  /// - Returns: The bytes; for a non-blocking file, those that are available now.
  /// - Throws: The system error.
  package func readAll(upTo limit: Int = .max) throws(Errno) -> [UInt8] {
    var bytes: [UInt8] = []
    try unsafe readPieces(of: min(limit, 0xFFFF) + 1) { piece in
      unsafe bytes += piece
      return bytes.count <= limit
    }
    return bytes
  }

  /// Reads chunks until the end.
  ///
  /// - Parameters:
  ///   - size: The maximum size of a chunk, in bytes.
  ///   - body: Called with each chunk; reading stops when it returns false.
  /// - Throws: The system error.
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

  /// Reads once from a position in the file.
  ///
  /// - Parameters:
  ///   - offset: The position, in bytes.
  ///   - buffer: The buffer to read into; its size is the maximum number of bytes.
  /// - Returns: The number of bytes; 0 at the end.
  /// - Throws: The system error.
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
  /// - Parameter bytes: The new contents.
  /// - Returns: Whether all bytes were written.
  @discardableResult
  package func replaceContents(with bytes: [UInt8]) -> Bool {
    ftruncate(descriptor, 0) == 0
      && (unsafe pwrite(descriptor, bytes, bytes.count, 0)) == bytes.count
  }

  /// Flushes written data to the disk.
  package func sync() throws(Errno) {
    guard fsync(descriptor) == 0 else { throw .last }
  }
}

/// Returns the contents of a small file, as far as it can be read; nil if it cannot be opened.
///
/// - Parameters:
///   - path: The path.
///   - limit: The number of bytes after which reading stops; the result may be up to 64 KiB longer.
/// - Returns: The bytes.
package func fileContents(_ path: String, upTo limit: Int = .max) -> [UInt8]? {
  do throws(Errno) {
    let file = try OpenFile(path)
    return (try? file.readAll(upTo: limit)) ?? []
  } catch {
    return nil
  }
}

/// Appends bytes to a file, which is created if it does not exist.
///
/// - Parameters:
///   - path: The path.
///   - bytes: Returns the bytes for the size that the file has.
/// - Throws: The system error; some of the bytes may have been written.
package func appendToFile(_ path: String, _ bytes: (_ size: Int) -> [UInt8]) throws(Errno) {
  let permissions: FilePermissions = [.ownerReadWrite, .groupRead, .otherRead]
  let file = try OpenFile(path, .writeOnly, options: [.append, .create], permissions: permissions)
  try writeBytes(bytes(Int(try file.status().size)), to: file.descriptor)
}

extension FileDescriptor.OpenOptions {
  /// An opened terminal does not become the controlling terminal of this process (`O_NOCTTY`).
  package static var noControllingTerminal: Self { Self(rawValue: O_NOCTTY) }
}

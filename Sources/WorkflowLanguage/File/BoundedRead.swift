// Reads a file that others have written without trusting its size. Knows not what it says.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads from a descriptor up to its end, or until more than a limit has been read.
///
/// - Parameters:
///   - descriptor: An open descriptor; stays open.
///   - limit: A number of bytes. More are given back, by at most 64 KiB, when there are more: that is how a
///     caller tells.
/// - Returns: The bytes; nil when they cannot be read, and `errno` says why.
package func readBytes(of descriptor: Int32, upTo limit: Int) -> [UInt8]? {
  var bytes: [UInt8] = []
  var status = stat()
  if fstat(descriptor, &status) == 0, status.st_size > 0 {
    bytes.reserveCapacity(min(Int(status.st_size), limit) + 1)
  }
  var buffer = [UInt8](repeating: 0, count: min(1 << 16, limit + 1))
  while bytes.count <= limit {
    let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    if count < 0 && errno == EINTR { continue }
    // A pipe that was opened without waiting, and has no more for now.
    if count < 0 && errno == EAGAIN { break }
    guard count >= 0 else { return nil }
    guard count > 0 else { break }
    bytes += buffer[..<count]
  }
  return bytes
}

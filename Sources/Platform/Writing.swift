// Writes all bytes to a descriptor, with as many calls as necessary.

package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Writes all bytes; waits for room if the descriptor is non-blocking.
///
/// - Parameters:
///   - bytes: The bytes.
///   - descriptor: The descriptor.
/// - Throws: The system error; some of the bytes may have been written.
package func writeBytes(_ bytes: [UInt8], to descriptor: Int32) throws(Errno) {
  let error = unsafe bytes.withUnsafeBytes { unsafe failure(ofWriting: $0, to: descriptor) }
  if let error { throw error }
}

/// Writes a file, readable for everyone.
///
/// - Parameters:
///   - bytes: The content.
///   - path: The path of the file.
///   - overwrites: Whether a file at that path is replaced.
/// - Throws: `Errno.fileExists` if there is a file that must not be replaced, or another system
///   error; some of the bytes may have been written.
package func writeFile(
  _ bytes: [UInt8], to path: String, overwriting overwrites: Bool = false
) throws(Errno) {
  let file = try OpenFile(
    path, .writeOnly, options: overwrites ? [.create, .truncate] : [.create, .exclusiveCreate],
    permissions: [.ownerReadWrite, .groupRead, .otherRead])
  try writeBytes(bytes, to: file.descriptor)
}

/// Writes a text and a byte in one call, without copying the text.
///
/// - Parameters:
///   - text: The text.
///   - byte: The byte that follows it.
///   - descriptor: The descriptor.
/// - Throws: The system error; some of the bytes may have been written.
package func writeText(
  _ text: String, followedBy byte: UInt8, to descriptor: Int32
) throws(Errno) {
  var text = text
  let error = text.withUTF8 { text in
    unsafe withUnsafeBytes(of: byte) { byte in
      unsafe failure(ofWriting: UnsafeRawBufferPointer(text), byte, to: descriptor)
    }
  }
  if let error { throw error }
}

/// Writes once, without waiting for room.
///
/// - Parameters:
///   - bytes: The bytes.
///   - descriptor: The descriptor.
/// - Returns: The number of bytes written; negative after an error.
@discardableResult
package func writeOnce(_ bytes: [UInt8], to descriptor: Int32) -> Int {
  unsafe write(descriptor, bytes, bytes.count)
}

/// Writes all bytes; returns the error, or nil on success.
private func failure(
  ofWriting bytes: UnsafeRawBufferPointer, to descriptor: Int32
) -> Errno? {
  var rest = unsafe bytes
  while let base = rest.baseAddress, unsafe !rest.isEmpty {
    let count = unsafe write(descriptor, base, rest.count)
    guard count > 0 else {
      // A call that writes nothing without failing does not set errno.
      let error = count < 0 ? Errno.last : .ioError
      switch error {
      case .interrupted: continue
      // Another process that shares the descriptor may have made it non-blocking.
      case .resourceTemporarilyUnavailable: waitUntilWritable(descriptor)
      default: return error
      }
      continue
    }
    unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
  }
  return nil
}

/// Writes two texts in one call; returns the error, or nil on success.
private func failure(
  ofWriting first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer,
  to descriptor: Int32
) -> Errno? {
  let parts = unsafe [first, second].map {
    unsafe iovec(iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress), iov_len: $0.count)
  }
  var written = unsafe writev(descriptor, parts, 2)
  while written < 0 && Errno.last == .interrupted {
    written = unsafe writev(descriptor, parts, 2)
  }
  guard written >= 0 else { return .last }
  // A full disk accepts a part; the next call reports the error.
  let rest = unsafe UnsafeRawBufferPointer(rebasing: first.dropFirst(written))
  if let error = unsafe failure(ofWriting: rest, to: descriptor) { return error }
  let secondRest = unsafe second.dropFirst(max(0, written - first.count))
  return unsafe failure(
    ofWriting: UnsafeRawBufferPointer(rebasing: secondRest), to: descriptor)
}

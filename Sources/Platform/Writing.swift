// Writes all of a sequence of bytes to a descriptor, with as many calls as that takes.

package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Writes all bytes, and waits for room where the descriptor does not block.
///
/// - Parameters:
///   - bytes: The bytes.
///   - descriptor: Where to.
/// - Throws: The error of the system, after which a part may have been written.
package func writeBytes(_ bytes: [UInt8], to descriptor: Int32) throws(Errno) {
  let error = unsafe bytes.withUnsafeBytes { unsafe failure(ofWriting: $0, to: descriptor) }
  if let error { throw error }
}

/// Writes a text and a byte in one call, without a copy of the text.
///
/// - Parameters:
///   - text: The text.
///   - byte: What follows it.
///   - descriptor: Where to.
/// - Throws: The error of the system, after which a part may have been written.
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
///   - descriptor: Where to.
/// - Returns: How many were written; a negative number where none could be.
@discardableResult
package func writeOnce(_ bytes: [UInt8], to descriptor: Int32) -> Int {
  unsafe write(descriptor, bytes, bytes.count)
}

/// Writes all bytes; nil when that has succeeded.
private func failure(
  ofWriting bytes: UnsafeRawBufferPointer, to descriptor: Int32
) -> Errno? {
  var rest = unsafe bytes
  while let base = rest.baseAddress, unsafe !rest.isEmpty {
    let count = unsafe write(descriptor, base, rest.count)
    guard count > 0 else {
      // A call that writes nothing and does not fail says nothing about the reason.
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

/// Writes two texts in one call; nil when that has succeeded.
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
  // A disk that is full takes a part; the next call reports why.
  let rest = unsafe UnsafeRawBufferPointer(rebasing: first.dropFirst(written))
  if let error = unsafe failure(ofWriting: rest, to: descriptor) { return error }
  let secondRest = unsafe second.dropFirst(max(0, written - first.count))
  return unsafe failure(
    ofWriting: UnsafeRawBufferPointer(rebasing: secondRest), to: descriptor)
}

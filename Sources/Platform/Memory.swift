// Looks for a byte among many, as fast as memory is read.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Whether a byte is among others.
package func contains(_ bytes: ArraySlice<UInt8>, _ byte: UInt8) -> Bool {
  unsafe bytes.withUnsafeBytes { unsafe contains($0, byte) }
}

/// Whether a text has a NUL in it, which the C library takes for its end.
package func hasNul(_ text: String) -> Bool {
  var text = text
  return text.withUTF8 { unsafe contains(UnsafeRawBufferPointer($0), 0) }
}

private func contains(_ bytes: UnsafeRawBufferPointer, _ byte: UInt8) -> Bool {
  guard let base = bytes.baseAddress else { return false }
  return unsafe memchr(base, Int32(byte), bytes.count) != nil
}

// Searches for bytes with memchr(3).

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Returns whether a byte occurs in a slice.
package func contains(_ bytes: ArraySlice<UInt8>, _ byte: UInt8) -> Bool {
  unsafe bytes.withUnsafeBytes { unsafe contains($0, byte) }
}

/// Returns whether a text contains a NUL, which would terminate a C string.
package func hasNul(_ text: String) -> Bool {
  var text = text
  return text.withUTF8 { unsafe contains(UnsafeRawBufferPointer($0), 0) }
}

private func contains(_ bytes: UnsafeRawBufferPointer, _ byte: UInt8) -> Bool {
  guard let base = bytes.baseAddress else { return false }
  return unsafe memchr(base, Int32(byte), bytes.count) != nil
}

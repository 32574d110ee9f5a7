// The environment variables of this process.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Returns the value of an environment variable, with invalid UTF-8 replaced by U+FFFD.
package func environmentVariable(_ name: String) -> String? {
  unsafe getenv(name).map { unsafe String(cString: $0) }
}

/// Sets an environment variable of this process, which must have only one thread yet.
///
/// - Parameters:
///   - name: The name.
///   - value: The value; nil to remove the variable.
package func setEnvironmentVariable(_ name: String, to value: String?) {
  if let value { unsafe setenv(name, value, 1) } else { unsafe unsetenv(name) }
}

/// An entry of the environment.
package struct EnvironmentEntry {
  /// The name, with invalid UTF-8 replaced by U+FFFD.
  package let name: String
  /// The value, with invalid UTF-8 replaced by U+FFFD.
  package let value: String
  /// The bytes of the name and of the whole entry, if the entry is not UTF-8.
  package let raw: (name: [UInt8], entry: [UInt8])?
}

/// Returns the environment of this process, in order; skips entries without an equals sign.
package func environmentEntries() -> [EnvironmentEntry] {
  var entries: [EnvironmentEntry] = []
  var next = unsafe environ
  while let text = unsafe next.pointee {
    unsafe next += 1
    guard let sign = unsafe strchr(text, Int32(UInt8(ascii: "="))) else { continue }
    let name = unsafe UnsafeRawBufferPointer(start: text, count: sign - text)
    let repaired = unsafe String(decoding: name, as: UTF8.self)
    let value = unsafe String(cString: sign + 1)
    unsafe entries.append(
      EnvironmentEntry(name: repaired, value: value, raw: raw(text, name, repaired, value)))
  }
  return entries
}

private func raw(
  _ text: UnsafePointer<CChar>, _ name: UnsafeRawBufferPointer, _ repaired: String,
  _ value: String
) -> (name: [UInt8], entry: [UInt8])? {
  // Texts that contain U+FFFD are rare; only these are checked further.
  guard hasReplacement(value) || hasReplacement(repaired) else { return nil }
  let bytes = unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
  return String(validating: bytes, as: UTF8.self) == nil ? (unsafe Array(name), bytes) : nil
}

/// Returns whether a text contains U+FFFD.
private func hasReplacement(_ text: String) -> Bool {
  // Looks for a byte first, as a search of characters takes a tenth of the start of the command.
  text.utf8.contains(0xEF) && text.unicodeScalars.contains("\u{FFFD}")
}

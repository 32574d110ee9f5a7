// Reads the environment of this process: byte by byte, since it is read at each start. Knows no names.

import ChildProcesses

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The environment variables of this process, by name; what is not UTF-8 is replaced by U+FFFD.
package func inheritedEnvironment() -> [String: String] {
  InheritedVariables().texts
}

/// The environment variables of this process, also those that are not UTF-8.
struct InheritedVariables {
  /// The values by name; what is not UTF-8 is replaced by U+FFFD.
  private(set) var texts: [String: String] = [:]
  /// The variables that are not UTF-8, as they are.
  private(set) var raw: [RawVariable] = []

  /// Reads the environment.
  init() {
    var entry = environ
    while let text = entry.pointee {
      entry += 1
      guard let sign = strchr(text, Int32(UInt8(ascii: "="))) else { continue }
      let name = UnsafeRawBufferPointer(start: text, count: sign - text)
      let (repaired, value) = (String(decoding: name, as: UTF8.self), String(cString: sign + 1))
      texts[repaired] = value
      // A text with U+FFFD in it is rare: only then it is worth a closer look.
      guard value.contains("\u{FFFD}") || repaired.contains("\u{FFFD}") else { continue }
      let bytes = Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
      guard String(validating: bytes, as: UTF8.self) == nil else { continue }
      raw.append(
        RawVariable(name: String(validating: name, as: UTF8.self), repaired: repaired, entry: bytes)
      )
    }
  }

  /// The names of the variables whose values are no texts.
  var namesWithoutText: Set<String> { Set(raw.compactMap(\.name)) }

  /// The variables as programs are given them: byte for byte.
  var environment: Environment { Environment(texts, raw: raw) }
}

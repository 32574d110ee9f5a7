// The environment of this process, as steps inherit it.

import ChildProcesses
import Platform

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
    for entry in environmentEntries() {
      texts[entry.name] = entry.value
      guard let bytes = entry.raw else { continue }
      raw.append(
        RawVariable(
          name: String(validating: bytes.name, as: UTF8.self), repaired: entry.name,
          entry: bytes.entry))
    }
  }

  /// The names of the variables whose values are no texts.
  var namesWithoutText: Set<String> { Set(raw.compactMap(\.name)) }

  /// The variables as programs are given them: byte for byte.
  var environment: Environment { Environment(texts, raw: raw) }
}

// The environment of this process, which steps inherit.

import ChildProcesses
import Platform

/// Returns the environment variables of this process; invalid UTF-8 is replaced by U+FFFD.
package func inheritedEnvironment() -> [String: String] {
  InheritedVariables().texts
}

/// The environment variables of this process, including those that are not UTF-8.
struct InheritedVariables {
  /// The values by name; invalid UTF-8 is replaced by U+FFFD.
  private(set) var texts: [String: String] = [:]
  /// The raw bytes of the variables that are not UTF-8.
  private(set) var raw: [RawVariable] = []

  /// Reads the environment; `PWD` is the working directory of this process.
  init() {
    for entry in environmentEntries() {
      texts[entry.name] = entry.value
      guard let bytes = entry.raw else { continue }
      raw.append(
        RawVariable(
          name: String(validating: bytes.name, as: UTF8.self), repaired: entry.name,
          entry: bytes.entry))
    }
    texts[CallingSteps.variable] = CallingSteps { texts[$0] }.text
    // It is wrong if this process has changed its directory, as for a workflow found by name.
    if !raw.contains(where: { $0.repaired == "PWD" }) {
      texts["PWD"] = writtenWorkingFolder(texts["PWD"])
    }
  }

  /// The names of the variables whose values are not UTF-8.
  var nonUTF8Names: Set<String> { Set(raw.compactMap(\.name)) }

  /// The environment to pass to programs, byte for byte.
  var environment: Environment { Environment(texts, raw: raw) }
}

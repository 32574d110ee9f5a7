// The reasons why a workflow cannot be exported to another workflow engine.

import Workflows

/// A part of a workflow that the format of another engine cannot express.
package struct ExportRefusal: Error, Equatable, CustomStringConvertible {
  /// The part of the workflow: `workflow`, or a step such as `step "build"`.
  package let subject: String
  /// The key of the workflow file, such as `cache` or `env.TOKEN`.
  package let key: String
  /// The reason, as a clause without a period.
  package let reason: String

  /// The refusal as one line: `step "build", cache: …`.
  package var description: String { printable("\(subject), \(key): \(reason)") }
}

/// All reasons why a workflow cannot be exported, in the order of the file.
package struct ExportRefusals: Error, Equatable {
  /// The reasons, at least one.
  package let all: [ExportRefusal]
}

/// Collects refusals, each once.
struct RefusalList {
  private(set) var all: [ExportRefusal] = []

  mutating func add(_ subject: String, _ key: String, _ reason: String) {
    let refusal = ExportRefusal(subject: subject, key: key, reason: reason)
    if !all.contains(refusal) { all.append(refusal) }
  }
}

// The reasons why a workflow cannot be exported to another workflow engine.

import Workflows

/// A part of a workflow that the format of another engine cannot express.
package struct ExportRefusal: Error, Equatable, CustomStringConvertible {
  /// A part of a workflow.
  package enum Subject: Equatable, CustomStringConvertible {
    /// The workflow itself.
    case workflow
    /// A used file, by the prefix of the ids of its steps.
    case file(String)
    /// A step, by its id.
    case step(String)

    /// The part as refusals name it.
    package var description: String {
      switch self {
      case .workflow: "workflow"
      case .file(let prefix): "the file of \"\(prefix)\""
      case .step(let id): "step \"\(id)\""
      }
    }
  }

  /// The part of the workflow.
  package let subject: Subject
  /// The key of the workflow file, such as `cache` or `env.TOKEN`.
  package let key: String
  /// The reason, as a clause without a period.
  package let reason: String
  /// The place of the key in a file, such as `w.yaml:3:5`; nil if it is not known.
  package internal(set) var place: String?

  /// The refusal as one line: `w.yaml:3:5: error: step "build", cache: …`.
  package var description: String {
    printable((place.map { "\($0): " } ?? "") + "error: \(subject), \(key): \(reason)")
  }
}

/// All reasons why a workflow cannot be exported, in the order of the file as far as it is known.
package struct ExportRefusals: Error, Equatable {
  /// The reasons, at least one.
  package let all: [ExportRefusal]
}

/// Collects refusals, each once.
struct RefusalList {
  private(set) var all: [ExportRefusal] = []

  mutating func add(_ subject: ExportRefusal.Subject, _ key: String, _ reason: String) {
    let refusal = ExportRefusal(subject: subject, key: key, reason: reason)
    if !all.contains(refusal) { all.append(refusal) }
  }
}

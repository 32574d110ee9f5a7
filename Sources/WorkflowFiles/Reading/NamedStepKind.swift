// The protocol of step kinds that are read from files. Each kind is a file in the folder StepKinds.

import WorkflowReading
import YAML

/// A kind of step with its own key in workflow files.
protocol NamedStepKind: StepKind {
  /// The name of the key.
  static var name: String { get }
  /// The shape of the value.
  static var shape: Shape { get }
  /// The description of the key, for editors.
  static var summary: String { get }
  /// The keys that cannot be combined with this key.
  static var refused: [String] { get }

  /// Returns the error for a refused key.
  static func refusal(of key: String) -> Diagnostic.Cause
  /// Parses the value of the key; reports an error and returns nil if it is invalid.
  static func read(_ step: StepFields, _ reader: inout WorkflowReader) -> (any StepKind)?
}

/// The nodes from which a step is read.
struct StepFields {
  /// The value of the key of the step kind.
  let node: Node
  /// All keys of the step.
  let all: Fields
  let context: WorkflowReader.Context
  /// The position of the step among all steps.
  let draft: Int
}

extension NamedStepKind {
  static var refused: [String] { [] }
  static func refusal(of key: String) -> Diagnostic.Cause { .exclusive(key, name, in: "a step") }
  var declared: [String] { shown.map { "\(Self.name): \($0)" } }
  var startsProgram: Bool { true }
}

// The protocols of step kinds. Each kind is a file in the folder StepKinds.

import YAML

/// A kind of step, with the declaration of what it does.
package protocol StepKind: Sendable, Equatable {
  /// The lines that describe the step to users.
  var shown: [String] { get }
  /// The lines of its declaration; a finished step whose lines differ has changed.
  var declared: [String] { get }
  /// The templates of the step.
  var templates: [Template] { get }
  /// Whether the step starts a program, and not Swift code.
  var startsProgram: Bool { get }
  /// Whether a run expands the step to several.
  var isExpanded: Bool { get }

  /// Computes the action, with all expressions evaluated, just before the step starts.
  ///
  /// - Throws: ``ResolutionError`` for the first value that cannot be computed.
  func resolved(_ source: StepSource) throws(ResolutionError) -> ResolvedStep.Action
}

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

extension StepKind {
  package var declared: [String] { [] }
  package var templates: [Template] { [] }
  package var startsProgram: Bool { false }
  package var isExpanded: Bool { false }

  fileprivate func isEqual(to other: any StepKind) -> Bool { other as? Self == self }
}

extension NamedStepKind {
  static var refused: [String] { [] }
  static func refusal(of key: String) -> Diagnostic.Cause { .exclusive(key, name, in: "a step") }
  var declared: [String] { shown.map { "\(Self.name): \($0)" } }
  var startsProgram: Bool { true }
}

extension Workflow.Step {
  /// The action of a step.
  public struct Action: Sendable, Equatable {
    package let kind: any StepKind

    init(_ kind: any StepKind) {
      self.kind = kind
    }

    /// Returns whether the action is of a kind; much faster than a cast, and asked several times for each
    /// step of a run.
    func hasKind(_ type: any StepKind.Type) -> Bool { Swift.type(of: kind) == type }

    /// Returns whether two actions have the same kind and the same declaration.
    public static func == (left: Action, right: Action) -> Bool {
      left.kind.isEqual(to: right.kind)
    }
  }
}

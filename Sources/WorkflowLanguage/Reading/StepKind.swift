// What a kind of step says of itself. Each kind is a file in the folder Steps, where the list of them is, too.

import YAML

/// What a step does, as it is declared.
package protocol StepKind: Sendable, Equatable {
  /// What it does, line by line, for people.
  var shown: [String] { get }
  /// What it does as it is written, line by line: a finished step of which these differ has changed.
  var declared: [String] { get }
  /// The texts with expressions in it.
  var templates: [Template] { get }
  /// Whether it starts a program, and is no Swift code.
  var startsProgram: Bool { get }

  /// Computes what is to be done just before the step starts, in one of the ways that the engine knows.
  ///
  /// - Throws: ``ResolutionError`` for the first value that cannot be computed.
  func resolved(_ source: StepSource) throws(ResolutionError) -> ResolvedStep.Action
}

/// A kind of step that a file can name, by a key of its own.
protocol NamedStepKind: StepKind {
  /// The key.
  static var name: String { get }
  /// What its value may be.
  static var shape: Shape { get }
  /// What it is, for editors.
  static var summary: String { get }
  /// The keys that have no meaning beside it.
  static var refused: [String] { get }

  /// What is wrong with one of these.
  static func refusal(of key: String) -> DiagnosticKind
  /// Reads the value of the key; nil when it is wrong, which has been told then.
  static func read(_ step: StepFields, _ reader: inout WorkflowReader) -> (any StepKind)?
}

/// What a step is read from.
struct StepFields {
  /// The value of the key of its kind.
  let node: Node
  /// All of its keys.
  let all: Fields
  let context: WorkflowReader.Context
  /// Its position among all steps.
  let draft: Int
}

extension StepKind {
  package var declared: [String] { [] }
  package var templates: [Template] { [] }
  package var startsProgram: Bool { false }

  fileprivate func isEqual(to other: any StepKind) -> Bool { other as? Self == self }
}

extension NamedStepKind {
  static var refused: [String] { [] }
  static func refusal(of key: String) -> DiagnosticKind { .exclusive(key, name, in: "a step") }
  var declared: [String] { shown.map { "\(Self.name): \($0)" } }
  var startsProgram: Bool { true }
}

extension Workflow.Step {
  /// What a step does.
  public struct Action: Sendable, Equatable {
    package let kind: any StepKind

    init(_ kind: any StepKind) {
      self.kind = kind
    }

    /// Whether both are of one kind and do the same.
    public static func == (left: Action, right: Action) -> Bool {
      left.kind.isEqual(to: right.kind)
    }
  }
}

// The step kind `run`, which runs a script.

import WorkflowReading
import YAML

/// A step that runs a script.
struct RunStep: NamedStepKind {
  static let name = "run"
  static let shape = Shape.script
  static let summary = "a script to run"

  let script: String

  static func read(_ step: StepFields, _ reader: inout WorkflowReader) -> (any StepKind)? {
    reader.readScript(step.node, step.context, of: step.all).map(RunStep.init)
  }

  var shown: [String] { script.split(separator: "\n").map(String.init) }

  func resolved(_ source: StepSource) -> ResolvedStep.Action { .run(script) }
}

extension Workflow.Step.Action {
  /// The script, if the step runs one.
  package var script: String? { (kind as? RunStep)?.script }

  /// Returns the action of a step that runs a script.
  package static func run(_ script: String) -> Self { Self(RunStep(script: script)) }
}

extension Step {
  /// Creates a step that runs a script.
  ///
  /// The script is a static string, so that data cannot become code. Pass data to it in environment
  /// variables, or to a program with `exec`.
  ///
  /// - Parameters:
  ///   - id: The id of the step, unique in its workflow.
  ///   - script: The script.
  ///   - settings: The settings of the step.
  ///   - file: The file of the declaration, for messages.
  ///   - line: The line of the declaration, for messages.
  public init(
    _ id: String, run script: StaticString, _ settings: StepSetting...,
    file: StaticString = #fileID, line: Int = #line
  ) {
    self.init(
      id, [("run", .text(script.description))], settings, DeclarationPlace(file, line))
  }
}

// The step kind `service`, a program that other steps use while it runs.

import WorkflowReading
import YAML

/// A step that runs a program until no step needs it any more.
struct ServiceStep: NamedStepKind {
  static let name = "service"
  static let shape = Shape.either([.script, .list(.template, minimum: 1)])
  static let summary = "a script or program that runs while other steps need it"
  static let refused = [
    "run", "exec", "call", "timeout", "retry", "share", "cache", "mutex", "terminal", "survive",
    "outputs", "repeat", "undo",
  ]

  /// The program: a script, or words.
  enum Program: Sendable, Equatable {
    case script(RunStep)
    case words(ExecStep)
  }

  let program: Program

  static func read(_ step: StepFields, _ reader: inout WorkflowReader) -> (any StepKind)? {
    if case .sequence = step.node.content {
      let words = ExecStep.read(step, &reader) as? ExecStep
      return words.map { ServiceStep(program: .words($0)) }
    }
    let script = RunStep.read(step, &reader) as? RunStep
    return script.map { ServiceStep(program: .script($0)) }
  }

  private var kind: any StepKind {
    switch program {
    case .script(let step): step
    case .words(let step): step
    }
  }

  var isService: Bool { true }

  var shown: [String] { kind.shown }

  var templates: [Template] { kind.templates }

  func resolved(_ source: StepSource) throws(ResolutionError) -> ResolvedStep.Action {
    try kind.resolved(source)
  }
}

extension Step {
  /// Creates a service: a script that runs while other steps need it.
  ///
  /// - Parameters:
  ///   - id: The id of the step, unique in its workflow.
  ///   - script: The script.
  ///   - settings: The settings of the step.
  ///   - file: The file of the declaration, for messages.
  ///   - line: The line of the declaration, for messages.
  public init(
    _ id: String, service script: StaticString, _ settings: StepSetting...,
    file: StaticString = #fileID, line: Int = #line
  ) {
    self.init(
      id, [("service", .text(script.description))], settings, DeclarationPlace(file, line))
  }

  /// Creates a service: a program, followed by its arguments, that runs while other steps need it.
  ///
  /// - Parameters:
  ///   - id: The id of the step, unique in its workflow.
  ///   - words: The program, followed by its arguments.
  ///   - settings: The settings of the step.
  ///   - file: The file of the declaration, for messages.
  ///   - line: The line of the declaration, for messages.
  public init(
    _ id: String, service words: [TemplateValue], _ settings: StepSetting...,
    file: StaticString = #fileID, line: Int = #line
  ) {
    self.init(
      id, [("service", .list(words.map(\.value)))], settings, DeclarationPlace(file, line))
  }
}

// Conditions that a command decides, and the condition of a workflow as a whole.

/// A command that decides whether a step or a workflow runs, by its exit status.
package struct ConditionCommand: Sendable, Equatable {
  /// The time limit if the file sets none.
  package static let defaultLimit: Duration = .seconds(30)

  /// The script.
  package var script: String
  /// The maximum duration; a command that takes longer is an error.
  package var limit: Duration

  package init(script: String, limit: Duration = Self.defaultLimit) {
    self.script = script
    self.limit = limit
  }

  /// The script as it is shown: its first line, and an ellipsis for the others.
  package var shown: String {
    let lines = script.split(separator: "\n", omittingEmptySubsequences: true)
    return (lines.first.map(String.init) ?? "") + (lines.count > 1 ? " …" : "")
  }
}

/// The condition of a workflow as a whole.
package enum WorkflowCondition: Sendable, Equatable {
  case expression(Template)
  case command(ConditionCommand)

  /// The source of the condition, as it is shown.
  package var source: String {
    switch self {
    case .expression(let template): template.source
    case .command(let command): command.shown
    }
  }
}

extension Workflow {
  /// Returns whether the condition of the workflow is met, which is an expression.
  package func meetsCondition(
    _ template: Template, _ values: RunValues
  ) throws(ResolutionError) -> Bool {
    let source = StepSource(workflow: self, values: values, scope: 0, bindings: nil)
    return try source.decides(template)
  }
}

extension StepSource {
  /// Returns whether the value of a condition is true.
  ///
  /// - Throws: ``ResolutionError`` if it has no value, or one that is neither true nor false.
  func decides(_ template: Template, _ place: String = "if") throws(ResolutionError) -> Bool {
    let value = try value(of: template, place)
    guard value == .null || value.types == .boolean else {
      throw ResolutionError(
        place, .invalid(ExpressionError(.conditionValue(value.types), 0..<1)))
    }
    return value.isTruthy
  }
}

// Steps that run several times until a condition is met.

/// The rule by which a step that has succeeded runs again.
package struct Repetition: Sendable, Equatable {
  /// The rule if the file sets neither a delay nor a limit.
  package static let endless = Retry(limit: Int(Int32.max))

  /// The condition, evaluated after each round.
  package var condition: Template
  /// Whether the step runs again while the condition is true, and not until it is.
  package var isWhile: Bool
  /// How often it runs again at most, and the delays between two rounds.
  package var again: Retry

  package init(condition: Template, isWhile: Bool, again: Retry) {
    (self.condition, self.isWhile, self.again) = (condition, isWhile, again)
  }

  /// The maximum number of rounds; nil if there is none.
  package var roundsMax: Int? { again.limit < Int(Int32.max) ? again.limit + 1 : nil }

  /// Whether the condition decides about failed rounds, too, because it reads their exit status.
  package var acceptsFailures: Bool {
    condition.expressions.contains { expression, _ in
      var isRead = false
      expression.visit { if case .root(.status) = $0.kind { isRead = true } }
      return isRead
    }
  }

  /// The condition as it is shown, such as `until stdout == 'ready'`.
  package var shown: String { "\(isWhile ? "while" : "until") \(condition.source)" }
}

extension Workflow {
  /// Returns whether a step has another round.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - rule: Its rule.
  ///   - outputs: The outputs of the round.
  ///   - standardOutput: The standard output of the round, without trailing newlines.
  ///   - status: The exit status of the round; nil if it has none.
  ///   - values: The values of the run.
  /// - Returns: Whether there is another round, if the limit allows it.
  /// - Throws: ``ResolutionError``.
  package func repeats(
    _ step: Workflow.Step, _ rule: Repetition, outputs: [String: String], standardOutput: String,
    status: Int?, _ values: RunValues
  ) throws(ResolutionError) -> Bool {
    var source = StepSource(
      workflow: self, values: values, scope: step.extras.scope, bindings: step.extras.bindings)
    source.written = outputs
    source.standardOutput = standardOutput
    source.exitStatus = status
    return try source.decides(rule.condition, "repeat") == rule.isWhile
  }
}

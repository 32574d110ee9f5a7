// The names of steps for displays.

import Workflows

extension RunState {
  /// Returns whether a step is part of the run and has this id.
  func isStep(_ id: String, _ step: StepIndex) -> Bool {
    steps.position(of: step) != nil && steps[step].id == id
  }

  /// Returns the text by which displays refer to a step: its name, or else its id.
  ///
  /// - Parameter id: The id of the step.
  /// - Returns: The name; the id for a step without a name, and for one that the run does not have.
  public func name(of id: String) -> String {
    position(ofStep: id).flatMap { plan?.steps[$0].name } ?? id
  }

  /// Returns the label that a step got from the expansion of `matrix` or `foreach`.
  ///
  /// It distinguishes the step from its siblings.
  ///
  /// - Parameter id: The id of the step.
  /// - Returns: The label, such as `linux, 5`; nil for a step that was not expanded.
  public func label(of id: String) -> String? {
    position(ofStep: id).flatMap { plan?.steps[$0].label }
  }

  /// Returns the name of a step with its label, for displays with little room.
  ///
  /// - Parameter id: The id of the step.
  /// - Returns: Such as `Build all` or `compile (O2, cc)`.
  package func shortTitle(of id: String) -> String {
    guard let position = position(ofStep: id), let step = plan?.steps[position] else { return id }
    if let name = step.name { return name }
    guard let label = step.label else { return id }
    return (id.hasSuffix("]") ? id.lastIndex(of: "[").map { String(id[..<$0]) } ?? id : id)
      + " (\(label))"
  }

  /// Returns a sentence about the end of the run, with the name of a step instead of its id.
  ///
  /// - Parameter outcome: How the run has ended.
  /// - Returns: Such as `step "Build all" failed: exited with status 1`.
  public func text(of outcome: RunOutcome) -> String {
    guard case .failed(let step, let reason) = outcome else { return outcome.description }
    return RunOutcome.failed(step: name(of: step), reason: reason).description
  }

  /// Returns why a step or the run was cancelled, with the name of a step instead of its id.
  ///
  /// - Parameter cause: Why it was cancelled.
  /// - Returns: Such as `because step "Build all" failed`; it follows the word "cancelled".
  public func text(of cause: CancellationCause) -> String {
    switch cause {
    case .failure(let step): CancellationCause.failure(ofStep: name(of: step)).description
    case .cancellation(let step):
      CancellationCause.cancellation(ofStep: name(of: step)).description
    case .request, .restart, .runTimedOut, .abandoned, .interrupted: cause.description
    }
  }

  /// Returns how a step that was cancelled ended.
  ///
  /// - Parameter step: The step.
  /// - Returns: Such as `cancelled on request`, or `not run: build failed` for one that did not begin; nil
  ///   for a step that was not cancelled.
  package func endText(of step: StepState) -> String? {
    guard case .cancelled(let cause) = step.phase else { return nil }
    return reasonNotRun(of: step).map { "not run: \($0)" } ?? "cancelled \(text(of: cause))"
  }

  /// Returns why a step did not begin.
  ///
  /// - Parameter step: The step.
  /// - Returns: Such as `build failed`; nil for a step that has begun, or was not cancelled.
  package func reasonNotRun(of step: StepState) -> String? {
    guard case .cancelled(let cause) = step.phase, !step.hasBegun else { return nil }
    return switch cause {
    case .failure(let other): "\(shortTitle(of: other)) failed"
    case .cancellation(let other): "\(shortTitle(of: other)) was cancelled"
    case .request: "cancelled"
    case .restart: "restarted"
    case .runTimedOut: "the run timed out"
    case .abandoned(let problem): "Reprise could not continue: \(problem)"
    case .interrupted: "interrupted"
    }
  }

  /// Returns the name of a step and, in parentheses, its id or label.
  ///
  /// For displays whose readers need the id for a command.
  ///
  /// - Parameter id: The id of the step.
  /// - Returns: Such as `Build all (build)` or `build[0] (linux)`.
  public func title(of id: String) -> String {
    guard let position = position(ofStep: id), let step = plan?.steps[position] else { return id }
    if let name = step.name { return "\(name) (\(id))" }
    return id + (step.label.map { " (\($0))" } ?? "")
  }
}

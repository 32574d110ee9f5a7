// Runs that a step starts, and that end with it.

import CombineOperators
public import Workflows

extension Engine: ChildEngine {}

extension StepContext {
  /// Runs a workflow as part of the step, and waits until it has succeeded.
  ///
  ///     Step("release") { context in
  ///       let state = try await context.run(try release(of: version))
  ///       return try state.output(of: "publish", as: Published.self)
  ///     }
  ///
  /// The run is one of the engine of the step, with its actions and its observer. When the step is
  /// cancelled or killed, so is the run, and this function returns when nothing of it is left. The
  /// ends of its steps are lines of output and the progress of the step.
  ///
  /// The run is not recorded: if the step runs again, after a retry, a restart or a crash, so does the
  /// whole workflow.
  ///
  /// - Parameters:
  ///   - workflow: The workflow.
  ///   - secrets: The values of its secrets.
  ///   - onEvent: Called with each event of the run, in order, on a queue.
  /// - Returns: The state of the run, with the outputs of its steps.
  /// - Throws: ``RunFailure`` if the run did not succeed; `CancellationError` if the step was
  ///   cancelled.
  @discardableResult
  public func run(
    _ workflow: Workflow, secrets: Secrets = Secrets(),
    onEvent: @escaping @Sendable (Event) -> Void = { _ in }
  ) async throws -> RunState {
    let engine = (engine as? Engine) ?? Engine(clock: clock)
    var subscription: AnyCancellable?
    // In a test, the time goes on for the steps of the run.
    let goOn = engine.runtime.attempts?.waitForSteps()
    defer { goOn?() }
    let run = engine.recording(by: nil).start(workflow, secrets: secrets) { events in
      let parent = self
      subscription = events.sink { event in
        if case .runEnded = event.kind { goOn?() }
        parent.report(event, of: workflow)
        onEvent(event)
      }
    }
    let outcome = try await withKillHandler {
      run.kill()
    } operation: {
      try await withTaskCancellationHandler {
        // In a task of its own, because a cancelled wait would not wait for the end.
        try await Task { try await run.outcome }.value
      } onCancel: {
        run.cancel()
      }
    }
    withExtendedLifetime(subscription) {}
    try Task.checkCancellation()
    guard outcome == .succeeded else { throw RunFailure(run: run.id, outcome: outcome) }
    return run.state
  }

  /// Reports an event of a run that the step has started.
  private func report(_ event: Event, of workflow: Workflow) {
    switch event.kind {
    case .runStarted: report("run \(event.run) of \(workflow.name) started")
    case .runEnded(let outcome): report("run \(event.run) of \(workflow.name): \(outcome.name)")
    case .step(let id, _, let change):
      guard let phase = change.finalName else { return }
      report("\(workflow.name): \(id) \(phase)")
    default: break
    }
  }
}

extension Event.StepEvent {
  /// What the event says of the step, if it ends it.
  fileprivate var finalName: String? {
    switch self {
    case .succeeded, .failed, .cancelled, .skipped: String(name.dropFirst("step-".count))
    default: nil
    }
  }
}

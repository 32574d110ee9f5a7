// Takes one step through its states: ready, running, over. Knows neither the pipeline that calls it
// nor when steps are restarted.

import WorkflowLanguage

/// Performs single steps of a run and records what becomes of them.
struct StepPerformer: Sendable {
  let workflow: Workflow
  let executor: any Executor
  let ledger: RunLedger
  let slots: Slots
  let killSwitch: KillSwitch
  let clock: any RunClock
  /// Called after a step has ended while the run waits for just that.
  let stepEnded: @Sendable (StepIndex) -> Void

  /// Performs one step in one generation.
  ///
  /// Runs in the task that the pipeline made for it: when that is cancelled the step is stopped, and
  /// this returns only when nothing of it is left. A step that was taken out of the generation
  /// meanwhile does nothing and records nothing.
  ///
  /// - Parameters:
  ///   - step: Which step.
  ///   - generation: The generation for which the pipeline connected it.
  ///   - results: What became of the steps that it needs, in their order.
  /// - Returns: What became of it.
  func perform(_ step: StepIndex, generation: Int, results: [StepResult]) async -> StepResult {
    // Before looking at what it needs: that may have changed since, and it is done nonetheless.
    if let outputs = outputsOfEarlierSuccess(of: step) { return .succeeded(outputs) }
    if let obstacle = results.lazy.compactMap(\.obstacle).first {
      return giveUp(step, generation: generation, because: obstacle)
    }
    guard record(.ready, of: step, admittedTo: generation) else { return .stopped }
    var number = 1
    while true {
      switch await attempt(number, of: step, generation: generation, results: results) {
      case .over(let result):
        return result
      case .again(let delay):
        number += 1
        guard (try? await clock.sleep(for: delay)) != nil else {
          return end(step, attempt: number - 1, .cancelled(.request))
        }
      }
    }
  }

  private enum Attempted {
    case over(StepResult)
    /// It failed, and the next attempt begins after this time.
    case again(Duration)
  }

  /// What a step left that has succeeded in an earlier generation; nil where it has not.
  private func outputsOfEarlierSuccess(of step: StepIndex) -> StepOutputs? {
    switch ledger.decide({ $0.state.steps[step.position].phase }) {
    case .succeeded(let outputs): outputs
    case .skipped: [:]
    case .pending, .ready, .running, .failed, .cancelled: nil
    }
  }

  /// Makes one attempt, in a place that is given back after it.
  private func attempt(
    _ number: Int, of step: StepIndex, generation: Int, results: [StepResult]
  ) async -> Attempted {
    guard await slots.take() else {
      return .over(end(step, attempt: number - 1, .cancelled(.request)))
    }
    defer { slots.giveBack() }
    // What this step needs must be known to have succeeded even if the machine loses its power now.
    // When that cannot be recorded, the run is on its way to being abandoned.
    guard await ledger.recorded(successesOf: workflow.graph.needs(of: step)) == nil,
      record(.started, of: step, attempt: number, admittedTo: generation)
    else { return .over(end(step, attempt: number - 1, .cancelled(.request))) }
    let context = StepContext(
      run: ledger.run, generation: generation, attempt: number, workflow: workflow,
      step: workflow.steps[step.position], index: step, results: results, ledger: ledger,
      killSwitch: killSwitch)
    let event = await execute(context)
    if let delay = delay(after: event, attempt: number, of: context.step),
      case .failed(let reason) = event,
      record(.retrying(reason, after: delay), of: step, attempt: number, admittedTo: generation)
    {
      return .again(delay)
    }
    return .over(end(step, attempt: number, event))
  }

  /// How long the next attempt waits; nil when there is none.
  private func delay(after event: Event.StepEvent, attempt: Int, of step: Step) -> Duration? {
    guard let retry = step.retry, attempt <= retry.limit, case .failed(let reason) = event else {
      return nil
    }
    if let statuses = retry.statuses {
      guard case .exited(let status) = reason, statuses.contains(status) else { return nil }
    }
    return retry.delay(after: attempt, random: .random(in: 0...1))
  }

  /// A need has failed: the step will not run in this generation.
  private func giveUp(
    _ step: StepIndex, generation: Int, because obstacle: StepResult
  ) -> StepResult {
    guard case .failed(let failed) = obstacle else { return .stopped }
    let cause = CancellationCause.failure(ofStep: workflow.steps[failed.position].id)
    guard record(.cancelled(cause), of: step, admittedTo: generation) else { return .stopped }
    return obstacle
  }

  private func execute(_ context: StepContext) async -> Event.StepEvent {
    do {
      guard let timeout = context.step.timeout else {
        return .succeeded(try await executor.execute(context))
      }
      return try await withTimeout(timeout) {
        .succeeded(try await executor.execute(context))
      }
    } catch is CancellationError where Task.isCancelled {
      return .cancelled(.request)
    } catch let reason as FailureReason {
      return Task.isCancelled ? .cancelled(.request) : .failed(reason)
    } catch {
      return Task.isCancelled ? .cancelled(.request) : .failed(.threw(String(describing: error)))
    }
  }

  /// Runs an operation and, when it takes too long, cancels it and waits until it is gone.
  private func withTimeout(
    _ timeout: Duration, _ operation: @escaping @Sendable () async throws -> Event.StepEvent
  ) async throws -> Event.StepEvent {
    try await withThrowingTaskGroup(of: Event.StepEvent?.self) { group in
      group.addTask { try await operation() }
      group.addTask {
        try await clock.sleep(for: timeout)
        return nil
      }
      defer { group.cancelAll() }
      if let event = try await group.next() ?? nil { return event }
      group.cancelAll()
      while (try? await group.next()) != nil {}
      return .failed(.timedOut(after: timeout))
    }
  }

  /// Records an event of a step, unless the step has been taken out of the generation.
  ///
  /// - Returns: Whether it was recorded.
  private func record(
    _ event: Event.StepEvent, of step: StepIndex, attempt: Int = 0, admittedTo generation: Int
  ) -> Bool {
    let (isRecorded, mustTell) = ledger.decide { page in
      guard page.admitted[step.position] == generation else { return (false, false) }
      page.tell(event, of: step.position, attempt: attempt)
      return (true, page.isEndOfStepWaitedFor)
    }
    if mustTell { stepEnded(step) }
    return isRecorded
  }

  /// Records the end of a step that is under way, also after it was taken out of its generation:
  /// the run waits for it.
  private func end(_ step: StepIndex, attempt: Int, _ event: Event.StepEvent) -> StepResult {
    let (result, mustTell) = ledger.decide { page -> (StepResult, Bool) in
      var event = event
      if case .cancelled = event { event = .cancelled(page.state.phase.causeOfStop) }
      page.tell(event, of: step.position, attempt: attempt)
      return (event.result(of: step), page.isEndOfStepWaitedFor)
    }
    if mustTell { stepEnded(step) }
    return result
  }
}

extension RunLedger.Page {
  /// Whether the driver has to look at the run after a step has ended: it stops steps, or none is
  /// left.
  fileprivate var isEndOfStepWaitedFor: Bool {
    state.phase != .running || state.counts.final == state.steps.count
  }
}

extension RunPhase {
  /// Why a step that was stopped just now was stopped.
  fileprivate var causeOfStop: CancellationCause {
    switch self {
    case .cancelling(let cause): cause
    case .restarting: .restart
    case .notStarted, .running, .ended: .request
    }
  }
}

extension Event.StepEvent {
  fileprivate func result(of step: StepIndex) -> StepResult {
    switch self {
    case .succeeded(let outputs): .succeeded(outputs)
    case .failed: .failed(step)
    case .cancelled, .skipped, .ready, .started, .retrying, .output: .stopped
    }
  }
}

extension StepResult {
  /// What keeps a step that needs this one from running, if anything does.
  fileprivate var obstacle: StepResult? {
    switch self {
    case .succeeded: nil
    case .failed, .stopped: self
    }
  }
}

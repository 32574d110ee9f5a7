// Takes one step through its states: ready, running, over. Knows neither the pipeline that calls it
// nor when steps are restarted. How its values are computed is in StepPerformer+Values.

import WorkflowLanguage

/// Performs single steps of a run and records what becomes of them.
struct StepPerformer: Sendable {
  /// Changed between generations only, by one with the same steps.
  var workflow: Workflow
  let executor: any Executor
  let registry: ActionRegistry
  let sharedWork: SharedWork
  let observer: (any RunObserver)?
  let ledger: RunLedger
  let slots: Slots
  let limits: StepLimits
  let killSwitch: KillSwitch
  let stopSwitches: StopSwitches
  let approvals: Approvals
  let secrets: Secrets
  let cache: StepCache?
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
    let declared = workflow.steps[step.position]
    let obstacle = results.lazy.compactMap(\.obstacle).first
    let extras = declared.extrasIfAny
    let isFinally = extras?.finally != nil
    if let obstacle, !isFinally {
      guard case .failed = obstacle, workflow.asksForStatus(declared) else {
        return giveUp(step, generation: generation, because: obstacle)
      }
    }
    let status =
      isFinally
      ? ledger.decide { $0.ending?.status ?? .success } : obstacle == nil ? .success : .failure
    let job = StepJob(
      index: step, step: declared, generation: generation, status: status, results: results)
    if extras != nil || workflow.failsFast, let result = await resultWithoutStarting(job) {
      return result
    }
    guard record(.ready, of: step, admittedTo: generation) else { return .stopped }
    guard workflow.failsFast || extras?.failFastGroup != nil else {
      return await performReady(job)
    }
    // A failure beside it may stop this step alone, so it gets a task that can be cancelled alone.
    let task = Task { await performReady(job) }
    let registration = stopSwitches.register(step) { task.cancel() }
    defer { stopSwitches.unregister(step, registration) }
    return await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Takes a step that is ready to its end.
  private func performReady(_ job: StepJob) async -> StepResult {
    if let result = await resultOfApproval(job) { return result }
    var number = 1
    while true {
      switch await attempt(number, of: job) {
      case .over(let result):
        return result
      case .again(let delay):
        number += 1
        guard (try? await clock.sleep(for: delay)) != nil else {
          return end(job.index, attempt: number - 1, .cancelled(.request))
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
    case .skipped(_, let outputs): outputs
    case .pending, .ready, .running, .failed, .cancelled: nil
    }
  }

  // MARK: Before it starts

  /// What becomes of a step that is not to run at all; nil when it is to run.
  private func resultWithoutStarting(_ job: StepJob) async -> StepResult? {
    if let cause = ledger.decide({ $0.stopped[job.index.position] }) {
      guard record(.cancelled(cause), of: job.index, admittedTo: job.generation),
        case .failure(let id) = cause, let failed = workflow.graph.index(of: id)
      else { return .stopped }
      return .failed(failed)
    }
    if let endings = job.step.extras.finally,
      let ending = ledger.decide({ $0.ending }), !endings.contains(ending)
    {
      return skip(job, "the run ended with \(ending.rawValue)")
    }
    guard workflow.hasCondition(job.step) else { return nil }
    do throws(ResolutionError) {
      guard let condition = try workflow.unmetCondition(of: job.step, values(for: job)) else {
        return nil
      }
      return skip(job, "if: \(condition)")
    } catch {
      return fail(job, .badValue(error.description))
    }
  }

  private func resolved(
    _ job: StepJob, _ values: RunValues
  ) throws(FailureReason) -> ResolvedStep {
    do throws(ResolutionError) {
      return try workflow.resolved(job.step, values)
    } catch {
      throw .badValue(error.description)
    }
  }

  /// Skips a step that is ready.
  private func upToDate(_ job: StepJob, _ outputs: StepOutputs) -> StepResult {
    let event = Event.StepEvent.skipped("up to date", outputs)
    let isRecorded = record(event, of: job.index, admittedTo: job.generation)
    return isRecorded ? .succeeded(outputs) : end(job.index, attempt: 0, .cancelled(.request))
  }

  private func skip(_ job: StepJob, _ reason: String) -> StepResult {
    let isRecorded = record(.skipped(reason, [:]), of: job.index, admittedTo: job.generation)
    return isRecorded ? .succeeded([:]) : .stopped
  }

  /// Fails a step before anything of it has begun.
  private func fail(_ job: StepJob, _ reason: FailureReason) -> StepResult {
    guard record(.ready, of: job.index, admittedTo: job.generation) else { return .stopped }
    // Once it is ready, its end is waited for.
    guard record(.started, of: job.index, attempt: 1, admittedTo: job.generation) else {
      return end(job.index, attempt: 0, .cancelled(.request))
    }
    return end(job.index, attempt: 1, .failed(reason))
  }

  /// Waits for the approval that a step needs.
  ///
  /// - Returns: What became of the step; nil when it may start.
  private func resultOfApproval(_ job: StepJob) async -> StepResult? {
    guard let text = job.step.extrasIfAny?.approval else { return nil }
    let position = job.index
    approvals.open(position)
    guard record(.waiting(text), of: position, admittedTo: job.generation) else {
      approvals.close(position)
      return end(position, attempt: 0, .cancelled(.request))
    }
    switch await approvals.decision(on: position) {
    case .approved:
      guard record(.approved, of: position, admittedTo: job.generation) else {
        return end(position, attempt: 0, .cancelled(.request))
      }
      return nil
    case .rejected:
      guard record(.started, of: position, attempt: 1, admittedTo: job.generation) else {
        return end(position, attempt: 0, .cancelled(.request))
      }
      return end(position, attempt: 1, .failed(.rejected))
    case .cancelled:
      return end(position, attempt: 0, .cancelled(.request))
    }
  }

  // MARK: Attempts

  /// Makes one attempt, in a place that is given back after it.
  private func attempt(_ number: Int, of job: StepJob) async -> Attempted {
    let step = job.index
    // Those that few steps share come first, so that nobody waits for them in a place of all.
    let places = limits.places(of: job.step) + [slots]
    var taken: [Slots] = []
    defer { for place in taken.reversed() { place.giveBack() } }
    for place in places {
      guard await place.take() else {
        return .over(end(step, attempt: number - 1, .cancelled(.request)))
      }
      taken.append(place)
    }
    // What this step needs must be known to have succeeded even if the machine loses its power now.
    // When that cannot be recorded, the run is on its way to being abandoned.
    guard await ledger.recorded(successesOf: workflow.graph.needs(of: step)) == nil else {
      return .over(end(step, attempt: number - 1, .cancelled(.request)))
    }
    let values = values(for: job)
    let resolved: ResolvedStep
    let trace: StepTrace?
    do throws(FailureReason) {
      resolved = try self.resolved(job, values)
      trace = try self.trace(of: job, resolved, values)
      if let trace, number == 1 {
        if let outputs = outputsIfUpToDate(trace, job) {
          return .over(upToDate(job, outputs))
        }
        try forget(job)
      }
    } catch {
      guard record(.started, of: step, attempt: number, admittedTo: job.generation) else {
        return .over(end(step, attempt: number - 1, .cancelled(.request)))
      }
      return .over(end(step, attempt: number, .failed(masked(error))))
    }
    guard record(.started, of: step, attempt: number, admittedTo: job.generation) else {
      return .over(end(step, attempt: number - 1, .cancelled(.request)))
    }
    // Those who share its work may need what it prints, even if it does not.
    let needsCapture = workflow.needsStandardOutput(job.step) || resolved.share != nil
    let capture = needsCapture ? OutputCapture() : nil
    let context = StepContext(
      run: ledger.run, generation: job.generation, attempt: number, workflow: workflow,
      step: job.step, resolved: resolved, values: values, masker: secrets.masker,
      hiddenVariables: secrets.variables, capture: capture, index: step,
      results: job.results, ledger: ledger, killSwitch: killSwitch)
    let event = await execute(context, values)
    if let trace, case .succeeded(let outputs) = event { remember(trace, context, outputs) }
    if let delay = delay(after: event, attempt: number, of: context.step),
      case .failed(let reason) = event,
      record(.retrying(reason, after: delay), of: step, attempt: number, admittedTo: job.generation)
    {
      return .again(delay)
    }
    return .over(end(step, attempt: number, event))
  }

  /// How long the next attempt waits; nil when there is none.
  private func delay(after event: Event.StepEvent, attempt: Int, of step: Workflow.Step)
    -> Duration?
  {
    guard let retry = step.retry, attempt <= retry.limit, case .failed(let reason) = event else {
      return nil
    }
    if let statuses = retry.statuses {
      guard case .exited(let status) = reason, statuses.contains(status) else { return nil }
    }
    return retry.delay(after: attempt, random: .random(in: 0...1))
  }

  // MARK: Recording

  /// A need has failed: the step will not run in this generation.
  private func giveUp(
    _ step: StepIndex, generation: Int, because obstacle: StepResult
  ) -> StepResult {
    guard case .failed(let failed) = obstacle else { return .stopped }
    let cause = CancellationCause.failure(ofStep: workflow.steps[failed.position].id)
    guard record(.cancelled(cause), of: step, admittedTo: generation) else { return .stopped }
    return obstacle
  }

  /// Records an event of a step, unless the step has been taken out of the generation.
  ///
  /// - Returns: Whether it was recorded.
  func record(
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
    let extras = workflow.steps[step.position].extrasIfAny
    let isTolerated = extras?.continuesOnError == true
    let (result, mustTell, siblings) = ledger.decide { page -> (StepResult, Bool, [StepIndex]) in
      var event = event
      var stoppedBecauseOf: StepIndex?
      if case .cancelled = event {
        let cause = page.stopped[step.position] ?? page.state.phase.causeOfStop
        if case .failure(let id) = cause { stoppedBecauseOf = workflow.graph.index(of: id) }
        event = .cancelled(cause)
      }
      page.tell(event, of: step.position, attempt: attempt)
      var siblings: [StepIndex] = []
      if case .failed = event, !isTolerated, page.state.phase == .running {
        siblings = page.stopSiblings(of: step, in: workflow)
      }
      let result =
        stoppedBecauseOf.map(StepResult.failed)
        ?? event.result(of: step, isTolerated: isTolerated)
      return (result, page.isEndOfStepWaitedFor, siblings)
    }
    for sibling in siblings { stopSwitches.stop(sibling) }
    if mustTell { stepEnded(step) }
    return result
  }
}

/// One step that is to be performed, with what is known when its turn comes.
struct StepJob: Sendable {
  let index: StepIndex
  let step: Workflow.Step
  let generation: Int
  let status: StepsStatus
  let results: [StepResult]
}

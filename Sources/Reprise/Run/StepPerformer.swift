// Takes one step through its states: ready, running, over. How its values are computed is in
// StepPerformer+Values.

import Masking
import Paths
import WorkflowLanguage

/// Performs single steps of a run and records what becomes of them.
struct StepPerformer: Sendable {
  /// Replaced between generations only, by one with the same steps.
  var workflow: Workflow
  let executor: any Executor
  let registry: ActionRegistry
  let sharedWork: SharedWork
  let observer: (any RunObserver)?
  let ledger: RunLedger
  let slots: Slots
  let secrets: Secrets
  let cache: StepCache?
  /// Where the memory of the cache is read and written, which blocks.
  let memoryQueue: any WorkQueue
  let clock: any RunClock
  let runtime: Runtime
  /// Called after a step has ended while the run waits for just that.
  let stepEnded: @Sendable (StepIndex) -> Void
  /// The patterns of the steps that made files last.
  let searches = FileSearches()

  // MARK: Admission

  /// What a step does once the results of its needs are known.
  enum Admission {
    /// It does not run.
    case over(StepResult)
    /// It is ready and waits for its slots.
    case toSlots
    /// It is ready and waits for approval before it waits for its slots.
    case toApproval
  }

  /// Decides whether a step runs, and records that it is ready if so.
  ///
  /// Called on the task that computed the last of the results. Does not wait.
  ///
  /// - Parameters:
  ///   - future: The future of the step.
  ///   - generation: The generation for which it was connected.
  /// - Returns: What the step does now.
  func admit(_ future: StepFuture, generation: Int) -> Admission {
    let step = StepIndex(future.step)
    // Before looking at its needs: they may run again although this step has succeeded.
    if let outputs = outputsOfEarlierSuccess(of: step) { return .over(.succeeded(outputs)) }
    let job = job(step, generation: generation, results: future.results)
    if let obstacle = job.obstacle, !job.isFinally {
      guard case .failed = obstacle, workflow.asksForStatus(job.step) else {
        return .over(giveUp(job, because: obstacle))
      }
    }
    if let result = resultWithoutStarting(job) { return .over(result) }
    let (result, isAwaited) = ledger.decide { page -> (StepResult?, Bool) in
      let control = page.controls[step.position]
      guard control.admits(generation) else { return (.stopped, false) }
      if let cause = control.cause {
        return (resultOfStop(job, cause, &page), page.isEndOfStepWaitedFor)
      }
      page.controls[step.position].becomeReady(future)
      page.tell(.ready, of: step.position, attempt: 0)
      return (nil, false)
    }
    if isAwaited { stepEnded(step) }
    if let result { return .over(result) }
    return job.step.extrasIfAny?.approval == nil ? .toSlots : .toApproval
  }

  /// A step with what is known when its needs have their results.
  private func job(_ step: StepIndex, generation: Int, results: [StepResult]) -> StepJob {
    let declared = workflow.steps[step.position]
    // A need that was stopped is not over in this generation, whatever became of the others.
    let obstacles = results.lazy.compactMap(\.obstacle)
    let obstacle = obstacles.contains(.stopped) ? .stopped : obstacles.first
    let isFinally = declared.extrasIfAny?.finally != nil
    let status: RunEnding =
      isFinally
      ? ledger.decide { $0.ending ?? .success } : obstacle == nil ? .success : .failure
    return StepJob(
      index: step, step: declared, generation: generation, status: status, results: results,
      obstacle: obstacle)
  }

  /// Records that a step which was stopped before it was ready does not run.
  private func resultOfStop(
    _ job: StepJob, _ cause: CancellationCause, _ page: inout RunLedger.Page
  ) -> StepResult {
    page.tell(.cancelled(cause), of: job.index.position, attempt: 0)
    guard case .failure(let id) = cause, let failed = workflow.graph.index(of: id) else {
      return .stopped
    }
    return .failed(failed)
  }

  /// The outputs of a step that succeeded in an earlier generation; nil where it did not.
  private func outputsOfEarlierSuccess(of step: StepIndex) -> StepOutputs? {
    switch ledger.decide({ $0.state.steps[step.position].phase }) {
    case .succeeded(let outputs): outputs
    case .skipped(_, let outputs): outputs
    case .pending, .ready, .running, .failed, .cancelled: nil
    }
  }

  /// The result of a step that does not run because of its condition or of where the run ends; nil
  /// when it runs.
  private func resultWithoutStarting(_ job: StepJob) -> StepResult? {
    if let endings = job.step.extrasIfAny?.finally,
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

  private func skip(_ job: StepJob, _ reason: String) -> StepResult {
    record(.skipped(reason, [:]), of: job) ? .succeeded([:]) : .stopped
  }

  /// Fails a step before anything of it has begun.
  private func fail(_ job: StepJob, _ reason: FailureReason) -> StepResult {
    guard record(.ready, of: job) else { return .stopped }
    // Once it is ready, the run waits for its end.
    let hasStarted = record(.started, of: job, attempt: 1)
    let result =
      hasStarted
      ? end(job.index, attempt: 1, .failed(reason))
      : end(job.index, attempt: 0, .cancelled(.request))
    reportEnd(of: job.index)
    return result
  }

  /// Records that a step does not run because one that it needs has failed.
  private func giveUp(_ job: StepJob, because obstacle: StepResult) -> StepResult {
    guard case .failed(let failed) = obstacle else { return .stopped }
    let cause = CancellationCause.failure(ofStep: workflow.steps[failed.position].id)
    return record(.cancelled(cause), of: job) ? obstacle : .stopped
  }

  // MARK: Performing

  /// The step was stopped before its next attempt has started.
  private struct Withdrawn: Error {
    /// Why, where the run does not know it yet.
    var cause = CancellationCause.request
  }

  /// Performs one step that is ready.
  ///
  /// Runs in the task of the step's future: when that is cancelled the step is stopped, and this
  /// returns only when nothing of it is left.
  ///
  /// - Parameters:
  ///   - step: Which step.
  ///   - generation: The generation for which it was connected.
  ///   - results: The results of the steps that it needs, in their order.
  /// - Returns: Its result, which is recorded; the caller then calls ``reportEnd(of:)``.
  func perform(_ step: StepIndex, generation: Int, results: [StepResult]) async -> StepResult {
    let job = job(step, generation: generation, results: results)
    // However it ends: the next step in the queue may start.
    defer { slots.started(step) }
    var startedCount = 0
    do throws(Withdrawn) {
      if let result = try await resultOfApproval(job) { return result }
      while true {
        switch try await attempt(startedCount + 1, of: job) {
        case .over(let result):
          return result
        case .retry(let delay):
          startedCount += 1
          slots.release(step)
          slots.startNext()
          guard (try? await clock.sleep(for: delay)) != nil else { throw Withdrawn() }
        }
      }
    } catch {
      return end(step, attempt: startedCount, .cancelled(error.cause))
    }
  }

  /// Waits for the approval that a step needs.
  ///
  /// - Returns: The result of a step that is rejected; nil when it may start.
  private func resultOfApproval(_ job: StepJob) async throws(Withdrawn) -> StepResult? {
    guard let text = job.step.extrasIfAny?.approval else { return nil }
    let step = job.index
    let shown = secrets.hidden(in: text)
    // Before anyone can see that it waits, so that a quick answer is not lost.
    let ticket = ledger.decide { page -> Ticket<Bool>? in
      guard page.controls[step.position].mayGoOn(job.generation) else { return nil }
      page.tell(.waiting(shown), of: step.position, attempt: 0)
      return page.controls[step.position].ask()
    }
    guard let ticket, let isApproved = await ticket.value() else { throw Withdrawn() }
    if isApproved {
      try begin(.approved, of: job)
      return nil
    }
    try begin(.started, of: job, attempt: 1)
    return end(step, attempt: 1, .failed(.rejected))
  }

  private enum Attempted {
    case over(StepResult)
    /// It failed, and the next attempt begins after this time.
    case retry(after: Duration)
  }

  /// Makes one attempt, as soon as the step has its slots.
  private func attempt(_ number: Int, of job: StepJob) async throws(Withdrawn) -> Attempted {
    let step = job.index
    guard await slots.take(step, generation: job.generation) else { throw Withdrawn() }
    // What this step needs must stay done even if the machine loses its power now. When that cannot
    // be recorded, the run is about to be abandoned.
    if let problem = await ledger.recorded(successesOf: workflow.graph.needs(of: step)) {
      throw Withdrawn(cause: .abandoned(problem))
    }
    // Hashing files may take long, so the steps after it do not wait for that to start.
    if job.step.extrasIfAny?.cache != nil { slots.started(step) }
    let values = values(for: job)
    let resolved: ResolvedStep
    let trace: StepTrace?
    var earlierOutputs: StepOutputs?
    do throws(FailureReason) {
      resolved = try self.resolved(job, values)
      trace = try self.trace(of: job, resolved, values)
      if let trace, number == 1 {
        earlierOutputs = await outputsIfUpToDate(trace, job)
        if earlierOutputs == nil { try await forget(job) }
      }
    } catch {
      try begin(.started, of: job, attempt: number)
      return .over(end(step, attempt: number, .failed(masked(error))))
    }
    if let earlierOutputs { return .over(try skipUpToDate(job, earlierOutputs)) }
    try begin(.started, of: job, attempt: number)
    slots.started(step)
    let context = context(of: job, attempt: number, resolved, values)
    var event = await execute(context, values)
    if case .succeeded(let outputs) = event {
      let files = filesMade(by: context)
      if let problem = missingFiles(files, context) {
        event = .failed(masked(.badOutputs(problem)))
      } else if let trace, let files {
        await remember(trace, context, files, outputs)
      }
    }
    if let delay = delay(after: event, attempt: number, of: context.step),
      case .failed(let reason) = event,
      record(.retrying(reason, after: delay), of: job, attempt: number)
    {
      return .retry(after: delay)
    }
    return .over(end(step, attempt: number, event))
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

  private func context(
    of job: StepJob, attempt: Int, _ resolved: ResolvedStep, _ values: RunValues
  ) -> StepContext {
    // Those who share its work may need what it prints, even if it does not.
    let needsCapture = workflow.needsStandardOutput(job.step) || resolved.share != nil
    return StepContext(
      run: ledger.run, generation: job.generation, attempt: attempt, workflow: workflow,
      step: job.step, resolved: resolved, values: values, masker: secrets.masker,
      hiddenVariables: secrets.variables, capture: needsCapture ? OutputCapture() : nil,
      index: job.index, results: job.results,
      reporter: LedgerReporter(ledger: ledger, step: job.index.position, attempt: attempt))
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
    var generator = runtime.generator
    return retry.delay(after: attempt, random: .random(in: 0...1, using: &generator))
  }

  // MARK: Recording

  /// Records an event of a step, unless the step has been taken out of its generation.
  ///
  /// - Returns: Whether it was recorded.
  private func record(_ event: Event.StepEvent, of job: StepJob, attempt: Int = 0) -> Bool {
    let (isRecorded, isAwaited) = ledger.decide { page in
      guard page.controls[job.index.position].admits(job.generation) else { return (false, false) }
      page.tell(event, of: job.index.position, attempt: attempt)
      return (true, page.isEndOfStepWaitedFor)
    }
    if isAwaited { stepEnded(job.index) }
    return isRecorded
  }

  /// Records that a step goes on.
  ///
  /// - Throws: ``Withdrawn`` when it was stopped.
  private func begin(
    _ event: Event.StepEvent, of job: StepJob, attempt: Int = 0
  ) throws(Withdrawn) {
    let mayGoOn = ledger.decide { page in
      guard page.controls[job.index.position].mayGoOn(job.generation) else { return false }
      page.tell(event, of: job.index.position, attempt: attempt)
      return true
    }
    if !mayGoOn { throw Withdrawn() }
  }

  /// Skips a step that is up to date, though it was ready.
  private func skipUpToDate(
    _ job: StepJob, _ outputs: StepOutputs
  ) throws(Withdrawn) -> StepResult {
    try begin(.skipped("up to date", outputs), of: job)
    ledger.decide { $0.controls[job.index.position].end() }
    return .succeeded(outputs)
  }

  /// Reports the end of a step to the driver, if the run waits for that.
  ///
  /// Called when nothing of the step is left, its slots included.
  func reportEnd(of step: StepIndex) {
    if ledger.decide({ $0.isEndOfStepWaitedFor }) { stepEnded(step) }
  }

  /// Records the end of a step that is in progress, also after it was taken out of its generation:
  /// the run waits for it, and hears of it by ``reportEnd(of:)``.
  func end(_ step: StepIndex, attempt: Int, _ event: Event.StepEvent) -> StepResult {
    let isTolerated = workflow.steps[step.position].extrasIfAny?.continuesOnError == true
    let (result, siblings) = ledger.decide { page -> (StepResult, [StepFuture]) in
      var event = event
      var stoppedBecauseOf: StepIndex?
      if case .cancelled(.request) = event {
        let cause = page.controls[step.position].cause ?? page.state.phase.causeOfStop
        if case .failure(let id) = cause { stoppedBecauseOf = workflow.graph.index(of: id) }
        event = .cancelled(cause)
      }
      page.tell(event, of: step.position, attempt: attempt)
      page.controls[step.position].end()
      var siblings: [StepFuture] = []
      if case .failed = event, !isTolerated, page.state.phase == .running {
        siblings = page.stopSiblings(of: step, in: workflow)
      }
      let result =
        stoppedBecauseOf.map(StepResult.failed)
        ?? event.result(of: step, isTolerated: isTolerated)
      return (result, siblings)
    }
    for sibling in siblings { sibling.interrupt() }
    return result
  }
}

/// One step that is performed, with what is known when its needs have their results.
struct StepJob: Sendable {
  let index: StepIndex
  let step: Workflow.Step
  let generation: Int
  let status: RunEnding
  let results: [StepResult]
  /// What keeps it from running, unless it asks for that.
  let obstacle: StepResult?

  var isFinally: Bool { step.extrasIfAny?.finally != nil }
}

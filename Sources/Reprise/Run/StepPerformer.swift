// `StepPerformer`: takes one step through ready and running to its end.

import Masking
import Paths
import WorkflowLanguage

/// Performs the steps of a run, one per call, and records their events.
struct StepPerformer: Sendable {
  /// The workflow by which its steps run; a reload moves them in the ledger, see ``StepPlace``.
  var workflow: Workflow
  let executor: any Executor
  let registry: ActionRegistry
  let runners: RunnerRegistry
  let sharedWork: SharedWork
  let pools: PoolPlaces
  /// The folder in which pools are shared with other processes.
  let poolFolder: String?
  let observer: (any RunObserver)?
  let ledger: RunLedger
  let slots: Slots
  var secrets: Secrets
  let cache: StepCache?
  /// The queue on which the cache's memory is read and written, since both block.
  let memoryQueue: any WorkQueue
  let clock: any RunClock
  let runtime: Runtime
  /// The engine, for runs that steps start.
  let engine: any ChildEngine
  /// The terminal for steps that own one.
  var terminal: (any StepTerminal)?
  /// The folder of the run, if its engine keeps one.
  let folder: RunFolder?
  /// The steps that have set variables for later ones.
  let variables: StepVariables
  /// Called when a step has ended, if the driver is waiting for that.
  let stepEnded: @Sendable (StepIndex) -> Void
  /// Called by a step that the run must expand.
  let expansionRequested: @Sendable (ExpansionRequest) -> Void
  /// Called when the steps of a group must run again.
  let retryRequested: @Sendable (GroupRetry) -> Void
  /// Compiled file patterns of recent steps.
  let searches = FileSearches()

  // MARK: Admission

  /// How a step continues once the results of its needs are known.
  enum Admission {
    /// The step does not run.
    case over(StepResult)
    /// The step is ready and waits for its slots.
    case toSlots
    /// The step is ready, and waits for approval and then for its slots; or it only waits.
    case toApproval
  }

  /// Decides whether a step runs and, if so, records that it is ready.
  ///
  /// Called on the task that computed the last of the results. Does not suspend.
  ///
  /// - Parameters:
  ///   - future: The future of the step.
  ///   - generation: The generation for which the future was connected.
  /// - Returns: How the step continues.
  func admit(_ future: StepFuture, generation: Int) -> Admission {
    let place = future.place
    // Check this before the needs: they may be running again although this step has succeeded.
    if let result = earlierResult(of: place) { return .over(result) }
    // The future may have become ready while a reload removed it.
    guard place.isPresent else { return .over(.stopped) }
    let job = job(place, generation: generation, results: future.results)
    if let blockingResult = job.blockingResult, !job.isFinally {
      guard blockingResult != .stopped,
        job.step.extrasIfAny?.cleanUp == nil
          ? workflow.testsStatus(job.step) : ledger.decide({ $0.cleansUp(job) })
      else {
        return .over(giveUp(job, because: blockingResult))
      }
    }
    if attemptToAdopt(job).token == nil, let result = resultWithoutStarting(job) {
      return .over(result)
    }
    let (result, isAwaited, failure) = ledger.decide {
      page -> (StepResult?, Bool, FailureReason?) in
      guard page.admits(job) else { return (.stopped, false, nil) }
      let step = place.index
      if let failure = page.controls[step.position].failure { return (nil, false, failure) }
      if let cause = page.controls[step.position].cause {
        return (recordCancellation(job, cause, &page), page.mustReportStepEnd, nil)
      }
      page.controls[step.position].becomeReady(future)
      // An attempt that has survived the engine before this one goes on.
      if page.state.steps[step.position].phase == .pending {
        page.record(.ready, of: step.position, attempt: 0)
      }
      return (nil, false, nil)
    }
    if let failure { return .over(fail(job, failure)) }
    if isAwaited { stepEnded(place.index) }
    if let result { return .over(result) }
    if attemptToAdopt(job).token != nil { return .toSlots }
    let asksFirst = job.step.extrasIfAny?.approval != nil && !asksAfterwards(job.step)
    return asksFirst || job.step.waitEnd != nil ? .toApproval : .toSlots
  }

  /// Combines a step with the results of its needs.
  private func job(_ place: StepPlace, generation: Int, results: [StepResult]) -> StepJob {
    // An expansion moves waiting steps, but not in the workflow of their performer.
    let step = place.origin
    let declared = workflow.steps[step.position]
    let results = workflow.tolerating(results, of: step)
    let (worst, blockingResult) = workflow.obstacles(for: step, results)
    let isFinally = declared.extrasIfAny?.finally != nil
    let status = isFinally ? ledger.decide { $0.ending ?? .success } : RunEnding(blockedBy: worst)
    return StepJob(
      index: step, place: place, step: declared, generation: generation, status: status,
      results: results,
      blockingResult: blockingResult)
  }

  /// Records the cancellation of a step that was stopped before it was ready.
  private func recordCancellation(
    _ job: StepJob, _ cause: CancellationCause, _ page: inout RunLedger.Page
  ) -> StepResult {
    page.record(.cancelled(cause), of: job.place.index.position, attempt: 0)
    guard case .failure(let failed) = cause else { return .stopped }
    return .failed(failed)
  }

  /// Returns the result of a step whose condition or `finally` ending is not met; nil if it runs.
  ///
  /// A step whose condition cannot be evaluated fails.
  private func resultWithoutStarting(_ job: StepJob) -> StepResult? {
    if job.step.action.isService, !ledger.decide({ $0.isNeeded(job.index) }) {
      return skip(job, "no step needs it")
    }
    if let endings = job.step.extrasIfAny?.finally,
      let ending = ledger.decide({ $0.ending }), !endings.contains(ending)
    {
      return skip(job, "the run ended with \(ending.rawValue)")
    }
    if let endings = job.step.extrasIfAny?.cleanUp, !endings.contains(job.status) {
      return skip(job, "the steps of its file ended with \(job.status.rawValue)")
    }
    if let reason = reasonWithoutItem(job) ?? reasonNotToUndo(job) { return skip(job, reason) }
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
    guard record(.skipped(reason, [:]), of: job) else { return .stopped }
    return job.step.extrasIfAny?.skipsDependents == true
      ? .skipped(job.step.id) : .passed([:])
  }

  /// Fails a step that has not started.
  private func fail(_ job: StepJob, _ reason: FailureReason) -> StepResult {
    guard record(.ready, of: job) else { return .stopped }
    // Once the step is ready, the run waits for its end.
    let hasStarted = record(.started(), of: job, attempt: 1)
    let result =
      hasStarted
      ? end(job.place, attempt: 1, .failed(reason))
      : end(job.place, attempt: 0, .cancelled(.request))
    reportEnd(of: job.place)
    return result
  }

  /// Records that a step does not run because a step that it needs has failed or was cancelled.
  private func giveUp(_ job: StepJob, because blockingResult: StepResult) -> StepResult {
    let cause: CancellationCause
    switch blockingResult {
    case .failed(let step): cause = .failure(ofStep: step)
    case .cancelled(let step): cause = .cancellation(ofStep: step)
    case .skipped(let step):
      return record(.skipped(SkippedNeed.reason(step), [:]), of: job) ? blockingResult : .stopped
    case .succeeded, .passed, .stopped: return .stopped
    }
    return record(.cancelled(cause), of: job) ? blockingResult : .stopped
  }

  // MARK: Performing

  /// The step was stopped before its next attempt started.
  struct Withdrawn: Error {
    /// The cause, if the run does not know it yet.
    var cause = CancellationCause.request
  }

  /// Performs one ready step.
  ///
  /// Runs in the task of the step's future. Cancelling the task stops the step; the call returns
  /// only when nothing of the step is left.
  ///
  /// - Parameters:
  ///   - place: The place of the step.
  ///   - generation: The generation for which the future was connected.
  ///   - results: The results of the steps that it needs, in their order.
  /// - Returns: The result, which is recorded. The caller must then call ``reportEnd(of:)``.
  func perform(_ place: StepPlace, generation: Int, results: [StepResult]) async -> StepResult {
    let job = job(place, generation: generation, results: results)
    // Let the next step in the queue start, however this one ends.
    defer { slots.started(place.index) }
    var (startedCount, adopted) = attemptToAdopt(job)
    var failedCount = startedCount
    var round = StepRound(number: 1, limit: job.step.extrasIfAny?.repetition?.limit)
    do throws(Withdrawn) {
      if adopted == nil, let result = try await resultOfCondition(job) { return result }
      var values: StepOutputs = [:]
      if adopted == nil {
        let (result, given) = try await resultOfApproval(job)
        if let result { return result }
        values = given
      }
      if let result = try await resultOfWait(job) { return result }
      while true {
        let token = adopted
        adopted = nil
        let result = try await attempt(
          startedCount + 1, of: job, after: failedCount, round, with: values, adopting: token)
        switch result {
        case .over(let result):
          return result
        case .retry(let delay), .again(let delay):
          startedCount += 1
          if case .retry = result { failedCount += 1 } else { round = round.next }
          slots.release(place.index)
          slots.startNext()
          guard (try? await clock.sleep(for: delay)) != nil else { throw Withdrawn() }
        }
      }
    } catch {
      return end(place, attempt: startedCount, .cancelled(error.cause))
    }
  }

  private enum AttemptResult {
    case over(StepResult)
    /// The attempt failed; the next one starts after this delay.
    case retry(after: Duration)
    /// The round is over; the next one starts after this delay.
    case again(after: Duration)
  }

  /// Makes one attempt, once the step has its slots.
  private func attempt(
    _ number: Int, of job: StepJob, after failedCount: Int, _ round: StepRound,
    with given: StepOutputs, adopting adopted: AttemptToken? = nil
  ) async throws(Withdrawn) -> AttemptResult {
    let place = job.place
    guard await takeSlots(job, attempt: number) else { throw Withdrawn() }
    // The successes of its needs must survive a power loss from here on. If they cannot be
    // recorded, the run is about to be abandoned.
    if number == 1, adopted == nil,
      let problem = await ledger.recorded(successesOfNeedsOf: place)
    {
      throw Withdrawn(cause: .abandoned(problem))
    }
    if workflow.isFan(job.step) { return .over(try await expand(job, attempt: number)) }
    // Hashing files may take long; let the next steps start in the meantime.
    if job.step.extrasIfAny?.cache != nil { slots.started(place.index) }
    let values = values(for: job)
    let resolved: ResolvedStep
    let trace: StepTrace?
    var earlierOutputs: StepOutputs?
    do throws(FailureReason) {
      resolved = try self.resolved(job, values)
      trace = try self.trace(of: job, resolved, values)
      if let trace, number == 1, adopted == nil {
        earlierOutputs = await outputsIfUpToDate(trace, job)
        if earlierOutputs == nil { try await forget(job) }
      }
    } catch {
      try begin(.started(), of: job, attempt: number)
      return .over(end(place, attempt: number, .failed(masked(error))))
    }
    if let earlierOutputs { return .over(try skipUpToDate(job, earlierOutputs)) }
    let executor: any Executor
    do throws(FailureReason) {
      executor = try self.executor(for: job.step)
    } catch {
      try begin(.started(), of: job, attempt: number)
      return .over(end(place, attempt: number, .failed(error)))
    }
    let (lease, unstarted) = try await start(job, attempt: number, by: executor)
    if let unstarted { return .over(unstarted) }
    var context = context(of: job, attempt: number, resolved, values)
    context.adopted = adopted
    var event = await execute(context, values, by: executor, holding: lease)
    if executor.reportsStart { startIfNeeded(job, attempt: number, endingWith: event) }
    switch answer(after: event, round, of: context, values) {
    case .again(let delay):
      if record(.repeating(round, after: delay), of: job, attempt: number) {
        return .again(after: delay)
      }
      event = .cancelled(.request)
    case .over(let last): event = last
    case nil: break
    }
    if case .succeeded(let outputs) = event {
      let all = outputs.merging(given) { $1 }
      switch try await completed(all, trace, attempt: number, of: job, context) {
      case .approved(_, let outputs): event = .succeeded(outputs)
      case .refused(let reason, let requester):
        event = .failed(reason)
        guard case .badOutputs = reason else {
          return .over(end(place, attempt: number, event, by: requester.map(masked)))
        }
      }
    }
    if let delay = delay(after: event, attempt: failedCount + 1, of: context),
      case .failed(let reason) = event,
      record(.retrying(reason, after: delay), of: job, attempt: number)
    {
      return .retry(after: delay)
    }
    return .over(end(place, attempt: number, event))
  }

  // MARK: Recording

  /// Records an event of a step, unless its generation is over for the step.
  ///
  /// - Returns: Whether the event was recorded.
  func record(_ event: Event.StepEvent, of job: StepJob, attempt: Int = 0) -> Bool {
    let (isRecorded, isAwaited) = ledger.decide { page in
      guard page.admits(job) else { return (false, false) }
      page.record(event, of: job.place.index.position, attempt: attempt)
      return (true, page.mustReportStepEnd)
    }
    if isAwaited { stepEnded(job.place.index) }
    return isRecorded
  }

  /// Records an event with which a step continues.
  ///
  /// - Throws: ``Withdrawn`` if the step was stopped.
  func begin(
    _ event: Event.StepEvent, of job: StepJob, attempt: Int = 0, by requester: Requester? = nil
  ) throws(Withdrawn) {
    let mayContinue = ledger.decide { page in
      guard page.mayContinue(job) else { return false }
      page.record(event, of: job.place.index.position, attempt: attempt, by: requester)
      return true
    }
    if !mayContinue { throw Withdrawn() }
  }
}

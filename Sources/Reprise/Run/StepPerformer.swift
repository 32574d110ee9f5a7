// `StepPerformer`: takes one step through ready and running to its end.

import Masking
import Paths
import WorkflowLanguage

/// Performs the steps of a run, one per call, and records their events.
struct StepPerformer: Sendable {
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
    /// The step is ready, and waits for approval and then for its slots.
    case toApproval
    /// The step is ready, and only waits.
    case toWait
  }

  /// Decides whether a step runs and, if so, records that it is ready.
  ///
  /// Called on the task that computed the last of the results. Does not suspend.
  ///
  /// - Parameters:
  ///   - job: The step.
  ///   - future: The future of the step.
  /// - Returns: How the step continues.
  func admit(_ job: StepJob, _ future: StepFuture) -> Admission {
    let step = job.index
    // Check this before the needs: they may be running again although this step has succeeded.
    if let result = ledger.decide({ $0.earlierResult(of: job) }) { return .over(result) }
    if let blockingResult = job.blockingResult, !job.isFinally {
      guard blockingResult != .stopped,
        job.step.extrasIfAny?.cleanUp == nil
          ? job.workflow.testsStatus(job.step) : ledger.decide({ $0.cleansUp(job) })
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
      // It may have been cancelled, or its result set, in the meantime.
      if let result = page.earlierResult(of: job) { return (result, false, nil) }
      switch page.controls[step].stop {
      case .failed(let reason, _): return (nil, false, reason)
      case .cancelled(let cause, _):
        return (recordCancellation(job, cause, &page), page.mustReportStepEnd, nil)
      case .set, .unused, nil: break
      }
      page.controls[step].becomeReady(future)
      // An attempt that has survived the engine before this one goes on.
      if page.state[step].phase == .pending {
        page.record(.ready, of: step, attempt: 0)
      }
      return (nil, false, nil)
    }
    if let failure { return .over(fail(job, failure)) }
    if isAwaited { stepEnded(step) }
    if let result { return .over(result) }
    if attemptToAdopt(job).token != nil { return .toSlots }
    let asksFirst = job.step.extrasIfAny?.approval != nil && !asksAfterwards(job.step)
    return asksFirst ? .toApproval : job.step.waitEnd != nil ? .toWait : .toSlots
  }

  /// Combines a step with the results of its needs.
  func job(
    _ step: StepIndex, of plan: Plan, generation: Int, connection: Int, _ all: NeedResults
  ) -> StepJob {
    let declared = plan[step]
    let results = plan.tolerating(all.needs, of: step)
    let unusable = plan.tolerating(all.waits, of: step).first { $0.blockingResult != nil }
    let (worst, blocking) = plan.obstacles(for: step, results)
    let blockingResult = blocking ?? unusable
    let isFinally = declared.extrasIfAny?.finally != nil
    let status =
      isFinally
      ? ledger.decide { $0.ending ?? .success } : RunEnding(blockedBy: worst ?? unusable)
    return StepJob(
      index: step, plan: plan, step: declared, generation: generation, connection: connection,
      status: status, results: results, blockingResult: blockingResult)
  }

  /// Records the cancellation of a step that was stopped before it was ready.
  private func recordCancellation(
    _ job: StepJob, _ cause: CancellationCause, _ page: inout RunLedger.Page
  ) -> StepResult {
    page.record(.cancelled(cause), of: job.index, attempt: 0)
    return cause == .request ? .stopped : cause.result(of: job.step.id) ?? .stopped
  }

  /// Returns the result of a step whose condition or `finally` ending is not met; nil if it runs.
  ///
  /// A step whose condition cannot be evaluated fails.
  private func resultWithoutStarting(_ job: StepJob) -> StepResult? {
    if job.step.action.isService, !ledger.decide({ $0.isNeeded(job.index) }) {
      return skip(job, .unused)
    }
    if let endings = job.step.extrasIfAny?.finally,
      let ending = ledger.decide({ $0.ending }), !endings.contains(ending)
    {
      return skip(job, .ending(ending))
    }
    if let endings = job.step.extrasIfAny?.cleanUp, !endings.contains(job.status) {
      return skip(job, .endingOfFile(job.status))
    }
    if let reason = reasonWithoutItem(job) ?? reasonNotToUndo(job) { return skip(job, reason) }
    guard job.workflow.hasCondition(job.step) else { return nil }
    do throws(ResolutionError) {
      guard let condition = try job.workflow.unmetCondition(of: job.step, values(for: job)) else {
        return nil
      }
      return skip(job, .condition(condition))
    } catch {
      return fail(job, .badValue(error.description))
    }
  }

  private func skip(_ job: StepJob, _ reason: SkipReason) -> StepResult {
    let skipsOthers = job.step.extrasIfAny?.skipsDependents == true
    return conclude(
      job, with: .skipped(reason, [:]), skipsOthers ? .skipped(job.step.id) : .passed([:]))
  }

  /// Ends a step that does not run, unless it was cancelled or its result set in the meantime.
  ///
  /// - Returns: The given result, or that of the earlier end.
  private func conclude(
    _ job: StepJob, with event: Event.StepEvent, _ result: StepResult
  ) -> StepResult {
    let (answer, isAwaited) = ledger.decide { page -> (StepResult, Bool) in
      guard page.admits(job) else { return (.stopped, false) }
      if let earlier = page.earlierResult(of: job) { return (earlier, false) }
      guard page.record(event, of: job.index, attempt: 0) else { return (.stopped, false) }
      return (result, page.mustReportStepEnd)
    }
    if isAwaited { stepEnded(job.index) }
    return answer
  }

  /// Fails a step that has not started.
  private func fail(_ job: StepJob, _ reason: FailureReason) -> StepResult {
    let (earlier, isReady) = ledger.decide { page -> (StepResult?, Bool) in
      guard page.admits(job) else { return (nil, false) }
      if let earlier = page.earlierResult(of: job) { return (earlier, false) }
      return (nil, page.record(.ready, of: job.index, attempt: 0))
    }
    guard isReady else { return earlier ?? .stopped }
    // Once the step is ready, the run waits for its end.
    let hasStarted = record(.started(), of: job, attempt: 1)
    let result =
      hasStarted
      ? end(job.index, attempt: 1, .failed(reason))
      : end(job.index, attempt: 0, .cancelled(.request))
    reportEnd(of: job.index)
    return result
  }

  /// Records that a step does not run because a step that it needs has failed or was cancelled.
  private func giveUp(_ job: StepJob, because blockingResult: StepResult) -> StepResult {
    switch blockingResult {
    case .failed(let step):
      conclude(job, with: .cancelled(.failure(ofStep: step)), blockingResult)
    case .cancelled(let step):
      conclude(job, with: .cancelled(.cancellation(ofStep: step)), blockingResult)
    case .skipped(let step): conclude(job, with: .skipped(.need(step), [:]), blockingResult)
    case .succeeded, .passed, .stopped: .stopped
    }
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
  /// - Parameter job: The step.
  /// - Returns: The result, which is recorded. The caller must then call ``reportEnd(of:)``.
  func perform(_ job: StepJob) async -> StepResult {
    let step = job.index
    // Let the next step in the queue start, however this one ends.
    defer { slots.started(step) }
    var (startedCount, adopted) = attemptToAdopt(job)
    var failedCount = startedCount
    var round = StepRound(number: 1, limit: job.step.extrasIfAny?.repetition?.limit)
    do throws(Withdrawn) {
      if adopted == nil {
        if let result = try await resultOfCondition(job) { return result }
        if let result = try await resultOfApproval(job) { return result }
      }
      if let result = try await resultOfWait(job) { return result }
      while true {
        let attempt = Attempt(
          number: startedCount + 1, failedCount: failedCount, round: round, adopted: adopted)
        adopted = nil
        let result = try await make(attempt, of: job)
        switch result {
        case .over(let result):
          return result
        case .retry(let delay), .again(let delay):
          startedCount += 1
          if case .retry = result { failedCount += 1 } else { round = round.next }
          slots.release(step)
          slots.startNext()
          guard (try? await clock.sleep(for: delay)) != nil else { throw Withdrawn() }
        }
      }
    } catch {
      return end(step, attempt: startedCount, .cancelled(error.cause))
    }
  }

  // MARK: Recording

  /// Records an event of a step, unless its generation is over for the step.
  ///
  /// - Returns: Whether the event was recorded.
  func record(_ event: Event.StepEvent, of job: StepJob, attempt: Int = 0) -> Bool {
    let (isRecorded, isAwaited) = ledger.decide { page in
      guard page.admits(job) else { return (false, false) }
      let isRecorded = page.record(event, of: job.index, attempt: attempt)
      return (isRecorded, page.mustReportStepEnd)
    }
    if isAwaited { stepEnded(job.index) }
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
      return page.record(
        event, of: job.index, attempt: attempt, by: requester)
    }
    if !mayContinue { throw Withdrawn() }
  }
}

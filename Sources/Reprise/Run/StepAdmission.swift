// `StepAdmission`: decides whether a step runs once its needs have their results.

import WorkflowFiles

/// The stage before a step waits to start: its needs, its condition, what it would undo.
struct StepAdmission: StepStage {
  let tools: StageTools
  let values: ValueSource

  /// How a step continues once the results of its needs are known.
  enum Admission {
    /// The step does not run.
    case over(StepResult)
    /// The step waits for its slots; it may be stopped by now, and has survived the engine before.
    case toSlots(isStopped: Bool)
    /// The step waits for approval and then for its slots.
    case toApproval
    /// The step only waits.
    case toWait
  }

  /// Decides whether a step runs and, if so, records that it waits.
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
          ? job.step.testsStatus : ledger.decide({ $0.cleansUp(job) })
      else {
        return .over(giveUp(job, because: blockingResult))
      }
    }
    let isAdopted = attemptToAdopt(job).token != nil
    if !isAdopted, let result = resultWithoutStarting(job) { return .over(result) }
    let (result, isAwaited, failure) = ledger.decide {
      page -> (StepResult?, Bool, FailureReason?) in
      guard page.admits(job) else { return (.stopped, false, nil) }
      // It may have been cancelled, or its result set, in the meantime.
      if let result = page.earlierResult(of: job) { return (result, false, nil) }
      switch page.controls[step].stop {
      case .failed(let reason, _) where !isAdopted: return (nil, false, reason)
      case .cancelled(let cause, _) where !isAdopted:
        return (recordCancellation(job, cause, &page), page.mustReportStepEnd, nil)
      default: break
      }
      page.controls[step].startWaiting(future)
      // An attempt that has survived the engine before this one goes on.
      if page.state[step].phase == .pending {
        page.record(.waiting, of: step, attempt: 0)
      }
      return (nil, false, nil)
    }
    if let failure { return .over(fail(job, failure)) }
    if isAwaited { tools.stepEnded(step) }
    if let result { return .over(result) }
    if isAdopted { return .toSlots(isStopped: ledger.decide { $0.controls[step].stop != nil }) }
    let asksFirst = job.step.extrasIfAny?.approval != nil && !asksAfterwards(job.step)
    return asksFirst ? .toApproval : job.step.waitEnd != nil ? .toWait : .toSlots(isStopped: false)
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

  /// Records the cancellation of a step that was stopped before it waited to start.
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
    guard job.step.hasCondition else { return nil }
    do throws(ResolutionError) {
      guard let condition = try job.workflow.unmetCondition(of: job.step, values.values(for: job))
      else {
        return nil
      }
      return skip(job, SkipReason(unmet: condition))
    } catch {
      return fail(job, .badValue(error.description))
    }
  }

  private func skip(_ job: StepJob, _ reason: SkipReason) -> StepResult {
    let skipsOthers = job.step.extrasIfAny?.skipsDependents == true
    return conclude(
      job, with: .skipped(reason, [:]), skipsOthers ? .skipped(job.step.id) : .passed([:]))
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
}

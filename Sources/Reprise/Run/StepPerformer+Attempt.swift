// One attempt of a step: from its slots to its end, or to the next attempt.

import WorkflowLanguage

extension StepPerformer {
  /// How a step continues after an attempt.
  enum AttemptResult {
    case over(StepResult)
    /// The attempt failed; the next one starts after this delay.
    case retry(after: Duration)
    /// The round is over; the next one starts after this delay.
    case again(after: Duration)
  }

  /// An attempt that is about to be made.
  struct Attempt {
    /// The number of the attempt, from 1.
    let number: Int
    /// The number of attempts before it that failed.
    let failedCount: Int
    let round: StepRound
    /// The attempt that goes on elsewhere, after the death of an engine; nil for a new one.
    let adopted: AttemptToken?

    var isAdopted: Bool { adopted != nil }
    /// Whether it is the first one, and new.
    var isFirst: Bool { number == 1 && !isAdopted }
  }

  /// What an attempt works with, computed once the step has its slots.
  private struct Preparation {
    let values: RunValues
    let resolved: ResolvedStep
    /// What the step depends on; nil if it is not cached.
    let trace: StepTrace?
    /// The earlier result of a step that is up to date.
    let earlier: StepTrace?
  }

  /// Makes one attempt, once the step has its slots.
  func make(_ attempt: Attempt, of job: StepJob) async throws(Withdrawn) -> AttemptResult {
    let number = attempt.number
    try await takeSlots(job, attempt: number, isAdopted: attempt.isAdopted)
    // The successes of its needs must survive a power loss from here on. If they cannot be
    // recorded, the run is about to be abandoned.
    if attempt.isFirst, let problem = await ledger.recorded(successesOfNeedsOf: job.index) {
      throw Withdrawn(cause: .abandoned(problem))
    }
    if job.workflow.isFan(job.step) { return .over(try await expand(job, attempt: number)) }
    // Hashing files may take long; let the next steps start in the meantime.
    if job.step.extrasIfAny?.cache != nil { slots.started(job.index) }
    let prepared: Preparation
    do throws(FailureReason) {
      prepared = try await prepare(attempt, of: job)
    } catch {
      return try unstarted(error, attempt, of: job)
    }
    if let earlier = prepared.earlier {
      return .over(try skipUpToDate(job, earlier, prepared.trace))
    }
    let executor: any Executor
    do throws(FailureReason) {
      executor = try self.executor(for: job.step)
    } catch {
      return try unstarted(error, attempt, of: job)
    }
    let (lease, result) = try await start(
      job, attempt: number, by: executor, isAdopted: attempt.isAdopted)
    if let result { return .over(result) }
    if !executor.reportsStart { warnOfInputs(job, prepared.trace, attempt: number) }
    var context = context(of: job, attempt: number, prepared.resolved, prepared.values)
    context.adopted = attempt.adopted
    context.poolLocks = lease?.paths ?? []
    let event = await execute(context, prepared.values, by: executor, holding: lease)
    if executor.reportsStart { startIfNeeded(job, attempt: number, endingWith: event) }
    return try await conclude(attempt, of: job, event, context, prepared)
  }

  /// Computes the settings of a step, and whether it is up to date.
  private func prepare(
    _ attempt: Attempt, of job: StepJob
  ) async throws(FailureReason) -> Preparation {
    let values = values(for: job)
    let resolved = try resolved(job, values)
    let trace = try trace(of: job, resolved, values)
    var earlier: StepTrace?
    if let trace, attempt.isFirst {
      earlier = await traceIfUpToDate(trace, job)
      if earlier == nil { try await forget(job.step.id) }
    }
    if attempt.number == 1 { try await forgetUndone(job) }
    return Preparation(values: values, resolved: resolved, trace: trace, earlier: earlier)
  }

  /// Fails an attempt that cannot start.
  private func unstarted(
    _ reason: FailureReason, _ attempt: Attempt, of job: StepJob
  ) throws(Withdrawn) -> AttemptResult {
    try begin(.started(), of: job, attempt: attempt.number)
    return .over(end(job.index, attempt: attempt.number, .failed(masked(reason))))
  }

  /// Decides what follows the work of an attempt: another round, an approval, another attempt, or the
  /// end of the step.
  private func conclude(
    _ attempt: Attempt, of job: StepJob, _ result: Event.StepEvent, _ context: StepContext,
    _ prepared: Preparation
  ) async throws(Withdrawn) -> AttemptResult {
    let number = attempt.number
    var event = result
    switch answer(after: event, attempt.round, of: context, prepared.values) {
    case .again(let delay):
      if record(.repeating(attempt.round, after: delay), of: job, attempt: number) {
        return .again(after: delay)
      }
      event = .cancelled(.request)
    case .over(let last): event = last
    case nil: break
    }
    if case .succeeded(let outputs) = event {
      let all = withGivenValues(outputs, of: job)
      switch try await completed(all, prepared.trace, attempt: number, of: job, context) {
      case .approved(_, let outputs): event = .succeeded(outputs)
      case .refused(let reason, let requester):
        event = .failed(reason)
        guard case .badOutputs = reason else {
          return .over(end(job.index, attempt: number, event, by: requester.map(masked)))
        }
      }
    }
    if let delay = delay(after: event, attempt: attempt.failedCount + 1, of: context),
      case .failed(let reason) = event,
      record(.retrying(reason, after: delay), of: job, attempt: number)
    {
      return .retry(after: delay)
    }
    return .over(end(job.index, attempt: number, event))
  }
}

// `CompletionStage`: what follows the work of an attempt.

import Workflows

/// How a step goes on after a round.
enum RoundAnswer: Sendable, Equatable {
  /// Another round follows after this delay.
  case again(after: Duration)
  /// The rounds are over, with this end of the last one.
  case over(Event.StepEvent)
}

/// The stage after the work of an attempt: another round, the files that it made, an approval, another
/// attempt, or the end of the step.
struct CompletionStage: StepStage {
  let tools: StageTools
  let values: ValueSource
  let cache: CacheStage
  let approval: ApprovalStage

  /// Decides what follows the work of an attempt: another round, an approval, another attempt, or the
  /// end of the step.
  func conclude(
    _ attempt: PlannedAttempt, of job: StepJob, _ result: Event.StepEvent, _ context: StepContext,
    _ prepared: PreparedAttempt
  ) async throws(Withdrawn) -> AttemptAnswer {
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
    let failures = (wasSteady(job) ? 0 : attempt.failedCount) + 1
    if let delay = delay(after: event, attempt: failures, of: context),
      case .failed(let reason) = event,
      record(.retrying(reason, after: delay), of: job, attempt: number)
    {
      return .retry(after: delay, failures: failures)
    }
    if case .succeeded = event {} else { await cache.noteLeft(by: context) }
    return .over(end(job.index, attempt: number, event))
  }

  /// Whether a service was ready for so long that the failures before count no more.
  ///
  /// Otherwise a service that crashes once a day would fail for good after a week.
  private func wasSteady(_ job: StepJob) -> Bool {
    guard let rule = job.step.extrasIfAny?.service,
      let time = ledger.decide({ $0.state[job.index].readyAt })
    else { return false }
    return clock.now - time >= rule.steadyTime
  }

  /// Records that a service, whose attempt was stopped by hand, starts again, unless it is being stopped
  /// for another reason by now.
  ///
  /// - Returns: Whether it starts again.
  func startsAgain(_ job: StepJob, attempt: Int) -> Bool {
    ledger.decide { page in
      guard let requester = page.controls[job.index].takeRestart(), page.mayContinue(job) else {
        return false
      }
      return page.record(
        .retrying(.unmet("was stopped to start again"), after: .zero), of: job.index,
        attempt: attempt, by: requester)
    }
  }

  /// Completes an attempt whose work has succeeded.
  ///
  /// Checks the files that it made, waits for approval, if it is asked after the work, and remembers
  /// the result.
  ///
  /// - Returns: The answer, with all outputs; a refusal without files, too.
  func completed(
    _ outputs: StepOutputs, _ trace: StepTrace?, attempt: Int, of job: StepJob,
    _ context: StepContext
  ) async throws(Withdrawn) -> ApprovalAnswer {
    let files = cache.filesMade(by: context)
    if let problem = cache.missingFiles(files, context) {
      return .refused(masked(.badOutputs(problem)), by: nil)
    }
    let answer = try await approval.approval(ofWork: outputs, attempt: attempt, of: job)
    if case .approved(_, let outputs) = answer {
      if let trace, let files, let problem = await cache.remember(trace, context, files, outputs) {
        cache.warn("cache: auto: it will run again, since \(problem)", of: job, attempt: attempt)
      }
    }
    return answer
  }

  /// Decides whether a step that repeats has another round.
  ///
  /// - Parameters:
  ///   - event: The end of the round.
  ///   - round: The round.
  ///   - context: The attempt.
  ///   - runValues: The values of the run.
  /// - Returns: How the step goes on; nil if the round has failed or was stopped, which another
  ///   attempt may follow.
  func answer(
    after event: Event.StepEvent, _ round: StepRound, of context: StepContext,
    _ runValues: RunValues
  ) -> RoundAnswer? {
    guard let rule = context.step.extrasIfAny?.repetition else { return nil }
    let outputs: StepOutputs
    let status: Int?
    switch event {
    case .succeeded(let made): (outputs, status) = (made, 0)
    case .failed(let reason) where rule.acceptsFailures && reason.exitStatus != nil:
      (outputs, status) = ([:], reason.exitStatus)
    default: return nil
    }
    do {
      guard
        try context.workflow.repeats(
          context.step, rule, outputs: outputs,
          standardOutput: try values.standardOutput(of: context),
          status: status, runValues)
      else { return status == 0 ? .over(event) : nil }
    } catch {
      let reason = error as? FailureReason ?? .badValue(String(describing: error))
      return .over(.failed(masked(reason)))
    }
    guard let limit = rule.roundsMax, round.number >= limit else {
      return .again(after: delay(of: rule.again, after: round.number))
    }
    let rounds = limit == 1 ? "1 round" : "\(limit) rounds"
    return .over(
      .failed(masked(.badValue("repeat: after \(rounds), still waiting \(rule.shown)"))))
  }

  /// Returns the delay before the next attempt; nil if there is none.
  func delay(
    after event: Event.StepEvent, attempt: Int, of context: StepContext
  ) -> Duration? {
    // An attempt that was interrupted with its engine is made again, as local ones are.
    if context.isAdopted, case .failed(.lost) = event { return .zero }
    let step = context.step
    guard let retry = step.retry, attempt <= retry.limit, case .failed(let reason) = event,
      retry.covers(reason)
    else { return nil }
    return delay(of: retry, after: attempt)
  }

  private func delay(of rule: Retry, after number: Int) -> Duration {
    var generator = runtime.generator
    return rule.delay(after: number, random: .random(in: 0...1, using: &generator))
  }
}

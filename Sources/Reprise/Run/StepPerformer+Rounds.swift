// Steps that run again after a success, and steps that only wait.

import WorkflowLanguage

/// How a step goes on after a round.
enum RoundAnswer: Sendable, Equatable {
  /// Another round follows after this delay.
  case again(after: Duration)
  /// The rounds are over, with this end of the last one.
  case over(Event.StepEvent)
}

extension StepPerformer {
  /// Decides whether a step that repeats has another round.
  ///
  /// - Parameters:
  ///   - event: The end of the round.
  ///   - round: The round.
  ///   - context: The attempt.
  ///   - values: The values of the run.
  /// - Returns: How the step goes on; nil if the round has failed or was stopped, which another
  ///   attempt may follow.
  func answer(
    after event: Event.StepEvent, _ round: StepRound, of context: StepContext, _ values: RunValues
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
          context.step, rule, outputs: outputs, standardOutput: try standardOutput(of: context),
          status: status, values)
      else { return status == 0 ? .over(event) : nil }
    } catch {
      let reason = error as? FailureReason ?? .badValue(String(describing: error))
      return .over(.failed(masked(reason)))
    }
    guard let limit = rule.limit, round.number >= limit else { return .again(after: rule.delay) }
    let rounds = limit == 1 ? "1 round" : "\(limit) rounds"
    return .over(
      .failed(masked(.badValue("repeat: after \(rounds), still waiting \(rule.shown)"))))
  }

  /// Waits, if the step only waits.
  ///
  /// The moment of its end is recorded, so that a resumed run waits for the rest. It occupies no
  /// slot.
  ///
  /// - Returns: The result of such a step; nil for others.
  func resultOfWait(_ job: StepJob) async throws(Withdrawn) -> StepResult? {
    guard let wait = job.step.waitEnd else { return nil }
    let position = job.index
    let earlier = ledger.decide { $0.state.steps[position].waitsUntil }
    let end: Timestamp
    switch wait {
    case .after(let duration): end = earlier ?? clock.now.advanced(by: duration)
    case .at(let moment): end = Timestamp("\(moment.dropLast()).000000Z") ?? clock.now
    }
    try begin(.pausing(until: end), of: job)
    guard (try? await clock.sleep(for: end - clock.now)) != nil else { throw Withdrawn() }
    try begin(.started(), of: job, attempt: 1)
    switch try await approval(ofWork: withGivenValues([:], of: job), attempt: 1, of: job) {
    case .approved(_, let outputs): return self.end(job.index, attempt: 1, .succeeded(outputs))
    case .refused(let reason, let requester):
      return self.end(job.index, attempt: 1, .failed(reason), by: requester.map(masked))
    }
  }
}

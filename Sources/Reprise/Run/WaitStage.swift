// `WaitStage`: steps that only wait.

import WorkflowFiles

/// The stage in which a step waits for a duration or until a moment.
struct WaitStage: StepStage {
  let tools: StageTools
  let approval: ApprovalStage

  /// Waits, if the step only waits.
  ///
  /// The moment of its end is recorded, so that a resumed run waits for the rest. It occupies no
  /// slot.
  ///
  /// - Returns: The result of such a step; nil for others.
  func result(of job: StepJob) async throws(Withdrawn) -> StepResult? {
    guard let wait = job.step.waitEnd else { return nil }
    let position = job.index
    let earlier = ledger.decide { $0.state.steps[position].waitsUntil }
    let end: Timestamp
    switch wait {
    case .after(let duration): end = earlier ?? clock.now.advanced(by: duration)
    case .at(let moment): end = Timestamp("\(moment.dropLast()).000000Z") ?? clock.now
    case .stopped: end = .whenStopped
    }
    try begin(.pausing(until: end), of: job)
    guard (try? await clock.sleep(for: end - clock.now)) != nil else { throw Withdrawn() }
    try begin(.started(), of: job, attempt: 1)
    switch try await approval.approval(ofWork: withGivenValues([:], of: job), attempt: 1, of: job) {
    case .approved(_, let outputs): return self.end(job.index, attempt: 1, .succeeded(outputs))
    case .refused(let reason, let requester):
      return self.end(job.index, attempt: 1, .failed(reason), by: requester.map(masked))
    }
  }
}

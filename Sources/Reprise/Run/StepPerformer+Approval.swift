// The answer to a step that waits for approval, and the time limit of the wait.

import WorkflowLanguage

/// The end of a wait for approval.
enum ApprovalAnswer {
  case approved
  /// The step was rejected, or the time limit has passed.
  case refused(FailureReason)
}

extension StepPerformer {
  /// Waits for the answer, at most for the `timeout` of a step that only waits for approval.
  ///
  /// Either an answer takes the ticket of the step first, or the timer does and rejects the step.
  ///
  /// - Returns: The answer; nil if the step was stopped.
  func answer(to ticket: Ticket<Bool>, of job: StepJob) async -> ApprovalAnswer? {
    guard let limit = job.step.timeout, job.step.action == .wait else {
      return await ticket.value().map { $0 ? .approved : .refused(.rejected) }
    }
    let timer = Task { [clock, ledger] in
      guard (try? await clock.sleep(for: limit)) != nil else { return false }
      let ticket = ledger.decide { page in
        page.mayContinue(job) ? page.controls[job.place.index.position].takeApproval() : nil
      }
      return ticket?.answer(false) ?? false
    }
    let answer = await ticket.value()
    timer.cancel()
    guard let answer else { return nil }
    guard !answer else { return .approved }
    return .refused(await timer.value ? .timedOut(after: limit) : .rejected)
  }
}

// The answer to a step that waits for approval, and the time limit of the wait.

import WorkflowLanguage

/// The end of a wait for approval.
enum ApprovalAnswer {
  case approved(by: Requester)
  /// The step was rejected, or the time limit has passed, without a requester.
  case refused(FailureReason, by: Requester?)
}

extension ApprovalAnswer {
  /// Creates the end of a wait; the answer is nil if the time limit has passed.
  fileprivate init(_ answer: Approval?, limit: Duration) {
    guard let answer else {
      self = .refused(.timedOut(after: limit), by: nil)
      return
    }
    self = answer.isApproved ? .approved(by: answer.by) : .refused(.rejected, by: answer.by)
  }
}

extension StepPerformer {
  /// Waits for approval, if the step needs it.
  ///
  /// - Returns: The result of a rejected step; nil if the step may start.
  func resultOfApproval(_ job: StepJob) async throws(Withdrawn) -> StepResult? {
    guard let text = job.step.extrasIfAny?.approval else { return nil }
    let shown = secrets.hidden(in: text)
    // Create the ticket in the same decision that publishes the wait, so that no answer comes too
    // early.
    let ticket = ledger.decide { page -> Ticket<Approval?>? in
      guard page.mayContinue(job) else { return nil }
      let position = job.place.index.position
      page.record(.waiting(shown), of: position, attempt: 0)
      return page.controls[position].ask()
    }
    guard let ticket, let answer = await answer(to: ticket, of: job) else { throw Withdrawn() }
    switch answer {
    case .approved(let requester):
      try begin(.approved, of: job, by: masked(requester))
      return nil
    case .refused(let reason, let requester):
      try begin(.started(), of: job, attempt: 1)
      return end(job.place, attempt: 1, .failed(reason), by: requester.map(masked))
    }
  }

  /// Waits for the answer, at most for the `timeout` of a step that only waits for approval.
  ///
  /// Either an answer takes the ticket of the step first, or the timer does and rejects the step.
  ///
  /// - Returns: The answer; nil if the step was stopped.
  private func answer(to ticket: Ticket<Approval?>, of job: StepJob) async -> ApprovalAnswer? {
    guard let limit = job.step.timeout, job.step.action == .wait else {
      return await ticket.value().map { ApprovalAnswer($0, limit: .zero) }
    }
    let timer = runtime.startTask { [clock, ledger] in
      guard (try? await clock.sleep(for: limit)) != nil else { return }
      let ticket = ledger.decide { page in
        page.mayContinue(job) ? page.controls[job.place.index.position].takeApproval() : nil
      }
      ticket?.answer(nil)
    }
    defer { timer.cancel() }
    return await ticket.value().map { ApprovalAnswer($0, limit: limit) }
  }
}

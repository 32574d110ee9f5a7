// The answer to a step that waits for approval, and the time limit of the wait.

import WorkflowFiles

/// The end of a wait for approval.
enum ApprovalAnswer {
  /// The step was approved with these values, or by default, without a requester.
  case approved(by: Requester?, StepOutputs)
  /// The step was rejected, or the time limit has passed, without a requester.
  case refused(FailureReason, by: Requester?)
}

extension ApprovalAnswer {
  /// Creates the end of a wait; the answer is nil if the time limit has passed.
  fileprivate init(_ answer: Approval?, _ rule: ApprovalRule?, limit: Duration) {
    guard let answer else {
      if rule?.answer == .approve, let values = try? rule?.outputs() {
        self = .approved(by: nil, values)
      } else {
        self = .refused(.unmet("nobody has approved it within \(durationText(limit))"), by: nil)
      }
      return
    }
    self =
      answer.isApproved
      ? .approved(by: answer.by, answer.values) : .refused(.rejected, by: answer.by)
  }
}

/// The stage in which a step waits for approval: before its work or after it.
struct ApprovalStage: StepStage {
  let tools: StageTools
  let secrets: Secrets

  /// Waits for approval, if the step needs it before its work.
  ///
  /// - Returns: The result of a rejected step; nil for others.
  func result(of job: StepJob) async throws(Withdrawn) -> StepResult? {
    guard let text = job.step.extrasIfAny?.approval, !asksAfterwards(job.step) else { return nil }
    switch try await answer(to: text, attempt: 0, of: job) {
    case .approved(let requester, let values):
      try begin(.approved(values), of: job, by: requester.map(masked))
      return nil
    case .refused(let reason, let requester):
      try begin(.started(), of: job, attempt: 1)
      return end(job.index, attempt: 1, .failed(reason), by: requester.map(masked))
    }
  }

  /// Waits for approval of an attempt that has succeeded, if the step needs it.
  ///
  /// The step occupies no slot during the wait.
  ///
  /// - Returns: The answer, with the outputs of the attempt and the given values.
  func approval(
    ofWork outputs: StepOutputs, attempt: Int, of job: StepJob
  ) async throws(Withdrawn) -> ApprovalAnswer {
    guard let text = job.step.extrasIfAny?.approval, asksAfterwards(job.step) else {
      return .approved(by: nil, outputs)
    }
    slots.release(job.index)
    slots.startNext()
    let answer = try await answer(to: text, attempt: attempt, of: job)
    guard case .approved(let requester, let values) = answer else { return answer }
    try begin(.approved(values), of: job, attempt: attempt, by: requester.map(masked))
    return .approved(by: requester, outputs.merging(values) { $1 })
  }

  /// Asks a question and waits for the answer.
  private func answer(
    to question: String, attempt: Int, of job: StepJob
  ) async throws(Withdrawn) -> ApprovalAnswer {
    let rule = job.step.extrasIfAny?.approvalRule
    let shown = secrets.hidden(in: rule?.shown(question) ?? question)
    // Create the ticket in the same decision that publishes the wait, so that no answer comes too
    // early.
    let ticket = ledger.decide { page -> Ticket<Approval?>? in
      guard page.mayContinue(job) else { return nil }
      let position = job.index
      page.record(.awaitingApproval(shown), of: position, attempt: attempt)
      return page.controls[position].ask()
    }
    guard let ticket, let answer = await answer(to: ticket, of: job) else { throw Withdrawn() }
    guard case .approved(let requester, let values) = answer else { return answer }
    do throws(FailureReason) {
      return .approved(by: requester, try masked(values))
    } catch {
      return .refused(error, by: requester)
    }
  }

  /// Waits for the answer, at most for the time limit of the approval, or for the `timeout` of a
  /// step that only waits for approval.
  ///
  /// Either an answer takes the ticket of the step first, or the timer does and answers it.
  ///
  /// - Returns: The answer; nil if the step was stopped.
  private func answer(to ticket: Ticket<Approval?>, of job: StepJob) async -> ApprovalAnswer? {
    let rule = job.step.extrasIfAny?.approvalRule
    guard let limit = rule?.timeout ?? (job.step.action == .wait ? job.step.timeout : nil) else {
      return await ticket.value().map { ApprovalAnswer($0, rule, limit: .zero) }
    }
    let timer = runtime.startTask { [clock, ledger] in
      guard (try? await clock.sleep(for: limit)) != nil else { return }
      let ticket = ledger.decide { page in
        page.mayContinue(job) ? page.controls[job.index].takeApproval() : nil
      }
      ticket?.answer(nil)
    }
    defer { timer.cancel() }
    return await ticket.value().map { ApprovalAnswer($0, rule, limit: limit) }
  }
}

extension StepStage {
  /// Returns whether a step asks for approval after its work.
  func asksAfterwards(_ step: Workflow.Step) -> Bool {
    step.extrasIfAny?.approvalRule?.isAfter == true && step.action != .wait
  }

  /// Returns outputs of a step with the values that were given with its approval.
  func withGivenValues(_ outputs: StepOutputs, of job: StepJob) -> StepOutputs {
    guard job.step.extrasIfAny?.approval != nil else { return outputs }
    return outputs.merging(ledger.decide { $0.state[job.index].given }) { $1 }
  }
}

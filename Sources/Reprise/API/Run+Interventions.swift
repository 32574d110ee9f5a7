// `Run.perform`: the one way in which requests reach a live run.

import Synchronization
import Workflows

extension Run {
  /// Intervenes in the run: restarts or pauses it, or cancels, approves or sets steps.
  ///
  /// When this returns, the intervention is recorded, if the run has a recorder: a cancel or an approval
  /// survives the death of the process from then on, so it can be confirmed to a user. What it leads to
  /// may still be in progress. The result that replaces that of a step in progress, or of one that has
  /// failed, is recorded later, when the step has stopped or its generation begins.
  ///
  /// - Parameters:
  ///   - intervention: The request.
  ///   - requester: Who makes it, for the record.
  /// - Returns: What the run does now; it may not have happened yet.
  /// - Throws: ``InterventionRefusal`` if the run cannot do it, or cannot record it.
  @discardableResult
  public func perform(
    _ intervention: Intervention, by requester: Requester = .api
  ) async throws(InterventionRefusal) -> InterventionAnswer {
    try await withCheckedContinuation { continuation in
      perform(intervention, by: requester) { continuation.resume(returning: $0) }
    }.get()
  }

  /// Intervenes in the run.
  ///
  /// - Parameters:
  ///   - intervention: The request.
  ///   - requester: Who makes it.
  ///   - answer: Called once, on any thread, when the request was refused, or what it has caused is
  ///     recorded.
  package func perform(
    _ intervention: Intervention, by requester: Requester,
    onAnswer answer: @escaping @Sendable (Result<InterventionAnswer, InterventionRefusal>) -> Void
  ) {
    let effect = Ticket<Void>()
    request(intervention, by: requester, effect) { [ledger, runtime] result in
      guard case .success = result else { return answer(result) }
      runtime.startTask {
        _ = await effect.finalValue()
        guard let problem = await ledger.recorded() else { return answer(result) }
        answer(.failure(.refused("the run cannot be recorded: \(problem)")))
      }
    }
  }

  /// Requests an intervention.
  ///
  /// - Parameters:
  ///   - intervention: The request.
  ///   - requester: Who makes it.
  ///   - effect: Answered when the event that an accepted request causes is in the ledger.
  ///   - answer: Called once, on any thread, when the run has accepted or refused the request.
  func request(
    _ intervention: Intervention, by requester: Requester, _ effect: Ticket<Void> = Ticket(),
    _ answer: @escaping @Sendable (Result<InterventionAnswer, InterventionRefusal>) -> Void
  ) {
    do throws(SelectionError) {
      let (plan, state) = ledger.decide { ($0.plan, $0.state) }
      switch intervention {
      case .restart(let selectors):
        let steps = try plan.selected(by: selectors, in: state)
        let requester = selectors.isEmpty ? requester : requester.naming(steps: selectors)
        post(
          .restart(from: steps, requestedIn: state.generation), by: requester, effect, answer)
      case .restartServices(let selectors):
        guard !selectors.isEmpty else {
          return answer(.failure(.refused("no service is named")))
        }
        let selected = try plan.selected(by: selectors, in: state)
        // The step that was expanded to the services is none.
        let expanded = Set(selected.compactMap { plan[$0].extrasIfAny?.fan })
        let steps = selected.filter { !expanded.contains(plan[$0].id) }
        post(.restartServices(steps), by: requester.naming(steps: selectors), effect, answer)
      case .cancel(let selectors, let now):
        guard !selectors.isEmpty else {
          return post(now ? .kill : .cancel(.request), by: requester, effect, answer)
        }
        let steps = try plan.selected(by: selectors, in: state)
        post(
          .cancelSteps(steps, now: now), by: requester.naming(steps: selectors),
          effect, answer)
      case .set(let selectors, let result):
        let steps = try plan.selected(by: selectors, in: state)
        post(
          .set(steps, result), by: requester.naming(steps: selectors), effect, answer)
      case .pause:
        post(.pause(true), by: requester, effect, answer)
      case .unpause:
        post(.pause(false), by: requester, effect, answer)
      case .approve(let step, let isApproved, let values):
        answer(
          try approve(
            step.map { .success($0) } ?? state.onlyApproval, isApproved: isApproved, values,
            by: requester, effect))
      }
    } catch {
      answer(.failure(.refused(error.description)))
    }
  }

  /// Asks for the restart that an earlier engine had begun.
  ///
  /// - Parameters:
  ///   - steps: The steps that run again; all if it is empty.
  ///   - requester: Who had asked for it.
  func restartAgain(from steps: [StepIndex], by requester: Requester) {
    post(.restart(from: steps, requestedIn: nil), by: requester, Ticket()) { _ in }
  }

  /// Whether anything that was requested was not answered yet, such as a cancel.
  package var hasOpenRequests: Bool { openRequestCount.withLock { $0 > 0 } }

  private func post(
    _ input: RunMachine.Input, by requester: Requester, _ effect: Ticket<Void>,
    _ answer: @escaping @Sendable (Result<InterventionAnswer, InterventionRefusal>) -> Void
  ) {
    openRequestCount.withLock { $0 += 1 }
    let request = RunDriver.Request.intervention(input, by: requester) { [weak self] result in
      self?.openRequestCount.withLock { $0 -= 1 }
      effect.answer(())
      answer(result)
    }
    if case .terminated = requests.yield(request) { request.refuse() }
  }

  /// Approves or rejects a step that is waiting for approval.
  ///
  /// An answer that is accepted leads to an event of the step, after which `effect` is answered.
  func approve(
    _ step: Result<String, InterventionRefusal>, isApproved: Bool, _ texts: [String: String],
    by requester: Requester, _ effect: Ticket<Void> = Ticket()
  ) throws(SelectionError) -> Result<InterventionAnswer, InterventionRefusal> {
    let id: String
    switch step {
    case .success(let one): id = one
    case .failure(let refusal): return .failure(refusal)
    }
    let plan = ledger.plan
    let rule = try plan.found(id).lazy
      .compactMap { plan[$0].extrasIfAny?.approvalRule }.first
    var values: StepOutputs = [:]
    if isApproved {
      do throws(ParameterError) {
        values = try (rule ?? ApprovalRule()).outputs(texts)
      } catch {
        let isProgram = requester.kind == .api
        let open = (rule?.values ?? []).filter { $0.defaultValue == nil }.map(\.name)
        let options = (open.isEmpty ? ["NAME"] : open).map { " --value \($0)=VALUE" }.joined()
        let hint = "answer with: reprise approve \(self.id) \(id)\(options)"
        return .failure(.refused("\(error); \(isProgram ? "give the values in `values`" : hint)"))
      }
    }
    let tickets = try ledger.decide { page in
      Result { () throws(SelectionError) in
        let steps = try page.plan.found(id)
        page.answeredApprovals.append(
          AnsweredApproval(steps: steps, isApproved: isApproved, effect: effect))
        return steps.compactMap { page.controls[$0].takeApproval() }
      }
    }.get()
    let requester = requester.naming(steps: [id])
    let approval = Approval(isApproved: isApproved, by: requester, values: values)
    guard tickets.filter({ $0.answer(approval) }).count > 0 else {
      return .failure(.refused("step \"\(id)\" is not waiting for approval"))
    }
    let text = "step \"\(id)\" is \(isApproved ? "approved" : "rejected")"
    return .success(InterventionAnswer(text, steps: [id]))
  }
}

extension RunState {
  /// The only step that is waiting for approval, or why there is not one.
  fileprivate var onlyApproval: Result<String, InterventionRefusal> {
    let waiting = awaitingApproval.map(\.id)
    guard let first = waiting.first else {
      return .failure(.refused("no step is waiting for approval"))
    }
    guard waiting.count == 1 else {
      return .failure(.refused("name one of the waiting steps: \(stepNames(waiting))"))
    }
    return .success(first)
  }
}

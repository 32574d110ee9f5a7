// Services: how long they are needed, how they end, and what happens to the steps that use them.

import Workflows

extension RunLedger.Page {
  /// Returns whether a step that uses a service has not ended, and is not being stopped.
  func isNeeded(_ service: StepIndex) -> Bool {
    guard let users = services.users.first(where: { $0.service == service }) else { return false }
    return users.steps.contains { !isOver($0) }
  }

  /// Returns whether a step has ended, or is being stopped before it could begin.
  ///
  /// A service that has not begun is over with the steps that would use it: it does not start any more.
  func isOver(_ step: StepIndex) -> Bool {
    state[step].phase.isFinal
      || state[step].phase == .pending && (controls[step].stop != nil || isWithoutUsers(step))
  }

  /// Returns whether a step is a service whose users are over; not for one that has none.
  private func isWithoutUsers(_ service: StepIndex) -> Bool {
    guard plan[service].action.isService,
      let entry = services.users.first(where: { $0.service == service })
    else { return false }
    // Services among them use it for their own users, which are among them, too.
    let users = entry.steps.filter { !plan[$0].action.isService }
    return !users.isEmpty && users.allSatisfy { isOver($0) }
  }

  /// Returns a ticket that is answered when a step is ready to be used or has ended; nil if none that
  /// a step uses is between two of its attempts.
  mutating func waitForUsedSteps(of job: StepJob) -> Ticket<Void>? {
    guard usesStepBetweenAttempts(job.index) else { return nil }
    let ticket = Ticket<Void>()
    waitingUsers.append(ticket)
    return ticket
  }

  /// Returns whether a step uses one that has been ready, and whose next attempt is not.
  private func usesStepBetweenAttempts(_ step: StepIndex) -> Bool {
    let usesService = services.users.contains { service, steps in
      isBetweenAttempts(service)
        // Not one that only runs beside all other steps, which do not wait for it.
        && !plan.graph.dependents(of: service).isEmpty && steps.contains(step)
    }
    guard !usesService, plan[step].extrasIfAny?.needRules != nil else {
      return usesService
    }
    return plan.graph.needs(of: step).contains { need in
      isBetweenAttempts(need) && plan.expected(by: step, of: need) == .ready
    }
  }

  private func isBetweenAttempts(_ step: StepIndex) -> Bool {
    let state = state[step]
    // One that is being stopped to start again must not be used any more.
    let isReady = state.isReady && controls[step].restarter == nil
    return controls[step].wasReady && !isReady && !state.phase.isFinal
  }

  /// Notes that a step may be ready to be used, or may have ended.
  mutating func followUses(of step: StepState) {
    let isOver = step.phase.isFinal
    if !services.isEmpty, isOver { mustCheckServices = true }
    if !waitingUsers.isEmpty, isOver || step.isReady { mustWakeUsers = true }
  }

  /// Takes the steps that must check again whether what they use is ready.
  mutating func takeUsersToWake() -> [Ticket<Void>] {
    guard mustWakeUsers else { return [] }
    mustWakeUsers = false
    defer { waitingUsers = [] }
    return waitingUsers
  }

  /// Returns the event that ends a service that no step needs any more.
  func endOfService(_ service: StepIndex, _ event: Event.StepEvent) -> Event.StepEvent {
    let step = state[service]
    guard step.phase == .running else { return .skipped(.unused, [:]) }
    if case .failed(.notStarted) = event { return event }
    return .succeeded(step.readyOutputs)
  }

  /// Returns the services that steps, which are connected together, must wait for.
  ///
  /// A step that uses a service indirectly waits for it together with a step that it needs. If that
  /// step keeps its result, it must wait for the service itself.
  ///
  /// - Parameter steps: The steps that are connected.
  /// - Returns: The services by step; empty for other steps.
  func waitsForServices(of steps: [StepIndex]) -> [StepIndex: [StepIndex]] {
    guard !services.isEmpty else { return [:] }
    let connected = Set(steps)
    var waits: [StepIndex: [StepIndex]] = [:]
    for (service, users) in services.users {
      // Also one that was connected before: an expansion connects only its own dependents.
      guard !state[service].isReady, !state[service].phase.isFinal else {
        continue
      }
      let all = Set(plan.graph.withDependents([service])).intersection(users)
      for user in all where connected.contains(user) {
        let needs = plan.graph.needs(of: user)
        guard state[user].phase == .pending, !needs.contains(service),
          needs.contains(where: { all.contains($0) && state[$0].phase.isFinal })
        else { continue }
        waits[user, default: []].append(service)
      }
    }
    return waits
  }

  /// The services that have ended or are being stopped, so that steps that run again need them
  /// started again; each with the steps after it that are pending.
  ///
  /// Steps can be pending after the end of a service: its end is recorded before they are notified,
  /// and a pending service can be cancelled, or get a result, by hand.
  var endedServices: [StepIndex: EndedService] {
    guard !services.isEmpty else { return [:] }
    var ended: [StepIndex: EndedService] = [:]
    for (service, users) in services.needed {
      guard state[service].phase.isFinal || controls[service].isUnused else { continue }
      ended[service] = EndedService(users: users)
      guard state.counts.pending > 0 else { continue }
      ended[service]?.waiting = plan.graph.withDependents([service]).filter {
        state[$0].phase == .pending
      }
    }
    return ended
  }

  /// Stops the steps that use a step while it runs, and those after them, because it has ended
  /// without success.
  ///
  /// Not those that look at its result, that only need it to be over, or that have alternatives.
  ///
  /// - Returns: The futures to interrupt.
  mutating func stopUsers(of step: StepIndex, because cause: CancellationCause) -> [StepFuture] {
    let early = plan.earlyNeeds
    var users = plan.graph.dependents(of: step).filter { early[$0]?.contains(step) == true }
    // The failure of a group with `continue-on-error` does not stop steps outside of it.
    func isStopped(_ user: StepIndex, by need: StepIndex) -> Bool {
      mustSucceed(need, for: user) && !plan.isTolerated(failureOf: step, by: user)
    }
    users.removeAll { !isStopped($0, by: step) }
    var seen = Set(users)
    var futures: [StepFuture] = []
    while let user = users.popLast() {
      if !state[user].phase.isFinal,
        let future = controls[user].stop(.cancelled(cause))
      {
        futures.append(future)
      }
      for dependent in plan.graph.dependents(of: user)
      where isStopped(dependent, by: user) && seen.insert(dependent).inserted {
        users.append(dependent)
      }
    }
    return futures
  }

  /// Returns whether a step runs only if another one, which it needs, succeeds.
  private func mustSucceed(_ need: StepIndex, for step: StepIndex) -> Bool {
    guard !plan[step].testsStatus else { return false }
    switch plan.expected(by: step, of: need) {
    case .success, .ready: return true
    case .over: return false
    case nil:
      return !plan.graph.needs(of: step).contains { other in
        guard other != need, plan.expected(by: step, of: other) == nil else { return false }
        if case .succeeded = state[other].phase { return true }
        return state[other].isReady
      }
    }
  }
}

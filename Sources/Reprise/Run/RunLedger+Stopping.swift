// The order in which services are asked to end: not before what may still use them.

import Workflows

extension RunLedger.Page {
  /// Closes steps that a cancel of the run or a restart stops, and holds back the services among them.
  ///
  /// A service that is ready is asked to end only after the steps of its list that are being stopped,
  /// and after the services of its list that became ready later: they may depend on it.
  ///
  /// - Returns: The steps to stop now, in the same order; ``windDownServices()`` returns the others.
  mutating func close(_ steps: [StepIndex]) -> [StepIndex] {
    guard !services.isEmpty else {
      for step in steps { controls[step].close() }
      return steps
    }
    let held = Set(
      steps.filter { step in
        guard plan[step].action.isService, state[step].isReady else { return false }
        // What has been asked to end is not asked again.
        return heldServices[step] != nil || controls[step].isOpen && controls[step].stop == nil
      })
    for step in steps { controls[step].close() }
    guard !held.isEmpty else { return steps }
    let ending = plan.order.filter { state[$0].phase.isActive && !controls[$0].isOpen }
    for service in held {
      heldServices[service] = ending.filter {
        $0 != service && plan.canUse(service, $0)
          && (!held.contains($0) || isReady($0, after: service))
      }
    }
    mustCheckServices = true
    return steps.filter { !held.contains($0) }
  }

  /// Returns whether a step became ready to be used after a service, or is not ready yet.
  ///
  /// Its first attempt in the generation counts: what used it then still does.
  private func isReady(_ step: StepIndex, after service: StepIndex) -> Bool {
    guard let first = controls[service].readyNumber else { return false }
    return controls[step].readyNumber.map { $0 > first } ?? true
  }

  /// Returns the futures of all services that are held back, which a kill does not wait for.
  mutating func takeHeldServices() -> [StepFuture] {
    defer { heldServices = [:] }
    return heldServices.keys.sorted().compactMap { controls[$0].future }
  }

  /// Returns the futures of the services that are held back no longer.
  private mutating func takeFreeServices() -> [StepFuture] {
    var futures: [StepFuture] = []
    for service in heldServices.keys.sorted() {
      // From the end, so that each step is visited once.
      while let last = heldServices[service]?.last, state[last].phase.isFinal {
        heldServices[service]?.removeLast()
      }
      guard state[service].phase.isFinal || heldServices[service]?.isEmpty == true else { continue }
      heldServices[service] = nil
      if let future = controls[service].future { futures.append(future) }
    }
    return futures
  }

  /// Stops the services that no step needs any more, and those whose turn it is in a cancel or a restart,
  /// if a step has ended since the last call.
  ///
  /// Services that no step needs any more end in the opposite order of their readiness, too.
  ///
  /// - Returns: The futures to interrupt.
  mutating func windDownServices() -> [StepFuture] {
    guard mustCheckServices else { return [] }
    mustCheckServices = false
    let futures = heldServices.isEmpty ? [] : takeFreeServices()
    guard state.phase == .running else { return futures }
    let unneeded = services.users.compactMap { service, users in
      state[service].phase.isActive && users.allSatisfy { isOver($0) } ? service : nil
    }
    return futures
      + unneeded.compactMap { service in
        let mustWait = unneeded.contains {
          $0 != service && plan.canUse(service, $0) && isReady($0, after: service)
        }
        return mustWait ? nil : controls[service].windDown()
      }
  }
}

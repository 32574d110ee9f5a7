// Services: how long they are needed, how they end, and what happens to the steps that use them.

import WorkflowLanguage

extension StepPerformer {
  /// Takes the slots of a step for an attempt.
  ///
  /// A service that is started again holds none: the steps that wait for it may hold all of them.
  ///
  /// - Returns: Whether the attempt may start; false if the step was stopped.
  func takeSlots(_ job: StepJob, attempt: Int) async -> Bool {
    if attempt > 1, job.step.action.isService,
      ledger.decide({ page in
        job.place.isPresent && page.controls[job.place.index.position].wasAvailable
      })
    {
      return !Task.isCancelled
    }
    return await slots.take(job.place.index, generation: job.generation)
  }
}

/// The services of a workflow, with the steps that use each of them.
struct ServiceUsers: Sendable {
  /// For each service, the steps that need it directly or indirectly.
  private(set) var users: [(service: Int, steps: [Int])] = []

  /// Creates the services of a workflow.
  ///
  /// A service that no step needs is used by all other steps, except those under `finally` and
  /// others of its kind. Steps that wait for the end of a service, and those after them, do not use
  /// it.
  init(of workflow: Workflow) {
    let graph = workflow.graph
    let services = graph.indices.filter { workflow.steps[$0.position].action.isService }
    guard !services.isEmpty else { return }
    let excluded = services.map { service in
      let waiting = graph.dependents(of: service).filter {
        workflow.expected(by: $0, of: service) == .over
      }
      return waiting.isEmpty ? [] : Set(graph.withDependents(waiting).map(\.position))
    }
    let all = zip(services, excluded).map { service, excluded in
      graph.withDependents([service]).map(\.position).filter {
        $0 != service.position && !excluded.contains($0)
      }
    }
    let unused = Set(zip(services, all).filter { $0.1.isEmpty }.map(\.0.position))
    let others = (0..<(graph.count - workflow.finallyCount)).filter { !unused.contains($0) }
    users = services.indices.map { index in
      let steps = all[index].isEmpty ? others.filter { !excluded[index].contains($0) } : all[index]
      return (services[index].position, steps)
    }
  }

  /// Whether the workflow has no services.
  var isEmpty: Bool { users.isEmpty }
}

extension RunLedger.Page {
  /// Returns whether a step that uses a service has not ended.
  func isNeeded(_ service: StepIndex) -> Bool {
    guard let users = services.users.first(where: { $0.service == service.position }) else {
      return false
    }
    return users.steps.contains { !state.steps[$0].phase.isFinal }
  }

  /// Stops the services that no step needs any more.
  ///
  /// - Returns: The futures to interrupt.
  mutating func windDownServices() -> [StepFuture] {
    guard !services.isEmpty, state.phase == .running else { return [] }
    return services.users.compactMap { service, steps in
      guard state.steps[service].phase.isActive,
        steps.allSatisfy({ state.steps[$0].phase.isFinal })
      else { return nil }
      return controls[service].windDown()
    }
  }

  /// Returns the event that ends a service that no step needs any more.
  func endOfService(_ service: StepIndex, _ event: Event.StepEvent) -> Event.StepEvent {
    let step = state.steps[service.position]
    guard step.phase == .running else { return .skipped("no step needs it", [:]) }
    if case .failed(.notStarted) = event { return event }
    return .succeeded(step.availableOutputs)
  }

  /// The services that have ended or are being stopped, so that steps that run again need them
  /// started again.
  var endedServices: Set<StepIndex> {
    Set(
      services.users.map(\.service).filter { service in
        state.steps[service].phase.isFinal || controls[service].isWindingDown
      }.map { StepIndex($0) })
  }

  /// Stops the steps that use a step while it runs, and those after them, because it has failed.
  ///
  /// Not those that look at its result, that only need it to be over, or that have alternatives.
  ///
  /// - Returns: The futures to interrupt.
  mutating func stopUsers(of step: StepIndex) -> [StepFuture] {
    let id = workflow.steps[step.position].id
    let early = workflow.earlyNeeds
    var users = workflow.graph.dependents(of: step).filter { early[$0]?.contains(step) == true }
    users.removeAll { !mustSucceed(step, for: $0) }
    var seen = Set(users)
    var futures: [StepFuture] = []
    while let user = users.popLast() {
      if !state.steps[user.position].phase.isFinal,
        let future = controls[user.position].stop(.failure(ofStep: id))
      {
        futures.append(future)
      }
      for dependent in workflow.graph.dependents(of: user)
      where mustSucceed(user, for: dependent) && seen.insert(dependent).inserted {
        users.append(dependent)
      }
    }
    return futures
  }

  /// Returns whether a step runs only if another one, which it needs, succeeds.
  private func mustSucceed(_ need: StepIndex, for step: StepIndex) -> Bool {
    guard !workflow.testsStatus(workflow.steps[step.position]) else { return false }
    switch workflow.expected(by: step, of: need) {
    case .success, .ready: return true
    case .over: return false
    case nil:
      return !workflow.graph.needs(of: step).contains { other in
        guard other != need, workflow.expected(by: step, of: other) == nil else { return false }
        if case .succeeded = state.steps[other.position].phase { return true }
        return state.steps[other.position].isAvailable
      }
    }
  }
}

// The steps that use each service of a workflow, and cycles of steps that wait for one another
// through services. Pure.

/// The services of a run, with the steps that use each of them.
package struct ServiceUsers: Sendable {
  /// For each service, the steps that need it directly or indirectly, in the list to which it belongs.
  package private(set) var users: [(service: StepIndex, steps: [StepIndex])] = []
  /// The same, without services that run beside all other steps because none needs them.
  package private(set) var needed: [(service: StepIndex, steps: [StepIndex])] = []

  /// Creates the services of a plan.
  ///
  /// A service that no step of its list needs is used by all other steps of the list, except those
  /// under `finally`, and except services: one that it needs would wait for its end. Steps that wait
  /// for the end of a service, and those after them, do not use it.
  package init(of plan: Plan) {
    let graph = plan.graph
    let services = plan.order.filter { plan[$0].action.isService }
    guard !services.isEmpty else { return }
    let excluded = services.map { service in
      let waiting = graph.dependents(of: service).filter {
        plan.expected(by: $0, of: service) == .over
      }
      return waiting.isEmpty ? [] : Set(graph.withDependents(waiting))
    }
    let all = zip(services, excluded).map { service, excluded in
      graph.withDependents([service]).filter {
        $0 != service && !excluded.contains($0) && plan.canUse(service, $0)
      }
    }
    let others = plan.order.filter {
      !plan[$0].action.isService && plan[$0].extrasIfAny?.finally == nil
    }
    users = services.indices.map { index in
      let service = services[index]
      guard all[index].isEmpty else { return (service, all[index]) }
      return (
        service, others.filter { !excluded[index].contains($0) && plan.canUse(service, $0) }
      )
    }
    needed = users.filter { service, _ in
      graph.dependents(of: service).contains { plan.canUse(service, $0) }
    }
  }

  /// Whether there are no services.
  package var isEmpty: Bool { users.isEmpty }
}

extension Plan {
  /// Returns steps that wait for one another because of the ends of services; nil if there are none.
  ///
  /// A service ends when all of its users have ended, so a step that waits for its end waits for
  /// them.
  package func cycleThroughServices(_ services: ServiceUsers) -> [String]? {
    let isAwaited = services.users.contains { service, _ in
      graph.dependents(of: service).contains { expected(by: $0, of: service) == .over }
    }
    guard isAwaited else { return nil }
    let early = earlyNeeds
    // Two nodes for each step: its start and its end.
    var ids: [String] = []
    var needs: [[String]] = []
    let users = Dictionary(uniqueKeysWithValues: services.users)
    for step in order {
      ids += ["\(step.position)", "\(step.position)/"]
      let starts = graph.needs(of: step).map { need in
        early[step]?.contains(need) == true ? "\(need.position)" : "\(need.position)/"
      }
      needs += [starts, ["\(step.position)"] + (users[step] ?? []).map { "\($0.position)/" }]
    }
    do throws(GraphError) {
      _ = try Graph(ids: ids, needs: needs)
      return nil
    } catch {
      guard case .cycle(let nodes) = error else { return nil }
      var cycle: [String] = []
      for node in nodes {
        guard let position = Int(node.prefix { $0 != "/" }) else { continue }
        if cycle.last != graph.ids[position] { cycle.append(graph.ids[position]) }
      }
      if cycle.count > 1, cycle.first == cycle.last { cycle.removeLast() }
      return cycle
    }
  }

  /// Returns a step that needs places of a pool that services, which it uses, hold until it has
  /// ended; nil if there is none.
  package func stepThatWaitsForPool(
    _ services: ServiceUsers
  ) -> (step: String, service: String, pool: String)? {
    struct Place: Hashable {
      let user: StepIndex
      let pool: String

      init(_ user: StepIndex, _ pool: String) { (self.user, self.pool) = (user, pool) }
    }
    var held: [Place: Int] = [:]
    for (service, users) in services.users {
      for own in self[service].extrasIfAny?.pools ?? [] {
        for user in users {
          let around = groups(around: user).filter { !contains(service, in: $0) }
          let claims =
            (self[user].extrasIfAny?.pools ?? []) + around.flatMap { groups[$0].pools }
          guard let claim = claims.first(where: { $0.pool == own.pool }) else { continue }
          held[Place(user, own.pool), default: 0] += own.count
          if (held[Place(user, own.pool)] ?? 0) + claim.count > claim.size {
            return (self[user].id, self[service].id, own.pool)
          }
        }
      }
    }
    return nil
  }
}

// Shrinks a failing scenario of a cluster, as long as it fails in the same way.

import RepriseTesting

/// Removes the parts of a scenario that its failure does not need.
struct ClusterShrinker {
  private let failure: (ClusterScenario) -> Failure?
  private let oracle: String
  /// The maximum number of scenarios to try.
  private let budget = 1500
  /// The number of schedules to try before a smaller scenario counts as correct.
  private let schedules = 4
  private var best: ClusterScenario
  private(set) var tries = 0

  /// Creates a shrinker for a scenario that fails in an oracle.
  init(
    _ scenario: ClusterScenario, oracle: String, failure: @escaping (ClusterScenario) -> Failure?
  ) {
    (best, self.oracle, self.failure) = (scenario, oracle, failure)
  }

  /// Shrinks the scenario until nothing more can be removed, or the budget is used up.
  mutating func shrunk() -> ClusterScenario {
    var before: ClusterScenario?
    while before != best, tries < budget {
      before = best
      for position in best.moments.indices.reversed() { accept { $0.moments.remove(at: position) } }
      for position in best.steps.indices.reversed() { removeStep(position) }
      simplifySettings()
      for position in best.steps.indices { simplifyStep(position) }
      for position in best.moments.indices {
        accept { $0.moments[position].items = 0 }
        accept { $0.moments[position].time /= 2 }
      }
    }
    return best
  }

  private mutating func accept(_ change: (inout ClusterScenario) -> Void) {
    var candidate = best
    change(&candidate)
    guard candidate != best, !candidate.steps.isEmpty else { return }
    for number in 0..<schedules where tries < budget {
      if number > 0 { candidate.schedule = mixed(best.schedule &+ UInt64(tries)) >> 16 }
      tries += 1
      if failure(candidate)?.oracle == oracle {
        best = candidate
        return
      }
    }
  }

  private mutating func removeStep(_ position: Int) {
    accept { scenario in
      let id = scenario.steps.remove(at: position).id
      for other in scenario.steps.indices { scenario.steps[other].needs.removeAll { $0 == id } }
      scenario.moments.removeAll { moment in
        switch moment.action {
        case .restartFrom(let step), .cancelStep(let step): step.prefix { $0 != "[" } == id
        default: false
        }
      }
    }
  }

  private mutating func simplifySettings() {
    let plain = ClusterScenario.Cluster()
    accept { $0.maxParallel = nil }
    accept { $0.submitEvery = 0 }
    accept { $0.policy = .oldestFirst }
    accept { $0.cluster.queueLimit = nil }
    accept { $0.cluster.arraySizeMax = plain.arraySizeMax }
    accept { $0.cluster.latency = 5 }
    accept { $0.cluster.showsAfter = 0 }
    accept { $0.cluster.staleness = 0 }
    accept { $0.cluster.cancelDelay = 0 }
    accept { $0.cluster.wait = 0 }
    accept { $0.cluster.lostAnswers = 0 }
    accept { $0.cluster.accounts = .none }
    accept { $0.cluster.memory = plain.memory }
    accept { $0.cluster.lies = false }
    accept { $0.cluster.nodes = 1 }
    accept { $0.cluster.slots = 4 }
  }

  private mutating func simplifyStep(_ position: Int) {
    accept { $0.steps[position].needs = [] }
    accept { $0.steps[position].items = 0 }
    accept { $0.steps[position].items = min($0.steps[position].items, 2) }
    accept { $0.steps[position].retries = 0 }
    accept { $0.steps[position].mutex = nil }
    accept { $0.steps[position].isRefused = false }
    accept { $0.steps[position].behaviours = Array($0.steps[position].behaviours.prefix(1)) }
    for number in best.steps[position].behaviours.indices {
      accept { $0.steps[position].behaviours[number].stopTime = 0 }
      accept { $0.steps[position].behaviours[number].status = 0 }
      accept { $0.steps[position].behaviours[number].length = 1000 }
    }
  }
}

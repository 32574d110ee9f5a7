// Shrinks a failing scenario, as long as it fails in the same way.

import RepriseTesting

/// Removes the parts of a scenario that its failure does not need.
struct Shrinker {
  /// Runs a scenario, and returns nil if nothing fails.
  let failure: (Scenario) -> Failure?
  /// The maximum number of scenarios to try.
  var budget = 4000
  /// The number of schedules to try before a smaller scenario counts as correct.
  var schedules = 6

  private var best: Scenario
  private let oracle: String
  private(set) var tries = 0

  /// Creates a shrinker for a scenario that fails in an oracle.
  init(_ scenario: Scenario, oracle: String, failure: @escaping (Scenario) -> Failure?) {
    self.failure = failure
    self.oracle = oracle
    best = scenario
  }

  /// Shrinks the scenario until nothing more can be removed, or the budget is used up.
  mutating func shrunk() -> Scenario {
    var before: Scenario?
    while before != best, tries < budget {
      before = best
      removeMoments()
      removeSteps()
      simplifySettings()
      for position in best.allSteps.indices.reversed() { simplifyStep(position) }
      simplifyMoments()
    }
    return best
  }

  /// Keeps a candidate if it still fails in the same oracle, with the same or another schedule.
  @discardableResult
  private mutating func accept(_ candidate: Scenario) -> Bool {
    guard candidate != best, !candidate.steps.isEmpty else { return false }
    for number in 0..<schedules where tries < budget {
      var candidate = candidate
      if number > 0 { candidate.schedule = mixed(best.schedule &+ UInt64(tries)) >> 16 }
      tries += 1
      if failure(candidate)?.oracle == oracle {
        best = candidate
        return true
      }
    }
    return false
  }

  private mutating func accept(_ change: (inout Scenario) -> Void) {
    var candidate = best
    change(&candidate)
    accept(candidate)
  }

  // MARK: Parts

  private mutating func removeMoments() {
    var size = best.moments.count
    while size > 0 {
      var start = 0
      while start < best.moments.count {
        var candidate = best
        candidate.moments.removeSubrange(start..<min(start + size, best.moments.count))
        if !accept(candidate) { start += size }
      }
      size /= 2
    }
  }

  private mutating func removeSteps() {
    accept { $0.finally = [] }
    for position in best.finally.indices.reversed() { accept { $0.finally.remove(at: position) } }
    var size = best.steps.count
    while size > 0 {
      var start = 0
      while start < best.steps.count {
        let range = start..<min(start + size, best.steps.count)
        if !accept(best.without(range, connects: false)),
          !accept(best.without(range, connects: true))
        {
          start += size
        }
      }
      size /= 2
    }
  }

  private mutating func simplifySettings() {
    accept { $0.computed = nil }
    accept { $0.maxParallel = nil }
    accept { $0.failsFast = false }
    accept { $0.timeout = nil }
    accept { $0.resumes = 0 }
    accept { $0.disk.delay = 0 }
    accept { $0.disk.slowEvery = 0 }
    accept { $0.disk.tears = false }
    accept { $0.disk.isUsed = false }
    accept { $0.lazyChance = 0 }
    accept { $0.policy = .random }
    accept { $0.grantsAtEnd = true }
  }

  private mutating func simplifyStep(_ position: Int) {
    func change(_ body: @escaping (inout Scenario.Step) -> Void) -> (inout Scenario) -> Void {
      { scenario in
        if position < scenario.steps.count {
          body(&scenario.steps[position])
        } else if position - scenario.steps.count < scenario.finally.count {
          body(&scenario.finally[position - scenario.steps.count])
        }
      }
    }
    accept(
      change {
        $0.items = 0
        $0.isMatrix = false
        $0.groupLimit = nil
        $0.failsFast = false
      })
    accept(change { $0.items = min($0.items, 2) })
    accept(change { $0.groupLimit = nil })
    accept(change { $0.failsFast = false })
    accept(change { $0.mutex = nil })
    accept(change { $0.share = nil })
    accept(
      change {
        $0.approval = false
        $0.isOnlyApproval = false
      })
    accept(change { $0.continuesOnError = false })
    accept(change { $0.timeout = nil })
    accept(change { $0.retry = nil })
    accept(change { $0.condition = nil })
    accept(change { $0.needs = [] })
    for number in (0..<3).reversed() {
      accept(change { if $0.needs.count > number { $0.needs.remove(at: number) } })
      accept(
        change {
          if $0.behaviours.count > max(1, number) { $0.behaviours.remove(at: number) }
        })
      accept(change { if $0.behaviours.count > number { $0.behaviours[number].lines = 0 } })
      accept(change { if $0.behaviours.count > number { $0.behaviours[number].onCancel = .stop } })
      accept(change { if $0.behaviours.count > number { $0.behaviours[number].ending = .success } })
      for length in [0, 1, 10, 100, 1000] {
        accept(
          change {
            guard $0.behaviours.count > number, $0.behaviours[number].length > length else {
              return
            }
            $0.behaviours[number].length = length
          })
      }
    }
  }

  private mutating func simplifyMoments() {
    for position in best.moments.indices {
      accept { $0.moments[position].items = 0 }
      accept { $0.moments[position].items /= 2 }
      for time in [0, 1, 10, 100, 1000] where time < best.moments[position].time {
        accept { $0.moments[position].time = time }
      }
      accept { scenario in
        guard case .listen = scenario.moments[position].action else { return }
        scenario.moments[position].action = .listen(Scenario.Listener())
      }
    }
  }
}

extension Scenario {
  /// Returns the scenario without some steps, whose dependents need nothing or inherit their needs.
  fileprivate func without(_ range: Range<Int>, connects: Bool) -> Scenario {
    var smaller = self
    var replacement: [String: [String]] = [:]
    for step in steps[range] { replacement[step.id] = connects ? step.needs : [] }
    smaller.steps.removeSubrange(range)
    func resolved(_ ids: [String], depth: Int) -> [String] {
      ids.flatMap { id -> [String] in
        guard let others = replacement[id] else { return [id] }
        return depth > 0 ? resolved(others, depth: depth - 1) : []
      }
    }
    for position in smaller.steps.indices {
      smaller.steps[position].needs =
        Set(resolved(smaller.steps[position].needs, depth: 8)).sorted()
    }
    smaller.moments.removeAll { moment in
      switch moment.action {
      case .restartFrom(let id), .cancelStep(let id), .set(let id, _), .approve(let id),
        .refuse(let id):
        replacement[id] != nil
      case .restartWith(let ids): ids.contains { replacement[$0] != nil }
      default: false
      }
    }
    return smaller
  }
}

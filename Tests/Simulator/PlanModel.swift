// The steps of a scenario as the oracles see them: derived from the scenario alone, without the
// graph of the engine.

/// The steps that a workflow becomes, with who needs whom and in which order they are planned.
struct PlanModel {
  struct Step {
    let id: String
    let spec: Scenario.Step
    /// Which of its items it is.
    let item: Int
    let isFinally: Bool
    /// Positions of what it needs.
    var needs: [Int] = []
    /// Positions of what needs it.
    var dependents: [Int] = []
  }

  private(set) var steps: [Step] = []
  private(set) var positions: [String: Int] = [:]
  /// Positions by the id in the file.
  private(set) var members: [String: [Int]] = [:]
  let mainCount: Int

  init(_ scenario: Scenario) {
    for (number, spec) in scenario.allSteps.enumerated() {
      for item in 0..<max(1, spec.items) {
        let id = spec.items > 0 ? "\(spec.id)[\(item)]" : spec.id
        positions[id] = steps.count
        members[spec.id, default: []].append(steps.count)
        steps.append(
          Step(id: id, spec: spec, item: item, isFinally: number >= scenario.steps.count))
      }
    }
    mainCount = steps.count { !$0.isFinally }
    for position in steps.indices {
      steps[position].needs = steps[position].spec.needs.flatMap { members[$0] ?? [] }
    }
    for (earlier, later) in zip(scenario.finally, scenario.finally.dropFirst()) {
      for position in members[later.id] ?? [] { steps[position].needs = members[earlier.id] ?? [] }
    }
    for position in steps.indices {
      for need in steps[position].needs { steps[need].dependents.append(position) }
    }
  }

  /// Steps with all that depends on them, and everything under `finally`.
  func withDependents(_ start: [Int]) -> Set<Int> {
    var found = Set(start)
    var open = start
    while let position = open.popLast() {
      for dependent in steps[position].dependents where found.insert(dependent).inserted {
        open.append(dependent)
      }
    }
    return found.union(mainCount..<steps.count)
  }
}

extension Scenario.Step {
  /// Whether it writes output, or the engine does for it.
  var writes: Bool { share != nil || behaviours.contains { $0.lines > 0 } }
}

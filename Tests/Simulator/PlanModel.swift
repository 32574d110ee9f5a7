// The steps of a scenario as the oracles see them, derived from the scenario without the engine's
// graph.

/// The planned steps of a workflow, with their needs, dependents and order.
struct PlanModel {
  struct Step {
    let id: String
    let spec: Scenario.Step
    /// The number of its item.
    let item: Int
    let isFinally: Bool
    /// The positions of its needs.
    var needs: [Int] = []
    /// The positions of its dependents.
    var dependents: [Int] = []
  }

  private(set) var steps: [Step] = []
  private(set) var positions: [String: Int] = [:]
  /// The positions of the steps of each id in the file.
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

  /// Returns steps with all of their dependents, and everything under `finally`.
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
  /// Whether the step, or the engine on its behalf, writes output.
  var writes: Bool { share != nil || behaviours.contains { $0.lines > 0 } }
}

// What a part of a workflow needs of steps outside of it, and what an earlier run has left of it.

import Reprise
import RepriseTerminal

/// The values that a part of a workflow needs of steps outside of it.
struct MissingValues {
  /// What an earlier run has left.
  struct Found {
    /// The values of steps, by id.
    var steps: [String: StepValues] = [:]
    /// The values of groups with computed items, by id.
    var groups: [String: Value] = [:]
    /// The steps that have set variables, in the order of the file.
    var writers: [String] = []
  }

  /// The ids of the steps and groups that expressions name.
  let names: Set<String>
  private let whole: Workflow
  /// The steps that expressions read.
  private let read: Set<String>
  /// The groups with computed items that expressions read.
  private let groups: Set<String>
  /// The steps that the steps of the part need directly or indirectly, in the order of the file: their
  /// variables may be missing.
  private let before: [String]

  /// Finds them, in linear time.
  init(of part: Workflow, in whole: Workflow) {
    self.whole = whole
    names = Set(part.missingDependencies().map(\.absent))
    groups = names.filter { name in
      whole.indices(named: name).contains { whole.steps[$0.position].isFan }
    }
    // A step that became several, or that uses another file, is read through all of its steps.
    let steps = names.subtracting(groups).flatMap(whole.indices).map { whole.graph.id(of: $0) }
    read = Set(steps).filter { part.graph.index(of: $0) == nil }
    before = whole.graph.withNeeds(part.steps.compactMap { whole.graph.index(of: $0.id) })
      .sorted().map { whole.graph.id(of: $0) }.filter { part.graph.index(of: $0) == nil }
  }

  /// Whether nothing can be missing.
  var isEmpty: Bool { names.isEmpty && before.isEmpty }

  /// Looks for the values in an earlier run.
  ///
  /// - Parameters:
  ///   - state: The state of the run.
  ///   - scope: The part that it ran, with the values that it has taken itself.
  /// - Returns: What it has left; nil if that is not all, or nothing.
  func found(in state: RunState, _ scope: RunScope) -> Found? {
    // The work of these steps is gone.
    let undone = whole.stepsUndone(in: state)
    func values(of id: String) -> StepValues? {
      guard !undone.contains(id) else { return nil }
      return state[id].flatMap { $0.phase.isSuccess ? $0.phase.values : nil } ?? scope.kept[id]
    }
    var found = Found()
    for id in read { found.steps[id] = values(of: id) }
    guard found.steps.count == read.count else { return nil }
    if !groups.isEmpty {
      let expanded = whole.expanding(state.expansions)
      for group in groups where !undone.contains(group) {
        found.groups[group] = value(of: group, in: expanded, state, scope)
      }
      guard found.groups.count == groups.count else { return nil }
    }
    let known = before.compactMap { id in values(of: id).map { (id, $0) } }
    guard !names.isEmpty || !known.isEmpty else { return nil }
    for (id, values) in known where !StepVariables.variables(in: values.outputs).isEmpty {
      found.steps[id] = values
      found.writers.append(id)
    }
    return found
  }

  private func value(
    of group: String, in expanded: Workflow, _ state: RunState, _ scope: RunScope
  ) -> Value? {
    let hasSucceeded = expanded.indices(named: group).allSatisfy { index in
      state[expanded.graph.id(of: index)]?.phase.isSuccess == true
    }
    guard hasSucceeded else { return scope.keptGroups[group] }
    return expanded.value(ofGroup: group) { state[$0]?.phase.values }
  }
}

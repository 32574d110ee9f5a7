// Steps that undo the work of others when a run has failed.

import WorkflowLanguage

extension StepPerformer {
  /// Returns why a step that undoes another one does not run; nil if it does, and for other steps.
  func reasonNotToUndo(_ job: StepJob) -> String? {
    guard let id = job.step.extrasIfAny?.undoes else { return nil }
    if case .succeeded? = ledger.decide({ $0.state[id]?.phase }) { return nil }
    return "step \"\(id)\" has not succeeded"
  }
}

extension RunLedger.Page {
  /// The steps whose work has been undone, or is being undone, and those that depend on them.
  ///
  /// They must run again, although they have succeeded.
  var undoneSteps: [StepIndex] {
    // They are under `finally`, so they come last.
    let undone = (mainCount..<state.steps.count).compactMap { position -> StepIndex? in
      guard let id = workflow.steps[position].extrasIfAny?.undoes,
        state.steps[position].startedAt != nil
      else { return nil }
      return workflow.graph.index(of: id)
    }
    return undone.isEmpty ? [] : workflow.graph.withDependents(undone)
  }

  /// Returns the order in which steps are undone: those that have ended last are undone first, and
  /// each before what it depended on.
  ///
  /// - Parameter finallySteps: The steps under `finally`, with those that undo others, in
  ///   topological order.
  /// - Returns: All of these steps in their order, and the needs that differ from those of the graph.
  func orderOfUndoing(
    in finallySteps: [StepIndex]
  ) -> (steps: [StepIndex], needs: [StepIndex: [StepIndex]]) {
    let graph = workflow.graph
    var undone: [StepIndex: StepIndex] = [:]
    for step in finallySteps {
      undone[step] = workflow.steps[step.position].extrasIfAny?.undoes.flatMap(graph.index)
    }
    guard undone.count > 1 else { return (finallySteps, [:]) }
    let ranks = ranksOfEnds
    let undos = finallySteps.filter { undone[$0] != nil }.sorted { left, right in
      guard let left = undone[left], let right = undone[right] else { return false }
      return ranks[left.position] > ranks[right.position]
    }
    var needs: [StepIndex: [StepIndex]] = [undos[0]: []]
    for (last, next) in zip(undos, undos.dropFirst()) { needs[next] = [last] }
    let others = finallySteps.filter { undone[$0] == nil }
    for step in others where graph.needs(of: step).contains(where: { undone[$0] != nil }) {
      // What follows the undoing follows its last step.
      needs[step] =
        graph.needs(of: step).filter { undone[$0] == nil } + undos.suffix(1)
    }
    return (undos + others, needs)
  }

  /// The rank of each step by the time of its end, with a step always after those that it needs.
  private var ranksOfEnds: [Int] {
    let graph = workflow.graph
    var ends: [Int64] = Array(repeating: 0, count: state.steps.count)
    for step in graph.topologicalOrder {
      let own = state.steps[step.position].endedAt?.microseconds ?? 0
      // Times of an earlier process may be later, if the clock was changed.
      ends[step.position] = graph.needs(of: step).reduce(own) { max($0, ends[$1.position]) }
    }
    let order = graph.topologicalOrder.enumerated().sorted { left, right in
      let (first, second) = (ends[left.element.position], ends[right.element.position])
      return first != second ? first < second : left.offset < right.offset
    }
    var ranks = Array(repeating: 0, count: ends.count)
    for (rank, step) in order.enumerated() { ranks[step.element.position] = rank }
    return ranks
  }
}

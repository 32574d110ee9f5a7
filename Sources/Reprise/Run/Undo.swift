// Steps that undo the work of others when a run has failed.

import Workflows

extension CacheStage {
  /// Forgets the remembered result of the step whose work a step is about to undo.
  ///
  /// - Throws: ``FailureReason`` if it cannot be removed: the step would count as up to date although
  ///   its work is gone.
  func forgetUndone(_ job: StepJob) async throws(FailureReason) {
    guard let id = job.step.extrasIfAny?.undoes, let step = job.plan.graph.index(of: id),
      job.plan[step].extrasIfAny?.cache != nil
    else { return }
    try await forget(id)
  }
}

extension StepAdmission {
  /// Returns why a step that undoes another one does not run; nil if it does, and for other steps.
  func reasonNotToUndo(_ job: StepJob) -> SkipReason? {
    guard let id = job.step.extrasIfAny?.undoes else { return nil }
    switch ledger.decide({ $0.state[id]?.phase }) {
    case .succeeded: return nil
    // An earlier generation has done the work.
    case .skipped(.upToDateInRun, _): return nil
    default: break
    }
    return .nothingToUndo(id)
  }
}

extension Workflow {
  /// Returns the ids of the steps whose undoing has begun in a run, and of those that depend on them.
  package func stepsUndone(in state: RunState) -> Set<String> {
    let undone = steps.compactMap { step -> StepIndex? in
      guard let id = step.extrasIfAny?.undoes, state[step.id]?.startedAt != nil else { return nil }
      return graph.index(of: id)
    }
    return undone.isEmpty ? [] : Set(graph.withDependents(undone).map { graph.id(of: $0) })
  }
}

extension RunLedger.Page {
  /// What a restart includes besides the steps that it asks for and those that depend on them.
  func restartRules(for input: RunMachine.Input) -> RunMachine.RestartRules {
    switch input {
    case .restart, .restartAfter: break
    default: return RunMachine.RestartRules()
    }
    let retrying = groups.retrying.values.map(\.members)
    return RunMachine.RestartRules(
      endedServices: endedServices, undoneSteps: undoneSteps, retrying: retrying,
      unended: Set(retrying.joined().filter { !state[$0].phase.isFinal }), culprits: culprits)
  }

  /// The steps that were or are being stopped because another one has failed, by that step.
  var culprits: [StepIndex: StepIndex] {
    var culprits: [StepIndex: StepIndex] = [:]
    for step in plan.order {
      guard case .failure(let id)? = causeOfStop(of: step), let failed = plan.graph.index(of: id)
      else { continue }
      culprits[step] = failed
    }
    return culprits
  }

  /// The steps whose work has been undone, or is being undone, and those that depend on them.
  ///
  /// They must run again, although they have succeeded.
  var undoneSteps: [StepIndex] {
    let undone = plan.finallySteps.compactMap { step -> StepIndex? in
      guard let id = plan[step].extrasIfAny?.undoes, state[step].startedAt != nil else {
        return nil
      }
      return plan.graph.index(of: id)
    }
    return undone.isEmpty ? [] : plan.graph.withDependents(undone)
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
    let graph = plan.graph
    var undone: [StepIndex: StepIndex] = [:]
    for step in finallySteps {
      undone[step] = plan[step].extrasIfAny?.undoes.flatMap(graph.index)
    }
    guard undone.count > 1 else { return (finallySteps, [:]) }
    let ranks = ranksOfEnds
    let undos = finallySteps.filter { undone[$0] != nil }.sorted { left, right in
      guard let left = undone[left], let right = undone[right] else { return false }
      return ranks[left] > ranks[right]
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
    let graph = plan.graph
    var ends: [Int64] = Array(repeating: 0, count: plan.count)
    for step in graph.topologicalOrder {
      let own = state[step].endedAt?.microseconds ?? 0
      // Times of an earlier process may be later, if the clock was changed.
      ends[step] = graph.needs(of: step).reduce(own) { max($0, ends[$1]) }
    }
    let order = graph.topologicalOrder.enumerated().sorted { left, right in
      let (first, second) = (ends[left.element], ends[right.element])
      return first != second ? first < second : left.offset < right.offset
    }
    var ranks = Array(repeating: 0, count: ends.count)
    for (rank, step) in order.enumerated() { ranks[step.element] = rank }
    return ranks
  }
}

// What of the state of a run that is resumed stays, and what runs again.

extension RunState {
  /// Returns the ids of a step, or of the steps of a group, and of all steps that need them.
  ///
  /// - Parameter id: The id of a step or a group; nil for all steps.
  /// - Returns: The ids in file order. Linear in the number of steps and needs.
  package func withDependents(of id: String?) -> [String] {
    guard let plan else { return [] }
    guard let id else { return plan.steps.map(\.id) }
    var affected = Set(
      plan.steps.map(\.id).filter {
        $0 == id || $0.hasPrefix(id + "[") || $0.hasPrefix(id + "/")
      })
    // The steps of a list or of branches keep their own ids.
    for index in plan.outline.steps(ofGroup: id) { affected.insert(plan.steps[index.position].id) }
    // Later steps may need earlier ones and, with explicit needs, also the other way round.
    var dependents: [String: [String]] = [:]
    for step in plan.steps {
      for need in step.needs { dependents[need, default: []].append(step.id) }
    }
    var waiting = Array(affected)
    while let next = waiting.popLast() {
      for dependent in dependents[next] ?? [] where affected.insert(dependent).inserted {
        waiting.append(dependent)
      }
    }
    return plan.steps.map(\.id).filter(affected.contains)
  }

  /// Returns the state in which a step and its dependents have not succeeded.
  ///
  /// For resuming a run from a step that had succeeded: a resumed run runs all steps again that
  /// have not succeeded.
  ///
  /// - Parameter id: The id of a step or a group; nil for all steps.
  /// - Returns: The state.
  package func restarting(from id: String?) -> RunState {
    var state = self
    for id in withDependents(of: id) { state.forget(id) }
    return state
  }
  /// Whether the run has ended because its engine did, or Reprise itself could not continue: it goes on
  /// as if it had not.
  private var isUnfinished: Bool {
    switch phase {
    case .running, .restarting, .ended(.interrupted), .ended(.abandoned): true
    case .notStarted, .cancelling, .ended: false
    }
  }

  /// The steps of an unfinished run that a person has refused or cancelled alone.
  ///
  /// They stay so when it is resumed, unless they were to run again.
  var stepsDecided: Set<String> {
    guard isUnfinished else { return [] }
    return Set(
      steps.filter { step in
        guard let last = step.interventions.last, !isToRunAgain(step.id) else { return false }
        return switch (step.phase, last.kind) {
        case (.failed(.rejected), .rejected), (.cancelled(.request), .cancelled): true
        default: step.isBeingCancelled
        }
      }.map(\.id))
  }

  /// The steps that were being cancelled alone and whose attempts survive the engine of the run.
  var stepsBeingCancelled: [StepState] {
    let decided = stepsDecided
    return steps.filter { $0.survivesEngine && decided.contains($0.id) }
  }

  /// Returns the steps of a restart that waits for the end of attempts which survive the engine of the run.
  ///
  /// - Parameter plan: The steps of the resumed run.
  /// - Returns: The steps; empty for all of them, and nil if there is no such restart.
  func restartOfSurvivors(in plan: Plan) -> [StepIndex]? {
    guard steps.contains(where: { $0.survivesEngine && isToRunAgain($0.id) }) else { return nil }
    guard let restartedSteps else { return [] }
    let known = restartedSteps.compactMap(plan.graph.index)
    return known.isEmpty ? nil : known
  }
}

extension StepState {
  /// Whether an attempt of it goes on when its engine dies.
  var survivesEngine: Bool { phase.isActive && placement?.place.survives == true }
}

extension CancellationCause {
  /// Whether a run that is cancelled for this cause goes on when it is resumed, as if it had not ended.
  var leavesUnfinished: Bool {
    switch self {
    case .interrupted, .abandoned: true
    case .request, .restart, .failure, .cancellation, .runTimedOut: false
    }
  }
}

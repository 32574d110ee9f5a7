// The inputs of a run's state machine, and what decides which steps a restart includes.

import Workflows

extension RunMachine {
  /// What a restart includes besides the steps that it asks for and those that depend on them.
  struct RestartRules: Sendable, Equatable {
    /// The services that have ended or are being stopped.
    var endedServices: [StepIndex: EndedService] = [:]
    /// The steps that must run again with any restart, because their work was undone.
    var undoneSteps: [StepIndex] = []
    /// The groups that wait to run again: a restart of a step of one is a restart of the whole group.
    var retrying: [[StepIndex]] = []
    /// The steps of these groups that have not ended.
    var unended: Set<StepIndex> = []
    /// The steps that were stopped because another one has failed, by that step: if it runs again, so do
    /// they.
    var culprits: [StepIndex: StepIndex] = [:]
  }
}

extension RunMachine.Input {
  /// Returns the input for the steps that are still part of a plan; nil if none is left.
  func keeping(in plan: Plan) -> Self? {
    func kept(_ steps: [StepIndex]) -> [StepIndex]? {
      let kept = steps.filter(plan.contains)
      return kept.isEmpty && !steps.isEmpty ? nil : kept
    }
    switch self {
    case .restart(let steps, let generation):
      return kept(steps).map { .restart(from: $0, requestedIn: generation) }
    case .restartAfter(let steps):
      return kept(steps).map { .restartAfter($0) }
    case .cancelSteps(let steps, let now):
      return kept(steps).map { .cancelSteps($0, now: now) }
    case .restartServices(let steps):
      return kept(steps).map { .restartServices($0) }
    case .set(let steps, let result):
      return kept(steps).map { .set($0, result) }
    default:
      return self
    }
  }
}

extension RunMachine.Reload {
  /// Starts further steps, as far as the new plan has them, and their dependents; all steps if nil.
  mutating func start(_ steps: [StepIndex]?) {
    guard let steps else {
      started = plan.graph.topologicalOrder
      isWhole = true
      return
    }
    started = plan.graph.withDependents(started + steps.filter(plan.contains))
  }
}

extension CancellationCause {
  /// Whether the steps under `finally` run after it: not if the run cannot go on, and not if it is to be
  /// resumed, which runs them at its end.
  var runsFinally: Bool {
    switch self {
    case .abandoned, .interrupted: false
    case .request, .restart, .failure, .cancellation, .runTimedOut: true
    }
  }
}

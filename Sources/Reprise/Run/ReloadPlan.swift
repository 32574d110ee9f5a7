// `ReloadPlan`: what happens to each step when a live run takes another version of its workflow.
// Pure.

import WorkflowLanguage

/// The steps that a reload runs again, beyond those that it must.
package enum ReloadExtent: Sendable, Equatable {
  /// All steps.
  case whole
  /// These steps, of the new workflow, and their dependents.
  case from([String])
  /// The steps that have changed and their dependents.
  case changed
}

extension ReloadExtent {
  /// Creates the extent for the ids of steps; nil for all.
  ///
  /// - Throws: ``SelectionError`` if the workflow has no such step.
  package init(_ workflow: Workflow, from steps: [String]?) throws(SelectionError) {
    for step in steps ?? [] { _ = try workflow.found(step) }
    self = steps.map(ReloadExtent.from) ?? .whole
  }
}

/// What a reload does with each step of a live run.
///
/// A step is either *kept* (it keeps its result, or goes on running) or *reset* (stopped if it is
/// in progress, and pending in the next generation). The rules:
///
/// - A step that is new, is under `finally`, or has not started is reset, so it runs when its needs
///   are over, even if they were over before the reload.
/// - A step that needs a reset step is reset. So a step that has ended and gets a new need runs
///   again, unless that need has ended as well and is kept.
/// - A step that was cancelled because of the failure or cancellation of a step that is reset or
///   removed is reset.
/// - ``ReloadExtent`` selects further steps. With ``ReloadExtent/changed``, a step in progress is
///   reset if anything in its declaration differs, an ended step if its result depends on it.
/// - A step that failed, or was cancelled, and has changed is reset: it has no result to keep.
/// - A service that has ended is reset if a reset step uses it.
/// - All other steps are kept.
package struct ReloadPlan: Sendable, Equatable {
  /// The state of a step before the reload.
  package struct Step: Sendable, Equatable {
    /// The phase of the step.
    package var phase: StepPhase
    /// Whether an attempt of the step has started, and it has not ended.
    package var isInProgress: Bool
    /// Whether the step is already being stopped in order to restart.
    package var isRestarting: Bool
    /// The cause for which the step was or is being stopped, if any.
    package var cause: CancellationCause?
    /// Whether the step is a service that is being stopped because no step needs it any more.
    package var isEnding = false
  }

  /// The ids of the steps that only the new workflow has, in file order.
  package let added: [String]
  /// The ids of the steps that only the old workflow has, in file order.
  package let removed: [String]
  /// The changed steps that both workflows have, in file order.
  package let changed: [StepChange]
  /// The ids of the steps that are pending in the next generation, in file order.
  package let reset: [String]
  /// The ids of the reset steps that had started, and so run again, in file order.
  package let runsAgain: [String]
  /// The ids of the steps that go on running, in file order.
  package let goesOn: [String]
  /// The ids of the removed steps that are in progress and are stopped, in file order.
  package let stopped: [String]
  /// The ids of the steps that go on running although they have changed, in file order.
  package let goesOnOutdated: [String]
  /// The steps that have succeeded and keep their results although they have changed.
  ///
  /// The reload is refused because of them, unless it is forced.
  package let outdated: [StepChange]
  /// Whether all steps are reset.
  package let isWhole: Bool

  /// Plans a reload.
  ///
  /// - Parameters:
  ///   - old: The workflow of the current generation.
  ///   - new: The workflow of the next generation.
  ///   - extent: The steps to run again.
  ///   - state: Returns the state of a step of `old`.
  package init(
    from old: Workflow, to new: Workflow, _ extent: ReloadExtent, state: (StepIndex) -> Step
  ) {
    let oldStates = old.graph.indices.map(state)
    let origins = new.graph.ids.map(old.graph.index(of:))
    added = zip(new.graph.ids, origins).filter { $0.1 == nil }.map(\.0)
    removed = old.graph.ids.filter { new.graph.index(of: $0) == nil }
    var changes: [StepChange?] = Array(repeating: nil, count: new.graph.count)
    for position in changes.indices {
      guard let origin = origins[position] else { continue }
      changes[position] = StepChange(
        old.steps[origin.position], in: old, to: new.steps[position], in: new)
    }
    changed = changes.compactMap(\.self)
    let mainCount = new.graph.count - new.finallyCount
    var selected: Set<StepIndex> = []
    if case .from(let ids) = extent { for id in ids { selected.formUnion(new.indices(named: id)) } }

    /// Returns whether a step is reset regardless of other steps.
    func isReset(_ position: Int) -> Bool {
      guard position < mainCount, extent != .whole, !selected.contains(StepIndex(position)),
        let origin = origins[position], origin.position < old.graph.count - old.finallyCount
      else { return true }
      let step = oldStates[origin.position]
      if step.isRestarting { return true }
      if step.isInProgress { return extent == .changed && changes[position] != nil }
      guard step.phase.isFinal else { return true }
      guard step.phase.isSuccess else { return changes[position] != nil }
      return extent == .changed && changes[position]?.affectsResult == true
    }

    var isReset = new.graph.indices.map { isReset($0.position) }
    var isStable = false
    while !isStable {
      isStable = true
      for step in new.graph.topologicalOrder where !isReset[step.position] {
        var mustReset = new.graph.needs(of: step).contains { isReset[$0.position] }
        if let id = origins[step.position].flatMap({ oldStates[$0.position].cause?.step }) {
          let culprit = new.graph.index(of: id)
          mustReset = mustReset || culprit.map { isReset[$0.position] } ?? true
        }
        if mustReset {
          isReset[step.position] = true
          isStable = false
        }
      }
    }

    let endedServices = new.graph.indices.filter { step in
      new.steps[step.position].action.isService
        && origins[step.position].map {
          oldStates[$0.position].phase.isFinal || oldStates[$0.position].isEnding
        } ?? false
    }
    let resetSteps = new.graph.topologicalOrder.filter { isReset[$0.position] }
    for step in new.graph.withServices(Set(endedServices), of: resetSteps) {
      isReset[step.position] = true
    }

    func ids(_ isIncluded: (Int) -> Bool) -> [String] {
      isReset.indices.filter(isIncluded).map { new.graph.ids[$0] }
    }
    func origin(_ position: Int) -> Step? { origins[position].map { oldStates[$0.position] } }
    reset = ids { isReset[$0] }
    runsAgain = ids { position in
      guard isReset[position], let step = origin(position) else { return false }
      return step.isInProgress || step.isRestarting || step.phase.isFinal
    }
    goesOn = ids { !isReset[$0] && origin($0)?.isInProgress == true }
    goesOnOutdated = ids {
      !isReset[$0] && origin($0)?.isInProgress == true && changes[$0] != nil
    }
    stopped = removed.filter { id in
      old.graph.index(of: id).map { oldStates[$0.position].isInProgress } ?? false
    }
    outdated = isReset.indices.compactMap { position in
      guard !isReset[position], origin(position)?.phase.isSuccess == true,
        let change = changes[position], change.affectsResult
      else { return nil }
      return change
    }
    isWhole = !isReset.contains(false)
  }

  /// Whether the two workflows have the same steps.
  package var isWithoutChanges: Bool { added.isEmpty && removed.isEmpty && changed.isEmpty }
}

extension CancellationCause {
  /// The step whose failure or cancellation is the cause.
  fileprivate var step: String? {
    switch self {
    case .failure(let step), .cancellation(let step): step
    case .request, .restart, .runTimedOut, .abandoned, .interrupted: nil
    }
  }
}

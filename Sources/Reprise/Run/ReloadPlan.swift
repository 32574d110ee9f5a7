// `ReloadPlan`: what happens to each step when a live run takes another version of its workflow.
// Pure.

import Workflows

/// The steps that a reload runs again, beyond those that it must.
package enum ReloadExtent: Sendable, Equatable {
  /// All steps.
  case whole
  /// These steps, of the new workflow, and their dependents.
  case from([String])
  /// The steps that have changed, these steps of the new workflow, and the dependents of all of them.
  case changed(and: [String])

  /// The steps that have changed and their dependents.
  package static let changed = ReloadExtent.changed(and: [])

  /// The steps that are selected by their ids.
  fileprivate var selected: [String] {
    switch self {
    case .whole: []
    case .from(let steps), .changed(and: let steps): steps
    }
  }

  fileprivate var includesChanged: Bool { if case .changed = self { true } else { false } }
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
/// - A step that has not started and is being cancelled because of a step that is kept is cancelled all
///   the same, unless it needs a step that is reset for another reason.
/// - ``ReloadExtent`` selects further steps. With ``ReloadExtent/changed``, a step in progress is
///   reset if anything differs that its attempt depends on, an ended step if its result does.
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
  /// The steps that are reset, but still do not run because of the failure of a step that is kept.
  package let staysStopped: Set<StepIndex>
  /// Whether all steps are reset.
  package let isWhole: Bool

  /// Plans a reload.
  ///
  /// - Parameters:
  ///   - old: The plan of the current generation.
  ///   - new: The same plan, with the workflow of the next generation.
  ///   - extent: The steps to run again.
  ///   - state: Returns the state of a step of `old`.
  package init(
    from old: Plan, to new: Plan, _ extent: ReloadExtent, state: (StepIndex) -> Step
  ) {
    var draft = ReloadDraft(old: old, new: new, extent: extent, state: state)
    draft.resetDependents()
    draft.resetServices()
    staysStopped = draft.staysStopped
    let (states, changes, isReset) = (draft.states, draft.changes, draft.reset)
    func ids(_ isIncluded: (StepIndex) -> Bool) -> [String] {
      new.order.filter(isIncluded).map { new[$0].id }
    }
    func goesOn(_ step: StepIndex) -> Bool {
      !isReset.contains(step) && states[step]?.isInProgress == true
    }
    added = ids { !old.contains($0) }
    removed = old.order.filter { !new.contains($0) }.map { old[$0].id }
    changed = new.order.compactMap { changes[$0] }
    reset = ids(isReset.contains)
    runsAgain = ids { step in
      guard isReset.contains(step), let state = states[step] else { return false }
      return state.isInProgress || state.isRestarting || state.phase.isFinal
    }
    self.goesOn = ids(goesOn)
    goesOnOutdated = ids { goesOn($0) && changes[$0]?.affectsAttempt == true }
    stopped = old.order.filter { !new.contains($0) && states[$0]?.isInProgress == true }
      .map { old[$0].id }
    outdated = new.order.compactMap { step in
      guard !isReset.contains(step), states[step]?.phase.isSuccess == true,
        let change = changes[step], change.affectsResult
      else { return nil }
      return change
    }
    isWhole = isReset.count == new.order.count
  }

  /// Whether the two workflows have the same steps.
  package var isWithoutChanges: Bool { added.isEmpty && removed.isEmpty && changed.isEmpty }
}

/// The decision of a reload on each step, while it is made.
private struct ReloadDraft {
  let old: Plan
  let new: Plan
  /// The states of the steps of the old workflow.
  let states: [StepIndex: ReloadPlan.Step]
  /// The differences of the steps that both workflows have.
  let changes: [StepIndex: StepChange]
  /// The steps that were asked for.
  private var selected: Set<StepIndex> = []
  /// The steps that are reset.
  private(set) var reset: Set<StepIndex> = []

  /// Starts with the steps that are reset regardless of others.
  init(
    old: Plan, new: Plan, extent: ReloadExtent, state: (StepIndex) -> ReloadPlan.Step
  ) {
    (self.old, self.new) = (old, new)
    var states: [StepIndex: ReloadPlan.Step] = [:]
    for step in old.order { states[step] = state(step) }
    var changes: [StepIndex: StepChange] = [:]
    for step in new.order where old.contains(step) {
      changes[step] = StepChange(old[step], in: old.workflow, to: new[step], in: new.workflow)
    }
    (self.states, self.changes) = (states, changes)
    for id in extent.selected { selected.formUnion(new.steps(named: id)) }
    for step in new.order where selected.contains(step) || isReset(step, extent) {
      reset.insert(step)
    }
  }

  private func isReset(_ step: StepIndex, _ extent: ReloadExtent) -> Bool {
    guard new[step].extrasIfAny?.finally == nil, extent != .whole, let state = states[step],
      old[step].extrasIfAny?.finally == nil
    else { return true }
    if state.isRestarting { return true }
    if state.isInProgress { return extent.includesChanged && changes[step]?.affectsAttempt == true }
    guard state.phase.isFinal else { return true }
    guard state.phase.isSuccess else { return changes[step] != nil }
    return extent.includesChanged && changes[step]?.affectsResult == true
  }

  /// Adds the steps that need a reset step, or were cancelled because of one.
  mutating func resetDependents() {
    var isStable = false
    while !isStable {
      isStable = true
      for step in new.graph.topologicalOrder where !reset.contains(step) {
        var mustReset = new.graph.needs(of: step).contains(where: reset.contains)
        if let id = states[step]?.cause?.step {
          mustReset = mustReset || new.graph.index(of: id).map(reset.contains) ?? true
        }
        guard mustReset else { continue }
        reset.insert(step)
        isStable = false
      }
    }
  }

  /// The pending steps that go on being stopped because of a step that is kept.
  ///
  /// Not if they need a step that is new or runs again: then they run after it.
  var staysStopped: Set<StepIndex> {
    let waiting = reset.filter { step in
      states[step].map { $0.phase == .pending && !$0.isRestarting } ?? false
    }
    let stopped = waiting.filter { step in
      guard let id = states[step]?.cause?.step, let culprit = new.graph.index(of: id) else {
        return false
      }
      return !reset.contains(culprit)
    }
    guard !stopped.isEmpty else { return [] }
    let again = reset.filter { !waiting.contains($0) || selected.contains($0) }
    return stopped.subtracting(new.graph.withDependents(Array(again)))
  }

  /// Adds the services that have ended and that a reset step uses.
  mutating func resetServices() {
    // Pending steps are reset in any case.
    var ended: [StepIndex: EndedService] = [:]
    for (service, users) in ServiceUsers(of: new).needed {
      if let state = states[service], state.phase.isFinal || state.isEnding {
        ended[service] = EndedService(users: users)
      }
    }
    let steps = new.graph.topologicalOrder.filter(reset.contains)
    reset.formUnion(new.graph.withServices(ended, of: steps))
  }
}

extension CancellationCause {
  /// The step whose failure or cancellation is the cause.
  var step: String? {
    switch self {
    case .failure(let step), .cancellation(let step): step
    case .request, .restart, .runTimedOut, .abandoned, .interrupted: nil
    }
  }
}

// `ReloadRequest`: a request to restart a run with another version of its workflow.

import Workflows

/// A request to restart a run with another version of its workflow.
struct ReloadRequest: Sendable {
  /// The workflow of the next generation.
  var workflow: Workflow
  /// Its secrets; nil to keep those of the run.
  let secrets: Secrets?
  /// The steps to run again.
  let extent: ReloadExtent
  /// Who makes the request.
  let requester: Requester
  /// Called if the reload is possible; returns whether to go ahead.
  let accept: @Sendable (ReloadPlan) async -> Bool
  /// Receives whether the reload was accepted.
  let answer: @Sendable (Bool) -> Void
}

extension RunLedger.Page {
  /// Takes the workflow of a reload for the next generation.
  ///
  /// - Parameters:
  ///   - next: The plan with the new workflow.
  ///   - reload: What happens to each step.
  /// - Returns: Whether it was taken; false if the run is to be abandoned.
  mutating func reload(_ next: Plan, _ reload: ReloadPlan) -> Bool {
    var usual: [String: Duration] = [:]
    for step in state.plan?.steps ?? [] {
      usual[step.id] = step.usualSeconds.map { .seconds($0) }
    }
    if !reload.isWithoutChanges || RunPlan(plan.workflow) != RunPlan(next.workflow) {
      let changes = WorkflowChanges(
        added: reload.added, removed: reload.removed, changed: reload.changed.map(\.step))
      guard record(.runReloaded(RunPlan(next.workflow, usualDurations: usual), changes)) else {
        return false
      }
    }
    take(next)
    return true
  }

  /// Takes the plan with another version of the workflow.
  ///
  /// Nothing moves: only the steps that are new, or gone, are concerned.
  mutating func take(_ next: Plan) {
    for step in plan.order where !next.contains(step) {
      controls[step] = StepControl()
      if !successNumbers.isEmpty { successNumbers[step] = 0 }
    }
    let newCount = next.count - controls.count
    controls += Array(repeating: StepControl(), count: newCount)
    if !successNumbers.isEmpty { successNumbers += Array(repeating: 0, count: newCount) }
    plan = next
    services = ServiceUsers(of: next)
    groups.take(next)
    slots?.take(next)
    mustWakeUsers = true
  }
}

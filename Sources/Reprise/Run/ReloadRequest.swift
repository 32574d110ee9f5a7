// `ReloadRequest`: a request to restart a run with another version of its workflow.

import WorkflowLanguage

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
  ///   - workflow: The new workflow.
  ///   - plan: What happens to each step.
  ///   - origins: For each step of the new workflow, the step of the old one if it is kept.
  ///   - places: The places of the steps of the old workflow, which are moved.
  ///   - slots: The slots, which are moved to the new workflow as well.
  mutating func replaceWorkflow(
    with workflow: Workflow, _ plan: ReloadPlan, origins: [StepIndex?],
    moving places: [(step: StepIndex, place: StepPlace)], _ slots: Slots
  ) {
    var usual: [String: Duration] = [:]
    for step in state.plan?.steps ?? [] {
      usual[step.id] = step.usualSeconds.map { .seconds($0) }
    }
    if !plan.isWithoutChanges || RunPlan(self.workflow) != RunPlan(workflow) {
      let changes = WorkflowChanges(
        added: plan.added, removed: plan.removed, changed: plan.changed.map(\.step))
      record(.runReloaded(RunPlan(workflow, usualDurations: usual), changes))
    }
    move(to: workflow, origins: origins, places, slots)
  }

  /// Takes another workflow, and moves steps, their places and their slots to it.
  ///
  /// - Parameters:
  ///   - workflow: The new workflow.
  ///   - origins: For each step of the new workflow, the step of the old one if it is kept.
  ///   - places: The places of the steps of the old workflow.
  ///   - slots: The slots.
  mutating func move(
    to workflow: Workflow, origins: [StepIndex?],
    _ places: [(step: StepIndex, place: StepPlace)], _ slots: Slots
  ) {
    var moved: [Int: Int] = [:]
    for (position, origin) in origins.enumerated() {
      if let origin { moved[origin.position] = position }
    }
    replaceWorkflow(with: workflow, origins: origins)
    slots.replaceLimits(
      for: workflow,
      moving: {
        for (step, place) in places { place.move(to: moved[step.position].map { StepIndex($0) }) }
      },
      to: { moved[$0] })
  }
}

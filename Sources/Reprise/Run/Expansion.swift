// The expansion of a step during a run: the request of the step, and how the run carries it out.

import WorkflowLanguage

/// A request of a step in progress to be expanded to one step for each item.
struct ExpansionRequest: Sendable {
  let job: StepJob
  let attempt: Int
  let items: [ExpandedItem]
  /// Answered when the steps are part of the run, with nil, or with the problem.
  let answer: Ticket<String?>
}

extension StepPerformer {
  /// Computes the items of a step and lets the run expand it.
  ///
  /// The steps for the items begin when this step has succeeded, and a step begins only when the
  /// successes of its needs are durable; so the items, which are recorded before, are durable then.
  func expand(_ job: StepJob, attempt: Int) async throws(Withdrawn) -> StepResult {
    let place = job.place
    try begin(.started(), of: job, attempt: attempt)
    slots.started(place.index)
    let items: [ExpandedItem]
    do throws(ResolutionError) {
      items = try workflow.items(of: job.step, values(for: job))
    } catch {
      let reason = masked(FailureReason.badValue(error.description))
      return end(place, attempt: attempt, .failed(reason))
    }
    let answer = Ticket<String?>()
    expansionRequested(
      ExpansionRequest(job: job, attempt: attempt, items: items, answer: answer))
    guard let problem = await answer.value() else {
      return end(place, attempt: attempt, .cancelled(.request))
    }
    if let problem { return end(place, attempt: attempt, .failed(.badValue(problem))) }
    return end(place, attempt: attempt, .succeeded([:]))
  }

  /// Returns why a step that was made for an item does not run, although what it needs is over: the
  /// step that was expanded has not computed the items anew.
  func reasonWithoutItem(_ job: StepJob) -> String? {
    guard let fan = job.step.extrasIfAny?.fan else { return nil }
    let phase = ledger.decide { $0.state[fan]?.phase }
    if case .succeeded? = phase { return nil }
    return "step \"\(fan)\" has no items"
  }
}

extension RunDriver {
  /// Expands the steps that have asked for it, unless steps are being stopped.
  ///
  /// A restart must find the steps where they were when it began.
  mutating func expandWaiting(_ execution: PipelineExecution) {
    guard machine.mayExpand else { return }
    let requests = expansions
    expansions = []
    for request in requests { expand(request, execution) }
  }

  private mutating func expand(_ request: ExpansionRequest, _ execution: PipelineExecution) {
    // A step that is being stopped ends on its own.
    let step = ledger.decide { page in
      page.mayContinue(request.job) ? request.job.place.index : nil
    }
    guard let step else { return }
    let id = workflow.graph.id(of: step)
    guard workflow.isFan(workflow.steps[step.position]) else {
      request.answer.answer("the step has another foreach since the workflow was reloaded")
      return
    }
    if let problem = tooMany(request.items.count, of: step) {
      request.answer.answer(problem)
      return
    }
    let next = workflow.expanding([id: request.items])
    let origins = next.graph.ids.map(workflow.graph.index(of:))
    // Nothing that needs the step can have begun.
    execution.disconnect(Array(workflow.graph.withDependents([step]).dropFirst()))
    let isExpanded = ledger.decide { [places = execution.places, slots = performer.slots] page in
      guard page.mayContinue(request.job) else { return false }
      page.record(.expanded(request.items), of: step.position, attempt: request.attempt)
      page.move(to: next, origins: origins, places, slots)
      return true
    }
    let affected = { (graph: Graph, step: StepIndex) in
      Array(graph.withDependents([step]).dropFirst())
    }
    guard isExpanded else {
      // It is being stopped alone, so what needs it is cancelled when it has ended.
      return connect(affected(workflow.graph, step), execution)
    }
    execution.replaceGraph(
      with: next.graph, alternatives: next.alternatives, earlyNeeds: next.earlyNeeds,
      origins: origins)
    performer.workflow = next
    machine.move(to: next.graph, finallyCount: next.finallyCount, origins: origins)
    guard let moved = next.graph.index(of: id) else { return }
    connect(affected(next.graph, moved), execution)
    request.answer.answer(nil)
  }
}

extension RunDriver {
  /// Returns why a step cannot have a number of items; nil if it can.
  fileprivate func tooMany(_ count: Int, of step: StepIndex) -> String? {
    guard let template = workflow.template(of: workflow.steps[step.position]) else { return nil }
    guard template.steps.count * count <= Workflow.itemStepsMax else {
      return "\(count) items of \(template.steps.count) steps are more than "
        + "\(Workflow.itemStepsMax) steps: use fewer items"
    }
    let dependents = workflow.graph.dependents(of: step).count
    guard dependents * count * template.ends.count <= Workflow.needsMax else {
      return "\(count) items are too many for \(dependents) dependents: insert a step that joins "
        + "them"
    }
    return nil
  }
}

extension RunMachine {
  /// Whether steps can be expanded now: no steps are being stopped.
  var mayExpand: Bool {
    switch waiting {
    case .forSteps, .forFinally: true
    case .toRestart, .toEnd: false
    }
  }

  /// Takes a graph in which steps only have other positions, and some are new.
  mutating func move(to graph: Graph, finallyCount: Int, origins: [StepIndex?]) {
    self.graph = graph
    finallySteps = graph.lastSteps(finallyCount)
    guard let restarted = lastRestarted, !restarted.isEmpty else { return }
    lastRestarted = Set(
      graph.indices.filter { origins[$0.position].map(restarted.contains) ?? true })
  }
}

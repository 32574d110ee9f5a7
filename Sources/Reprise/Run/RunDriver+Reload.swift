// How a run takes another version of its workflow: the decision, and which steps continue.

import WorkflowLanguage

extension RunDriver {
  /// Plans a reload and asks whether to go ahead; nil if not.
  mutating func accepted(_ request: ReloadRequest) async -> RunMachine.Reload? {
    // A step that keeps its result also keeps the steps to which it was expanded.
    var request = request
    request.workflow = request.workflow.expanding(like: workflow)
    let next = request.workflow
    guard machine.mayRestart, (request.secrets ?? performer.secrets).problem(with: next) == nil
    else { return nil }
    let plan = ledger.decide { [restarting = machine.restarting] page in
      ReloadPlan(from: page.workflow, to: next, request.extent) { step in
        let state = page.state.steps[step.position]
        return ReloadPlan.Step(
          phase: state.phase, isInProgress: state.phase.isActive && state.startedAt != nil,
          isRestarting: restarting.contains(step), cause: page.causeOfStop(of: step),
          isEnding: page.controls[step.position].isWindingDown)
      }
    }
    // Ask before changing anything: the decision may have to be recorded first.
    guard await request.accept(plan) else { return nil }
    reload = (request, plan)
    let reset = Set(plan.reset)
    let graph = workflow.graph
    return RunMachine.Reload(
      stopped: graph.topologicalOrder.filter { step in
        let id = graph.id(of: step)
        return reset.contains(id) || next.graph.index(of: id) == nil
      },
      graph: next.graph, finallyCount: next.finallyCount,
      started: next.graph.topologicalOrder.filter { reset.contains(next.graph.id(of: $0)) },
      isWhole: plan.isWhole)
  }

  /// Returns the step of the current workflow that each step of the next one continues, if any.
  func origins(in next: Workflow, starting steps: [StepIndex]) -> [StepIndex?] {
    let started = Set(steps)
    return next.graph.indices.map { step in
      started.contains(step)
        ? nil
        : ledger.state.position(ofStep: next.graph.id(of: step))
          .map { StepIndex($0) }
    }
  }
}

extension RunLedger.Page {
  /// Returns the cause for which a step was or is being stopped, if any.
  func causeOfStop(of step: StepIndex) -> CancellationCause? {
    switch state.steps[step.position].phase {
    case .cancelled(let cause): cause
    case .pending, .ready, .running: controls[step.position].cause
    case .succeeded, .failed, .skipped: nil
    }
  }
}

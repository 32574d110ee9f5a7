// How a run takes another version of its workflow: the decision, and which steps continue.

import Workflows

extension RunDriver {
  /// Plans a reload and asks whether to go ahead; nil if not.
  mutating func accepted(_ request: ReloadRequest) async -> RunMachine.Reload? {
    // A step that keeps its result also keeps the steps to which it was expanded.
    var request = request
    request.workflow = request.workflow.expanding(like: workflow)
    let secrets = request.secrets ?? performer.secrets
    guard machine.mayRestart,
      secrets.problem(with: request.workflow) == nil
    else { return nil }
    let old = plan
    let next = old.taking(request.workflow)
    let plan = ledger.decide { [restarting = machine.restarting] page in
      ReloadPlan(from: old, to: next, request.extent) { step in
        let state = page.state[step]
        return ReloadPlan.Step(
          phase: state.phase, isInProgress: state.phase.isActive && state.startedAt != nil,
          isRestarting: restarting.contains(step), cause: page.causeOfStop(of: step),
          isEnding: page.controls[step].isUnused)
      }
    }
    // Ask before changing anything: the decision may have to be recorded first.
    guard await request.accept(plan),
      await ledger.recording?.takesNote(of: request.workflow, hiding: secrets) ?? true
    else { return nil }
    reload = (request, next, plan)
    let reset = Set(plan.reset)
    return RunMachine.Reload(
      stopped: old.graph.topologicalOrder.filter {
        !next.contains($0) || reset.contains(old[$0].id)
      },
      plan: next, started: next.graph.topologicalOrder.filter { reset.contains(next[$0].id) },
      isWhole: plan.isWhole)
  }
}

extension RunLedger.Page {
  /// Returns the cause for which a step was or is being stopped, if any.
  func causeOfStop(of step: StepIndex) -> CancellationCause? {
    switch state[step].phase {
    case .cancelled(let cause): cause
    case .pending, .waiting, .running: controls[step].cause
    case .succeeded, .failed, .skipped: nil
    }
  }
}

// What the end of a step means for the others: results, causes, and who is stopped because of a failure.
// Knows nothing of how steps are carried out.

import WorkflowLanguage

extension RunLedger.Page {
  /// Whether the driver has to look at the run after a step has ended: it stops steps, or none is
  /// left.
  var isEndOfStepWaitedFor: Bool {
    state.phase != .running || state.counts.final == state.steps.count
      || (ending == nil && state.counts.final >= mainCount)
  }

  /// Stops the steps that must not go on because a step has failed.
  ///
  /// - Returns: The futures to interrupt.
  mutating func stopSiblings(of step: StepIndex, in workflow: Workflow) -> [StepFuture] {
    let group = workflow.steps[step.position].extras.failFastGroup
    guard workflow.failsFast || group != nil else { return [] }
    let id = workflow.steps[step.position].id
    return workflow.graph.indices.compactMap { other -> StepFuture? in
      let extras = workflow.steps[other.position].extras
      let isSibling =
        other != step && extras.finally == nil && !state.steps[other.position].phase.isFinal
        && (extras.failFastGroup == group && group != nil
          || workflow.failsFast && !workflow.asksForStatus(workflow.steps[other.position]))
      return isSibling ? controls[other.position].stop(.failure(ofStep: id)) : nil
    }
  }
}

extension RunPhase {
  /// Why a step that was stopped just now was stopped.
  var causeOfStop: CancellationCause {
    switch self {
    case .cancelling(let cause): cause
    case .restarting: .restart
    case .notStarted, .running, .ended: .request
    }
  }
}

extension Event.StepEvent {
  func result(of step: StepIndex, isTolerated: Bool) -> StepResult {
    switch self {
    case .succeeded(let outputs): .succeeded(outputs)
    case .failed: isTolerated ? .succeeded([:]) : .failed(step)
    default: .stopped
    }
  }
}

extension StepResult {
  /// What keeps a step that needs this one from running, if anything does.
  var obstacle: StepResult? {
    switch self {
    case .succeeded: nil
    case .failed, .stopped: self
    }
  }
}

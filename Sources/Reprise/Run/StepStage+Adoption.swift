// Attempts that have survived the engine before, and attempts that never started.

import Workflows

extension StepStage {
  /// Returns the attempt of a step that goes on where it runs, after the death of its engine.
  ///
  /// - Returns: The number of the attempts before it, and its token; 0 and nil if there is none.
  func attemptToAdopt(_ job: StepJob) -> (before: Int, token: AttemptToken?) {
    // Most steps run here: no lock for them.
    guard job.step.extrasIfAny?.runner != nil else { return (0, nil) }
    return ledger.decide { page in
      guard let token = page.adopted(job.index) else { return (0, nil) }
      return (page.state[job.index].attempt - 1, token)
    }
  }

  /// Returns whether a step has such an attempt, which ends only where it runs.
  func isAdopted(_ step: StepIndex) -> Bool { ledger.decide { $0.adopted(step) != nil } }

  /// Records the start of an attempt that ended elsewhere without one, such as a refused one.
  ///
  /// A cancelled attempt need not have started.
  func startIfNeeded(_ job: StepJob, attempt: Int, endingWith event: Event.StepEvent) {
    switch event {
    case .succeeded, .failed: break
    default: return
    }
    ledger.decide { page in
      guard page.state[job.index].phase == .waiting else { return }
      page.record(.started(), of: job.index, attempt: attempt)
    }
  }
}

extension RunLedger.Page {
  /// The attempt of a step that goes on where it runs, after the death of its engine; nil if none does.
  fileprivate func adopted(_ step: StepIndex) -> AttemptToken? {
    guard controls[step].isAdopting else { return nil }
    let state = state[step]
    guard state.phase.isActive, let place = state.placement?.place, place.survives else {
      return nil
    }
    return AttemptToken(place.token)
  }
}

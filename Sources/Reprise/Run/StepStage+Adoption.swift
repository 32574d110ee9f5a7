// Attempts that have survived the engine before, and attempts that never started.

import Workflows

extension StepStage {
  /// Returns the attempt of a step that goes on where it runs, after the death of its engine.
  ///
  /// - Returns: The number of the attempts before it, and its token; 0 and nil if there is none.
  func attemptToAdopt(_ job: StepJob) -> (before: Int, token: AttemptToken?) {
    guard job.step.extrasIfAny?.runner != nil else { return (0, nil) }
    return ledger.decide { page in
      let state = page.state[job.index]
      guard state.phase.isActive, let place = state.placement?.place, place.survives,
        page.controls[job.index].isAdopting,
        let token = AttemptToken(place.token)
      else { return (0, nil) }
      return (state.attempt - 1, token)
    }
  }

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

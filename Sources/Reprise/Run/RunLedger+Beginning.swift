// How a run begins in the ledger: anew, or as an earlier engine has left it.

import Workflows

extension RunLedger.Page {
  /// Reports that the run has started or resumed.
  ///
  /// - Parameters:
  ///   - usualDurations: The usual durations of its steps.
  ///   - results: The results that are set.
  ///   - restartsLater: Whether a restart waits for what has survived the engine; what that waits for
  ///     keeps its results until then.
  mutating func begin(
    _ usualDurations: [String: Duration], setting results: [String: SetResult],
    restartsLater: Bool
  ) {
    let planned = RunPlan(plan.workflow, usualDurations: usualDurations)
    guard state.phase != .notStarted else {
      record(.runStarted(planned), generation: 1)
      return
    }
    let decided = state.stepsDecided
    record(.runResumed(planned))
    let kept = stepsKept(decided.filter { results[$0] == nil })
    var remaining: [StepIndex] = []
    var seen: Set<StepIndex> = []
    let undone = Set(undoneSteps)
    for step in plan.order where !state[step].phase.isActive && !kept.contains(step) {
      guard
        !state[step].phase.isSuccess || (!restartsLater && state.isToRunAgain(state[step].id))
          || plan[step].extrasIfAny?.finally != nil || cleansUp(step, after: seen)
          || undone.contains(step)
      else { continue }
      seen.insert(step)
      remaining.append(step)
    }
    let reset = plan.graph.withServices(endedServices, of: remaining)
    for step in plan.order where state[step].phase.isActive { controls[step].isAdopting = true }
    record(
      .generationStarted(reset: reset.map { plan[$0].id }), generation: state.generation + 1)
    groups.resume(state)
    for step in plan.order where state[step].phase == .pending {
      guard let set = results[state[step].id] else { continue }
      record(set.result.event, of: step, attempt: 0, by: set.by)
    }
    for step in plan.order where kept.contains(step) {
      guard case .failed = state[step].phase, plan[step].extrasIfAny?.continuesOnError != true
      else { continue }
      // No step has a future yet that could be interrupted.
      _ = stopSiblings(of: step)
    }
  }

  /// Returns the steps that stay as they ended, because a person has decided so: those, and the steps that
  /// were cancelled because of them.
  ///
  /// A refused step in a group that is retried is asked again, as in a run that was not interrupted.
  private func stepsKept(_ decided: Set<String>) -> Set<StepIndex> {
    guard !decided.isEmpty else { return [] }
    let kept = plan.order.filter { step in
      guard decided.contains(state[step].id) else { return false }
      guard case .failed = state[step].phase else { return true }
      return plan.groups(around: step).allSatisfy { plan.groups[$0].retry == nil }
    }
    let names = Set(kept.map { state[$0].id })
    return Set(kept).union(
      plan.order.filter { step in
        guard case .cancelled(let cause) = state[step].phase, let culprit = cause.step else {
          return false
        }
        return names.contains(culprit) && !state.isToRunAgain(state[step].id)
      })
  }
}

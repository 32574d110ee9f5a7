// Records the events of steps, with what follows from them for other steps.

import Workflows

/// An answer to steps that wait for approval, whose events are not in the ledger yet.
struct AnsweredApproval {
  let steps: [StepIndex]
  let isApproved: Bool
  /// Answered when they are.
  let effect: Ticket<Void>
}

extension RunLedger.Page {
  /// Records and publishes an event of one step.
  ///
  /// A step whose end the state refuses is cancelled instead, so that the run can end.
  ///
  /// - Returns: Whether the state has accepted the event.
  @discardableResult
  mutating func record(
    _ event: Event.StepEvent, of step: StepIndex, attempt: Int, by requester: Requester? = nil
  ) -> Bool {
    guard state.steps.position(of: step) != nil else { return false }
    let id = state[step].id
    guard record(.step(id, attempt: attempt, event), of: step, by: requester) else {
      if event.isEnd, !state[step].phase.isFinal {
        record(.step(id, attempt: attempt, .cancelled(.abandoned(problem ?? ""))), of: step)
        mustCheckServices = true
      }
      return false
    }
    followUses(of: state[step])
    if let outputs = event.outputs, StepVariables.areAmong(outputs) {
      variableSetters.insert(step)
    }
    guard let record, case .succeeded = event else { return true }
    if successNumbers.isEmpty { successNumbers = Array(repeating: 0, count: plan.count) }
    successNumbers[step] = record.appendedCount
    return true
  }

  /// Takes the tickets of answered approvals that have had their effects, or never will.
  mutating func takeApprovalsInEffect() -> [Ticket<Void>] {
    guard !answeredApprovals.isEmpty else { return [] }
    var awaited: [AnsweredApproval] = []
    var done: [Ticket<Void>] = []
    for answered in answeredApprovals {
      if isAwaited(answered) { awaited.append(answered) } else { done.append(answered.effect) }
    }
    answeredApprovals = awaited
    return done
  }

  /// Returns whether the events of an answered approval are still to come.
  private func isAwaited(_ answered: AnsweredApproval) -> Bool {
    if case .ended = state.phase { return false }
    return answered.steps.contains { step in
      guard state.steps.position(of: step) != nil else { return false }
      // A rejected step starts and fails.
      return state[step].approval != nil || !answered.isApproved && state[step].phase.isActive
    }
  }
}

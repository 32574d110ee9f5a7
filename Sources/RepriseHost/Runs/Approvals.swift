// Approvals without a person: `--yes`, and the check that a person can approve.

package import CombineOperators
package import Reprise
import RepriseTerminal

extension Run {
  /// Approves each step that waits for approval, until the result is cancelled.
  package func approvingAll() -> AnyCancellable {
    events.sink { [weak self] event in
      guard case .step(let id, _, .awaitingApproval) = event.kind, let self else { return }
      Task {
        let yes = Intervention.approve(step: id, isApproved: true)
        // A step that has been stopped in the meantime needs no approval.
        _ = try? await self.perform(yes, by: Requester(.command, name: "reprise run --yes"))
      }
    }
  }
}

extension Workflow {
  /// Checks that `--yes` can answer all approvals: their values need defaults.
  ///
  /// - Throws: ``Problem`` if a value has none.
  package func expectDefaultsOfApprovals() throws(Problem) {
    for step in steps {
      let values = step.extrasIfAny?.approvalRule?.values ?? []
      guard let open = values.first(where: { $0.defaultValue == nil }) else { continue }
      throw Problem(
        "error: --yes cannot approve the step \"\(step.id)\": its value \"\(open.name)\" has no "
          + "default; add one, or omit --yes and answer with: reprise approve @last \(step.id) "
          + "--value \(open.name)=VALUE")
    }
  }

  /// Checks that the steps that wait for approval can be approved without a journal.
  ///
  /// - Parameter isAnswered: Whether a terminal or `--yes` answers.
  /// - Throws: ``Problem`` if nothing could approve: without a journal, no other process can.
  package func expectApprovable(isAnswered: Bool) throws(Problem) {
    guard !isAnswered, let step = steps.first(where: { $0.extrasIfAny?.approval != nil }) else {
      return
    }
    throw Problem(
      "error: the step \"\(step.id)\" waits for approval, but there is no terminal, and with "
        + "--no-journal no other process can approve it; omit --no-journal, or approve everything "
        + "with --yes")
  }
}

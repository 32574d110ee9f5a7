// What an approval asks for, from the workflow by which the run runs.

import Reprise
import RepriseHost
import RepriseJournal

/// The values that a step asks for with its approval, as a form needs them.
private struct ApprovalDocument: Encodable {
  let step: String
  let values: [PlannedValue]
}

extension WebAPI {
  /// Answers with the values that a step asks for.
  ///
  /// - Throws: ``Refusal`` if the run has no such step, or if its workflow cannot be read.
  func approval(_ request: APIRequest) async throws -> WebAnswer {
    let record = try await record(request.path[1])
    let step = request.path[3]
    // A step that asks for none has no values.
    return try await blocking {
      let workflow: Workflow
      do {
        workflow = try record.recordedWorkflow(with: Arguments(allowsMissing: true))
      } catch {
        throw Refusal(409, "the workflow of the run cannot be read: \(error)")
      }
      // Items that were computed during the run have the rule of their step.
      let base = step.last == "]" ? step.lastIndex(of: "[").map { String(step[..<$0]) } : nil
      let found = [step, base].compactMap { id in workflow.steps.first { $0.id == id } }.first
      guard let found else { throw Refusal(404, "the run has no step \"\(abridged(step))\"") }
      let values = found.extrasIfAny?.approvalRule?.values ?? []
      return .json(
        ApprovalDocument(step: step, values: values.map { PlannedValue($0) }))
    }
  }
}

// Answers to approvals that ask for values, as Swift values.

import Workflows

extension Run {
  /// Approves a step that is waiting for approval, with the values that it asks for.
  ///
  ///     Step("go", approval: "Release?", values: [.init("version"), …])
  ///     …
  ///     try run.answer("go", with: Release(version: "1.2", channel: .beta))
  ///
  /// The properties of the value are the values by name; those with a default can be nil. If the
  /// approval asks for one value, it can also be given alone: `run.answer("go", with: "1.2")`. The
  /// values become outputs of the step, as which other steps decode them again.
  ///
  /// - Parameters:
  ///   - step: The id of the step.
  ///   - value: The values.
  ///   - requester: Who answers, for the record.
  /// - Returns: What the run does now.
  /// - Throws: ``InterventionRefusal`` if there is no such step, it is not waiting for approval, or the
  ///   values are not those that it asks for.
  @discardableResult
  public func answer(
    _ step: String, with value: some Encodable, by requester: Requester = .api
  ) throws(InterventionRefusal) -> InterventionAnswer {
    var texts: StepOutputs
    do {
      texts = try StepOutputs(encoding: value)
    } catch {
      throw .refused("the answer cannot be encoded: \(error)")
    }
    let result: Result<InterventionAnswer, InterventionRefusal>
    do throws(SelectionError) {
      let workflow = workflow
      let asked =
        try workflow.found(step).lazy
        .compactMap { workflow.steps[$0.position].extrasIfAny?.approvalRule?.values }.first ?? []
      if asked.count == 1, texts.count == 1, let sole = texts[StepOutputs.soleName] {
        texts = [asked[0].name: sole]
      }
      result = try approve(.success(step), isApproved: true, texts, by: requester)
    } catch {
      throw .refused(error.description)
    }
    return try result.get()
  }
}

// Says why a step would run, or would not, without running it.

import Masking
public import WorkflowLanguage

/// What would become of a step.
public enum StepExplanation: Sendable, Equatable {
  /// It would run, for these reasons.
  case runs(because: [String])
  /// It would be skipped, for this reason.
  case isSkipped(because: String)
  /// It cannot be said before the run, for this reason.
  case unknown(because: String)
}

extension Engine {
  /// Says what would become of a step.
  ///
  /// Reads the files that its cache names; runs nothing.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - workflow: The workflow that it is part of.
  ///   - state: What an earlier run came to: the outputs of other steps are taken from there.
  ///   - secrets: The values of its secrets.
  /// - Returns: What would become of it.
  public func explain(
    _ step: StepIndex, of workflow: Workflow, after state: RunState?, secrets: Secrets = Secrets()
  ) -> StepExplanation {
    let declared = workflow.steps[step.position]
    let values = RunValues(
      run: state?.run, generation: 1, status: .success, executor, secrets,
      phase: { id in state?[id]?.phase })
    do {
      if let condition = try workflow.unmetCondition(of: declared, values) {
        return .isSkipped(because: "if: \(condition)")
      }
      if let endings = declared.extrasIfAny?.finally, endings != Set(RunEnding.allCases) {
        let names = RunEnding.allCases.filter(endings.contains).map(\.rawValue)
        return .unknown(
          because: "it runs when the run has ended with \(names.joined(separator: " or "))")
      }
      guard declared.extrasIfAny?.cache != nil else {
        return .runs(because: ["it has no \"cache\", so it always runs"])
      }
      let resolved = try workflow.resolved(declared, values)
      let now = try StepTrace(
        of: declared, in: workflow, resolved, values, executor, secrets.masker)
      guard let then = cache?.memory.recall(declared.id) else {
        return .runs(because: ["it has not succeeded before, or was begun since and did not"])
      }
      let reasons = then.differences(to: now)
      return reasons.isEmpty ? .isSkipped(because: "it is up to date") : .runs(because: reasons)
    } catch {
      return .unknown(because: String(describing: error))
    }
  }
}

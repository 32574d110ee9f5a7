// `Engine.explain`: predicts whether a step would run and why, without running it.

import Masking
import Paths
import Workflows

/// A prediction of whether a step would run.
package enum StepExplanation: Sendable, Equatable {
  /// The step would run, for these reasons.
  case runs(because: [String])
  /// The step would be skipped, for this reason.
  case isSkipped(because: String)
  /// The step is up to date now, but a step that it needs would run first, for these reasons.
  case mayRun(after: String, because: [String])
  /// The answer depends on the run, for this reason.
  case unknown(because: String)
}

extension Engine {
  /// Predicts whether a step would run or be skipped.
  ///
  /// Reads the files that the step's `cache` names; runs nothing. Blocks for file access.
  ///
  /// - Parameters:
  ///   - step: The index of the step.
  ///   - workflow: The workflow that contains the step.
  ///   - state: The state of an earlier run, which provides the outputs of the other steps.
  ///   - secrets: The values of the workflow's secrets.
  /// - Returns: The prediction and its reasons.
  package func explain(
    _ step: StepIndex, of workflow: Workflow, after state: RunState?, secrets: Secrets = Secrets()
  ) -> StepExplanation {
    let alone = explainAlone(step, of: workflow, after: state, secrets)
    guard case .isSkipped(let reason) = alone, reason.hasPrefix(Self.upToDate) else { return alone }
    for other in workflow.graph.withNeeds([step]) where other != step {
      guard case .runs(let reasons) = explainAlone(other, of: workflow, after: state, secrets)
      else {
        continue
      }
      return .mayRun(after: workflow.graph.id(of: other), because: reasons)
    }
    return alone
  }

  private static let upToDate = "it is up to date"
  private static let restorable = "its files can be restored from an earlier success"

  /// Predicts whether a step would run or be skipped if no other step ran.
  private func explainAlone(
    _ step: StepIndex, of workflow: Workflow, after state: RunState?, _ secrets: Secrets
  ) -> StepExplanation {
    let declared = workflow.steps[step.position]
    let values = RunValues(
      run: state?.run, generation: 1, status: .success, executor, secrets,
      state: { id in state?[id] })
    do {
      if let condition = try workflow.unmetCondition(of: declared, values) {
        return .isSkipped(because: SkipReason(unmet: condition).description)
      }
      if let command = declared.extrasIfAny?.conditionCommand {
        return .unknown(because: "it is decided by a command: \(command.script)")
      }
      if let endings = declared.extrasIfAny?.finally, endings != Set(RunEnding.allCases) {
        let names = RunEnding.allCases.filter(endings.contains).map(\.rawValue)
        return .unknown(
          because: "it runs only if the run ends with \(names.joined(separator: " or "))")
      }
      guard declared.extrasIfAny?.cache != nil else {
        return .runs(because: ["it has no \"cache\", so it always runs"])
      }
      let resolved = try workflow.resolved(declared, values)
      var now = try StepTrace(
        of: declared, in: workflow, resolved, values, executor, secrets.masker)
      now.time = clock.now
      let place = LearningSeam(folder: watch?.folder)
        .place(of: declared.extrasIfAny?.cache, executor, secrets.masker)
      func before() -> Set<String> {
        Set(workflow.graph.withNeeds([step]).map { workflow.steps[$0.position].id })
          .subtracting([declared.id])
      }
      guard let reasons = cache?.differences(of: declared, to: now, place, after: before)?.reasons
      else {
        return .runs(because: ["it has never run, or its last run did not succeed"])
      }
      guard reasons.isEmpty else {
        let folders = watch.flatMap { StepFolders($0.folder, resolved.directories) }
        let canBeRestored = folders.map {
          cache?.results(of: declared, like: now, place, $0, after: before).isEmpty == false
        }
        if canBeRestored == true { return .isSkipped(because: Self.restorable) }
        return .runs(because: reasons)
      }
      let problem = now.problemWithInputs(of: declared, FileSearches()).map { ", although \($0)" }
      return .isSkipped(because: Self.upToDate + (problem ?? ""))
    } catch {
      return .unknown(because: String(describing: error))
    }
  }
}

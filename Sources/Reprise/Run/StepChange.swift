// Compares the steps of two versions of a workflow. Pure.

import WorkflowFiles

/// A step whose declaration differs between two versions of a workflow.
package struct StepChange: Sendable, Equatable {
  /// The id of the step.
  package let step: String
  /// The removed lines of the declaration of the step.
  package let removed: [String]
  /// The added lines.
  package let added: [String]
  /// Whether the result of the step depends on the change, unlike, for example, on its timeout.
  package var affectsResult = true
  /// Whether an attempt in progress differs, unlike, for example, if only its name has changed.
  package var affectsAttempt = true

  /// Compares a step; nil if it has not changed.
  ///
  /// - Parameters:
  ///   - old: The step in the old workflow.
  ///   - oldWorkflow: The old workflow.
  ///   - new: The step in the new workflow; nil if it was removed.
  ///   - next: The new workflow.
  init?(_ old: Workflow.Step, in oldWorkflow: Workflow, to new: Workflow.Step?, in next: Workflow) {
    let before = oldWorkflow.declaration(of: old)
    let after = new.map(next.declaration) ?? StepDeclaration()
    guard before != after else { return nil }
    step = old.id
    affectsResult = before.result != after.result
    affectsAttempt = affectsResult || before.settings != after.settings
    removed = before.lines.filter { !after.lines.contains($0) }
    added = after.lines.filter { !before.lines.contains($0) }
  }
}

extension StepDeclaration {
  /// All of its lines.
  fileprivate var lines: [String] { result + settings + labels }
}

/// Compares the finished steps of a run with the current workflow.
///
/// Also compares the environment, the folder and the shell that steps inherit from the workflow.
/// Ignores changes that do not affect results, such as timeouts.
///
/// - Parameters:
///   - finished: The ids of the steps that have succeeded.
///   - old: The workflow of the run.
///   - new: The current workflow.
/// - Returns: The changes, in the order of the old file; empty if no finished step has changed.
package func changes(
  ofFinished finished: Set<String>, from old: Workflow, to new: Workflow
) -> [StepChange] {
  changes(from: old, to: new).filter { finished.contains($0.step) && $0.affectsResult }
}

/// Compares all steps of two versions of a workflow.
///
/// - Parameters:
///   - old: The earlier version.
///   - new: The later version.
/// - Returns: The changes, with the steps that are gone, in the order of the earlier version.
package func changes(from old: Workflow, to new: Workflow) -> [StepChange] {
  old.steps.compactMap { step in
    let after = new.graph.index(of: step.id).map { new.steps[$0.position] }
    return StepChange(step, in: old, to: after, in: new)
  }
}

// Compares the finished steps of a run with the current workflow. Pure.

package import Reprise

/// A finished step that has changed in the workflow since it ran.
package struct StepChange: Sendable, Equatable {
  /// The id of the step.
  package let step: String
  /// The removed lines of the description of the step.
  package let removed: [String]
  /// The added lines.
  package let added: [String]
}

/// Compares the finished steps of a run with the current workflow.
///
/// Also compares the environment, the folder and the shell that steps inherit from the workflow.
///
/// - Parameters:
///   - finished: The ids of the steps that have succeeded.
///   - old: The workflow of the run.
///   - new: The current workflow.
/// - Returns: The changes, in the order of the old file; empty if no finished step has changed.
package func changes(
  ofFinished finished: Set<String>, from old: Workflow, to new: Workflow
) -> [StepChange] {
  let newSteps = Dictionary(new.steps.map { ($0.id, $0) }) { first, _ in first }
  return old.steps.filter { finished.contains($0.id) }.compactMap { step in
    let before = description(of: step, in: old)
    let after = newSteps[step.id].map { description(of: $0, in: new) } ?? []
    let removed = before.filter { !after.contains($0) }
    let added = after.filter { !before.contains($0) }
    guard !removed.isEmpty || !added.isEmpty else { return nil }
    return StepChange(step: step.id, removed: removed, added: added)
  }
}

private func description(of step: Workflow.Step, in workflow: Workflow) -> [String] {
  var lines = ["needs: [" + step.needs.joined(separator: ", ") + "]"]
  lines += step.action.kind.declared
  lines += workflow.declaredEnvironment(of: step).sorted { $0.key < $1.key }
    .map { "env: \($0.key)=\($0.value)" }
  let directory = workflow.declaredDirectories(of: step)
  if !directory.isEmpty { lines.append("dir: " + directory.joined(separator: "/")) }
  switch step.shell ?? workflow.shell {
  case .standard: break
  case .named(let name): lines.append("shell: \(name)")
  case .arguments(let words): lines.append("shell: \(words)")
  }
  return lines
}

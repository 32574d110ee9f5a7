// `StepVariables`: the variables that steps set for the steps that depend on them.

import Synchronization
import WorkflowLanguage

/// Which steps of a run have set variables.
///
/// The variables are outputs in the state of the run. This only remembers where they are, so that
/// runs in which no step sets any, which are most, need not search for them.
package final class StepVariables: Sendable {
  /// The beginning of the names of outputs that are variables.
  static let prefix = "env."

  private let ids: Mutex<Set<String>>

  /// Finds the steps that have set variables before the run was resumed.
  init(in state: RunState) {
    let found = state.steps.lazy.filter { step in
      step.phase.values.outputs.keys.contains { $0.hasPrefix(Self.prefix) }
    }
    ids = Mutex(Set(found.map(\.id)))
  }

  /// Remembers that a step has set variables, if it has.
  func note(_ outputs: StepOutputs, of id: String) {
    guard outputs.keys.contains(where: { $0.hasPrefix(Self.prefix) }) else { return }
    _ = ids.withLock { $0.insert(id) }
  }

  /// Returns the variables for a step.
  ///
  /// They are those of the steps of its file that it needs, directly or indirectly. If several set
  /// the same, the last of them in the order of the file counts.
  /// Linear in the number of steps that it needs, if any step has set variables.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - workflow: The workflow.
  ///   - outputs: Returns the outputs of a step by its id.
  /// - Returns: The values by name.
  func variables(
    for step: StepIndex, in workflow: Workflow, outputs: (_ id: String) -> StepOutputs
  ) -> [String: String] {
    let ids = ids.withLock { $0 }
    guard !ids.isEmpty else { return [:] }
    var seen: Set<StepIndex> = []
    var pending = [step]
    var found: [Int] = []
    while let next = pending.popLast() {
      for need in workflow.graph.needs(of: next) where seen.insert(need).inserted {
        pending.append(need)
        let isInFile = workflow.areInSameFile(workflow.steps[need.position], step)
        if isInFile, ids.contains(workflow.steps[need.position].id) { found.append(need.position) }
      }
    }
    var variables: [String: String] = [:]
    for position in found.sorted() {
      variables.merge(Self.variables(in: outputs(workflow.steps[position].id))) { $1 }
    }
    return variables
  }

  /// Returns the variables among the outputs of a step.
  package static func variables(in outputs: StepOutputs) -> [String: String] {
    var variables: [String: String] = [:]
    for (name, value) in outputs where name.hasPrefix(prefix) {
      variables[String(name.dropFirst(prefix.count))] = value
    }
    return variables
  }
}

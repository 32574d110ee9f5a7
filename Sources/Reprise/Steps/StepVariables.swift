// `StepVariables`: the variables that steps set for the steps that depend on them.

import Workflows

/// The variables that steps set for others.
///
/// They are outputs of the steps in the state of the run, also of steps that have failed or are only
/// ready to be used. The ledger remembers which steps have set any, so that runs in which no step
/// does, which are most, need not search for them.
package enum StepVariables {
  /// The beginning of the names of outputs that are variables.
  static let prefix = "env."

  /// Returns whether some of the outputs of a step are variables.
  package static func areAmong(_ outputs: StepOutputs) -> Bool {
    outputs.keys.contains { $0.hasPrefix(prefix) }
  }

  /// Returns the steps that have set variables before the run was resumed.
  static func setters(in state: RunState) -> Set<StepIndex> {
    Set(state.steps.steps.filter { areAmong(state[$0].values.outputs) })
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

extension Event.StepEvent {
  /// The outputs of the step that the event reports; nil if it reports none.
  var outputs: StepOutputs? {
    switch self {
    case .succeeded(let outputs), .skipped(_, let outputs), .ready(let outputs),
      .wrote(let outputs), .approved(let outputs):
      outputs
    default: nil
    }
  }
}

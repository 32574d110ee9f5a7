// `StepJob`: a step to perform, and the ending of the steps that it needs.

import Workflows

extension RunEnding {
  /// The ending that a step sees whose needs have this blocking result, if any.
  init(blockedBy result: StepResult?) {
    switch result {
    case nil, .succeeded, .passed, .skipped: self = .success
    case .failed, .stopped: self = .failure
    case .cancelled: self = .cancelled
    }
  }
}

/// A step to perform, with the results of its needs.
struct StepJob: Sendable {
  let index: StepIndex
  /// The plan with which the step was connected.
  ///
  /// A step that goes on during a reload keeps its declaration, and what it was connected with.
  let plan: Plan
  let step: Workflow.Step
  let generation: Int
  /// The number of the connection that the job belongs to, unique in the run.
  let connection: Int
  let status: RunEnding
  let results: [StepResult]
  /// The result of a need that did not succeed, which keeps the step from running unless the step's
  /// condition tests the status.
  let blockingResult: StepResult?

  var isFinally: Bool { step.extrasIfAny?.finally != nil }

  /// The workflow with which the step was connected.
  var workflow: Workflow { plan.workflow }
}

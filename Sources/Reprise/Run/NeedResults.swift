// Which results of its needs keep a step from running.

import Workflows

extension Plan {
  /// Returns what the results of its needs mean for a step.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - results: The results of its needs, in their order; ``StepResult/stopped`` for needs that
  ///     have none yet.
  /// - Returns: The result that determines the status that a condition sees, and the one that keeps
  ///   the step from running; each is nil if there is none.
  func obstacles(
    for step: StepIndex, _ results: [StepResult]
  ) -> (worst: StepResult?, blocking: StepResult?) {
    guard let rules = self[step].extrasIfAny?.needRules,
      results.count == graph.needs(of: step).count
    else {
      let first = results.firstObstacle
      return (first, first)
    }
    var required: [StepResult] = []
    var others: [StepResult] = []
    var alternatives: [StepResult] = []
    for (need, result) in zip(graph.needs(of: step), results) {
      let id = graph.id(of: need)
      if rules.anyOf.contains(id) {
        // A step that was expanded has only computed the items, which are alternatives, too.
        let isExpanded = result.blockingResult == nil && self[need].items != nil
        if !isExpanded { alternatives.append(result) }
      } else if rules.results[id] == .over, result != .stopped {
        others.append(result)
      } else {
        required.append(result)
      }
    }
    // After the success of one, the others do not matter.
    if !alternatives.contains(where: { $0.blockingResult == nil }) { required += alternatives }
    return ((required + others).firstObstacle, required.firstObstacle)
  }
}

extension [StepResult] {
  /// The first result that is no success.
  ///
  /// A stopped need has not ended in this generation, so it outweighs the failure of another need.
  fileprivate var firstObstacle: StepResult? {
    let obstacles = lazy.compactMap(\.blockingResult)
    return obstacles.contains(.stopped) ? .stopped : obstacles.first
  }
}

extension RunLedger.Page {
  /// Returns the result of a step that has already succeeded, been skipped, been cancelled while it was
  /// pending, or been refused before the run was resumed; nil if it has not ended.
  func earlierResult(of job: StepJob) -> StepResult? {
    let state = state[job.index]
    return switch state.phase {
    case .succeeded(let outputs): resultOfSuccess(of: job.index, outputs)
    case .skipped(let reason, let outputs):
      resultOfSkipped(state, reason, job.step) ?? .passed(outputs)
    case .cancelled(let cause): cause.result(of: state.id) ?? .cancelled(state.id)
    case .failed:
      job.step.extrasIfAny?.continuesOnError == true ? .succeeded([:]) : .failed(state.id)
    case .pending, .waiting, .running: nil
    }
  }

  /// Returns the result of a step that has succeeded.
  ///
  /// A step that computes items has a weaker one: its success alone is none of the alternatives of
  /// which a step needs one.
  func resultOfSuccess(of step: StepIndex, _ outputs: StepOutputs) -> StepResult {
    plan[step].isFan ? .passed(outputs) : .succeeded(outputs)
  }

  /// Returns the result of a skipped step if the steps that need it are skipped, too.
  private func resultOfSkipped(
    _ state: StepState, _ reason: SkipReason, _ step: Workflow.Step
  ) -> StepResult? {
    switch reason {
    case .need(let first):
      .skipped(first)
    case .condition where step.extrasIfAny?.skipsDependents == true && !state.isSetByHand:
      .skipped(state.id)
    default: nil
    }
  }
}

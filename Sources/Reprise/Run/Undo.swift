// Steps that undo the work of others when a run has failed.

import WorkflowLanguage

extension StepPerformer {
  /// Returns why a step that undoes another one does not run; nil if it does, and for other steps.
  func reasonNotToUndo(_ job: StepJob) -> String? {
    guard let id = job.step.extrasIfAny?.undoes else { return nil }
    if case .succeeded? = ledger.decide({ $0.state[id]?.phase }) { return nil }
    return "step \"\(id)\" has not succeeded"
  }
}

extension RunLedger.Page {
  /// The steps whose work has been undone, or is being undone, and those that depend on them.
  ///
  /// They must run again, although they have succeeded.
  var undoneSteps: [StepIndex] {
    // They are under `finally`, so they come last.
    let undone = (mainCount..<state.steps.count).compactMap { position -> StepIndex? in
      guard let id = workflow.steps[position].extrasIfAny?.undoes,
        state.steps[position].startedAt != nil
      else { return nil }
      return workflow.graph.index(of: id)
    }
    return undone.isEmpty ? [] : workflow.graph.withDependents(undone)
  }
}

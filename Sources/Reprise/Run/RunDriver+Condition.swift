// The condition of a workflow as a whole: a run whose condition is not met skips all of its steps.

import WorkflowFiles

extension RunDriver {
  /// Ends a run whose condition is not met or cannot be decided.
  ///
  /// A resumed run of which a step is not pending any more has been decided before.
  ///
  /// - Returns: The outcome of a run that does not run.
  func outcomeOfCondition() async -> RunOutcome? {
    guard let condition = workflow.condition,
      ledger.decide({ page in page.state.steps.allSatisfy { $0.phase == .pending } })
    else { return nil }
    let step = Workflow.Step(id: "if", action: .run(""))
    let job = StepJob(
      index: StepIndex(0), plan: plan, step: step, generation: machine.generation, connection: 0,
      status: .success, results: [], blockingResult: nil)
    switch await answer(to: condition, job) {
    case .met:
      return nil
    case .unmet, .stopped:
      let reason = SkipReason.condition(performer.masked(condition.source))
      return await ledger.end { page in
        for step in page.plan.order { page.record(.skipped(reason, [:]), of: step, attempt: 0) }
        return .skipped(reason.description)
      }
    case .failed(let reason):
      return await ledger.end { page in
        let problem = reason.description
        page.record(.runCancelling(.abandoned(problem)))
        page.cancelRest(of: page.plan.order, because: .abandoned(problem))
        return .abandoned(problem)
      }
    }
  }

  private func answer(to condition: WorkflowCondition, _ job: StepJob) async -> ConditionAnswer {
    switch condition {
    case .command(let command): return await performer.condition.answer(of: command, job)
    case .expression(let template):
      do throws(ResolutionError) {
        return try workflow.meetsCondition(template, performer.values.values(for: job))
          ? .met : .unmet
      } catch {
        return .failed(performer.masked(.badValue(error.description)))
      }
    }
  }
}

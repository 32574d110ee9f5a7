// Connects the futures of steps: those of a generation, and those under `finally`.

import WorkflowLanguage

extension RunDriver {
  /// Connects steps in topological order.
  func connect(
    _ steps: [StepIndex], needs: [StepIndex: [StepIndex]] = [:], _ execution: PipelineExecution
  ) {
    let generation = machine.generation
    ledger.decide { page in
      // A step that succeeded before the run was resumed is connected only to provide its outputs.
      for step in steps {
        guard
          page.state.steps[step.position].phase == .pending
            || page.controls[step.position].isAdopting
        else { continue }
        page.controls[step.position].admit(to: generation)
      }
    }
    let queue = GenerationQueue(performer, generation: generation)
    execution.connect(steps, needs: needs, in: queue) { [performer] step, results in
      await performer.perform(step, generation: generation, results: results)
    }
  }

  /// Connects the steps under `finally`, after all other steps have ended.
  func connectFinally(
    _ cause: CancellationCause?, _ execution: PipelineExecution
  ) async -> RunMachine.Input? {
    // These steps may depend on the results of all others.
    guard await ledger.recorded() == nil else { return .recordFailed }
    let order = ledger.decide { [steps = machine.finallySteps] page in
      if let cause { page.cancelRest(because: cause, upTo: page.mainCount) }
      page.ending =
        cause.map { $0 == .runTimedOut ? .failure : .cancel } ?? page.endingOfMainSteps
      return page.orderOfUndoing(in: steps)
    }
    connect(order.steps, needs: order.needs, execution)
    return .connected
  }
}

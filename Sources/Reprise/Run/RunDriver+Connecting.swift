// Connects the futures of steps: those of a generation, and those under `finally`.

import WorkflowLanguage

extension RunDriver {
  /// Connects steps in topological order.
  func connect(_ steps: [StepIndex], needs: [StepIndex: [StepIndex]] = [:]) {
    let generation = machine.generation
    let (plan, waits) = ledger.decide { page in
      let held = page.stepsHeldForRetry
      // A step that succeeded before the run was resumed is connected only to provide its outputs.
      for step in steps {
        guard
          page.state[step].phase == .pending
            || page.controls[step].isAdopting, !held.contains(step)
        else { continue }
        page.controls[step].admit(to: generation)
      }
      return (page.plan, page.waitsForServices(of: steps))
    }
    let queue = GenerationQueue(performer, plan, generation: generation)
    pipeline.connect(steps, of: plan, needs: needs, waits: waits, in: queue) {
      [performer] step, results in
      await performer.perform(performer.job(step, of: plan, generation: generation, results))
    }
  }

  /// Connects the steps under `finally`, after all other steps have ended.
  func connectFinally(_ cause: CancellationCause?) async -> RunMachine.Input? {
    // These steps may depend on the results of all others.
    guard await ledger.recorded() == nil else { return .recordFailed }
    let order = ledger.decide { page in
      if let cause { page.cancelRest(of: page.mainSteps, because: cause) }
      page.ending =
        cause.map { $0 == .runTimedOut ? .failure : .cancel } ?? page.endingOfMainSteps
      return page.orderOfUndoing(in: page.plan.finallySteps)
    }
    connect(order.steps, needs: order.needs)
    return .connected
  }
}

// Connects the futures of steps: those of a generation, and those under `finally`.

import Workflows

extension RunDriver {
  /// Connects steps in topological order.
  func connect(_ steps: [StepIndex], needs: [StepIndex: [StepIndex]] = [:]) {
    let generation = machine.generation
    let (plan, connection, waits) = ledger.decide { page in
      let held = page.stepsHeldForRetry
      page.connectionCount += 1
      // A step that succeeded before the run was resumed is connected only to provide its outputs.
      for step in steps {
        guard
          page.state[step].phase == .pending
            || page.controls[step].isAdopting, !held.contains(step)
        else { continue }
        page.controls[step].open(for: page.connectionCount)
      }
      return (page.plan, page.connectionCount, page.waitsForServices(of: steps))
    }
    let queue = GenerationQueue(performer, plan, generation: generation, connection: connection)
    pipeline.connect(steps, of: plan, needs: needs, waits: waits, in: queue) {
      [performer] step, results in
      await performer.perform(queue.job(step, results))
    }
  }

  /// Connects steps anew, and those that depend on them, in topological order, with the needs that they
  /// have by now.
  ///
  /// Steps in progress go on, and failed ones keep their results. A step that depends on others waits for
  /// the futures that they had when it was connected: alone, it would wait forever.
  func reconnect(_ steps: [StepIndex]) {
    let steps = ledger.decide { page in
      let steps = page.plan.graph.withDependents(steps).filter { step in
        switch page.state[step].phase {
        // The result of a step may have been set, or it was cancelled, before its needs had theirs.
        case .pending, .succeeded, .skipped, .cancelled: true
        case .waiting, .running, .failed: false
        }
      }
      // A step whose turn comes now must not begin in its old connection.
      for step in steps { page.controls[step].close() }
      return steps
    }
    pipeline.disconnect(steps)
    connect(steps)
  }

  /// Connects the steps under `finally`, after all other steps have ended.
  func connectFinally(_ cause: CancellationCause?) async -> RunMachine.Input? {
    // These steps may depend on the results of all others.
    guard await ledger.recorded() == nil else { return .recordFailed }
    // Services may have ended after all other steps; no step after the cancel gets their results.
    if cause != nil { pipeline.disconnect(ledger.decide { $0.mainSteps }) }
    let order = ledger.decide { page in
      if let cause { page.cancelRest(of: page.mainSteps, because: cause) }
      page.ending =
        cause.map { $0 == .runTimedOut ? .failure : .cancelled } ?? page.endingOfMainSteps
      return page.orderOfUndoing(in: page.plan.finallySteps)
    }
    connect(order.steps, needs: order.needs)
    return .connected
  }
}

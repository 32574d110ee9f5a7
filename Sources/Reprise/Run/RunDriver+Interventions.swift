// The answers to interventions, and the cancellation of steps in a run that continues.

import WorkflowLanguage

extension RunDriver {
  /// Returns the answer to an intervention, before it is carried out.
  func answerTo(
    _ input: RunMachine.Input
  ) -> Result<InterventionAnswer, InterventionRefusal> {
    let graph = workflow.graph
    switch input {
    case .restart(let requested, let generation):
      guard machine.mayRestart else { return .failure(.cancelling) }
      guard !machine.isAnswered(requested, requestedIn: generation) else {
        return .success(.restarted(ledger.run, generation: machine.generation, steps: nil))
      }
      let steps = machine.restartedSteps(from: requested)
      let others = stepsStopped(becauseOf: steps, .restart(requested.isEmpty ? nil : steps))
      let all = others.isEmpty ? steps : machine.restartedSteps(from: requested + others)
      return .success(
        .restarted(
          ledger.run, generation: machine.generation + 1, steps: all.map { graph.id(of: $0) }))
    case .cancelSteps(let requested, _):
      let steps = machine.cancellable(requested)
      guard !steps.isEmpty else {
        return .failure(
          machine.mayRestart
            ? .refused("\(named(requested)): being stopped for a restart") : .cancelling)
      }
      let live = ledger.decide { page in
        steps.filter { !page.state.steps[$0.position].phase.isFinal }
      }
      guard !live.isEmpty else {
        return .failure(.refused("\(named(steps)): already ended"))
      }
      return .success(.cancelled(live.map { graph.id(of: $0) }))
    case .kill:
      return .success(.killed(ledger.run))
    default:
      return .success(.cancelled(ledger.run))
    }
  }

  /// Returns the names of steps for a message.
  private func named(_ steps: [StepIndex]) -> String {
    stepNames(steps.map { workflow.graph.id(of: $0) })
  }

  /// Cancels some steps while the run continues.
  ///
  /// A second request for the same step kills it.
  func cancel(_ steps: [StepIndex], now: Bool) {
    let (futures, handlers) = ledger.decide { page in
      var futures: [StepFuture] = []
      var handlers: [@Sendable () -> Void] = []
      for step in steps.map(\.position) {
        switch page.state.steps[step].phase {
        case .pending:
          page.record(.cancelled(.request), of: step, attempt: 0)
          if step >= page.mainCount, page.ending == nil { page.earlyFinallyCount += 1 }
        case .ready, .running:
          let isAgain = page.controls[step].cause == .request
          if let future = page.controls[step].stop(.request) { futures.append(future) }
          if now || isAgain { handlers += page.controls[step].kill() }
        case .succeeded, .failed, .cancelled, .skipped:
          break
        }
      }
      return (futures, handlers)
    }
    // Cancel the tasks before killing: otherwise a killed process would count as failed.
    for future in futures { future.interrupt() }
    for handler in handlers { handler() }
  }
}

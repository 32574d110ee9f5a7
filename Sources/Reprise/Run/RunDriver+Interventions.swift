// The answers to interventions, and what one does to steps of a run that continues: cancelling them,
// setting their results, pausing.

import WorkflowLanguage

extension RunDriver {
  /// Returns the answer to an intervention, before it is carried out.
  mutating func answerTo(
    _ input: RunMachine.Input
  ) -> Result<InterventionAnswer, InterventionRefusal> {
    let graph = workflow.graph
    (machine.endedServices, machine.undoneSteps) = ledger.decide {
      ($0.endedServices, $0.undoneSteps)
    }
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
    case .set(let requested, let result):
      let steps = machine.cancellable(requested)
      guard !steps.isEmpty else {
        return .failure(
          machine.mayRestart
            ? .refused("\(named(requested)): being stopped for a restart") : .cancelling)
      }
      let phases = ledger.decide { page in steps.map { page.state.steps[$0.position].phase } }
      if let done = phases.firstIndex(where: \.isSuccess) {
        return .failure(
          .refused(
            "\(named([steps[done]])): already \(phases[done].name); restart from it instead"))
      }
      return .success(
        .set(
          steps.map { graph.id(of: $0) }, result,
          generation: phases.contains(where: \.isFinal) ? machine.generation + 1 : nil))
    case .pause(let isPaused):
      guard machine.mayRestart else { return .failure(.cancelling) }
      return .success(
        .paused(ledger.run, isPaused, wasPaused: ledger.decide { $0.state.isPaused }))
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
    let (futures, handlers) = ledger.decide { [asker] page in
      var futures: [StepFuture] = []
      var handlers: [@Sendable () -> Void] = []
      for step in steps.map(\.position) {
        switch page.state.steps[step].phase {
        case .pending:
          page.record(.cancelled(.request), of: step, attempt: 0, by: asker)
          if step >= page.mainCount, page.ending == nil { page.earlyFinallyCount += 1 }
        case .ready, .running:
          let isAgain = page.controls[step].cause == .request
          if !isAgain {
            let attempt = page.state.steps[step].attempt
            page.record(.cancelling, of: step, attempt: attempt, by: asker)
          }
          if let future = page.controls[step].stop(.request, by: asker) {
            futures.append(future)
          }
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

  /// Sets the results of steps: of pending ones at once, of steps in progress when they have
  /// stopped.
  ///
  /// - Returns: The steps that have already ended, from which the run must be restarted.
  mutating func set(_ steps: [StepIndex], to result: HandmadeResult) -> [StepIndex] {
    let set = SetResult(result: result, by: asker)
    let (futures, ended) = ledger.decide { page in
      var futures: [StepFuture] = []
      var ended: [StepIndex] = []
      for index in steps {
        let step = index.position
        switch page.state.steps[step].phase {
        case .pending:
          page.record(result.event, of: step, attempt: 0, by: set.by)
          if step >= page.mainCount, page.ending == nil { page.earlyFinallyCount += 1 }
        case .ready, .running:
          let attempt = page.state.steps[step].attempt
          page.record(.cancelling, of: step, attempt: attempt, by: set.by)
          page.controls[step].setResult = set
          if let future = page.controls[step].stop(.request, by: set.by) { futures.append(future) }
        case .failed, .cancelled:
          ended.append(index)
        case .succeeded, .skipped:
          break
        }
      }
      return (futures, ended)
    }
    for future in futures { future.interrupt() }
    for step in ended { resultsToSet[workflow.graph.id(of: step)] = set }
    return ended
  }

  /// Forgets results that are still to be set, of steps that a later request restarts.
  mutating func forgetResultsToSet(from steps: [StepIndex]) {
    guard !resultsToSet.isEmpty else { return }
    let restarted =
      steps.isEmpty ? workflow.graph.indices.map(\.self) : workflow.graph.withDependents(steps)
    for step in restarted { resultsToSet[workflow.graph.id(of: step)] = nil }
  }

  /// Sets the results of steps of the generation that begins.
  mutating func setResults(among steps: [StepIndex]) {
    guard !resultsToSet.isEmpty else { return }
    let results = resultsToSet
    resultsToSet = [:]
    ledger.decide { [graph = workflow.graph] page in
      for step in steps {
        guard let set = results[graph.id(of: step)] else { continue }
        page.record(set.result.event, of: step.position, attempt: 0, by: set.by)
      }
    }
  }

  /// Lets nothing new start, or lets steps start again.
  func pause(_ isPaused: Bool) {
    let isChanged = ledger.decide { [asker] page in
      guard page.state.isPaused != isPaused else { return false }
      page.record(isPaused ? .runPaused : .runUnpaused, by: asker)
      return true
    }
    if isChanged { performer.slots.setPaused(isPaused) }
  }
}

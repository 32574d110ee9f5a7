// The answers to interventions, and what one does to steps of a run that continues: cancelling them,
// setting their results, pausing.

import Workflows

extension RunDriver {
  /// The answer to an intervention.
  typealias Answer = Result<InterventionAnswer, InterventionRefusal>

  /// Returns the answer to an intervention, given what the machine does for it.
  func answer(to input: RunMachine.Input, leadingTo actions: [RunMachine.Action]) -> Answer {
    switch (input, actions.first) {
    case (.restart, .stop(let steps, _)?):
      let ids = steps.map { [plan] in plan[$0].id }
      return .success(.restarted(ledger.run, generation: machine.generation + 1, steps: ids))
    case (.restart, _):
      guard machine.mayRestart else { return .failure(.cancelling) }
      return .success(.restarted(ledger.run, generation: machine.generation, steps: nil))
    case (.cancelSteps, .cancelSteps(let steps, _)?): return answerToCancel(steps)
    case (.set, .set(let steps, let result)?): return answerToSet(steps, result)
    case (.restartServices, .restartServices(let steps)?): return answerToRestart(ofServices: steps)
    case (.cancelSteps(let requested, _), _), (.set(let requested, _), _),
      (.restartServices(let requested), _):
      return .failure(
        machine.mayRestart
          ? .refused("\(named(requested)): being stopped for a restart") : .cancelling)
    case (.pause(let isPaused), let action):
      guard action != nil else { return .failure(.cancelling) }
      return .success(
        .paused(ledger.run, isPaused, wasPaused: ledger.decide { $0.state.isPaused }))
    case (.kill, _): return .success(.killed(ledger.run))
    default: return .success(.cancelled(ledger.run))
    }
  }

  private func answerToCancel(_ steps: [StepIndex]) -> Answer {
    let live = ledger.decide { page in steps.filter { !page.state[$0].phase.isFinal } }
    guard !live.isEmpty else { return .failure(.refused("\(named(steps)): already ended")) }
    return .success(.cancelled(live.map { [plan] in plan[$0].id }))
  }

  private func answerToRestart(ofServices steps: [StepIndex]) -> Answer {
    if let other = steps.first(where: { [plan] in !plan[$0].action.isService }) {
      return .failure(.refused("\(named([other])): not a service; restart from it instead"))
    }
    let idle = ledger.decide { page in
      steps.first { !page.state[$0].phase.isActive || !page.controls[$0].mayRestart }
    }
    if let idle {
      return .failure(.refused("\(named([idle])): not running; restart from it instead"))
    }
    return .success(.restarted(services: steps.map { [plan] in plan[$0].id }))
  }

  private func answerToSet(_ steps: [StepIndex], _ result: HandmadeResult) -> Answer {
    let phases = ledger.decide { page in steps.map { page.state[$0].phase } }
    if let done = phases.firstIndex(where: \.isSuccess) {
      return .failure(refusalToSet([steps[done]]))
    }
    return .success(
      .set(
        steps.map { [plan] in plan[$0].id }, result,
        generation: phases.contains(where: \.isFinal) ? machine.generation + 1 : nil))
  }

  /// Returns why the results of steps that have succeeded are not set.
  func refusalToSet(_ steps: [StepIndex]) -> InterventionRefusal {
    let phase = ledger.decide { $0.state[steps[0]].phase }
    return .refused("\(named(steps)): already \(phase.name); restart from it instead")
  }

  /// Returns an intervention without secrets in what is recorded of it.
  ///
  /// - Returns: The intervention; nil if it was refused.
  func masked(
    _ input: RunMachine.Input,
    _ answer: (Result<InterventionAnswer, InterventionRefusal>) -> Void
  ) -> RunMachine.Input? {
    guard case .set(let steps, .succeeded(let outputs)) = input else { return input }
    do throws(FailureReason) {
      return .set(steps, .succeeded(try performer.masked(outputs)))
    } catch {
      answer(.failure(.refused("\(error)")))
      return nil
    }
  }

  /// Returns the names of steps for a message.
  private func named(_ steps: [StepIndex]) -> String {
    stepNames(steps.map { [plan] in plan[$0].id })
  }

  /// Starts services again, while what uses them goes on.
  func restartServices(_ steps: [StepIndex]) {
    let tickets = ledger.decide { [asker] page in
      steps.compactMap { page.controls[$0].restart(by: asker ?? .api) }
    }
    for ticket in tickets { ticket.answer(()) }
  }

  /// Cancels some steps while the run continues.
  ///
  /// A second request for the same step kills it.
  func cancel(_ steps: [StepIndex], now: Bool) {
    let (futures, handlers) = ledger.decide { [asker] page in
      var futures: [StepFuture] = []
      var handlers: [@Sendable () -> Void] = []
      for step in steps {
        switch page.state[step].phase {
        case .pending:
          page.record(.cancelled(.request), of: step, attempt: 0, by: asker)
        case .waiting, .running:
          let isAgain = page.controls[step].stop?.isRequested == true
          if !isAgain {
            let attempt = page.state[step].attempt
            page.record(.cancelling, of: step, attempt: attempt, by: asker)
          }
          if let future = page.controls[step].stop(.cancelled(.request, by: asker)) {
            futures.append(future)
          }
          if now || isAgain { handlers += page.controls[step].takeKillHandlers() }
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
  /// - Returns: The steps that have already ended, from which the run must be restarted, and those that
  ///   have already succeeded, and keep their results.
  mutating func set(
    _ steps: [StepIndex], to result: HandmadeResult
  ) -> (ended: [StepIndex], late: [StepIndex]) {
    let set = SetResult(result: result, by: asker)
    let (futures, ended, late) = ledger.decide { page in
      var futures: [StepFuture] = []
      var ended: [StepIndex] = []
      var late: [StepIndex] = []
      for step in steps {
        switch page.state[step].phase {
        case .pending:
          page.record(result.event, of: step, attempt: 0, by: set.by)
        case .waiting, .running:
          let attempt = page.state[step].attempt
          page.record(.cancelling, of: step, attempt: attempt, by: set.by)
          if let future = page.controls[step].stop(.set(set)) { futures.append(future) }
        case .failed, .cancelled:
          ended.append(step)
        case .succeeded, .skipped:
          late.append(step)
        }
      }
      return (futures, ended, late)
    }
    for future in futures { future.interrupt() }
    for step in ended { resultsToSet[step] = set }
    return (ended, late)
  }

  /// Forgets results that are still to be set, of steps that a later request restarts.
  mutating func forgetResultsToSet(from steps: [StepIndex]) {
    guard !resultsToSet.isEmpty else { return }
    let restarted =
      steps.isEmpty ? plan.order : plan.graph.withDependents(steps)
    for step in restarted { resultsToSet[step] = nil }
  }

  /// Sets the results of steps of the generation that begins.
  mutating func setResults(among steps: [StepIndex]) {
    guard !resultsToSet.isEmpty else { return }
    let results = resultsToSet
    resultsToSet = [:]
    ledger.decide { page in
      for step in steps {
        guard let set = results[step] else { continue }
        page.record(set.result.event, of: step, attempt: 0, by: set.by)
      }
    }
  }

  /// Lets nothing new start, or lets steps start again.
  func pause(_ isPaused: Bool) {
    // Steps that come back from a start in the pause must find the slots paused.
    if isPaused { performer.slots.setPaused(true) }
    ledger.decide { [asker] page in
      guard page.state.isPaused != isPaused else { return }
      page.record(isPaused ? .runPaused : .runUnpaused, by: asker)
    }
    if !isPaused { performer.slots.setPaused(false) }
  }
}

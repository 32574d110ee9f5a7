// `LedgerReporter`: reports the events of one attempt of a step to the ledger of its run.

import WorkflowLanguage

/// The reporter of one attempt of a step.
struct LedgerReporter: StepReporter {
  let ledger: RunLedger
  let place: StepPlace
  let attempt: Int
  /// The slots that the step releases once it is ready to be used; nil if it keeps them.
  var slots: Slots?
  /// Begins the next steps of the ready queue.
  var startNext: @Sendable () -> Void = {}

  func report(_ event: Event.StepEvent) -> Bool {
    let (hasRoom, future) = ledger.decide { page -> (Bool, StepFuture?) in
      let step = place.index.position
      switch (page.state.steps[step].phase, event) {
      case (.running, .queued), (.running, .waitingForPool), (.running, .started):
        return (true, nil)
      case (.running, _), (.ready, .queued), (.ready, .waitingForPool), (.ready, .started): break
      default: return (true, nil)
      }
      guard case .available = event else {
        page.record(event, of: step, attempt: attempt)
        return (page.hasRoomForOutput, nil)
      }
      guard page.state.steps[step].availableAt == nil else { return (true, nil) }
      page.record(event, of: step, attempt: attempt)
      return (true, page.controls[step].becomeAvailable())
    }
    if case .available(let outputs) = event, let future { announce(outputs, by: future) }
    return hasRoom
  }

  /// Lets the steps start that wait until this one is ready.
  private func announce(_ outputs: StepOutputs, by future: StepFuture) {
    slots?.release(place.index)
    future.announce(.succeeded(outputs))
    startNext()
  }

  var hasStarted: Bool {
    ledger.decide { $0.state.steps[place.index.position].phase == .running }
  }

  func recorded() async -> String? {
    await ledger.recorded()
  }

  func roomForOutput() async {
    await ledger.roomForOutput()
  }

  func register(_ onKill: @escaping @Sendable () -> Void) -> Int? {
    ledger.decide { $0.controls[place.index.position].register(onKill) }
  }

  func unregister(_ number: Int) {
    ledger.decide { $0.controls[place.index.position].unregister(number) }
  }
}

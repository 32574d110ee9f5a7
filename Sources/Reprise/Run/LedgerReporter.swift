// `LedgerReporter`: reports the events of one attempt of a step to the ledger of its run.

/// The reporter of one attempt of a step.
struct LedgerReporter: StepReporter {
  let ledger: RunLedger
  let place: StepPlace
  let attempt: Int

  func report(_ event: Event.StepEvent) -> Bool {
    ledger.decide { page in
      let step = place.index.position
      switch (page.state.steps[step].phase, event) {
      case (.running, .queued), (.running, .started): return true
      case (.running, _), (.ready, .queued), (.ready, .started): break
      default: return true
      }
      page.record(event, of: step, attempt: attempt)
      return page.hasRoomForOutput
    }
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

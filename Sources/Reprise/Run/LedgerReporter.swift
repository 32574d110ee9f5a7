// `LedgerReporter`: reports the events of one attempt of a step to the ledger of its run.

import Workflows

/// The reporter of one attempt of a step.
struct LedgerReporter: StepReporter {
  let ledger: RunLedger
  let step: StepIndex
  let attempt: Int
  /// The slots that the step releases once it is ready to be used; nil if it keeps them.
  var slots: Slots?
  /// Whether a report that the step is ready counts: not before an approval of its work.
  var reportsReadiness = true
  /// Begins the next steps of the ready queue.
  var startNext: @Sendable () -> Void = {}

  func report(_ event: Event.StepEvent) -> Bool {
    if case .ready(let outputs) = event {
      report(readyWith: outputs)
      return true
    }
    return ledger.decide { page in
      switch (page.state[step].phase, event) {
      case (.running, .queued), (.running, .waitingForPool), (.running, .started): return true
      case (.running, _), (.waiting, .queued), (.waiting, .waitingForPool), (.waiting, .started):
        break
      default: return true
      }
      page.record(event, of: step, attempt: attempt)
      return page.hasRoomForOutput
    }
  }

  /// Records that the step is ready to be used, and lets the steps start that wait for that.
  ///
  /// The values that were given with its approval are among its outputs.
  private func report(readyWith written: StepOutputs) {
    let (future, outputs) = ledger.decide { page -> (StepFuture?, StepOutputs) in
      let state = page.state[step]
      guard state.phase == .running, reportsReadiness, state.readyAt == nil else {
        return (nil, [:])
      }
      let outputs = written.merging(state.given) { $1 }
      page.record(.ready(outputs), of: step, attempt: attempt)
      page.readyCount += 1
      return (page.controls[step].becomeReady(as: page.readyCount), outputs)
    }
    guard let future else { return }
    slots?.release(step)
    future.announce(.succeeded(outputs))
    startNext()
  }

  var hasStarted: Bool {
    ledger.decide { $0.state[step].phase == .running }
  }

  func recorded() async -> String? {
    await ledger.recorded()
  }

  func roomForOutput() async {
    await ledger.roomForOutput()
  }

  func register(_ onKill: @escaping @Sendable () -> Void) -> Int? {
    ledger.decide { $0.controls[step].register(onKill) }
  }

  func unregister(_ number: Int) {
    ledger.decide { $0.controls[step].unregister(number) }
  }
}

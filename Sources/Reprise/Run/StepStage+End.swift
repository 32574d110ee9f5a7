// Records the ends of steps in progress, with their consequences for other steps.

import Workflows

extension StepStage {
  /// Records the end of a step in progress, even if its generation is over for the step.
  ///
  /// The driver then still waits for that end, which ``reportEnd(of:)`` reports.
  func end(
    _ step: StepIndex, attempt: Int, _ event: Event.StepEvent, by requester: Requester? = nil
  ) -> StepResult {
    let (result, stopped, retry) = ledger.decide {
      page -> (StepResult, [StepFuture], GroupDecision?) in
      let id = page.state[step].id
      let isTolerated = page.plan[step].extrasIfAny?.continuesOnError ?? false
      let end = page.settledEnd(
        of: step, StepEnd(event: event, attempt: attempt, requester: requester))
      var retry: GroupDecision?
      if case .failed(let reason) = end.event, !isTolerated {
        retry = page.retryGroup(of: step, reason)
      }
      page.record(end.event, of: step, attempt: end.attempt, by: end.requester)
      let (isUsed, isOpen) = (page.controls[step].wasReady, page.controls[step].isOpen)
      page.controls[step].end()
      var stopped: [StepFuture] = []
      if let retry {
        stopped = retry.futures
      } else if isOpen, page.state.phase.isUnderWay {
        if case .failed = end.event, !isTolerated { stopped = page.stopSiblings(of: step) }
        if isUsed, let cause = end.causeForUsers(of: id, isTolerated: isTolerated) {
          stopped += page.stopUsers(of: step, because: cause)
        }
      }
      var result = end.result ?? end.event.result(of: id, isTolerated: isTolerated)
      if case .succeeded(let outputs) = end.event {
        result = page.resultOfSuccess(of: step, outputs)
      }
      return (result, stopped, retry)
    }
    for future in stopped { future.interrupt() }
    if let retry { request(retry) }
    return result
  }

  /// Lets the driver run a group again.
  private func request(_ decision: GroupDecision) {
    var generator = runtime.generator
    tools.retryRequested(
      GroupRetry(
        group: decision.group, wait: decision.wait,
        delay: decision.rule.delay(
          after: decision.count, random: .random(in: 0...1, using: &generator))))
  }
}

/// How a step ends.
private struct StepEnd {
  var event: Event.StepEvent
  var attempt: Int
  var requester: Requester?
  /// The result for the steps that need it, if it is not that of the event.
  var result: StepResult?

  /// Returns the cause for which the steps that use it are stopped; nil if they go on.
  func causeForUsers(of step: String, isTolerated: Bool) -> CancellationCause? {
    switch event {
    case .failed: isTolerated ? nil : .failure(ofStep: step)
    case .cancelled(.request): CancellationCause.cancellation(ofStep: step)
    case .cancelled(let cause): cause.step == nil ? nil : cause
    default: nil
    }
  }
}

extension RunLedger.Page {
  /// Returns how a step in progress ends, given why it is being stopped, if it is.
  fileprivate mutating func settledEnd(of step: StepIndex, _ end: StepEnd) -> StepEnd {
    let control = controls[step]
    var end = end
    if case .cancelled(.request) = end.event {
      switch control.stop {
      // Also if its group was to run again, which may not happen.
      case .failed(let reason, _) where control.isOpen || state.phase == .running:
        fail(step, reason, &end)
      case .cancelled(let cause, let requester):
        end.event = .cancelled(cause)
        end.result = cause.result(of: state[step].id)
        if cause == .request { end.requester = requester }
      default: end.event = .cancelled(state.phase.causeOfStop)
      }
    }
    // Not if the step is being stopped for a restart or because the run is being cancelled; an interrupted
    // run goes on, and does not do again what has been done by hand.
    let isSet = if case .set = control.stop { true } else { false }
    guard control.isOpen || isSet && state.phase == .cancelling(.interrupted) else { return end }
    switch control.stop {
    case .set(let set): (end.event, end.requester, end.result) = (set.result.event, set.by, nil)
    case .unused: (end.event, end.result) = (endOfService(step, end.event), nil)
    // Others are cancelled because this one has failed, so its success comes too late.
    case .failed(let reason, _): if case .succeeded = end.event { end.event = .failed(reason) }
    case .cancelled, nil: break
    }
    return end
  }

  /// Lets a step fail that was stopped because the time of its group is over.
  private mutating func fail(_ step: StepIndex, _ reason: FailureReason, _ end: inout StepEnd) {
    end.event = .failed(reason)
    guard state[step].phase != .running else { return }
    // It was waiting for its first or next attempt.
    end.attempt += 1
    record(.started(), of: step, attempt: end.attempt)
  }
}

extension CancellationCause {
  /// The result of a step that is cancelled for this cause; nil if that of the event.
  func result(of step: String) -> StepResult? {
    switch self {
    case .failure(let failed): .failed(failed)
    case .cancellation(let cancelled): .cancelled(cancelled)
    case .request: .cancelled(step)
    case .restart, .runTimedOut, .abandoned, .interrupted: nil
    }
  }
}

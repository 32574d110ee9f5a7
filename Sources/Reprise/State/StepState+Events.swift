// How the state of a step follows its events. Pure.

extension StepState {
  /// Returns whether an event of the step is valid in this state.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - isRequested: Whether the event was asked for by hand.
  /// - Returns: Whether it is valid.
  func accepts(_ event: Event.StepEvent, isRequested: Bool) -> Bool {
    switch event {
    case .waiting:
      phase == .pending
    case .queued, .waitingForPool, .pausing, .started:
      phase == .waiting
    case .awaitingApproval, .cancelling:
      phase.isActive
    case .approved:
      phase.isActive && approval != nil
    case .progress, .ready, .outOfSight, .inSight, .leftBehind, .used, .wrote, .expanded,
      .retrying, .repeating, .failed:
      phase == .running
    case .output:
      // What is restored instead of being run shows what it wrote then.
      phase == .running || phase == .waiting && attempt == 0
    case .succeeded:
      // A step whose result is set by hand need not be running.
      phase == .running || isRequested && !phase.isFinal
    case .cancelled, .skipped:
      !phase.isFinal
    }
  }

  /// Applies an event that the state accepts, except that the step was expanded.
  mutating func apply(_ stepEvent: Event.StepEvent, attempt: Int, _ event: Event) {
    switch stepEvent {
    case .waiting:
      waitingSince = event.time
      phase = .waiting
    case .awaitingApproval(let text): approval = text
    case .approved(let values):
      note(.approved(approval ?? ""), event)
      (approval, given) = (nil, values)
    case .queued(let place, let text):
      awaitStart(of: attempt)
      placement = StepPlacement(place, because: text, at: event.time, after: placement)
    case .waitingForPool(let pool, let text):
      awaitStart(of: attempt)
      let since = lastPoolWait?.since ?? event.time
      lastPoolWait = PoolWait(pool: pool, text: text, since: since)
    case .pausing(let end): waitEnd = end
    case .started(let host): start(attempt, on: host, event.time)
    case .retrying(let reason, let delay):
      retry = PendingRetry(reason: reason, failedAt: event.time, delay: delay)
      // The rounds begin anew.
      (round, lastPoolWait) = (nil, nil)
      placement = nil
      phase = .waiting
    case .repeating(let round, let delay):
      (self.round, lastPoolWait) = (round.next, nil)
      pendingRound = PendingRound(endedAt: event.time, delay: delay)
      placement = nil
      phase = .waiting
    case .cancelling: note(.cancelled, event)
    case .progress, .ready, .outOfSight, .inSight, .output, .leftBehind, .used, .wrote,
      .expanded:
      report(stepEvent, event.time)
    case .succeeded, .failed, .cancelled, .skipped:
      end(stepEvent, event)
    }
  }

  /// Starts an attempt.
  private mutating func start(_ number: Int, on host: String?, _ time: Timestamp) {
    placement?.host = host
    placement?.queuedBecause = nil
    (approval, progress, readyAt) = (nil, nil, nil)
    readyOutputs = [:]
    startedAt = time
    attempt = number
    (retry, pendingRound) = (nil, nil)
    // Show only the output of the current attempt.
    output = OutputTail()
    leftBehind = []
    written = [:]
    phase = .running
  }

  /// Takes what a running attempt reports.
  private mutating func report(_ event: Event.StepEvent, _ time: Timestamp) {
    switch event {
    case .progress(let part, let text):
      progress = StepProgress(part: part, text: text, reportedAt: time)
    case .ready(let outputs):
      readyAt = time
      readyOutputs = outputs
    case .outOfSight(let text): placement?.outOfSightBecause = text
    case .inSight: placement?.outOfSightBecause = nil
    case .output(let stream, let text, let isPartial):
      output.append(text, stream: stream, isPartial: isPartial, at: time)
    case .leftBehind(let command): leftBehind.append(command)
    case .used(let use): placement?.use = use
    case .wrote(let outputs): written = outputs
    default: break
    }
  }

  private mutating func end(_ stepEvent: Event.StepEvent, _ event: Event) {
    let isRequested = event.by != nil
    switch stepEvent {
    case .succeeded(let outputs):
      if isRequested { note(.set, event) }
      phase = .succeeded(outputs)
    case .failed(let reason):
      if reason == .rejected { note(.rejected, event) }
      phase = .failed(reason)
    case .cancelled(let cause):
      // A pending step that is cancelled alone was not being cancelled before.
      if phase == .pending, isRequested { note(.cancelled, event) }
      phase = .cancelled(cause)
    case .skipped(let reason, let outputs):
      if isRequested { note(.set, event) }
      phase = .skipped(reason, outputs)
    default: return
    }
    endedAt = event.time
    approval = nil
  }

  private mutating func note(_ kind: StepIntervention.Kind, _ event: Event) {
    interventions.append(StepIntervention(kind: kind, time: event.time, by: event.by))
  }
}

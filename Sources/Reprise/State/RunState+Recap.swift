// `RunState.recap`: events that reproduce a state, for subscribers that join a run late.

extension RunState {
  /// A short sequence of events that folds to this state; empty before the first event.
  ///
  /// Contains a bounded number of events per step and the last lines of its output, regardless
  /// of the number of restarts, sorted by time. Takes linear time in the number of steps, apart
  /// from sorting.
  public var recap: [Event] {
    guard let run, let plan, let startedAt, let generationStartedAt, let phaseChangedAt else {
      return []
    }
    // What happened before the last generation started is reported as part of the one before.
    func event(_ time: Timestamp, _ kind: Event.Kind, by requester: Requester? = nil) -> Event {
      let isEarlier = generation > 1 && time < generationStartedAt
      return Event(
        time: time, run: run, generation: generation - (isEarlier ? 1 : 0), kind: kind,
        by: requester)
    }
    // Sort by time. At equal times, the step that failed first comes before the others.
    let positions = [firstFailure].compactMap(\.self) + steps.indices.filter { $0 != firstFailure }
    var changes = positions.flatMap { position in
      steps[position].recap.map { event($0.time, $0.kind, by: $0.by) }
    }
    // A restart can also wait for a run that was interrupted to be resumed.
    if phase == .restarting || restartedSteps != [] {
      changes.append(
        event(phaseChangedAt, .runRestarting(from: restartedSteps), by: phaseRequester))
    }
    switch phase {
    case .notStarted, .running, .restarting, .ended: break
    case .cancelling(let cause):
      changes.append(event(phaseChangedAt, .runCancelling(cause), by: phaseRequester))
    }
    for pause in pauses {
      changes.append(event(pause.start, .runPaused))
      changes.append(event(pause.end, .runUnpaused))
    }
    if let pause { changes.append(event(pause.time, .runPaused, by: pause.by)) }
    // The documentation does not guarantee that `sorted` is stable, so include the offset.
    changes = changes.enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    var events = [event(startedAt, .runStarted(plan))]
    if generation > 1 {
      events[0].generation = generation - 1
      let count = changes.prefix { $0.generation < generation }.count
      events += changes.prefix(count)
      // Reset nothing: the remaining results of earlier generations have been reported.
      events.append(
        event(generationStartedAt, .generationStarted(reset: []), by: generationRequester))
      changes.removeFirst(count)
    }
    events += changes
    if case .ended(let outcome) = phase {
      events.append(event(phaseChangedAt, .runEnded(outcome), by: phaseRequester))
    }
    return events
  }
}

extension StepState {
  fileprivate var recap: [(time: Timestamp, kind: Event.Kind, by: Requester?)] {
    var events: [(time: Timestamp, kind: Event.Kind, by: Requester?)] = []
    func add(
      _ time: Timestamp, _ event: Event.StepEvent, attempt number: Int? = nil, by: Requester? = nil
    ) {
      events.append((time, .step(id, attempt: number ?? attempt, event), by))
    }
    // Attempt 0, as in the original events: before the first start.
    if let waitingSince { add(waitingSince, .waiting, attempt: 0) }
    if phase == .waiting, let approval, let waitingSince {
      add(waitingSince, .awaitingApproval(approval), attempt: 0)
    }
    if let waitingSince {
      let last = interventions.last { if case .approved = $0.kind { true } else { false } }
      for intervention in interventions {
        guard case .approved(let question) = intervention.kind else { continue }
        let isAfterStart = startedAt.map { $0 < intervention.time } ?? false
        add(
          isAfterStart ? intervention.time : waitingSince, .awaitingApproval(question), attempt: 0)
        let values = intervention == last ? given : [:]
        add(intervention.time, .approved(values), attempt: 0, by: intervention.by)
      }
    }
    if let waitEnd, let waitingSince { add(waitingSince, .pausing(until: waitEnd), attempt: 0) }
    if let round, pendingRound == nil, let time = startedAt ?? waitingSince {
      // The rounds before the current one, as a whole.
      add(time, .started(), attempt: attempt &- 1)
      add(time, .repeating(round.previous, after: .zero), attempt: attempt &- 1)
    }
    if let wait = lastPoolWait { add(wait.since, .waitingForPool(wait.pool, text: wait.text)) }
    if let placement {
      add(placement.queuedAt, .queued(placement.place, text: placement.queuedBecause ?? ""))
    }
    if let startedAt, !isQueuedAgain { add(startedAt, .started(on: placement?.host)) }
    if let readyAt { add(readyAt, .ready(readyOutputs)) }
    if let text = placement?.outOfSightBecause, let startedAt { add(startedAt, .outOfSight(text)) }
    if let progress { add(progress.reportedAt, .progress(progress.part, progress.text)) }
    if let time = output.lastAt {
      for line in output.lines {
        add(time, .output(line.stream, text: line.text, isPartial: false))
      }
      if let partial = output.partial {
        add(time, .output(partial.stream, text: partial.text, isPartial: true))
      }
    }
    if phase == .running, let approval, let startedAt {
      add(output.lastAt ?? startedAt, .awaitingApproval(approval))
    }
    if let time = retry?.failedAt ?? endedAt ?? startedAt {
      for command in leftBehind { add(time, .leftBehind(command)) }
      if !written.isEmpty { add(time, .wrote(written)) }
    }
    if let pendingRound, let round {
      add(pendingRound.endedAt, .repeating(round.previous, after: pendingRound.delay))
    }
    if let retry { add(retry.failedAt, .retrying(retry.reason, after: retry.delay)) }
    if waitingSince != nil {
      for intervention in interventions where intervention.kind == .cancelled {
        add(intervention.time, .cancelling, by: intervention.by)
      }
    }
    guard let endedAt else { return events }
    switch phase {
    case .pending, .waiting, .running: break
    case .succeeded(let outputs): add(endedAt, .succeeded(outputs), by: setter)
    case .failed(let reason): add(endedAt, .failed(reason), by: interventions.last?.by)
    case .cancelled(let cause): add(endedAt, .cancelled(cause), by: interventions.last?.by)
    case .skipped(let reason, let outputs):
      add(endedAt, .skipped(reason, outputs), by: setter)
    }
    return events
  }

  /// Whether an attempt before the current one has started, but the current one has not.
  private var isQueuedAgain: Bool { phase == .waiting && placement?.queuedBecause != nil }

  /// Who set the result of the step by hand.
  private var setter: Requester? { isSetByHand ? interventions.last?.by : nil }
}

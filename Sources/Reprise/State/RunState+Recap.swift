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
    func event(_ time: Timestamp, _ kind: Event.Kind) -> Event {
      Event(time: time, run: run, generation: generation, kind: kind)
    }
    var events = [event(startedAt, .runStarted(plan))]
    if generation > 1 {
      // Reset nothing: the remaining results of earlier generations are reported below, as part of
      // this one.
      events[0].generation = generation - 1
      events.append(event(generationStartedAt, .generationStarted(reset: [])))
    }
    // Sort by time. At equal times, the step that failed first comes before the others.
    let positions = [firstFailure].compactMap(\.self) + steps.indices.filter { $0 != firstFailure }
    let stepEvents = positions.flatMap { position in
      steps[position].recap.map { event($0.time, $0.kind) }
    }
    // The documentation does not guarantee that `sorted` is stable, so include the offset.
    events += stepEvents.enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    switch phase {
    case .notStarted, .running: break
    case .restarting: events.append(event(phaseChangedAt, .runRestarting(from: nil)))
    case .cancelling(let cause): events.append(event(phaseChangedAt, .runCancelling(cause)))
    case .ended(let outcome): events.append(event(phaseChangedAt, .runEnded(outcome)))
    }
    return events
  }
}

extension StepState {
  fileprivate var recap: [(time: Timestamp, kind: Event.Kind)] {
    var events: [(time: Timestamp, kind: Event.Kind)] = []
    func add(_ time: Timestamp, _ event: Event.StepEvent) {
      events.append((time, .step(id, attempt: attempt, event)))
    }
    // Attempt 0, as in the original events: before the first start.
    if let readyAt { events.append((readyAt, .step(id, attempt: 0, .ready))) }
    if let approval, let readyAt {
      events.append((readyAt, .step(id, attempt: 0, .waiting(approval))))
    }
    if let startedAt { add(startedAt, .started) }
    if let progress { add(progress.reportedAt, .progress(progress.part, progress.text)) }
    if let time = output.lastAt {
      for line in output.lines {
        add(time, .output(line.stream, text: line.text, isPartial: false))
      }
      if let partial = output.partial {
        add(time, .output(partial.stream, text: partial.text, isPartial: true))
      }
    }
    if let retry { add(retry.failedAt, .retrying(retry.reason, after: retry.delay)) }
    guard let endedAt else { return events }
    switch phase {
    case .pending, .ready, .running: break
    case .succeeded(let outputs): add(endedAt, .succeeded(outputs))
    case .failed(let reason): add(endedAt, .failed(reason))
    case .cancelled(let cause): add(endedAt, .cancelled(cause))
    case .skipped(let reason, let outputs): add(endedAt, .skipped(reason, outputs))
    }
    return events
  }
}

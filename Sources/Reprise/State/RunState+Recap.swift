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
    func event(_ time: Timestamp, _ kind: Event.Kind) -> Event {
      let isEarlier = generation > 1 && time < generationStartedAt
      return Event(time: time, run: run, generation: generation - (isEarlier ? 1 : 0), kind: kind)
    }
    // Sort by time. At equal times, the step that failed first comes before the others.
    let positions = [firstFailure].compactMap(\.self) + steps.indices.filter { $0 != firstFailure }
    var changes = positions.flatMap { position in
      steps[position].recap.map { event($0.time, $0.kind) }
    }
    switch phase {
    case .notStarted, .running, .ended: break
    case .restarting: changes.append(event(phaseChangedAt, .runRestarting(from: nil)))
    case .cancelling(let cause): changes.append(event(phaseChangedAt, .runCancelling(cause)))
    }
    // The documentation does not guarantee that `sorted` is stable, so include the offset.
    changes = changes.enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    var events = [event(startedAt, .runStarted(plan))]
    if generation > 1 {
      events[0].generation = generation - 1
      let count = changes.prefix { $0.generation < generation }.count
      events += changes.prefix(count)
      // Reset nothing: the remaining results of earlier generations have been reported.
      events.append(event(generationStartedAt, .generationStarted(reset: [])))
      changes.removeFirst(count)
    }
    events += changes
    if case .ended(let outcome) = phase { events.append(event(phaseChangedAt, .runEnded(outcome))) }
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

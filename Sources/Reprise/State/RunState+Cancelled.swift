// The events with which a run that no engine drives any more ends as cancelled.

extension RunState {
  /// Returns the events that cancel a run whose engine has died; linear in the number of its steps.
  ///
  /// - Parameters:
  ///   - ends: The ends of the steps that went on without the engine and were stopped.
  ///   - run: The id of the run.
  ///   - time: The time of the events.
  ///   - requester: Who cancels the run.
  /// - Returns: The events, which are valid in this state.
  package func endAsCancelled(
    after ends: [Event] = [], of run: RunID, at time: Timestamp, by requester: Requester?
  ) -> [Event] {
    func event(_ kind: Event.Kind) -> Event {
      Event(time: time, run: run, generation: generation, kind: kind, by: requester)
    }
    let stopped = Set(
      ends.compactMap { if case .step(let id, _, _) = $0.kind { id } else { nil } })
    var events: [Event] = []
    if case .cancelling = phase {} else { events.append(event(.runCancelling(.request))) }
    events += ends
    for step in steps where !step.phase.isFinal && !stopped.contains(step.id) {
      let cause: CancellationCause = step.phase.isActive ? .interrupted : .request
      events.append(event(.step(step.id, attempt: step.attempt, .cancelled(cause))))
    }
    return events + [event(.runEnded(.cancelled))]
  }
}

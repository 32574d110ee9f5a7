// What happens to events that come while a run is under way: the choice, and the pipeline that each
// choice stands for. Knows neither where events come from nor what a run does.

import CombineOperators
public import WorkflowLanguage

/// What happens to an event that comes while a run is under way.
public enum WhenBusy: Sendable, Equatable {
  /// What happens to an event that finds the queue full; ``EventBuffer/FullPolicy/fail`` ends the runs with
  /// ``RunsError/queueIsFull``, after those for what waits.
  public typealias Full = EventBuffer.FullPolicy

  /// It waits for its turn, among so many at most; one run is under way at a time.
  case queue(limit: Int = 10, whenFull: Full = .dropOldest)
  /// The run is taken again in place: the same run, its next generation.
  case restart
  /// It is dropped.
  case ignore
  /// It starts a run beside the others, of which there are at most `limit`. Beyond that it waits, among at
  /// most `waiting`; any number when nil. While nothing limits what may wait, an element of an asynchronous
  /// sequence is not asked for before its run may begin.
  case parallel(limit: Int? = nil, waiting: Int? = nil, whenFull: Full = .dropOldest)
  /// It is not asked for: where events come from waits until a run may begin. For sources that can wait,
  /// such as a sequence; a subject loses what it sends meanwhile.
  case hold
}

/// Why there are no more runs.
public enum RunsError: Error {
  /// More events came than may wait.
  case queueIsFull
  /// The publisher of the events failed.
  case events(any Error)
}

/// How runs come of events.
package struct RunsPolicy<Event: Sendable>: Sendable {
  package var whenBusy: WhenBusy
  /// Told of each event that is dropped, in their order.
  package var onDrop: @Sendable (Event) -> Void
  /// Folds an event into an earlier one that waits to restart a run.
  package var fold: @Sendable (inout Event, Event) -> Void
  /// Starts the run of an event; nil when there is to be none.
  package var begin: @Sendable (Event) async -> Run?
  /// Gives an event to a run that is under way: whether that run now handles it.
  package var again: @Sendable (Run, Event) async -> Bool
  /// Whether events that are not asked for are kept by where they come from.
  var sourceWaits = false

  package init(
    whenBusy: WhenBusy, onDrop: @escaping @Sendable (Event) -> Void,
    fold: @escaping @Sendable (inout Event, Event) -> Void,
    begin: @escaping @Sendable (Event) async -> Run?,
    again: @escaping @Sendable (Run, Event) async -> Bool
  ) {
    self.whenBusy = whenBusy
    self.onDrop = onDrop
    self.fold = fold
    self.begin = begin
    self.again = again
  }
}

extension EventBuffer.FullPolicy {
  fileprivate var strategy: BufferFullStrategy<RunsError> {
    switch self {
    case .dropOldest: .dropOldest
    case .dropNewest: .dropNewest
    case .fail: .fail(.queueIsFull)
    }
  }
}

extension Publisher where Output: Sendable {
  /// The runs that the values of this publisher start.
  ///
  /// A subject, a bounded buffer, and a stage that asks for the next event when a run has ended.
  package func runs(_ policy: RunsPolicy<Output>) -> AnyPublisher<Run, RunsError> {
    let events = mapError(RunsError.events)
    switch policy.whenBusy {
    case .queue(let limit, let full):
      return events.buffer(limit: limit, whenFull: full.strategy, onDrop: policy.onDrop)
        .handled(by: policy, atOnce: .max(1))
    case .ignore:
      return events.buffer(limit: 0, whenFull: .dropNewest, onDrop: policy.onDrop)
        .handled(by: policy, atOnce: .max(1))
    case .parallel(let limit, let waiting, let full):
      let atOnce = limit.map { Subscribers.Demand.max($0) } ?? .unlimited
      if policy.sourceWaits, waiting == nil { return events.handled(by: policy, atOnce: atOnce) }
      return events.buffer(limit: waiting ?? .max, whenFull: full.strategy, onDrop: policy.onDrop)
        .handled(by: policy, atOnce: atOnce)
    case .hold:
      return events.handled(by: policy, atOnce: .max(1))
    case .restart:
      // Nothing waits for time here: what comes while an event is dealt with is folded.
      return events.debounce(
        for: .zero, now: { ContinuousClock.now }, sleep: { _ in }, fold: policy.fold
      ).handled(by: policy, atOnce: .max(1))
    }
  }
}

extension Publisher where Output: Sendable, Failure == RunsError {
  fileprivate func handled(
    by policy: RunsPolicy<Output>, atOnce maxRuns: Subscribers.Demand
  ) -> AnyPublisher<Run, RunsError> {
    RunsOnEvents(
      upstream: self,
      handling: EventHandling(
        maxRuns: maxRuns, begin: policy.begin,
        again: policy.whenBusy == .restart ? policy.again : nil)
    ).eraseToAnyPublisher()
  }
}

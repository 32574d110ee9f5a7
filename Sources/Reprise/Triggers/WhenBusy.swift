// What happens to events that arrive while a run is in progress: the options, and the pipeline for
// each.

import CombineOperators
public import Workflows

/// What happens to an event that arrives while a run is in progress.
public enum WhenBusy: Sendable, Equatable {
  /// What happens to an event that arrives when the queue is full.
  ///
  /// ``EventBuffer/FullPolicy/fail`` fails the publisher with ``RunsError/queueIsFull`` after the
  /// waiting events have been run.
  public typealias Full = EventBuffer.FullPolicy

  /// The event waits in a queue of at most `limit` events; one run is in progress at a time. See also
  /// ``queue()``.
  case queue(limit: Int, whenFull: Full)
  /// The event restarts the run in place: the same run, its next generation.
  case restart
  /// The event is dropped.
  case ignore
  /// The event starts a run in parallel, up to `limit` runs; further events wait.
  ///
  /// At most `waiting` events wait. See also ``parallel(limit:)``.
  case parallel(limit: Int?, waiting: Int?, whenFull: Full)
  /// The event is not requested from its source until a run may begin.
  ///
  /// For sources that can wait, such as a sequence; events that a subject sends in the meantime are
  /// lost.
  case hold

  /// The event waits in a queue without a limit, so that none is lost; one run is in progress at a time.
  ///
  /// Events that wait take memory: give a queue of a fast source a limit, and say what happens then.
  public static func queue() -> Self { .queue(limit: .max, whenFull: .fail) }

  /// The event starts a run in parallel, up to `limit` runs; further events wait, without a limit.
  ///
  /// The next element of an asynchronous sequence is requested only when its run may begin.
  ///
  /// - Parameter limit: The number of runs at a time; nil for no limit.
  /// - Returns: The policy.
  public static func parallel(limit: Int? = nil) -> Self {
    .parallel(limit: limit, waiting: nil, whenFull: .fail)
  }
}

/// The failure of a publisher of runs.
public enum RunsError: Error {
  /// An event arrived while the queue of waiting events was full.
  case queueIsFull
  /// The publisher of the events failed.
  case events(any Error)
}

/// How events start runs.
package struct RunsPolicy<Event: Sendable>: Sendable {
  package var whenBusy: WhenBusy
  /// Called with each dropped event, in order.
  package var onDrop: @Sendable (Event) -> Void
  /// Folds an event into an earlier one that is waiting to restart a run.
  package var fold: @Sendable (inout Event, Event) -> Void
  /// Starts the run of an event; returns nil to start none.
  package var begin: @Sendable (Event) async -> Run?
  /// Passes an event to a run in progress; returns whether that run handles it.
  package var restart: @Sendable (Run, Event) async -> Bool
  /// Whether the source keeps events that were not requested.
  var sourceWaits = false

  package init(
    whenBusy: WhenBusy, onDrop: @escaping @Sendable (Event) -> Void,
    fold: @escaping @Sendable (inout Event, Event) -> Void,
    begin: @escaping @Sendable (Event) async -> Run?,
    restart: @escaping @Sendable (Run, Event) async -> Bool
  ) {
    self.whenBusy = whenBusy
    self.onDrop = onDrop
    self.fold = fold
    self.begin = begin
    self.restart = restart
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
  /// Returns a publisher of the runs that the values of this publisher start.
  ///
  /// The pipeline is a subject, a bounded buffer, and a stage that requests the next event when a
  /// run has ended.
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
      // There is no delay here: events that arrive while another one is being handled are folded.
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
        restart: policy.whenBusy == .restart ? policy.restart : nil)
    ).eraseToAnyPublisher()
  }
}

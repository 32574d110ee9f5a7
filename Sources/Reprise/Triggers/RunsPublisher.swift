// The public publisher of the runs that events start.

public import CombineOperators

/// A publisher of the runs that events start; each subscription has its own runs.
///
/// Returned by ``Engine/runs(on:whenBusy:secrets:onDrop:workflow:)`` and its overloads, which
/// document its contract.
public struct RunsPublisher: Publisher {
  /// A run that begins.
  public typealias Output = Run
  /// The reason that no more runs begin.
  public typealias Failure = RunsError

  let base: AnyPublisher<Run, RunsError>

  /// Creates the publisher of given runs.
  package init(base: AnyPublisher<Run, RunsError>) {
    self.base = base
  }

  /// Attaches a subscriber; called by `subscribe(_:)`.
  ///
  /// - Parameter subscriber: The subscriber that receives the runs.
  public func receive<Downstream: Subscriber & SendableMetatype>(subscriber: Downstream)
  where Downstream.Input == Run, Downstream.Failure == RunsError {
    base.subscribe(subscriber)
  }

  /// The runs as an asynchronous sequence.
  ///
  /// Leaving a loop over it in any way cancels the subscription to the events and the runs in
  /// progress.
  public var values: CancellingAsyncPublisher<RunsPublisher> { CancellingAsyncPublisher(self) }
}

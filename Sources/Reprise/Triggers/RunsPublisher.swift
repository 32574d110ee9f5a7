// The publisher of the runs that events start, as embedders see it. Knows nothing of how events wait.

public import CombineOperators

/// The runs that events start: each subscription listens to the events and has runs of its own.
///
/// Made by ``Engine/runs(on:whenBusy:secrets:onDrop:workflow:)`` and its like, which say what it promises.
public struct RunsPublisher: Publisher {
  /// A run that begins.
  public typealias Output = Run
  /// Why no more runs begin.
  public typealias Failure = RunsError

  let base: AnyPublisher<Run, RunsError>

  /// Subscribes; called by `subscribe(_:)`.
  ///
  /// - Parameter subscriber: Who is to be told.
  public func receive<Downstream: Subscriber & SendableMetatype>(subscriber: Downstream)
  where Downstream.Input == Run, Downstream.Failure == RunsError {
    base.subscribe(subscriber)
  }

  /// The runs as an asynchronous sequence.
  ///
  /// Leaving a loop over it, in whatever way, cancels the events and the runs under way.
  public var values: CancellingAsyncPublisher<RunsPublisher> { CancellingAsyncPublisher(self) }
}

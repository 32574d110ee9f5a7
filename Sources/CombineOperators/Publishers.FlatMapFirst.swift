// Runs one publisher at a time, and ignores values while it runs.

public import ReactiveCore

extension Publisher {
  /// Creates a publisher from a value and publishes its values; values that arrive while it is
  /// running are dropped.
  ///
  /// The counterpart of `map(_:).switchToLatest()`, which cancels the running publisher: here the
  /// running one wins. RxJS calls it `exhaustMap`.
  ///
  ///     taps.flatMapFirst { engine.publisher(for: deploy) }   // a second tap starts no second run
  ///
  /// - Values: those of the created publishers, of which at most one is running.
  /// - Demand: this publisher gets unlimited demand; values that it drops cost downstream nothing.
  ///   Demand of downstream is passed on to the running publisher, and unmet demand to the next.
  /// - Completion: finishes when this publisher and the running one have finished. A failure of
  ///   either is delivered immediately and cancels the other.
  /// - Cancellation: cancels this publisher and the running one; nothing is delivered afterwards.
  /// - Threads: values are delivered serially on the threads of the publishers and of requests.
  ///   `transform` is called on the thread of this publisher, without a lock.
  /// - Complexity: constant for a value.
  ///
  /// - Parameter transform: Creates a publisher from a value. Not called for dropped values.
  /// - Returns: The publisher of their values.
  @preconcurrency public func flatMapFirst<Inner: Publisher>(
    _ transform: @escaping @Sendable (Output) -> Inner
  ) -> Publishers.FlatMapFirst<Self, Inner> where Inner.Failure == Failure {
    Publishers.FlatMapFirst(upstream: self, transform: transform)
  }
}

extension Publishers {
  /// A publisher that runs one created publisher at a time and drops values that arrive while it runs.
  ///
  /// See `Publisher.flatMapFirst(_:)` for its contract.
  public struct FlatMapFirst<Upstream: Publisher, Inner: Publisher>: Publisher
  where Upstream.Failure == Inner.Failure {
    /// A value of one of the created publishers.
    public typealias Output = Inner.Output
    /// The failure of the publishers.
    public typealias Failure = Upstream.Failure

    let upstream: Upstream
    let transform: (Upstream.Output) -> Inner

    /// Subscribes to upstream; called by `subscribe(_:)`.
    ///
    /// - Parameter subscriber: The subscriber that receives the values.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      upstream.runOne(.first, for: subscriber, transform)
    }
  }
}

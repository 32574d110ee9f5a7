// Runs the newest of the publishers that are created from values.

public import ReactiveCore

extension Publisher {
  /// Creates a publisher from each value, and publishes the values of the newest one.
  ///
  /// The counterpart of `flatMapFirst(_:)`: a value cancels the publisher of the one before. Like
  /// `map { … }.switchToLatest()`, but it holds no lock while it calls downstream.
  ///
  /// - Values: those of the newest publisher; a value of an earlier one that was not requested in time is
  ///   dropped with it.
  /// - Demand: this publisher gets unlimited demand; unmet demand is passed on to the newest publisher.
  /// - Completion: finishes when this publisher and the newest one have finished. A failure of either is
  ///   delivered immediately and cancels the other.
  /// - Cancellation: cancels this publisher and the newest one; nothing is delivered afterwards.
  /// - Threads: values are delivered serially on the threads of the publishers and of requests.
  ///   `transform` is called on the thread of this publisher, without a lock.
  /// - Complexity: constant for a value.
  ///
  /// - Parameter transform: Creates a publisher from a value.
  /// - Returns: The publisher of their values.
  @preconcurrency public func flatMapLatest<Inner: Publisher>(
    _ transform: @escaping @Sendable (Output) -> Inner
  ) -> Publishers.FlatMapLatest<Self, Inner> where Inner.Failure == Failure {
    Publishers.FlatMapLatest(upstream: self, transform: transform)
  }
}

extension Publishers {
  /// A publisher of the values of the newest of the publishers that it creates.
  ///
  /// See `Publisher.flatMapLatest(_:)` for its contract.
  public struct FlatMapLatest<Upstream: Publisher, Inner: Publisher>: Publisher
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
      upstream.runOne(.latest, for: subscriber, transform)
    }
  }
}

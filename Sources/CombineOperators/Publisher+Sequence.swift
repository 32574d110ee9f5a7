// The way from a publisher to an asynchronous sequence with a buffer. Knows nothing of the values.

public import CombineShim

extension Publisher where Output: Sendable, Failure == Never {
  /// The values as an asynchronous sequence that keeps what comes while nobody reads.
  ///
  /// Unlike `values`, which asks for one value each time somebody reads, it asks for everything at
  /// once and buffers, so that values of a subject are not lost.
  ///
  /// - Demand: unlimited, from the moment of the call.
  /// - Cancellation: cancels upstream when the reading task is cancelled or the sequence is dropped.
  ///
  /// - Parameter bufferingPolicy: What is kept when nobody reads.
  /// - Returns: The sequence; to be read once.
  public func sequence(
    bufferingPolicy: AsyncStream<Output>.Continuation.BufferingPolicy = .unbounded
  ) -> AsyncStream<Output> {
    AsyncStream(bufferingPolicy: bufferingPolicy) { continuation in
      let subscription = Carried(
        sink(
          receiveCompletion: { _ in continuation.finish() },
          receiveValue: { continuation.yield($0) }))
      continuation.onTermination = { _ in subscription.value.cancel() }
    }
  }
}

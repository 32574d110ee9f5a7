// Makes an asynchronous sequence with a buffer of a publisher.

public import CombineShim

extension Publisher where Output: Sendable, Failure == Never {
  /// The values as an asynchronous sequence that buffers them until they are read.
  ///
  /// Unlike `values`, which requests one value for each read, it requests everything at once and
  /// buffers, so that values of a subject are not lost.
  ///
  /// - Demand: unlimited, from the moment of the call.
  /// - Cancellation: cancels upstream when the reading task is cancelled or the sequence is dropped.
  ///
  /// - Parameter bufferingPolicy: What is kept while no value is being read.
  /// - Returns: The sequence, which can be read once.
  public func sequence(
    bufferingPolicy: AsyncStream<Output>.Continuation.BufferingPolicy = .unbounded
  ) -> AsyncStream<Output> {
    AsyncStream(bufferingPolicy: bufferingPolicy) { continuation in
      let subscription = UncheckedSendable(
        sink(
          receiveCompletion: { _ in continuation.finish() },
          receiveValue: { continuation.yield($0) }))
      continuation.onTermination = { _ in subscription.value.cancel() }
    }
  }
}

// Converts a publisher to a buffered asynchronous sequence.

public import CombineShim

extension Publisher where Output: Sendable, Failure == Never {
  /// Returns the values as an asynchronous sequence that buffers them until they are read.
  ///
  /// Unlike `values`, which requests one value for each read, this has unlimited demand and a
  /// buffer, so that values of a subject are not lost.
  ///
  /// - Demand: unlimited, from the time of the call.
  /// - Cancellation: cancels upstream when the reading task is cancelled or the sequence is
  ///   released.
  ///
  /// - Parameter bufferingPolicy: Which values are kept while none is being read.
  /// - Returns: The sequence, which can be iterated once.
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

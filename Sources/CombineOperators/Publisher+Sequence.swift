// Converts a publisher to a buffered asynchronous sequence.

public import ReactiveCore

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

extension Publisher where Output: Sendable {
  /// Returns the values of a publisher that may fail as an asynchronous sequence that buffers them.
  ///
  /// The contract is that of the overload for publishers that never fail. The sequence throws the
  /// failure after the values before it.
  ///
  /// - Parameter bufferingPolicy: Which values are kept while none is being read.
  /// - Returns: The sequence, which can be iterated once.
  public func throwingSequence(
    bufferingPolicy: AsyncThrowingStream<Output, any Error>.Continuation.BufferingPolicy =
      .unbounded
  ) -> AsyncThrowingStream<Output, any Error> {
    AsyncThrowingStream(bufferingPolicy: bufferingPolicy) { continuation in
      let subscription = UncheckedSendable(
        sink(
          receiveCompletion: { completion in
            if case .failure(let error) = completion {
              continuation.finish(throwing: error)
            } else {
              continuation.finish()
            }
          },
          receiveValue: { continuation.yield($0) }))
      continuation.onTermination = { _ in subscription.value.cancel() }
    }
  }
}

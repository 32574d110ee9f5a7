// A subscriber that handles values one at a time, asynchronously.

public import ReactiveCore

extension Publisher where Output: Sendable, Failure == Never {
  /// Calls an asynchronous closure with each value, and requests the next value when it has
  /// returned.
  ///
  /// - Demand: one value at a time. A publisher that ignores demand needs a `buffer` before this
  ///   operator.
  /// - Cancellation: cancels upstream and the task that handles a value.
  /// - Threads: each value is handled in its own task, never two at once.
  ///
  /// - Parameters:
  ///   - receiveCompletion: Called once when all values have been handled, but not after a
  ///     cancellation.
  ///   - receiveValue: Handles a value.
  /// - Returns: The subscription, which is cancelled when it is released.
  public func sinkOneByOne(
    receiveCompletion: @escaping @Sendable () -> Void = {},
    receiveValue: @escaping @Sendable (Output) async -> Void
  ) -> AnyCancellable {
    task(maxPublishers: .max(1), receiveValue)
      .sink(receiveCompletion: { _ in receiveCompletion() }, receiveValue: { _ in })
  }
}

extension Publisher where Output: Sendable {
  /// Calls an asynchronous closure with each value of a publisher that may fail.
  ///
  /// The contract is that of the overload for publishers that never fail. A failure is delivered
  /// when the value that is being handled has been handled.
  ///
  /// - Parameters:
  ///   - receiveCompletion: Called once when all values have been handled, but not after a
  ///     cancellation.
  ///   - receiveValue: Handles a value.
  /// - Returns: The subscription, which is cancelled when it is released.
  public func sinkOneByOne(
    receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Output) async -> Void
  ) -> AnyCancellable {
    // As a value, a failure waits for its turn; as a failure it would cancel the closure.
    map { Result<Output, Failure>.success($0) }
      .catch { Just(Result<Output, Failure>.failure($0)) }
      .map { UncheckedSendable($0) }
      .task(maxPublishers: .max(1)) { result -> Failure? in
        switch result.value {
        case .success(let value):
          await receiveValue(value)
          return nil
        case .failure(let failure): return failure
        }
      }
      .reduce(nil) { $1 ?? $0 }
      .sink { receiveCompletion($0.map { .failure($0) } ?? .finished) }
  }
}

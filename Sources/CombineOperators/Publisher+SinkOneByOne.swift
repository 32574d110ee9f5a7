// A subscriber that handles values one at a time, asynchronously.

public import CombineShim

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

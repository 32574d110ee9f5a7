// A subscriber that handles values one at a time, asynchronously.

public import CombineShim

extension Publisher where Output: Sendable, Failure == Never {
  /// Handles each value in an asynchronous closure, and requests the next one when that has returned.
  ///
  /// - Demand: one value at a time. A publisher that cannot wait needs a `buffer` before this.
  /// - Cancellation: cancels upstream and the task that handles a value.
  /// - Threads: each value is handled in a task of its own, never two at once.
  ///
  /// - Parameters:
  ///   - receiveCompletion: Called once when all values have been handled, but not after a cancel.
  ///   - receiveValue: What to do with a value.
  /// - Returns: The subscription, which is cancelled when it is released.
  public func sinkOneByOne(
    receiveCompletion: @escaping @Sendable () -> Void = {},
    receiveValue: @escaping @Sendable (Output) async -> Void
  ) -> AnyCancellable {
    task(maxPublishers: .max(1), receiveValue)
      .sink(receiveCompletion: { _ in receiveCompletion() }, receiveValue: { _ in })
  }
}

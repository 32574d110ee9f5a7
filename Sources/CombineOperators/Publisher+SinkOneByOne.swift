// A subscriber that handles values one at a time, asynchronously. Knows nothing of what it handles.

public import CombineShim

extension Publisher where Output: Sendable, Failure == Never {
  /// Handles each value in an asynchronous closure, and asks for the next one when that has ended.
  ///
  /// - Demand: one value at a time. A publisher that cannot wait needs a `buffer` before this.
  /// - Cancellation: cancels upstream and the task of the value that is being handled.
  /// - Threads: each value is handled in a task of its own, never two at once.
  ///
  /// - Parameters:
  ///   - receiveCompletion: Called once when all values have been handled, unless it was cancelled.
  ///   - receiveValue: What to do with a value.
  /// - Returns: What cancels it; it is cancelled when that is dropped.
  public func sinkOneByOne(
    receiveCompletion: @escaping @Sendable () -> Void = {},
    receiveValue: @escaping @Sendable (Output) async -> Void
  ) -> AnyCancellable {
    task(maxPublishers: .max(1), receiveValue)
      .sink(receiveCompletion: { _ in receiveCompletion() }, receiveValue: { _ in })
  }
}

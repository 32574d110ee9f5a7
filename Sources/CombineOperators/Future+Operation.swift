// Makes a `Future` of an asynchronous function.

public import CombineShim

extension Future where Output: Sendable, Failure == any Error {
  /// Makes a future of what an asynchronous function returns or throws.
  ///
  /// Like every `Future` it starts at once, not at the first subscription, replays its result to later
  /// subscribers, and continues when all subscribers have left. For work that starts with its
  /// subscription and ends with its cancellation, use `Just(()).task { … }`.
  ///
  /// - Parameter operation: What to do; it runs in a task of its own.
  public convenience init(operation: @escaping @Sendable () async throws -> Output) {
    self.init { promise in
      let promise = UncheckedSendable(promise)
      Task {
        do {
          promise.value(.success(try await operation()))
        } catch {
          promise.value(.failure(error))
        }
      }
    }
  }
}

extension Future where Output: Sendable, Failure == Never {
  /// Makes a future of what an asynchronous function returns.
  ///
  /// Like every `Future` it starts at once and continues when all subscribers have left.
  ///
  /// - Parameter operation: What to do; it runs in a task of its own.
  public convenience init(operation: @escaping @Sendable () async -> Output) {
    self.init { promise in
      let promise = UncheckedSendable(promise)
      Task { promise.value(.success(await operation())) }
    }
  }
}

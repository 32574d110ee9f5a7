// The way from an asynchronous function to a `Future`. Knows nothing of what the function does.

public import CombineShim

extension Future where Output: Sendable, Failure == any Error {
  /// Makes a future of what an asynchronous function returns or throws.
  ///
  /// Like every `Future` it starts at once, not at the first subscription, repeats its result for
  /// whoever subscribes later, and goes on when nobody listens any more. Where it should start with
  /// its subscription and end with its cancellation, use `Just(()).task { … }`.
  ///
  /// - Parameter operation: What to do; it runs in a task of its own.
  public convenience init(operation: @escaping @Sendable () async throws -> Output) {
    self.init { promise in
      let promise = Carried(promise)
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
  /// It starts at once and goes on when nobody listens any more, like every `Future`.
  ///
  /// - Parameter operation: What to do; it runs in a task of its own.
  public convenience init(operation: @escaping @Sendable () async -> Output) {
    self.init { promise in
      let promise = Carried(promise)
      Task { promise.value(.success(await operation())) }
    }
  }
}

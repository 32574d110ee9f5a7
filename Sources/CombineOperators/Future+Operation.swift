// Creates a `Future` from an asynchronous function.

public import ReactiveCore

extension Future where Output: Sendable, Failure == any Error {
  /// Creates a future from an asynchronous function that may throw.
  ///
  /// Like every `Future` it starts immediately, not at the first subscription, replays its result
  /// to later subscribers, and continues after all subscribers have cancelled. For work that starts
  /// with its subscription and ends with its cancellation, use `Just(()).task { … }`.
  ///
  /// - Parameter operation: The function; it runs in a new task.
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
  /// Creates a future from an asynchronous function.
  ///
  /// Like every `Future` it starts immediately and continues after all subscribers have cancelled.
  ///
  /// - Parameter operation: The function; it runs in a new task.
  public convenience init(operation: @escaping @Sendable () async -> Output) {
    self.init { promise in
      let promise = UncheckedSendable(promise)
      Task { promise.value(.success(await operation())) }
    }
  }
}

extension Future where Output: Sendable {
  /// Creates a future from an asynchronous function that throws errors of one type.
  ///
  /// Like every `Future` it starts immediately and continues after all subscribers have cancelled.
  ///
  /// - Parameter operation: The function; it runs in a new task.
  public convenience init(
    typed operation: @escaping @Sendable () async throws(Failure) -> Output
  ) {
    self.init { promise in
      let promise = UncheckedSendable(promise)
      Task {
        do throws(Failure) {
          promise.value(.success(try await operation()))
        } catch {
          promise.value(.failure(error))
        }
      }
    }
  }
}

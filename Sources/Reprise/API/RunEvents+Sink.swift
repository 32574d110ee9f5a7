// Subscribing to a run with closures that run on its queue, checked for data races.

public import CombineOperators

extension RunEvents {
  /// Calls a closure with each event, on the run's own queue.
  ///
  /// This overload of Combine's `sink` requires a `@Sendable` closure: a closure that uses the state of
  /// the main actor, which would be a data race, is a compiler error. Use `values` there.
  ///
  /// - Parameter receiveValue: Called with one event at a time.
  /// - Returns: The subscription; releasing it ends the calls.
  public func sink(receiveValue: @escaping @Sendable (Event) -> Void) -> AnyCancellable {
    subscription(receiveCompletion: { _ in }, receiveValue: receiveValue)
  }

  /// Calls a closure with each event, and another one at the end, on the run's own queue.
  ///
  /// - Parameters:
  ///   - receiveCompletion: Called once, after the last event.
  ///   - receiveValue: Called with one event at a time.
  /// - Returns: The subscription; releasing it ends the calls.
  public func sink(
    receiveCompletion: @escaping @Sendable (Subscribers.Completion<Never>) -> Void,
    receiveValue: @escaping @Sendable (Event) -> Void
  ) -> AnyCancellable {
    subscription(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
  }
}

extension RunStates {
  /// Calls a closure with each state, on the run's own queue.
  ///
  /// This overload of Combine's `sink` requires a `@Sendable` closure: a closure that uses the state of
  /// the main actor, which would be a data race, is a compiler error. Use `values` there.
  ///
  /// - Parameter receiveValue: Called with one state at a time.
  /// - Returns: The subscription; releasing it ends the calls.
  public func sink(receiveValue: @escaping @Sendable (RunState) -> Void) -> AnyCancellable {
    subscription(receiveCompletion: { _ in }, receiveValue: receiveValue)
  }
}

extension RunChanges {
  /// Calls a closure with each change, on the run's own queue.
  ///
  /// This overload of Combine's `sink` requires a `@Sendable` closure: a closure that uses the state of
  /// the main actor, which would be a data race, is a compiler error. Use `values` there.
  ///
  /// - Parameter receiveValue: Called with one change at a time.
  /// - Returns: The subscription; releasing it ends the calls.
  public func sink(receiveValue: @escaping @Sendable (RunChange) -> Void) -> AnyCancellable {
    subscription(receiveCompletion: { _ in }, receiveValue: receiveValue)
  }
}

extension Publisher where Failure == Never {
  /// Subscribes by Combine's own `sink`, which the overloads above hide.
  fileprivate func subscription(
    receiveCompletion: @escaping @Sendable (Subscribers.Completion<Never>) -> Void,
    receiveValue: @escaping @Sendable (Output) -> Void
  ) -> AnyCancellable {
    sink(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
  }
}

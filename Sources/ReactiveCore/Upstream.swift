// One upstream of an operator, and the effects that an operator performs after it has released its
// lock.

/// An effect that must be performed outside of a lock, because it may call back.
package enum Effect {
  case none
  /// Requests values from an upstream.
  case request(any Subscription, Subscribers.Demand)
  /// Cancels an upstream.
  case cancel(any Subscription)
  /// Releases a value, whose deinitializer may call back.
  case release(Any)
  /// Calls a closure.
  case run(() -> Void)
  /// Performs several effects, in order.
  case all([Effect])

  /// Performs the effect; must not be called under a lock.
  package func perform() {
    switch self {
    case .none, .release: break
    case .request(let subscription, let demand): subscription.request(demand)
    case .cancel(let subscription): subscription.cancel()
    case .run(let action): action()
    case .all(let effects): for effect in effects { effect.perform() }
    }
  }
}

/// The subscription to one upstream, and the demand before it arrives.
package struct Upstream {
  private enum State {
    /// The subscription has not arrived; the associated value is the demand until now.
    case pending(Subscribers.Demand)
    case subscribed(any Subscription)
    /// The upstream has completed.
    case ended
  }

  private var state: State

  /// Creates an upstream that has not been subscribed to.
  ///
  /// - Parameter demand: The demand to request as soon as the subscription arrives.
  package init(requesting demand: Subscribers.Demand = .none) {
    state = .pending(demand)
  }

  /// Whether the upstream has completed.
  package var isEnded: Bool {
    if case .ended = state { true } else { false }
  }

  /// Stores the subscription; a second one is cancelled.
  package mutating func receive(_ subscription: any Subscription) -> Effect {
    guard case .pending(let demand) = state else { return .cancel(subscription) }
    state = .subscribed(subscription)
    return demand > .none ? .request(subscription, demand) : .none
  }

  /// Requests values, now or when the subscription arrives.
  package mutating func request(_ demand: Subscribers.Demand) -> Effect {
    guard demand > .none else { return .none }
    switch state {
    case .pending(let earlier): state = .pending(earlier + demand)
    case .subscribed(let subscription): return .request(subscription, demand)
    case .ended: break
    }
    return .none
  }

  /// Records that the upstream has completed.
  package mutating func end() -> Effect {
    defer { state = .ended }
    if case .subscribed(let subscription) = state { return .release(subscription) }
    return .none
  }

  /// Cancels the subscription and records the end.
  package mutating func cancel() -> Effect {
    defer { state = .ended }
    if case .subscribed(let subscription) = state { return .cancel(subscription) }
    return .none
  }
}

/// Subscribes an operator to one upstream, as three closures.
///
/// Its `receive(_:)` always returns no demand: operators request values through ``Upstream``.
package final class Inlet<Input, Failure: Error>: Subscriber {
  private let onSubscription: (any Subscription) -> Void
  private let onValue: (Input) -> Void
  private let onCompletion: (Subscribers.Completion<Failure>) -> Void

  /// Creates a subscriber that calls closures.
  package init(
    onSubscription: @escaping (any Subscription) -> Void, onValue: @escaping (Input) -> Void,
    onCompletion: @escaping (Subscribers.Completion<Failure>) -> Void
  ) {
    self.onSubscription = onSubscription
    self.onValue = onValue
    self.onCompletion = onCompletion
  }

  /// Calls the closure for the subscription.
  package func receive(subscription: any Subscription) { onSubscription(subscription) }

  /// Calls the closure for values.
  package func receive(_ input: Input) -> Subscribers.Demand {
    onValue(input)
    return .none
  }

  /// Calls the closure for the completion.
  package func receive(completion: Subscribers.Completion<Failure>) { onCompletion(completion) }
}

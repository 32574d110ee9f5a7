// The ends of a chain: closures, and properties.

#if !canImport(Combine)

extension Subscribers {
  /// Requests all values, and calls closures with them and with the completion.
  public final class Sink<Input, Failure: Error>: Subscriber, Cancellable, Sendable {
    /// Called with each value.
    public let receiveValue: @Sendable (Input) -> Void
    /// Called with the completion.
    public let receiveCompletion: @Sendable (Subscribers.Completion<Failure>) -> Void
    private let upstream = Locked(Upstream(requesting: .unlimited))

    /// Creates a subscriber that calls closures.
    @preconcurrency public init(
      receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void,
      receiveValue: @escaping @Sendable (Input) -> Void
    ) {
      self.receiveCompletion = receiveCompletion
      self.receiveValue = receiveValue
    }

    /// Requests all values.
    public func receive(subscription: any Subscription) {
      upstream.withLock { $0.receive(subscription) }.perform()
    }

    /// Calls the closure for values.
    public func receive(_ value: Input) -> Subscribers.Demand {
      receiveValue(value)
      return .none
    }

    /// Calls the closure for the completion.
    public func receive(completion: Subscribers.Completion<Failure>) {
      upstream.withLock { $0.end() }.perform()
      receiveCompletion(completion)
    }

    /// Ends the subscription.
    public func cancel() { upstream.withLock { $0.cancel() }.perform() }
  }
}

extension Publisher {
  /// Requests all values, and calls a closure with each, and another one with the completion.
  ///
  /// The closures may be called on any thread, so they are `@Sendable`: the compiler warns about
  /// variables and isolated state that they share with other threads.
  ///
  /// - Parameters:
  ///   - receiveCompletion: Called with the completion.
  ///   - receiveValue: Called with each value.
  /// - Returns: The subscription; releasing it ends the calls.
  @preconcurrency public func sink(
    receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Output) -> Void
  ) -> AnyCancellable {
    let sink = Subscribers.Sink<Output, Failure>(
      receiveCompletion: receiveCompletion, receiveValue: receiveValue)
    subscribe(sink)
    return AnyCancellable(sink)
  }
}

extension Publisher where Failure == Never {
  /// Requests all values, and calls a closure with each.
  @preconcurrency public func sink(
    receiveValue: @escaping @Sendable (Output) -> Void
  ) -> AnyCancellable {
    sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
  }

  /// Assigns each value to a property of an object, which the subscription retains.
  public func assign<Root>(
    to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root
  ) -> AnyCancellable {
    let assign = Subscribers.Assign(object: object, keyPath: keyPath)
    subscribe(assign)
    return AnyCancellable(assign)
  }
}

extension Subscribers {
  /// Requests all values, and assigns each to a property of an object.
  public final class Assign<Root, Input>: Subscriber, Cancellable {
    /// The subscriber requires a publisher that cannot fail.
    public typealias Failure = Never

    /// The property.
    public let keyPath: ReferenceWritableKeyPath<Root, Input>
    private let root: Locked<Root?>
    private let upstream = Locked(Upstream(requesting: .unlimited))

    /// The object; nil after the end.
    public var object: Root? { root.withLock { $0 } }

    /// Creates a subscriber that assigns values to a property.
    public init(object: Root, keyPath: ReferenceWritableKeyPath<Root, Input>) {
      root = Locked(object)
      self.keyPath = keyPath
    }

    /// Requests all values.
    public func receive(subscription: any Subscription) {
      upstream.withLock { $0.receive(subscription) }.perform()
    }

    /// Assigns a value.
    public func receive(_ value: Input) -> Subscribers.Demand {
      object?[keyPath: keyPath] = value
      return .none
    }

    /// Releases the object.
    public func receive(completion: Subscribers.Completion<Never>) {
      upstream.withLock { $0.end() }.perform()
      _ = root.withLock { $0.take() }
    }

    /// Ends the subscription, and releases the object.
    public func cancel() {
      upstream.withLock { $0.cancel() }.perform()
      _ = root.withLock { $0.take() }
    }
  }
}

#endif

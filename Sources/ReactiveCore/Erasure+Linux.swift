// Publishers and subscribers whose type says only what they publish and receive.

#if !canImport(Combine)

/// A publisher of any type.
public struct AnyPublisher<Output, Failure: Error>: Publisher, Sendable, CustomStringConvertible {
  // Publishers may be subscribed to on any thread; see `UncheckedSendable`.
  private let base: UncheckedSendable<any Publisher<Output, Failure>>

  /// Erases the type of a publisher.
  public init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
    self = publisher as? AnyPublisher ?? AnyPublisher(base: publisher)
  }

  private init(base: any Publisher<Output, Failure>) {
    self.base = UncheckedSendable(base)
  }

  /// Attaches a subscriber; called by `subscribe(_:)`.
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    base.value.receive(subscriber: subscriber)
  }

  /// The name of the type.
  public var description: String { "AnyPublisher" }
}

extension Publisher {
  /// Erases the type of this publisher.
  public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher(self) }
}

/// A subscriber of any type, or one of closures.
public struct AnySubscriber<Input, Failure: Error>: Subscriber, CustomStringConvertible {
  /// The identity of the subscriber.
  public let combineIdentifier: CombineIdentifier
  private let base: any Subscriber<Input, Failure>

  /// Erases the type of a subscriber.
  public init<S: Subscriber>(_ subscriber: S) where S.Input == Input, S.Failure == Failure {
    combineIdentifier = subscriber.combineIdentifier
    base = subscriber
  }

  /// Creates a subscriber that sends what it receives to a subject.
  public init<S: Subject>(_ subject: S) where S.Output == Input, S.Failure == Failure {
    self.init(SubjectSender(subject))
  }

  /// Creates a subscriber that calls closures.
  public init(
    receiveSubscription: ((any Subscription) -> Void)? = nil,
    receiveValue: ((Input) -> Subscribers.Demand)? = nil,
    receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil
  ) {
    self.init(
      ClosureSubscriber(
        onSubscription: receiveSubscription ?? { _ in },
        onValue: receiveValue ?? { _ in .none },
        onCompletion: receiveCompletion ?? { _ in }))
  }

  /// Passes the subscription on.
  public func receive(subscription: any Subscription) { base.receive(subscription: subscription) }

  /// Passes a value on.
  public func receive(_ value: Input) -> Subscribers.Demand { base.receive(value) }

  /// Passes the completion on.
  public func receive(completion: Subscribers.Completion<Failure>) {
    base.receive(completion: completion)
  }

  /// The name of the type.
  public var description: String { "AnySubscriber" }
}

/// A subscriber that calls closures.
private struct ClosureSubscriber<Input, Failure: Error>: Subscriber {
  let combineIdentifier = CombineIdentifier()
  let onSubscription: (any Subscription) -> Void
  let onValue: (Input) -> Subscribers.Demand
  let onCompletion: (Subscribers.Completion<Failure>) -> Void

  func receive(subscription: any Subscription) { onSubscription(subscription) }
  func receive(_ input: Input) -> Subscribers.Demand { onValue(input) }
  func receive(completion: Subscribers.Completion<Failure>) { onCompletion(completion) }
}

#endif

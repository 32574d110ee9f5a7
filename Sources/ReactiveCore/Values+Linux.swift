// Publishers of values that are known, or of none.

#if !canImport(Combine)

/// Publishes one value, and finishes.
public struct Just<Output>: Publisher {
  /// It cannot fail.
  public typealias Failure = Never

  /// The value.
  public let output: Output

  /// Creates a publisher of a value.
  public init(_ output: Output) { self.output = output }

  /// Attaches a subscriber; called by `subscribe(_:)`.
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Never {
    subscriber.receive(subscription: Delivery(output, to: subscriber.makeOutlet()))
  }

  /// Delivers the value with the first request.
  private final class Delivery: Subscription, Sendable {
    // Used by one thread, which has taken the subscriber.
    private let output: UncheckedSendable<Output>
    private let downstream: Locked<AnyObject?>
    private let isCancelled = Locked(false)

    init(_ output: Output, to downstream: Outlet<Output, Never>) {
      self.output = UncheckedSendable(output)
      self.downstream = Locked(downstream)
    }

    func request(_ demand: Subscribers.Demand) {
      guard demand > .none, let object = downstream.withLock({ $0.take() }) else { return }
      let downstream = MemberList.typed(object, as: Outlet<Output, Never>.self)
      _ = downstream.receive(output.value)
      if !isCancelled.withLock({ $0 }) { downstream.receive(completion: .finished) }
    }

    func cancel() {
      isCancelled.withLock { $0 = true }
      _ = downstream.withLock { $0.take() }
    }
  }
}

extension Just: Sendable where Output: Sendable {}
extension Just: Equatable where Output: Equatable {}

/// Publishes nothing, and finishes immediately or never.
public struct Empty<Output, Failure: Error>: Publisher, Equatable, Sendable {
  /// Whether it finishes immediately.
  public let completeImmediately: Bool

  /// Creates a publisher without values.
  public init(completeImmediately: Bool = true) {
    self.completeImmediately = completeImmediately
  }

  /// Creates a publisher without values.
  public init(
    completeImmediately: Bool = true, outputType: Output.Type, failureType: Failure.Type
  ) {
    self.init(completeImmediately: completeImmediately)
  }

  /// Attaches a subscriber; called by `subscribe(_:)`.
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    subscriber.receive(subscription: Subscriptions.empty)
    if completeImmediately { subscriber.receive(completion: .finished) }
  }
}

/// Fails immediately.
public struct Fail<Output, Failure: Error>: Publisher, Sendable {
  /// The failure.
  public let error: Failure

  /// Creates a publisher that fails.
  public init(error: Failure) { self.error = error }

  /// Creates a publisher that fails.
  public init(outputType: Output.Type, failure: Failure) { self.init(error: failure) }

  /// Attaches a subscriber; called by `subscribe(_:)`.
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    subscriber.receive(subscription: Subscriptions.empty)
    subscriber.receive(completion: .failure(error))
  }
}

extension Fail: Equatable where Failure: Equatable {}

/// Creates a publisher for each subscriber.
public struct Deferred<DeferredPublisher: Publisher>: Publisher, Sendable {
  /// A value of the created publishers.
  public typealias Output = DeferredPublisher.Output
  /// The failure of the created publishers.
  public typealias Failure = DeferredPublisher.Failure

  /// Creates a publisher.
  public let createPublisher: @Sendable () -> DeferredPublisher

  /// Creates a publisher that calls a closure for each subscriber.
  @preconcurrency public init(createPublisher: @escaping @Sendable () -> DeferredPublisher) {
    self.createPublisher = createPublisher
  }

  /// Attaches a subscriber; called by `subscribe(_:)`.
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    createPublisher().subscribe(subscriber)
  }
}

extension Optional {
  /// A publisher of the value, if there is one.
  public var publisher: Publisher { Publisher(self) }

  /// Publishes the value of an optional, if there is one, and finishes.
  public struct Publisher: ReactiveCore.Publisher {
    /// The value of the optional.
    public typealias Output = Wrapped
    /// It cannot fail.
    public typealias Failure = Never

    /// The optional value.
    public let output: Wrapped?

    /// Creates a publisher of an optional value.
    public init(_ output: Wrapped?) { self.output = output }

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Never {
      guard let output else { return Empty().receive(subscriber: subscriber) }
      Just(output).receive(subscriber: subscriber)
    }
  }
}

extension Optional.Publisher: Sendable where Wrapped: Sendable {}

extension Result {
  /// A publisher of the value, or of the failure.
  public var publisher: Publisher { Publisher(self) }

  /// Publishes the value of a result and finishes, or fails with its error.
  public struct Publisher: ReactiveCore.Publisher {
    /// The value of the result.
    public typealias Output = Success

    /// The result.
    public let result: Result

    /// Creates a publisher of a result.
    public init(_ result: Result) { self.result = result }

    /// Creates a publisher of a value.
    public init(_ output: Success) { self.init(.success(output)) }

    /// Creates a publisher that fails.
    public init(_ failure: Failure) { self.init(.failure(failure)) }

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let subscription = OneValue(result, for: subscriber)
      subscriber.receive(subscription: subscription)
      // A failure needs no request.
      subscription.fulfill(result)
    }
  }
}

extension Result.Publisher: Sendable where Success: Sendable {}

/// Publishes recorded values, and a recorded completion.
public struct Record<Output, Failure: Error>: Publisher {
  /// The recorded values and completion.
  public struct Recording {
    /// The values.
    public private(set) var output: [Output]
    /// The completion.
    public private(set) var completion: Subscribers.Completion<Failure>

    /// Creates a recording.
    public init(output: [Output] = [], completion: Subscribers.Completion<Failure> = .finished) {
      self.output = output
      self.completion = completion
    }

    /// Records a value.
    public mutating func receive(_ input: Output) { output.append(input) }

    /// Records the completion.
    public mutating func receive(completion: Subscribers.Completion<Failure>) {
      self.completion = completion
    }
  }

  /// The recorded values and completion.
  public let recording: Recording

  /// Creates a publisher of a recording.
  public init(recording: Recording) { self.recording = recording }

  /// Creates a publisher of values and a completion.
  public init(output: [Output], completion: Subscribers.Completion<Failure>) {
    self.init(recording: Recording(output: output, completion: completion))
  }

  /// Creates a publisher of what a closure records.
  public init(record: (inout Recording) -> Void) {
    var recording = Recording()
    record(&recording)
    self.init(recording: recording)
  }

  /// Attaches a subscriber; called by `subscribe(_:)`.
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    SequenceSubscription.start(recording.output, recording.completion, for: subscriber)
  }
}

#endif

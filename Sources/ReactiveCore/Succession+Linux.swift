// Operators that continue with another publisher when one has ended.

#if !canImport(Combine)

/// How a succession goes on after the end of a publisher.
enum Continuation<Next: Publisher> {
  case end(Subscribers.Completion<Next.Failure>)
  case subscribe(Next)
}

extension Publishers {
  /// Publishes the values of a publisher, and then those of what follows it.
  ///
  /// All operators of this kind are one type; their names in Combine are aliases.
  public struct Succession<First: Publisher, Next: Publisher>: Publisher
  where First.Output == Next.Output {
    /// A value of one of the publishers.
    public typealias Output = First.Output
    /// The failure of the last publisher.
    public typealias Failure = Next.Failure

    let first: First
    /// Makes the functions of a subscription, which may have state of their own.
    let start: @Sendable () -> Rules

    struct Rules {
      /// Called with each value of the first publisher.
      var onValue: () -> Void = {}
      /// What follows the first publisher.
      var afterFirst: (Subscribers.Completion<First.Failure>) -> Continuation<Next>
      /// What follows a later one.
      var afterNext: (Subscribers.Completion<Failure>) -> Continuation<Next> = { .end($0) }
    }

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let operation = OperatorSubscription(SuccessionMachine<Next>(), for: subscriber)
      let rules = start()
      let advancing = DrainLoop()
      first.subscribe(
        Inlet(
          onSubscription: { operation.open(with: $0) { $0.current.receive($1) } },
          onValue: { value in
            rules.onValue()
            operation.pass(value) {
              $0.passes()
            } else: {
              $0.receive(value)
            }
          },
          onCompletion: {
            Self.advance(operation, advancing, rules, by: rules.afterFirst($0))
          }))
      operation.open()
    }

    /// Ends, or subscribes to the next publisher, without recursion if that ends immediately.
    private static func advance(
      _ operation: OperatorSubscription<SuccessionMachine<Next>>, _ advancing: DrainLoop,
      _ rules: Rules, by continuation: Continuation<Next>
    ) {
      operation.update { $0.advance(by: continuation) }
      advancing.run {
        guard let next = operation.change({ $0.takeNext() }) ?? nil else { return false }
        next.subscribe(
          Inlet(
            onSubscription: { operation.receive($0) { $0.current.receive($1) } },
            onValue: { value in
              operation.pass(value) {
                $0.passes()
              } else: {
                $0.receive(value)
              }
            },
            onCompletion: { advance(operation, advancing, rules, by: rules.afterNext($0)) }))
        return true
      }
    }
  }

  /// Publishes the values of a publisher after those of another one.
  public typealias Concatenate<Prefix: Publisher, Suffix: Publisher> = Succession<Prefix, Suffix>
  where Prefix.Output == Suffix.Output, Prefix.Failure == Suffix.Failure
  /// Continues with another publisher after a failure.
  public typealias Catch<Upstream: Publisher, NewPublisher: Publisher> = Succession<
    Upstream, NewPublisher
  > where Upstream.Output == NewPublisher.Output
  /// Like `Catch`, and fails when making the other publisher throws.
  public typealias TryCatch<Upstream: Publisher, NewPublisher: Publisher> = Succession<
    Upstream, MapError<NewPublisher, any Error>
  > where Upstream.Output == NewPublisher.Output
  /// Subscribes again after a failure.
  public typealias Retry<Upstream: Publisher> = Succession<Upstream, Upstream>
  /// Publishes a value in place of a failure.
  public typealias ReplaceError<Upstream: Publisher> = Succession<Upstream, Just<Upstream.Output>>
  /// Publishes a value if there is none.
  public typealias ReplaceEmpty<Upstream: Publisher> = Succession<
    Upstream, SetFailureType<Just<Upstream.Output>, Upstream.Failure>
  >
}

extension Publishers.Succession: Sendable where First: Sendable {}

/// The state machine of one publisher after another.
private struct SuccessionMachine<Next: Publisher>: OperatorMachine {
  typealias Output = Next.Output
  typealias Failure = Next.Failure

  var current = Upstream()
  private var next: Next?
  private var values = Queue<Output>()
  /// The demand that no publisher has met yet.
  private var open = Subscribers.Demand.none
  private var completion: Subscribers.Completion<Failure>?

  mutating func request(_ demand: Subscribers.Demand) -> Effect {
    open += demand
    return current.request(demand)
  }

  mutating func receive(_ value: Output) -> Effect {
    guard completion == nil, !current.isEnded else { return .none }
    open -= 1
    values.append(value)
    return .none
  }

  /// Whether a value may pass without the queue, and the effect after it.
  mutating func passes() -> Effect? {
    guard values.isEmpty, completion == nil, !current.isEnded else { return nil }
    open -= 1
    return Effect.none
  }

  mutating func advance(by continuation: Continuation<Next>) -> Effect {
    guard completion == nil, !current.isEnded else { return .none }
    switch continuation {
    case .end(let completion): self.completion = completion
    case .subscribe(let publisher): next = publisher
    }
    return current.end()
  }

  mutating func takeNext() -> Next? {
    guard let publisher = next.take() else { return nil }
    current = Upstream(requesting: open)
    return publisher
  }

  mutating func next(hasDemand: Bool) -> Signal<Output, Failure> {
    if hasDemand, let value = values.popFirst() { return .value(value) }
    guard let completion, values.isEmpty else { return .nothing }
    return .completion(completion)
  }

  func cancel() {
    var current = current
    current.cancel().perform()
  }
}

extension Publisher {
  /// Creates an operator that continues with another publisher.
  private func succession<Next: Publisher>(
    _ afterFirst: @escaping @Sendable (Subscribers.Completion<Failure>) -> Continuation<Next>
  ) -> Publishers.Succession<Self, Next> where Next.Output == Output {
    Publishers.Succession(first: self) { .init(afterFirst: afterFirst) }
  }

  /// Publishes the values of another publisher after those of this one.
  public func append<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<Self, P>
  where P.Output == Output, P.Failure == Failure {
    let publisher = UncheckedSendable(publisher)
    return succession { completion in
      if case .failure = completion { return .end(completion) }
      return .subscribe(publisher.value)
    }
  }

  /// Publishes elements after the values of this publisher.
  public func append<S: Sequence>(
    _ elements: S
  ) -> Publishers.Concatenate<Self, Publishers.Sequence<S, Failure>> where S.Element == Output {
    append(Publishers.Sequence(sequence: elements))
  }

  /// Publishes elements after the values of this publisher.
  public func append(
    _ elements: Output...
  ) -> Publishers.Concatenate<Self, Publishers.Sequence<[Output], Failure>> { append(elements) }

  /// Publishes the values of another publisher before those of this one.
  public func prepend<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<P, Self>
  where P.Output == Output, P.Failure == Failure {
    publisher.append(self)
  }

  /// Publishes elements before the values of this publisher.
  public func prepend<S: Sequence>(
    _ elements: S
  ) -> Publishers.Concatenate<Publishers.Sequence<S, Failure>, Self> where S.Element == Output {
    prepend(Publishers.Sequence(sequence: elements))
  }

  /// Publishes elements before the values of this publisher.
  public func prepend(
    _ elements: Output...
  ) -> Publishers.Concatenate<Publishers.Sequence<[Output], Failure>, Self> { prepend(elements) }

  /// Continues with another publisher after a failure.
  @preconcurrency public func `catch`<P: Publisher>(
    _ handler: @escaping @Sendable (Failure) -> P
  ) -> Publishers.Catch<Self, P> where P.Output == Output {
    succession { completion in
      switch completion {
      case .finished: .end(.finished)
      case .failure(let error): .subscribe(handler(error))
      }
    }
  }

  /// Like `catch(_:)`, and fails when the closure throws.
  @preconcurrency public func tryCatch<P: Publisher>(
    _ handler: @escaping @Sendable (Failure) throws -> P
  ) -> Publishers.TryCatch<Self, P> where P.Output == Output {
    succession { completion in
      guard case .failure(let error) = completion else { return .end(.finished) }
      do { return .subscribe(try handler(error).mapError { $0 }) } catch {
        return .end(.failure(error))
      }
    }
  }

  /// Subscribes again after a failure, at most the given number of times.
  public func retry(_ retries: Int) -> Publishers.Retry<Self> {
    let publisher = UncheckedSendable(self)
    return Publishers.Succession(first: self) {
      var left = retries
      let next = { (completion: Subscribers.Completion<Failure>) -> Continuation<Self> in
        guard case .failure = completion, left > 0 else { return .end(completion) }
        left -= 1
        return .subscribe(publisher.value)
      }
      return .init(afterFirst: next, afterNext: next)
    }
  }

  /// Publishes a value in place of a failure, and finishes.
  public func replaceError(with output: Output) -> Publishers.ReplaceError<Self> {
    let output = UncheckedSendable(output)
    return self.catch { _ in Just(output.value) }
  }

  /// Publishes a value if this publisher finishes without one.
  public func replaceEmpty(with output: Output) -> Publishers.ReplaceEmpty<Self> {
    let output = UncheckedSendable(output)
    return Publishers.Succession(first: self) {
      var isEmpty = true
      return .init(
        onValue: { isEmpty = false },
        afterFirst: { completion in
          guard case .finished = completion, isEmpty else { return .end(completion) }
          return .subscribe(Just(output.value).setFailureType(to: Failure.self))
        })
    }
  }
}

#endif

// Concatenates publishers that are created from the values of a publisher.

public import ReactiveCore

extension Publisher {
  /// Creates a publisher from each value, and publishes the values of these publishers one
  /// publisher after another.
  ///
  /// Like `flatMap` with at most one publisher at a time; nothing is requested before there is demand.
  ///
  /// - Values: all values of the first publisher, then all of the second, and so on.
  /// - Demand: demand is passed on to the current publisher, and unmet demand to the next. This
  ///   publisher gets a request for one value first, and for the next one when a created publisher
  ///   has finished.
  /// - Completion: finishes when this publisher and the last created one have finished. A failure
  ///   of either is delivered immediately and cancels the other.
  /// - Cancellation: cancels this publisher and the current one; nothing is delivered afterwards.
  /// - Threads: values are delivered serially on the threads of the publishers and of requests.
  ///   `transform` is called on the thread of this publisher, without a lock.
  /// - Complexity: constant for a value; publishers that finish immediately do not recurse.
  ///
  /// - Parameter transform: Creates a publisher from a value.
  /// - Returns: The publisher of their values.
  @preconcurrency public func concatMap<Inner: Publisher>(
    _ transform: @escaping @Sendable (Output) -> Inner
  ) -> Publishers.ConcatMap<Self, Inner> where Inner.Failure == Failure {
    Publishers.ConcatMap(upstream: self, transform: transform)
  }
}

extension Publishers {
  /// A publisher of the concatenated values of publishers.
  ///
  /// See `Publisher.concatMap(_:)` for its contract.
  public struct ConcatMap<Upstream: Publisher, Inner: Publisher>: Publisher
  where Upstream.Failure == Inner.Failure {
    /// A value of one of the created publishers.
    public typealias Output = Inner.Output
    /// The failure of the publishers.
    public typealias Failure = Upstream.Failure

    let upstream: Upstream
    let transform: (Upstream.Output) -> Inner

    /// Subscribes to upstream; called by `subscribe(_:)`.
    ///
    /// - Parameter subscriber: The subscriber that receives the values.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let concatenation = Concatenation(
        subscription: OperatorSubscription(ConcatMachine<Inner>(), for: subscriber),
        transform: transform)
      concatenation.start(upstream)
      concatenation.subscription.open()
    }
  }
}

/// Connects the state machine of a concatMap with its publishers.
private struct Concatenation<Input, Inner: Publisher> {
  let subscription: OperatorSubscription<ConcatMachine<Inner>>
  let transform: (Input) -> Inner
  /// Advances to the next publisher, without recursion if a publisher finishes immediately.
  private let advancing = DrainLoop()

  init(
    subscription: OperatorSubscription<ConcatMachine<Inner>>, transform: @escaping (Input) -> Inner
  ) {
    self.subscription = subscription
    self.transform = transform
  }

  func start<Upstream: Publisher>(_ upstream: Upstream)
  where Upstream.Output == Input, Upstream.Failure == Inner.Failure {
    upstream.subscribe(
      Inlet(
        onSubscription: { subscription in
          self.subscription.open(with: subscription) { $0.outer.receive($1) }
        },
        onValue: { value in
          let inner = transform(value)
          subscription.update { $0.receive(inner) }
          advance()
        },
        onCompletion: { completion in subscription.update { $0.receive(outer: completion) } }))
  }

  private func advance() {
    advancing.run {
      switch subscription.change({ $0.advance() }) ?? .nothing {
      case .subscribe(let inner): subscribe(to: inner)
      case .request(let effect): effect.perform()
      case .nothing: return false
      }
      return true
    }
  }

  private func subscribe(to inner: Inner) {
    inner.subscribe(
      Inlet(
        onSubscription: { subscription in
          self.subscription.receive(subscription) { $0.receive(inner: $1) }
        },
        onValue: { value in subscription.update { $0.receive(value) } },
        onCompletion: { completion in
          subscription.update { $0.receive(inner: completion) }
          advance()
        }))
  }
}

/// The state machine that runs one publisher after another.
private struct ConcatMachine<Inner: Publisher>: OperatorMachine {
  typealias Output = Inner.Output
  typealias Failure = Inner.Failure

  /// The next action after a publisher was created or has finished.
  enum Step {
    case subscribe(Inner)
    case request(Effect)
    case nothing
  }

  var outer = Upstream()
  /// The current publisher; nil if there is none.
  private var inner: Upstream?
  /// The created publishers that have not been subscribed to; at most one, unless upstream ignores
  /// demand.
  private var waiting = Queue<Inner>()
  private var values = Queue<Output>()
  /// The demand that no publisher has met yet.
  private var open = Subscribers.Demand.none
  /// Whether a value was requested from upstream and has not arrived.
  private var isAsking = false
  private var failure: Failure?

  mutating func request(_ demand: Subscribers.Demand) -> Effect {
    open += demand
    return inner?.request(demand) ?? askOuter()
  }

  private mutating func askOuter() -> Effect {
    guard inner == nil, waiting.isEmpty, !isAsking, open > .none else { return .none }
    isAsking = true
    return outer.request(.max(1))
  }

  mutating func receive(_ inner: Inner) -> Effect {
    isAsking = false
    waiting.append(inner)
    return .none
  }

  mutating func receive(outer completion: Subscribers.Completion<Failure>) -> Effect {
    if case .failure(let error) = completion { failure = failure ?? error }
    return outer.end()
  }

  mutating func advance() -> Step {
    guard inner == nil else { return .nothing }
    if let next = waiting.popFirst() {
      inner = Upstream(requesting: open)
      return .subscribe(next)
    }
    guard !isAsking, !outer.isEnded else { return .nothing }
    isAsking = true
    return .request(outer.request(.max(1)))
  }

  mutating func receive(inner subscription: any Subscription) -> Effect {
    inner?.receive(subscription) ?? .cancel(subscription)
  }

  mutating func receive(_ value: Output) -> Effect {
    if open > .none { open -= 1 }
    values.append(value)
    return .none
  }

  mutating func receive(inner completion: Subscribers.Completion<Failure>) -> Effect {
    if case .failure(let error) = completion { failure = failure ?? error }
    defer { inner = nil }
    return inner?.end() ?? .none
  }

  mutating func next(hasDemand: Bool) -> Signal<Output, Failure> {
    if let failure { return .completion(.failure(failure)) }
    if hasDemand, let value = values.popFirst() { return .value(value) }
    let hasFinished = outer.isEnded && inner == nil && waiting.isEmpty && values.isEmpty
    return hasFinished ? .completion(.finished) : .nothing
  }

  func cancel() {
    var (outer, inner) = (outer, inner)
    outer.cancel().perform()
    inner?.cancel().perform()
  }
}

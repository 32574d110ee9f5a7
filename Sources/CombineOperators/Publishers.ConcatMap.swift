// Publishers one after another, made of the values of a publisher.

public import CombineShim

extension Publisher {
  /// Makes a publisher of each value and publishes the values of these, one publisher after another.
  ///
  /// Like `flatMap` with at most one publisher at a time; unlike OpenCombine's, it holds no lock while
  /// it calls downstream.
  ///
  /// - Values: all values of the first publisher, then all of the second, and so on.
  /// - Demand: each request is passed on to the current publisher, and what it leaves to the next. This
  ///   publisher is asked for one value at first, and for the next one when a publisher has finished.
  /// - Completion: finishes when this publisher and the last one made have finished. A failure of either
  ///   is delivered at once and cancels the other.
  /// - Cancellation: cancels this publisher and the current one; nothing is delivered afterwards.
  /// - Threads: those of the publishers and of requests, one value after another. `transform` is called
  ///   on the thread of this publisher, without a lock.
  /// - Complexity: constant for a value; publishers that finish at once need no stack.
  ///
  /// - Parameter transform: Makes a publisher of a value.
  /// - Returns: The publisher of their values.
  public func concatMap<Inner: Publisher>(
    _ transform: @escaping (Output) -> Inner
  ) -> Publishers.ConcatMap<Self, Inner> where Inner.Failure == Failure {
    Publishers.ConcatMap(upstream: self, transform: transform)
  }
}

extension Publishers {
  /// A publisher of the values of publishers that follow one another.
  ///
  /// See `Publisher.concatMap(_:)` for its contract.
  public struct ConcatMap<Upstream: Publisher, Inner: Publisher>: Publisher
  where Upstream.Failure == Inner.Failure {
    /// A value of one of the publishers that were made.
    public typealias Output = Inner.Output
    /// The failure of the publishers.
    public typealias Failure = Upstream.Failure

    let upstream: Upstream
    let transform: (Upstream.Output) -> Inner

    /// Subscribes to the publisher that gives the values; called by `subscribe(_:)`.
    ///
    /// - Parameter subscriber: The subscriber that receives the values.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let concatenation = Concatenation(
        subscription: OperatorSubscription(ConcatMachine<Inner>(), for: subscriber),
        transform: transform)
      subscriber.receive(subscription: concatenation.subscription)
      concatenation.start(upstream)
    }
  }
}

/// Connects the machine of a concatMap with its publishers.
private struct Concatenation<Input, Inner: Publisher> {
  let subscription: OperatorSubscription<ConcatMachine<Inner>>
  let transform: (Input) -> Inner
  /// Goes from one publisher to the next, so that those that finish at once do not recurse.
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
          self.subscription.receive(subscription) { $0.outer.receive($1) }
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

/// Runs one publisher after another.
private struct ConcatMachine<Inner: Publisher>: OperatorMachine {
  typealias Output = Inner.Output
  typealias Failure = Inner.Failure

  /// What is next after a publisher has been made or has finished.
  enum Step {
    case subscribe(Inner)
    case request(Effect)
    case nothing
  }

  var outer = Upstream()
  /// The current publisher; nil while there is none.
  private var inner: Upstream?
  /// Those that have been made and not subscribed to; one, unless upstream sends unasked.
  private var waiting = Queue<Inner>()
  private var values = Queue<Output>()
  /// What was requested and has not come from a publisher yet.
  private var open = Subscribers.Demand.none
  /// Whether upstream has been asked for a value that has not come.
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

// Runs the newest of the publishers that are created from values.

public import CombineShim

extension Publisher {
  /// Creates a publisher from each value, and publishes the values of the newest one.
  ///
  /// The counterpart of `flatMapFirst(_:)`: a value cancels the publisher of the one before. Like
  /// `map { … }.switchToLatest()`, but it holds no lock while it calls downstream.
  ///
  /// - Values: those of the newest publisher; a value of an earlier one that was not requested in time is
  ///   dropped with it.
  /// - Demand: this publisher gets unlimited demand; unmet demand is passed on to the newest publisher.
  /// - Completion: finishes when this publisher and the newest one have finished. A failure of either is
  ///   delivered immediately and cancels the other.
  /// - Cancellation: cancels this publisher and the newest one; nothing is delivered afterwards.
  /// - Threads: values are delivered serially on the threads of the publishers and of requests.
  ///   `transform` is called on the thread of this publisher, without a lock.
  /// - Complexity: constant for a value.
  ///
  /// - Parameter transform: Creates a publisher from a value.
  /// - Returns: The publisher of their values.
  public func flatMapLatest<Inner: Publisher>(
    _ transform: @escaping (Output) -> Inner
  ) -> Publishers.FlatMapLatest<Self, Inner> where Inner.Failure == Failure {
    Publishers.FlatMapLatest(upstream: self, transform: transform)
  }
}

extension Publishers {
  /// A publisher of the values of the newest of the publishers that it creates.
  ///
  /// See `Publisher.flatMapLatest(_:)` for its contract.
  public struct FlatMapLatest<Upstream: Publisher, Inner: Publisher>: Publisher
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
      let subscription = OperatorSubscription(
        LatestMachine<Output, Failure>(), for: subscriber)
      let transform = transform
      subscriber.receive(subscription: subscription)
      upstream.subscribe(
        Inlet(
          onSubscription: { upstream in subscription.receive(upstream) { $0.outer.receive($1) } },
          onValue: { value in
            // The one before is cancelled first, so that at most one runs.
            guard let (number, effect) = subscription.change({ $0.begin() }) else { return }
            effect.perform()
            Self.run(transform(value), as: number, in: subscription)
          },
          onCompletion: { completion in subscription.update { $0.receive(outer: completion) } }))
    }

    private static func run(
      _ inner: Inner, as number: Int,
      in subscription: OperatorSubscription<LatestMachine<Output, Failure>>
    ) {
      inner.subscribe(
        Inlet(
          onSubscription: { inner in
            subscription.receive(inner) { $0.receive($1, from: number) }
          },
          onValue: { value in subscription.update { $0.receive(value, from: number) } },
          onCompletion: { completion in
            subscription.update { $0.receive(inner: completion, from: number) }
          }))
    }
  }
}

/// The state machine that runs the newest created publisher.
private struct LatestMachine<Output, Failure: Error>: OperatorMachine {
  var outer = Upstream(requesting: .unlimited)
  /// The newest publisher; nil if it has finished, or if there is none.
  private var inner: Upstream?
  /// The number of created publishers, by which signals of an earlier one are recognized.
  private var number = 0
  private var values = Queue<Output>()
  /// The demand that no publisher has met yet.
  private var open = Subscribers.Demand.none
  private var failure: Failure?

  /// Makes place for a new publisher.
  ///
  /// - Returns: Its number, and the cancel of the publisher before.
  mutating func begin() -> (number: Int, effect: Effect) {
    number += 1
    var effects: [Effect] = []
    if var old = inner { effects.append(old.cancel()) }
    while let value = values.popFirst() {
      // What was not delivered was not requested by then, or its demand is open again.
      open += 1
      effects.append(.release(value))
    }
    inner = Upstream(requesting: open)
    return (number, .all(effects))
  }

  mutating func request(_ demand: Subscribers.Demand) -> Effect {
    open += demand
    return inner?.request(demand) ?? .none
  }

  mutating func receive(outer completion: Subscribers.Completion<Failure>) -> Effect {
    if case .failure(let error) = completion { failure = failure ?? error }
    return outer.end()
  }

  mutating func receive(_ subscription: any Subscription, from number: Int) -> Effect {
    guard self.number == number else { return .cancel(subscription) }
    return inner?.receive(subscription) ?? .cancel(subscription)
  }

  mutating func receive(_ value: Output, from number: Int) -> Effect {
    guard self.number == number, inner != nil else { return .none }
    if open > .none { open -= 1 }
    values.append(value)
    return .none
  }

  mutating func receive(
    inner completion: Subscribers.Completion<Failure>, from number: Int
  ) -> Effect {
    guard self.number == number, inner != nil else { return .none }
    if case .failure(let error) = completion { failure = failure ?? error }
    defer { inner = nil }
    return inner?.end() ?? .none
  }

  mutating func next(hasDemand: Bool) -> Signal<Output, Failure> {
    if let failure { return .completion(.failure(failure)) }
    if hasDemand, let value = values.popFirst() { return .value(value) }
    return outer.isEnded && inner == nil && values.isEmpty ? .completion(.finished) : .nothing
  }

  func cancel() {
    var (outer, inner) = (outer, inner)
    outer.cancel().perform()
    inner?.cancel().perform()
  }
}

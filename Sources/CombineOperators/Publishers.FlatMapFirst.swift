// Runs one publisher at a time, and ignores values while it runs.

public import CombineShim

extension Publisher {
  /// Creates a publisher from a value and publishes its values; values that arrive while it is
  /// running are dropped.
  ///
  /// The counterpart of `map(_:).switchToLatest()`, which cancels the running publisher: here the
  /// running one wins. RxJS calls it `exhaustMap`.
  ///
  ///     taps.flatMapFirst { engine.publisher(for: deploy) }   // a second tap starts no second run
  ///
  /// - Values: those of the created publishers, of which at most one is running.
  /// - Demand: this publisher gets unlimited demand; values that it drops cost downstream nothing.
  ///   Demand of downstream is passed on to the running publisher, and unmet demand to the next.
  /// - Completion: finishes when this publisher and the running one have finished. A failure of
  ///   either is delivered immediately and cancels the other.
  /// - Cancellation: cancels this publisher and the running one; nothing is delivered afterwards.
  /// - Threads: values are delivered serially on the threads of the publishers and of requests.
  ///   `transform` is called on the thread of this publisher, without a lock.
  /// - Complexity: constant for a value.
  ///
  /// - Parameter transform: Creates a publisher from a value. Not called for dropped values.
  /// - Returns: The publisher of their values.
  public func flatMapFirst<Inner: Publisher>(
    _ transform: @escaping (Output) -> Inner
  ) -> Publishers.FlatMapFirst<Self, Inner> where Inner.Failure == Failure {
    Publishers.FlatMapFirst(upstream: self, transform: transform)
  }
}

extension Publishers {
  /// A publisher that runs one created publisher at a time and drops values that arrive while it runs.
  ///
  /// See `Publisher.flatMapFirst(_:)` for its contract.
  public struct FlatMapFirst<Upstream: Publisher, Inner: Publisher>: Publisher
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
        FirstMachine<Output, Failure>(), for: subscriber)
      let transform = transform
      subscriber.receive(subscription: subscription)
      upstream.subscribe(
        Inlet(
          onSubscription: { upstream in subscription.receive(upstream) { $0.outer.receive($1) } },
          onValue: { value in
            guard let number = subscription.change({ $0.begin() }) ?? nil else { return }
            Self.run(transform(value), as: number, in: subscription)
          },
          onCompletion: { completion in subscription.update { $0.receive(outer: completion) } }))
    }

    private static func run(
      _ inner: Inner, as number: Int,
      in subscription: OperatorSubscription<FirstMachine<Output, Failure>>
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

/// The state machine that runs at most one created publisher.
private struct FirstMachine<Output, Failure: Error>: OperatorMachine {
  var outer = Upstream(requesting: .unlimited)
  /// The running publisher; nil if there is none.
  private var inner: Upstream?
  /// The number of created publishers, by which signals of an earlier one are recognized.
  private var number = 0
  private var values = Queue<Output>()
  /// The demand that no publisher has met yet.
  private var open = Subscribers.Demand.none
  private var failure: Failure?

  /// Reserves the place of the running publisher.
  ///
  /// - Returns: Its number; nil if another publisher is running.
  mutating func begin() -> Int? {
    guard inner == nil, failure == nil else { return nil }
    inner = Upstream(requesting: open)
    number += 1
    return number
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

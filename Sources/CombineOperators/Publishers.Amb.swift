// The first of several publishers that says something.

public import ReactiveCore

extension Publisher {
  /// Mirrors this publisher or another one, whichever publishes a value or a completion first.
  ///
  /// The contract is that of `Publishers.Amb`.
  ///
  /// - Parameter other: The other publisher.
  /// - Returns: The publisher of the winner's values.
  public func amb<Other: Publisher>(
    _ other: Other
  ) -> Publishers.Amb<AnyPublisher<Output, Failure>>
  where Other.Output == Output, Other.Failure == Failure {
    Publishers.Amb(upstreams: [eraseToAnyPublisher(), other.eraseToAnyPublisher()])
  }
}

extension Collection where Element: Publisher {
  /// Mirrors the publisher of the collection that publishes a value or a completion first.
  ///
  /// The contract is that of `Publishers.Amb`.
  ///
  /// - Returns: The publisher of the winner's values.
  public func amb() -> Publishers.Amb<Element> {
    Publishers.Amb(upstreams: Array(self))
  }
}

extension Publishers {
  /// A publisher that mirrors the first of several publishers that publishes a value or a completion.
  ///
  /// - Values: those of the winner. An empty collection finishes immediately.
  /// - Demand: each request is passed on to every publisher until there is a winner, then to it alone.
  /// - Completion: that of the winner.
  /// - Cancellation: the losers are cancelled when there is a winner; a cancel cancels all. Nothing is
  ///   delivered afterwards.
  /// - Threads: publishers may deliver on different threads at the same time; values are delivered
  ///   serially, on one of these threads or on that of a request. No lock is held then.
  /// - Complexity: constant for a value, linear in the number of publishers for the first one.
  public struct Amb<Upstream: Publisher>: Publisher {
    /// A value of the winner.
    public typealias Output = Upstream.Output
    /// The failure of the publishers.
    public typealias Failure = Upstream.Failure

    /// The publishers, of which the first one that publishes wins.
    public let upstreams: [Upstream]

    /// Lets publishers compete.
    ///
    /// - Parameter upstreams: The publishers, of which the first one that publishes wins.
    public init(upstreams: [Upstream]) {
      self.upstreams = upstreams
    }

    /// Subscribes to the publishers; called by `subscribe(_:)`.
    ///
    /// - Parameter subscriber: The subscriber that receives the values.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let race = OperatorSubscription(
        RaceMachine<Output, Failure>(count: upstreams.count), for: subscriber)
      for (position, upstream) in upstreams.enumerated() where race.isActive {
        upstream.subscribe(
          Inlet(
            onSubscription: { race.receive($0) { $0.receive($1, at: position) } },
            onValue: { value in race.update { $0.receive(value, at: position) } },
            onCompletion: { completion in race.update { $0.receive(completion, at: position) } }))
      }
      race.open()
    }
  }
}

/// The state machine of publishers of which the first one wins.
private struct RaceMachine<Output, Failure: Error>: OperatorMachine {
  private var upstreams: [Upstream]
  private var winner: Int?
  private var values = Queue<Output>()
  private var completion: Subscribers.Completion<Failure>?

  init(count: Int) {
    upstreams = Array(repeating: Upstream(), count: count)
    if count == 0 { completion = .finished }
  }

  /// Cancels all others if there was no winner.
  private mutating func win(_ position: Int) -> Effect {
    guard winner == nil else { return .none }
    winner = position
    return .all(upstreams.indices.filter { $0 != position }.map { upstreams[$0].cancel() })
  }

  mutating func receive(_ subscription: any Subscription, at position: Int) -> Effect {
    guard winner == nil || winner == position else { return .cancel(subscription) }
    return upstreams[position].receive(subscription)
  }

  mutating func receive(_ value: Output, at position: Int) -> Effect {
    let effect = win(position)
    if winner == position, completion == nil { values.append(value) }
    return effect
  }

  mutating func receive(
    _ completion: Subscribers.Completion<Failure>, at position: Int
  ) -> Effect {
    let effect = win(position)
    guard winner == position, self.completion == nil else { return .none }
    self.completion = completion
    return .all([effect, upstreams[position].end()])
  }

  mutating func request(_ demand: Subscribers.Demand) -> Effect {
    if let winner { return upstreams[winner].request(demand) }
    return .all(upstreams.indices.map { upstreams[$0].request(demand) })
  }

  var onlyEnds: Bool { completion != nil && values.isEmpty }

  mutating func next(hasDemand: Bool) -> Signal<Output, Failure> {
    if hasDemand, let value = values.popFirst() { return .value(value) }
    guard let completion, values.isEmpty else { return .nothing }
    return .completion(completion)
  }

  func cancel() {
    for var upstream in upstreams { upstream.cancel().perform() }
  }
}

// Operators whose values create publishers.

#if !canImport(Combine)

extension Publishers {
  /// Publishes the values of all publishers that are created from values, as they arrive.
  ///
  /// While the demand is limited, at most one value of each publisher waits. No lock is held while a
  /// subscriber is called.
  public struct FlatMap<NewPublisher: Publisher, Upstream: Publisher>: Publisher
  where NewPublisher.Failure == Upstream.Failure {
    /// A value of one of the created publishers.
    public typealias Output = NewPublisher.Output
    /// The failure of the publishers.
    public typealias Failure = Upstream.Failure

    /// The publisher from whose values the others are created.
    public let upstream: Upstream
    /// The maximum number of created publishers at a time.
    public let maxPublishers: Subscribers.Demand
    /// Creates a publisher.
    public let transform: @Sendable (Upstream.Output) -> NewPublisher

    /// Creates a publisher of the values of created publishers.
    @preconcurrency public init(
      upstream: Upstream, maxPublishers: Subscribers.Demand,
      transform: @escaping @Sendable (Upstream.Output) -> NewPublisher
    ) {
      self.upstream = upstream
      self.maxPublishers = maxPublishers
      self.transform = transform
    }

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let operation = OperatorSubscription(
        MergeMachine<Output, Failure>(limit: maxPublishers), for: subscriber)
      let transform = transform
      upstream.subscribe(
        Inlet(
          onSubscription: { outer in operation.open(with: outer) { $0.outer.receive($1) } },
          onValue: { value in
            let inner = transform(value)
            guard let number = operation.change({ $0.begin() }) else { return }
            inner.merge(into: operation, at: number)
          },
          onCompletion: { completion in operation.update { $0.receive(outer: completion) } }))
      operation.open()
    }
  }

  /// Publishes the values of the newest of the published publishers.
  public struct SwitchToLatest<P: Publisher, Upstream: Publisher>: Publisher
  where Upstream.Output == P, Upstream.Failure == P.Failure {
    /// A value of one of the published publishers.
    public typealias Output = P.Output
    /// The failure of the publishers.
    public typealias Failure = P.Failure

    /// The publisher of publishers.
    public let upstream: Upstream

    /// Creates a publisher of the values of the newest of the published publishers.
    public init(upstream: Upstream) { self.upstream = upstream }

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.runOne(.latest, for: subscriber) { $0 }
    }
  }
}

extension Publishers.FlatMap: Sendable where Upstream: Sendable {}
extension Publishers.SwitchToLatest: Sendable where Upstream: Sendable {}

extension Publisher {
  /// Creates a publisher from each value, and publishes their values as they arrive.
  @preconcurrency public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping @Sendable (Output) -> P
  ) -> Publishers.FlatMap<P, Self> where P.Failure == Failure {
    Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
  }

  /// Creates a publisher that cannot fail from each value, and publishes their values as they arrive.
  @preconcurrency public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping @Sendable (Output) -> P
  ) -> Publishers.FlatMap<Publishers.SetFailureType<P, Failure>, Self> where P.Failure == Never {
    flatMap(maxPublishers: maxPublishers) { transform($0).setFailureType(to: Failure.self) }
  }
}

extension Publisher where Failure == Never {
  /// Creates a publisher from each value, and publishes their values as they arrive.
  @preconcurrency public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping @Sendable (Output) -> P
  ) -> Publishers.FlatMap<P, Publishers.SetFailureType<Self, P.Failure>> {
    setFailureType(to: P.Failure.self).flatMap(maxPublishers: maxPublishers, transform)
  }

  /// Creates a publisher that cannot fail from each value, and publishes their values as they arrive.
  @preconcurrency public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping @Sendable (Output) -> P
  ) -> Publishers.FlatMap<P, Self> where P.Failure == Never {
    Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
  }
}

extension Publisher where Output: Publisher {
  /// Publishes the values of the newest of the published publishers.
  public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self>
  where Output.Failure == Failure {
    Publishers.SwitchToLatest(upstream: self)
  }

  /// Publishes the values of the newest of the published publishers, which cannot fail.
  public func switchToLatest()
    -> Publishers.SwitchToLatest<
      Publishers.SetFailureType<Output, Failure>,
      Publishers.Map<Self, Publishers.SetFailureType<Output, Failure>>
    > where Output.Failure == Never
  {
    map { $0.setFailureType(to: Failure.self) }.switchToLatest()
  }
}

extension Publisher where Output: Publisher, Failure == Never {
  /// Publishes the values of the newest of the published publishers.
  public func switchToLatest()
    -> Publishers.SwitchToLatest<
      Output, Publishers.SetFailureType<Self, Output.Failure>
    >
  {
    setFailureType(to: Output.Failure.self).switchToLatest()
  }

  /// Publishes the values of the newest of the published publishers, which cannot fail.
  public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self>
  where Output.Failure == Never {
    Publishers.SwitchToLatest(upstream: self)
  }
}

#endif

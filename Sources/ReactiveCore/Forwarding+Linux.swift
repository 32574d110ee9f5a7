// Operators that pass each signal on at once: they have no state, and so no subscription of their own.

#if !canImport(Combine)

extension Publishers {
  /// Transforms each value.
  public struct Map<Upstream: Publisher, Output>: Publisher {
    /// The failure of upstream.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are transformed.
    public let upstream: Upstream
    /// Transforms a value.
    public let transform: @Sendable (Upstream.Output) -> Output

    /// Creates a publisher of transformed values.
    @preconcurrency public init(
      upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) -> Output
    ) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Inner(downstream: subscriber, transform: transform))
    }

    private struct Inner<Downstream: Subscriber>: Subscriber where Downstream.Input == Output {
      let downstream: Downstream
      let transform: (Upstream.Output) -> Output
      var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

      func receive(subscription: any Subscription) {
        downstream.receive(subscription: subscription)
      }
      func receive(_ input: Upstream.Output) -> Subscribers.Demand {
        downstream.receive(transform(input))
      }
      func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        downstream.receive(completion: completion)
      }
    }
  }

  /// Publishes what a closure makes of the values, without those of which it makes nothing.
  public struct CompactMap<Upstream: Publisher, Output>: Publisher {
    /// The failure of upstream.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are transformed.
    public let upstream: Upstream
    /// Transforms a value; returns nil to drop it.
    public let transform: @Sendable (Upstream.Output) -> Output?

    /// Creates a publisher of transformed values.
    @preconcurrency public init(
      upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) -> Output?
    ) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Inner(downstream: subscriber, transform: transform))
    }

    private struct Inner<Downstream: Subscriber>: Subscriber where Downstream.Input == Output {
      let downstream: Downstream
      let transform: (Upstream.Output) -> Output?
      var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

      func receive(subscription: any Subscription) {
        downstream.receive(subscription: subscription)
      }
      func receive(_ input: Upstream.Output) -> Subscribers.Demand {
        // Another value must replace the one that is dropped.
        guard let output = transform(input) else { return .max(1) }
        return downstream.receive(output)
      }
      func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        downstream.receive(completion: completion)
      }
    }
  }

  /// Publishes the values that a condition includes.
  public struct Filter<Upstream: Publisher>: Publisher {
    /// A value of upstream.
    public typealias Output = Upstream.Output
    /// The failure of upstream.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are filtered.
    public let upstream: Upstream
    /// The condition.
    public let isIncluded: @Sendable (Output) -> Bool

    /// Creates a publisher of the values that a condition includes.
    @preconcurrency public init(
      upstream: Upstream, isIncluded: @escaping @Sendable (Output) -> Bool
    ) {
      self.upstream = upstream
      self.isIncluded = isIncluded
    }

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Inner(downstream: subscriber, isIncluded: isIncluded))
    }

    private struct Inner<Downstream: Subscriber>: Subscriber where Downstream.Input == Output {
      let downstream: Downstream
      let isIncluded: (Output) -> Bool
      var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

      func receive(subscription: any Subscription) {
        downstream.receive(subscription: subscription)
      }
      func receive(_ input: Output) -> Subscribers.Demand {
        isIncluded(input) ? downstream.receive(input) : .max(1)
      }
      func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        downstream.receive(completion: completion)
      }
    }
  }

  /// Transforms the failure.
  public struct MapError<Upstream: Publisher, Failure: Error>: Publisher {
    /// A value of upstream.
    public typealias Output = Upstream.Output

    /// The publisher whose failure is transformed.
    public let upstream: Upstream
    /// Transforms a failure.
    public let transform: @Sendable (Upstream.Failure) -> Failure

    /// Creates a publisher with a transformed failure.
    @preconcurrency public init(
      upstream: Upstream, _ map: @escaping @Sendable (Upstream.Failure) -> Failure
    ) {
      self.upstream = upstream
      transform = map
    }

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Inner(downstream: subscriber, transform: transform))
    }

    private struct Inner<Downstream: Subscriber>: Subscriber where Downstream.Failure == Failure {
      let downstream: Downstream
      let transform: (Upstream.Failure) -> Failure
      var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

      func receive(subscription: any Subscription) {
        downstream.receive(subscription: subscription)
      }
      func receive(_ input: Downstream.Input) -> Subscribers.Demand { downstream.receive(input) }
      func receive(completion: Subscribers.Completion<Upstream.Failure>) {
        downstream.receive(completion: completion.mapError(transform))
      }
    }
  }

  /// Gives a publisher that cannot fail another type of failure.
  public typealias SetFailureType<Upstream: Publisher, Failure: Error> = MapError<
    Upstream, Failure
  > where Upstream.Failure == Never

  /// Ends the process at a failure.
  public typealias AssertNoFailure<Upstream: Publisher> = MapError<Upstream, Never>
}

extension Publishers.Map: Sendable where Upstream: Sendable {}
extension Publishers.CompactMap: Sendable where Upstream: Sendable {}
extension Publishers.Filter: Sendable where Upstream: Sendable {}
extension Publishers.MapError: Sendable where Upstream: Sendable {}

extension Publisher {
  /// Transforms each value.
  @preconcurrency public func map<T>(
    _ transform: @escaping @Sendable (Output) -> T
  ) -> Publishers.Map<Self, T> {
    Publishers.Map(upstream: self, transform: transform)
  }

  /// Publishes a property of each value.
  public func map<T>(_ keyPath: KeyPath<Output, T>) -> Publishers.Map<Self, T> {
    let keyPath = UncheckedSendable(keyPath)
    return map { $0[keyPath: keyPath.value] }
  }

  /// Publishes two properties of each value.
  public func map<T, U>(
    _ keyPath0: KeyPath<Output, T>, _ keyPath1: KeyPath<Output, U>
  ) -> Publishers.Map<Self, (T, U)> {
    let keyPaths = UncheckedSendable((keyPath0, keyPath1))
    return map { ($0[keyPath: keyPaths.value.0], $0[keyPath: keyPaths.value.1]) }
  }

  /// Publishes three properties of each value.
  public func map<T, U, V>(
    _ keyPath0: KeyPath<Output, T>, _ keyPath1: KeyPath<Output, U>, _ keyPath2: KeyPath<Output, V>
  ) -> Publishers.Map<Self, (T, U, V)> {
    let keyPaths = UncheckedSendable((keyPath0, keyPath1, keyPath2))
    return map {
      let (first, second, third) = keyPaths.value
      return ($0[keyPath: first], $0[keyPath: second], $0[keyPath: third])
    }
  }

  /// Publishes what a closure makes of the values, without those of which it makes nothing.
  @preconcurrency public func compactMap<T>(
    _ transform: @escaping @Sendable (Output) -> T?
  ) -> Publishers.CompactMap<Self, T> {
    Publishers.CompactMap(upstream: self, transform: transform)
  }

  /// Publishes the values that a condition includes.
  @preconcurrency public func filter(
    _ isIncluded: @escaping @Sendable (Output) -> Bool
  ) -> Publishers.Filter<Self> {
    Publishers.Filter(upstream: self, isIncluded: isIncluded)
  }

  /// Replaces values that are nil.
  public func replaceNil<T>(with output: T) -> Publishers.Map<Self, T> where Output == T? {
    let output = UncheckedSendable(output)
    return map { $0 ?? output.value }
  }

  /// Transforms the failure.
  @preconcurrency public func mapError<E: Error>(
    _ transform: @escaping @Sendable (Failure) -> E
  ) -> Publishers.MapError<Self, E> {
    Publishers.MapError(upstream: self, transform)
  }

  /// Ends the process at a failure.
  public func assertNoFailure(
    _ prefix: String = "", file: StaticString = #file, line: UInt = #line
  ) -> Publishers.AssertNoFailure<Self> {
    mapError { error in
      fatalError(
        prefix.isEmpty ? "unexpected failure: \(error)" : "\(prefix): \(error)", file: file,
        line: line)
    }
  }

  /// Encodes each value.
  public func encode<Coder: TopLevelEncoder>(
    encoder: Coder
  ) -> Publishers.TryMap<Self, Coder.Output> where Output: Encodable {
    let encode = UncheckedSendable { (value: Output) in try encoder.encode(value) }
    return tryMap(through: encode)
  }

  /// Decodes each value.
  public func decode<Item: Decodable, Coder: TopLevelDecoder>(
    type: Item.Type, decoder: Coder
  ) -> Publishers.TryMap<Self, Item> where Output == Coder.Input {
    let decode = UncheckedSendable { (value: Output) in try decoder.decode(type, from: value) }
    return tryMap(through: decode)
  }

  /// `tryMap(_:)` with a function whose types need not be Sendable.
  private func tryMap<T>(
    through transform: UncheckedSendable<(Output) throws -> T>
  ) -> Publishers.TryMap<Self, T> {
    tryMap { try transform.value($0) }
  }
}

extension Publisher where Failure == Never {
  /// Gives this publisher, which cannot fail, another type of failure.
  public func setFailureType<E: Error>(
    to failureType: E.Type
  ) -> Publishers.SetFailureType<Self, E> {
    mapError { (_: Never) -> E in }
  }
}

#endif

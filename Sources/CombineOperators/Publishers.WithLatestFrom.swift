// Combines each value of one publisher with the latest value of another.

public import ReactiveCore

extension Publisher {
  /// Combines each value of this publisher with the latest value of another.
  ///
  /// - Values: nothing is requested from this publisher before the other one has published a value.
  ///   So values of a publisher that respects demand, such as a sequence, wait for it; values that
  ///   a subject sends earlier are dropped.
  /// - Demand: each request is passed on to this publisher. The other one gets unlimited demand.
  /// - Completion: that of this publisher. When the other one finishes, its last value stays in
  ///   use; if it finishes without a value, this publisher is cancelled and the result finishes. A
  ///   failure of either is delivered immediately.
  /// - Cancellation: cancels both. Nothing is delivered afterwards.
  /// - Threads: values are delivered serially, on the thread of this publisher or of a request.
  ///   `transform` is called there, without a lock.
  /// - Complexity: constant for a value.
  ///
  /// - Parameters:
  ///   - other: The publisher that is sampled.
  ///   - transform: Creates an output from the two values.
  /// - Returns: The publisher of the outputs.
  @preconcurrency public func withLatestFrom<Other: Publisher, Result>(
    _ other: Other, transform: @escaping @Sendable (Output, Other.Output) -> Result
  ) -> Publishers.WithLatestFrom<Self, Other, Result> where Other.Failure == Failure {
    Publishers.WithLatestFrom(upstream: self, other: other, transform: transform)
  }
}

extension Publisher {
  /// Publishes the latest value of another publisher for each value of this one.
  ///
  /// The contract is that of `withLatestFrom(_:transform:)`.
  ///
  /// - Parameter other: The publisher that is sampled.
  /// - Returns: The publisher of its values.
  public func withLatestFrom<Other: Publisher>(
    _ other: Other
  ) -> Publishers.WithLatestFrom<Self, Other, Other.Output> where Other.Failure == Failure {
    withLatestFrom(other) { $1 }
  }

  /// Publishes the latest values of two other publishers for each value of this one.
  ///
  /// The contract is that of `withLatestFrom(_:transform:)`, with the `combineLatest` of the others.
  ///
  /// - Parameters:
  ///   - other: The first publisher that is sampled.
  ///   - other1: The second one.
  /// - Returns: The publisher of pairs.
  public func withLatestFrom<Other: Publisher, Other1: Publisher>(
    _ other: Other, _ other1: Other1
  )
    -> Publishers.WithLatestFrom<
      Self, Publishers.CombineLatest<Other, Other1>, (Other.Output, Other1.Output)
    > where Other.Failure == Failure, Other1.Failure == Failure
  {
    withLatestFrom(other.combineLatest(other1))
  }

  /// Combines each value of this publisher with the latest values of two others.
  ///
  /// The contract is that of `withLatestFrom(_:transform:)`, with the `combineLatest` of the others.
  ///
  /// - Parameters:
  ///   - other: The first publisher that is sampled.
  ///   - other1: The second one.
  ///   - transform: Creates an output from a value and the latest values.
  /// - Returns: The publisher of the outputs.
  @preconcurrency public func withLatestFrom<Other: Publisher, Other1: Publisher, Result>(
    _ other: Other, _ other1: Other1,
    transform: @escaping @Sendable (Output, (Other.Output, Other1.Output)) -> Result
  ) -> Publishers.WithLatestFrom<Self, Publishers.CombineLatest<Other, Other1>, Result>
  where Other.Failure == Failure, Other1.Failure == Failure {
    withLatestFrom(other.combineLatest(other1), transform: transform)
  }

  /// Publishes the latest values of three other publishers for each value of this one.
  ///
  /// The contract is that of `withLatestFrom(_:transform:)`, with the `combineLatest` of the others.
  ///
  /// - Parameters:
  ///   - other: The first publisher that is sampled.
  ///   - other1: The second one.
  ///   - other2: The third one.
  /// - Returns: The publisher of triples.
  public func withLatestFrom<Other: Publisher, Other1: Publisher, Other2: Publisher>(
    _ other: Other, _ other1: Other1, _ other2: Other2
  )
    -> Publishers.WithLatestFrom<
      Self, Publishers.CombineLatest3<Other, Other1, Other2>,
      (Other.Output, Other1.Output, Other2.Output)
    > where Other.Failure == Failure, Other1.Failure == Failure, Other2.Failure == Failure
  {
    withLatestFrom(other.combineLatest(other1, other2))
  }

  /// Combines each value of this publisher with the latest values of three others.
  ///
  /// The contract is that of `withLatestFrom(_:transform:)`, with the `combineLatest` of the others.
  ///
  /// - Parameters:
  ///   - other: The first publisher that is sampled.
  ///   - other1: The second one.
  ///   - other2: The third one.
  ///   - transform: Creates an output from a value and the latest values.
  /// - Returns: The publisher of the outputs.
  @preconcurrency
  public func withLatestFrom<Other: Publisher, Other1: Publisher, Other2: Publisher, Result>(
    _ other: Other, _ other1: Other1, _ other2: Other2,
    transform: @escaping @Sendable (Output, (Other.Output, Other1.Output, Other2.Output)) -> Result
  ) -> Publishers.WithLatestFrom<Self, Publishers.CombineLatest3<Other, Other1, Other2>, Result>
  where Other.Failure == Failure, Other1.Failure == Failure, Other2.Failure == Failure {
    withLatestFrom(other.combineLatest(other1, other2), transform: transform)
  }
}

extension Publishers {
  /// A publisher that combines each value of one publisher with the latest value of another.
  ///
  /// See `Publisher.withLatestFrom(_:transform:)` for its contract.
  public struct WithLatestFrom<Upstream: Publisher, Other: Publisher, Output>: Publisher
  where Upstream.Failure == Other.Failure {
    /// The failure of both publishers.
    public typealias Failure = Upstream.Failure

    let upstream: Upstream
    let other: Other
    let transform: @Sendable (Upstream.Output, Other.Output) -> Output

    /// Subscribes to both publishers; called by `subscribe(_:)`.
    ///
    /// - Parameter subscriber: The subscriber that receives the outputs.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      SampledPairs(upstream: upstream, other: other).map(transform).subscribe(subscriber)
    }
  }
}

/// A publisher of pairs: each value of upstream with the latest value of the other publisher.
private struct SampledPairs<Upstream: Publisher, Other: Publisher>: Publisher
where Upstream.Failure == Other.Failure {
  typealias Output = (Upstream.Output, Other.Output)
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let other: Other

  func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let sampling = OperatorSubscription(
      SamplingMachine<Upstream.Output, Other.Output, Failure>(), for: subscriber)
    // Subscribe to the other publisher first, so that a value that it already has is used.
    other.subscribe(
      Inlet(
        onSubscription: { sampling.receive($0) { $0.receive(other: $1) } },
        onValue: { value in sampling.update { $0.receive(sample: value) } },
        onCompletion: { completion in sampling.update { $0.receive(other: completion) } }))
    guard sampling.isActive else { return sampling.open() }
    upstream.subscribe(
      Inlet(
        onSubscription: { sampling.receive($0) { $0.upstream.receive($1) } },
        onValue: { value in sampling.update { $0.receive(value) } },
        onCompletion: { completion in sampling.update { $0.receive(completion) } }))
    sampling.open()
  }
}

/// Pairs each value of upstream with the latest sample.
private struct SamplingMachine<Input, Sample, Failure: Error>: OperatorMachine {
  typealias Output = (Input, Sample)

  var upstream = Upstream()
  private var other = Upstream(requesting: .unlimited)
  private var latest: Sample?
  /// The demand before the first sample.
  private var held = Subscribers.Demand.none
  private var pairs = Queue<Output>()
  private var completion: Subscribers.Completion<Failure>?

  mutating func receive(other subscription: any Subscription) -> Effect {
    other.receive(subscription)
  }

  mutating func receive(sample: Sample) -> Effect {
    guard let old = latest else {
      latest = sample
      return upstream.request(held)
    }
    latest = sample
    return .release(old)
  }

  mutating func receive(other completion: Subscribers.Completion<Failure>) -> Effect {
    if case .finished = completion, latest != nil { return other.end() }
    self.completion = self.completion ?? completion
    return other.end()
  }

  mutating func receive(_ value: Input) -> Effect {
    if let latest, completion == nil { pairs.append((value, latest)) }
    return .none
  }

  mutating func receive(_ completion: Subscribers.Completion<Failure>) -> Effect {
    self.completion = self.completion ?? completion
    return upstream.end()
  }

  mutating func request(_ demand: Subscribers.Demand) -> Effect {
    guard latest == nil else { return upstream.request(demand) }
    held += demand
    return .none
  }

  var onlyEnds: Bool { completion != nil && pairs.isEmpty }

  mutating func next(hasDemand: Bool) -> Signal<Output, Failure> {
    if case .failure(let error)? = completion { return .completion(.failure(error)) }
    if hasDemand, let pair = pairs.popFirst() { return .value(pair) }
    return completion != nil && pairs.isEmpty ? .completion(.finished) : .nothing
  }

  func cancel() {
    var (upstream, other) = (upstream, other)
    upstream.cancel().perform()
    other.cancel().perform()
  }
}

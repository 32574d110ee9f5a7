// Operators that decide about each value, one after another.

#if !canImport(Combine)

/// The subscription to upstream, until one of both sides has ended it.
private struct Gateway {
  private(set) var upstream: (any Subscription)?
  private var wasOpened = false
  var isCancelled = false

  /// Stores the first subscription.
  mutating func open(_ subscription: any Subscription) -> Bool {
    guard !wasOpened else { return false }
    wasOpened = true
    upstream = subscription
    return true
  }

  /// Removes the subscription.
  mutating func close() -> (any Subscription)? { upstream.take() }
}

/// What an operator does with a value.
enum Step<Output, Failure: Error> {
  case publish(Output)
  case skip
  case finish
  case publishLast(Output)
  case fail(Failure)
}

extension Publishers {
  /// Decides about each value of upstream: whether to publish something, to skip it, or to end.
  ///
  /// All operators of this kind are one type; their names in Combine are aliases.
  public struct Stepwise<Upstream: Publisher, Output, Failure: Error>: Publisher {
    let upstream: Upstream
    /// Whether it finishes immediately.
    var isEmpty = false
    /// Makes the function of a subscription, which may have state of its own.
    let start: @Sendable () -> (Upstream.Output) -> Step<Output, Failure>
    let end: @Sendable (Upstream.Failure) -> Failure

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      guard !isEmpty else { return Empty().receive(subscriber: subscriber) }
      upstream.subscribe(Inner(downstream: subscriber, step: start(), end: end))
    }

    private final class Inner<Downstream: Subscriber>: Subscriber, Subscription
    where Downstream.Input == Output, Downstream.Failure == Failure {
      private let downstream: Downstream
      private let step: (Upstream.Output) -> Step<Output, Failure>
      private let end: (Upstream.Failure) -> Failure
      private let state = Locked(Gateway())

      init(
        downstream: Downstream, step: @escaping (Upstream.Output) -> Step<Output, Failure>,
        end: @escaping (Upstream.Failure) -> Failure
      ) {
        self.downstream = downstream
        self.step = step
        self.end = end
      }

      func receive(subscription: any Subscription) {
        guard state.withLock({ $0.open(subscription) }) else { return subscription.cancel() }
        downstream.receive(subscription: self)
      }

      func receive(_ input: Upstream.Output) -> Subscribers.Demand {
        guard state.withLock({ $0.upstream != nil }) else { return .none }
        switch step(input) {
        case .publish(let output): return downstream.receive(output)
        case .skip: return .max(1)
        case .finish: finish(.finished)
        case .publishLast(let output):
          // No further value, even if downstream requests one.
          guard let upstream = state.withLock({ $0.close() }) else { return .none }
          _ = downstream.receive(output)
          upstream.cancel()
          if !state.withLock({ $0.isCancelled }) { downstream.receive(completion: .finished) }
        case .fail(let error): finish(.failure(error))
        }
        return .none
      }

      func receive(completion: Subscribers.Completion<Upstream.Failure>) {
        guard state.withLock({ $0.close() }) != nil else { return }
        downstream.receive(completion: completion.mapError(end))
      }

      func request(_ demand: Subscribers.Demand) {
        state.withLock { $0.upstream }?.request(demand)
      }

      func cancel() {
        let upstream = state.withLock { state in
          state.isCancelled = true
          return state.close()
        }
        upstream?.cancel()
      }

      private func finish(_ completion: Subscribers.Completion<Failure>) {
        guard let upstream = state.withLock({ $0.close() }) else { return }
        upstream.cancel()
        downstream.receive(completion: completion)
      }
    }
  }

  /// Transforms each value, and fails when the transform throws.
  public typealias TryMap<Upstream: Publisher, Output> = Stepwise<Upstream, Output, any Error>
  /// Like `CompactMap`, and fails when the transform throws.
  public typealias TryCompactMap<Upstream: Publisher, Output> = Stepwise<
    Upstream, Output, any Error
  >
  /// Like `Filter`, and fails when the condition throws.
  public typealias TryFilter<Upstream: Publisher> = Stepwise<Upstream, Upstream.Output, any Error>
  /// Publishes each intermediate result of a fold.
  public typealias Scan<Upstream: Publisher, Output> = Stepwise<Upstream, Output, Upstream.Failure>
  /// Like `Scan`, and fails when the fold throws.
  public typealias TryScan<Upstream: Publisher, Output> = Stepwise<Upstream, Output, any Error>
  /// Publishes only values that differ from the one before.
  public typealias RemoveDuplicates<Upstream: Publisher> = Stepwise<
    Upstream, Upstream.Output, Upstream.Failure
  >
  /// Like `RemoveDuplicates`, and fails when the comparison throws.
  public typealias TryRemoveDuplicates<Upstream: Publisher> = Stepwise<
    Upstream, Upstream.Output, any Error
  >
  /// Publishes the values of a range of positions.
  public typealias Output<Upstream: Publisher> = Stepwise<
    Upstream, Upstream.Output, Upstream.Failure
  >
  /// Skips the first values.
  public typealias Drop<Upstream: Publisher> = Stepwise<
    Upstream, Upstream.Output, Upstream.Failure
  >
  /// Skips values until a condition is false.
  public typealias DropWhile<Upstream: Publisher> = Stepwise<
    Upstream, Upstream.Output, Upstream.Failure
  >
  /// Like `DropWhile`, and fails when the condition throws.
  public typealias TryDropWhile<Upstream: Publisher> = Stepwise<
    Upstream, Upstream.Output, any Error
  >
  /// Publishes values until a condition is false.
  public typealias PrefixWhile<Upstream: Publisher> = Stepwise<
    Upstream, Upstream.Output, Upstream.Failure
  >
  /// Like `PrefixWhile`, and fails when the condition throws.
  public typealias TryPrefixWhile<Upstream: Publisher> = Stepwise<
    Upstream, Upstream.Output, any Error
  >
}

extension Publishers.Stepwise: Sendable where Upstream: Sendable {}

extension Publisher {
  /// Creates an operator that decides about each value.
  func steps<T>(
    isEmpty: Bool = false,
    _ start: @escaping @Sendable () -> (Output) -> Step<T, Failure>
  ) -> Publishers.Stepwise<Self, T, Failure> {
    Publishers.Stepwise(upstream: self, isEmpty: isEmpty, start: start, end: { $0 })
  }

  /// Creates an operator that decides about each value, and fails when that throws.
  func trySteps<T>(
    _ start: @escaping @Sendable () -> (Output) throws -> Step<T, any Error>
  ) -> Publishers.Stepwise<Self, T, any Error> {
    Publishers.Stepwise(
      upstream: self,
      start: {
        let step = start()
        return { input in
          do { return try step(input) } catch { return .fail(error) }
        }
      }, end: { $0 })
  }
}

#endif

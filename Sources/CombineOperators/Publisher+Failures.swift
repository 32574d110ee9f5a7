// Failures as values, and operators for publishers of which one cannot fail.

public import ReactiveCore

/// A signal of a publisher as a value.
public enum Materialized<Output, Failure: Error> {
  /// The publisher has published a value.
  case value(Output)
  /// The publisher has failed.
  case failure(Failure)
  /// The publisher has finished.
  case finished
}

extension Materialized: Sendable where Output: Sendable {}
extension Materialized: Equatable where Output: Equatable, Failure: Equatable {}

extension Publisher {
  /// Publishes each signal as a value: values, and the completion as the last one, after which it
  /// finishes.
  ///
  /// - Returns: The publisher of the signals, which cannot fail.
  public func materialize() -> AnyPublisher<Materialized<Output, Failure>, Never> {
    map { Materialized<Output, Failure>.value($0) }
      .append(Just(.finished).setFailureType(to: Failure.self))
      .catch { Just(.failure($0)) }
      .eraseToAnyPublisher()
  }

  /// Turns the values of `materialize()` back into signals.
  ///
  /// - Returns: The publisher of the values, which ends with the signal `finished` or `failure`.
  public func dematerialize<Value, Error>() -> AnyPublisher<Value, Error>
  where Output == Materialized<Value, Error>, Failure == Never {
    setFailureType(to: Error.self)
      .prefix { if case .finished = $0 { false } else { true } }
      .concatMap { signal -> AnyPublisher<Value, Error> in
        switch signal {
        case .value(let value):
          Just(value).setFailureType(to: Error.self).eraseToAnyPublisher()
        case .failure(let error): Fail(error: error).eraseToAnyPublisher()
        case .finished: Empty().eraseToAnyPublisher()
        }
      }
      .eraseToAnyPublisher()
  }

  /// The values among the signals of `materialize()`.
  ///
  /// - Returns: The publisher of the values.
  public func values<Value, Error>() -> AnyPublisher<Value, Failure>
  where Output == Materialized<Value, Error> {
    compactMap { if case .value(let value) = $0 { value } else { nil } }.eraseToAnyPublisher()
  }

  /// The failures among the signals of `materialize()`.
  ///
  /// - Returns: The publisher of the failures.
  public func failures<Value, Error>() -> AnyPublisher<Error, Failure>
  where Output == Materialized<Value, Error> {
    compactMap { if case .failure(let error) = $0 { error } else { nil } }.eraseToAnyPublisher()
  }

  /// Publishes each value as a success, and a failure as the last value, after which it finishes.
  ///
  /// - Returns: The publisher of the results, which cannot fail.
  public func mapToResult() -> AnyPublisher<Result<Output, Failure>, Never> {
    map { Result<Output, Failure>.success($0) }.catch { Just(.failure($0)) }.eraseToAnyPublisher()
  }

  /// Ends at a failure as if it had finished, or never.
  ///
  /// - Parameter completesImmediately: Whether it finishes at a failure; else it stays open, without
  ///   another value.
  /// - Returns: The publisher of the values, which cannot fail.
  public func ignoreFailure(
    completesImmediately: Bool = true
  ) -> Publishers.Catch<Self, Empty<Output, Never>> {
    self.catch { _ in Empty(completeImmediately: completesImmediately) }
  }
}

// MARK: One of two publishers cannot fail

extension Publisher {
  /// `concatMap(_:)` with publishers that cannot fail.
  ///
  /// - Parameter transform: Creates a publisher from a value.
  /// - Returns: The publisher of their values.
  @preconcurrency public func concatMap<Inner: Publisher>(
    _ transform: @escaping @Sendable (Output) -> Inner
  ) -> Publishers.ConcatMap<Self, Publishers.SetFailureType<Inner, Failure>>
  where Inner.Failure == Never {
    Publishers.ConcatMap(upstream: self) { transform($0).setFailureType(to: Failure.self) }
  }

  /// `flatMapFirst(_:)` with publishers that cannot fail.
  ///
  /// - Parameter transform: Creates a publisher from a value.
  /// - Returns: The publisher of their values.
  @preconcurrency public func flatMapFirst<Inner: Publisher>(
    _ transform: @escaping @Sendable (Output) -> Inner
  ) -> Publishers.FlatMapFirst<Self, Publishers.SetFailureType<Inner, Failure>>
  where Inner.Failure == Never {
    Publishers.FlatMapFirst(upstream: self) { transform($0).setFailureType(to: Failure.self) }
  }

  /// `flatMapLatest(_:)` with publishers that cannot fail.
  ///
  /// - Parameter transform: Creates a publisher from a value.
  /// - Returns: The publisher of their values.
  @preconcurrency public func flatMapLatest<Inner: Publisher>(
    _ transform: @escaping @Sendable (Output) -> Inner
  ) -> Publishers.FlatMapLatest<Self, Publishers.SetFailureType<Inner, Failure>>
  where Inner.Failure == Never {
    Publishers.FlatMapLatest(upstream: self) { transform($0).setFailureType(to: Failure.self) }
  }
}

extension Publisher where Failure == Never {
  /// `concatMap(_:)` from a publisher that cannot fail.
  ///
  /// - Parameter transform: Creates a publisher from a value.
  /// - Returns: The publisher of their values.
  @preconcurrency public func concatMap<Inner: Publisher>(
    _ transform: @escaping @Sendable (Output) -> Inner
  ) -> Publishers.ConcatMap<Publishers.SetFailureType<Self, Inner.Failure>, Inner> {
    setFailureType(to: Inner.Failure.self).concatMap(transform)
  }

  /// `concatMap(_:)` where nothing can fail.
  ///
  /// - Parameter transform: Creates a publisher from a value.
  /// - Returns: The publisher of their values.
  @preconcurrency public func concatMap<Inner: Publisher>(
    _ transform: @escaping @Sendable (Output) -> Inner
  ) -> Publishers.ConcatMap<Self, Inner> where Inner.Failure == Never {
    Publishers.ConcatMap(upstream: self, transform: transform)
  }

  /// `flatMapFirst(_:)` from a publisher that cannot fail.
  ///
  /// - Parameter transform: Creates a publisher from a value.
  /// - Returns: The publisher of their values.
  @preconcurrency public func flatMapFirst<Inner: Publisher>(
    _ transform: @escaping @Sendable (Output) -> Inner
  ) -> Publishers.FlatMapFirst<Publishers.SetFailureType<Self, Inner.Failure>, Inner> {
    setFailureType(to: Inner.Failure.self).flatMapFirst(transform)
  }

  /// `flatMapFirst(_:)` where nothing can fail.
  ///
  /// - Parameter transform: Creates a publisher from a value.
  /// - Returns: The publisher of their values.
  @preconcurrency public func flatMapFirst<Inner: Publisher>(
    _ transform: @escaping @Sendable (Output) -> Inner
  ) -> Publishers.FlatMapFirst<Self, Inner> where Inner.Failure == Never {
    Publishers.FlatMapFirst(upstream: self, transform: transform)
  }

  /// `flatMapLatest(_:)` from a publisher that cannot fail.
  ///
  /// - Parameter transform: Creates a publisher from a value.
  /// - Returns: The publisher of their values.
  @preconcurrency public func flatMapLatest<Inner: Publisher>(
    _ transform: @escaping @Sendable (Output) -> Inner
  ) -> Publishers.FlatMapLatest<Publishers.SetFailureType<Self, Inner.Failure>, Inner> {
    setFailureType(to: Inner.Failure.self).flatMapLatest(transform)
  }

  /// `flatMapLatest(_:)` where nothing can fail.
  ///
  /// - Parameter transform: Creates a publisher from a value.
  /// - Returns: The publisher of their values.
  @preconcurrency public func flatMapLatest<Inner: Publisher>(
    _ transform: @escaping @Sendable (Output) -> Inner
  ) -> Publishers.FlatMapLatest<Self, Inner> where Inner.Failure == Never {
    Publishers.FlatMapLatest(upstream: self, transform: transform)
  }
}

// The values of a publisher as an asynchronous sequence.

#if !canImport(Combine)

/// The values of a publisher that cannot fail, as an asynchronous sequence.
///
/// Each iterator subscribes, and requests one value at a time. Leaving a loop over it, or cancelling
/// the task of the loop, cancels the subscription.
public struct AsyncPublisher<P: Publisher>: AsyncSequence, Sendable where P.Failure == Never {
  /// A value of the publisher.
  public typealias Element = P.Output

  // Publishers may be subscribed to on any thread; see `UncheckedSendable`.
  private let publisher: UncheckedSendable<P>

  /// Creates a sequence of the values of a publisher.
  public init(_ publisher: P) { self.publisher = UncheckedSendable(publisher) }

  /// Subscribes.
  public func makeAsyncIterator() -> Iterator { Iterator(reader: AsyncReader(publisher.value)) }

  /// Waits for the values of one subscription.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    fileprivate let reader: AsyncReader<P.Output, Never>

    /// Waits for the next value; returns nil at the end.
    public mutating func next() async -> P.Output? { await next(isolation: nil) }

    /// Waits for the next value; returns nil at the end.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> P.Output? {
      guard case .success(let value) = await reader.next(isolation: actor).value else { return nil }
      return value
    }
  }
}

/// The values of a publisher, as an asynchronous sequence that throws its failure.
///
/// Each iterator subscribes, and requests one value at a time. Leaving a loop over it, or cancelling
/// the task of the loop, cancels the subscription.
public struct AsyncThrowingPublisher<P: Publisher>: AsyncSequence, Sendable {
  /// A value of the publisher.
  public typealias Element = P.Output
  /// The failure of the publisher.
  public typealias Failure = any Error

  // Publishers may be subscribed to on any thread; see `UncheckedSendable`.
  private let publisher: UncheckedSendable<P>

  /// Creates a sequence of the values of a publisher.
  public init(_ publisher: P) { self.publisher = UncheckedSendable(publisher) }

  /// Subscribes.
  public func makeAsyncIterator() -> Iterator { Iterator(reader: AsyncReader(publisher.value)) }

  /// Waits for the values of one subscription.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    fileprivate let reader: AsyncReader<P.Output, P.Failure>

    /// Waits for the next value; returns nil at the end.
    ///
    /// - Returns: The value.
    /// - Throws: The failure of the publisher.
    public mutating func next() async throws -> P.Output? { try await next(isolation: nil) }

    /// Waits for the next value; returns nil at the end.
    ///
    /// - Parameter actor: The actor of the caller.
    /// - Returns: The value.
    /// - Throws: The failure of the publisher.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(any Error) -> P.Output? {
      try await reader.next(isolation: actor).value.get()
    }
  }
}

extension Publisher where Failure == Never {
  /// The values as an asynchronous sequence.
  public var values: AsyncPublisher<Self> { AsyncPublisher(self) }
}

extension Publisher {
  /// The values as an asynchronous sequence that throws the failure.
  ///
  /// Disfavored, so that a publisher may have its own.
  @_disfavoredOverload public var values: AsyncThrowingPublisher<Self> {
    AsyncThrowingPublisher(self)
  }
}

/// Reads a publisher one value at a time, until it is released.
///
/// Only iterators retain it, so it is released together with the last of them.
private final class AsyncReader<Output, Failure: Error>: Sendable {
  typealias Item = UncheckedSendable<Result<Output?, Failure>>

  /// Subscribes to the publisher on behalf of a reader.
  private final class Inner: Subscriber, Sendable {
    private struct State {
      var upstream = Upstream()
      /// Values that arrived when no task was waiting for them, such as those of a publisher that ignores demand.
      var values = Queue<Output>()
      var completion: Subscribers.Completion<Failure>?
      var waiting = Queue<CheckedContinuation<Item, Never>>()
    }

    private let state = Locked(State())

    func receive(subscription: any Subscription) {
      state.withLock { $0.upstream.receive(subscription) }.perform()
    }

    func receive(_ input: Output) -> Subscribers.Demand {
      let waiting = state.withLock { state in
        let waiting = state.waiting.popFirst()
        if waiting == nil, state.completion == nil { state.values.append(input) }
        return waiting
      }
      waiting?.resume(returning: UncheckedSendable(.success(input)))
      return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
      end(completion) { $0.end() }
    }

    func cancel() {
      end(.finished) { $0.cancel() }
    }

    private func end(
      _ completion: Subscribers.Completion<Failure>, _ body: (inout Upstream) -> Effect
    ) {
      var (effect, waiting) =
        state.withLock { state in
          let effect = body(&state.upstream)
          guard state.completion == nil else { return (effect, Queue()) }
          state.completion = completion
          defer { state.waiting = Queue() }
          return (effect, state.waiting)
        } as (Effect, Queue<CheckedContinuation<Item, Never>>)
      effect.perform()
      effect = .none
      // The first reader gets the failure, like a loop over the sequence.
      var item: Result<Output?, Failure> = completion.asResult()
      while let next = waiting.popFirst() {
        next.resume(returning: UncheckedSendable(item))
        item = .success(nil)
      }
    }

    func next(_ continuation: CheckedContinuation<Item, Never>) {
      let (item, effect) = state.withLock { state -> (Item?, Effect) in
        if let value = state.values.popFirst() {
          return (UncheckedSendable(.success(value)), .none)
        }
        if let completion = state.completion {
          // A failure is thrown once.
          state.completion = .finished
          return (UncheckedSendable(completion.asResult()), .none)
        }
        state.waiting.append(continuation)
        return (nil, state.upstream.request(.max(1)))
      }
      if let item { continuation.resume(returning: item) }
      effect.perform()
    }
  }

  private let inner = Inner()

  init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
    publisher.subscribe(inner)
  }

  deinit { inner.cancel() }

  func next(isolation actor: isolated (any Actor)?) async -> Item {
    let inner = inner
    return await withTaskCancellationHandler {
      await withCheckedContinuation(isolation: actor) { inner.next($0) }
    } onCancel: {
      inner.cancel()
    }
  }
}

extension Subscribers.Completion {
  /// What a reader gets at the end.
  fileprivate func asResult<Output>() -> Result<Output?, Failure> {
    switch self {
    case .finished: .success(nil)
    case .failure(let error): .failure(error)
    }
  }
}

#endif

// Converts an asynchronous sequence to a publisher.

public import ReactiveCore

extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// A publisher of the elements of this sequence.
  ///
  /// - Start: each subscription iterates over the sequence from its start, beginning with the first
  ///   request.
  /// - Demand: an element is read only when it was requested.
  /// - Completion: when the sequence ends; a thrown error is the failure.
  /// - Cancellation: cancels the task that reads the sequence.
  /// - Threads: elements are delivered from the task that reads the sequence.
  public var publisher: AsyncSequencePublisher<Self> {
    AsyncSequencePublisher(sequence: self)
  }
}

/// A publisher of the elements of an asynchronous sequence.
///
/// See `AsyncSequence.publisher` for its contract.
public struct AsyncSequencePublisher<Base: AsyncSequence & Sendable>: Publisher
where Base.Element: Sendable {
  /// An element of the sequence.
  public typealias Output = Base.Element
  /// The error of the sequence.
  public typealias Failure = any Error

  let sequence: Base

  /// Attaches a subscriber; called by `subscribe(_:)`.
  ///
  /// - Parameter subscriber: The subscriber that receives the elements.
  public func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let subscription = AsyncSequenceSubscription(sequence: sequence, downstream: subscriber)
    subscriber.receive(subscription: subscription)
  }
}

/// Reads a sequence in a task, as demand permits.
private final class AsyncSequenceSubscription<Base: AsyncSequence & Sendable>: Subscription,
  Sendable
where Base.Element: Sendable {
  typealias Downstream = any Subscriber<Base.Element, any Error>

  private struct State {
    /// Called only by the task; nil after the end.
    var downstream: Downstream?
    var demand = Subscribers.Demand.none
    var task: Task<Void, Never>?
    /// Resumes the task, which is waiting for demand.
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let sequence: Base
  private let state: Locked<State>

  init(sequence: Base, downstream: Downstream) {
    self.sequence = sequence
    state = Locked(State(downstream: downstream))
  }

  func request(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    let waiting = state.withLock { state in
      state.demand += demand
      if state.task == nil, state.downstream != nil { state.task = Task { await self.read() } }
      return state.waiting.take()
    }
    waiting?.resume()
  }

  func cancel() {
    let old = state.withLock { state in
      (state.downstream.take(), state.task.take(), state.waiting.take())
    }
    old.1?.cancel()
    old.2?.resume()
  }

  private func read() async {
    do {
      var iterator = sequence.makeAsyncIterator()
      while await hasDemand(), let element = try await iterator.next() {
        deliver(element)
      }
      complete(.finished)
    } catch {
      complete(.failure(error))
    }
  }

  /// Waits until an element is requested.
  ///
  /// - Returns: Whether one was requested; false after a cancellation.
  private func hasDemand() async -> Bool {
    await withCheckedContinuation { continuation in
      let mustWait = state.withLock { state in
        guard state.downstream != nil, state.demand == .none else { return false }
        state.waiting = continuation
        return true
      }
      if !mustWait { continuation.resume() }
    }
    return state.withLock { state in
      guard state.downstream != nil else { return false }
      state.demand -= 1
      return true
    }
  }

  private func deliver(_ element: Base.Element) {
    guard let downstream = state.withLock({ $0.downstream }) else { return }
    let more = downstream.receive(element)
    state.withLock { $0.demand += more }
  }

  private func complete(_ completion: Subscribers.Completion<any Error>) {
    state.withLock { $0.downstream.take() }?.receive(completion: completion)
  }
}

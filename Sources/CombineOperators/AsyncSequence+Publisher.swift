// The ways from an asynchronous sequence to publishers. Knows nothing of the elements.

public import CombineShim
import Synchronization

extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// The elements of this sequence as a publisher.
  ///
  /// - Start: each subscription reads the sequence anew, from its first demand on.
  /// - Demand: an element is read only when it has been asked for.
  /// - Completion: when the sequence ends; an error that it throws is the failure.
  /// - Cancellation: cancels the task that reads.
  /// - Threads: elements are delivered from the task that reads.
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
  /// What the sequence throws.
  public typealias Failure = any Error

  let sequence: Base

  /// Subscribes; called by `subscribe(_:)`.
  ///
  /// - Parameter subscriber: Who gets the elements.
  public func receive<Downstream: Subscriber & SendableMetatype>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let subscription = AsyncSequenceSubscription(sequence: sequence, downstream: subscriber)
    subscriber.receive(subscription: subscription)
  }
}

/// Reads a sequence in a task, as far as it was asked to.
private final class AsyncSequenceSubscription<
  Base: AsyncSequence & Sendable, Downstream: Subscriber & SendableMetatype
>: Subscription, Sendable
where Downstream.Input == Base.Element, Downstream.Failure == any Error, Base.Element: Sendable {
  // @unchecked: a subscriber is not Sendable; only the task calls it.
  private struct State: @unchecked Sendable {
    var downstream: Downstream?
    var demand = Subscribers.Demand.none
    var task: Task<Void, Never>?
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let sequence: Base
  private let state: Mutex<State>

  init(sequence: Base, downstream: Downstream) {
    self.sequence = sequence
    state = Mutex(State(downstream: downstream))
  }

  func request(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    let waiting = state.withLock { state in
      state.demand += demand
      if state.task == nil, state.downstream != nil { state.task = Task { await self.read() } }
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume()
  }

  func cancel() {
    let dropped = state.withLock { state in
      defer {
        state.downstream = nil
        state.waiting = nil
      }
      return Carried((state.downstream, state.task, state.waiting))
    }
    dropped.value.1?.cancel()
    dropped.value.2?.resume()
  }

  private func read() async {
    do {
      var iterator = sequence.makeAsyncIterator()
      while await isAsked(), let element = try await iterator.next() {
        guard let downstream = downstream else { return }
        let more = downstream.value.receive(element)
        state.withLock { $0.demand += more }
      }
      complete(.finished)
    } catch {
      complete(.failure(error))
    }
  }

  private var downstream: Carried<Downstream>? {
    state.withLock { $0.downstream.map(Carried.init) }
  }

  /// Waits until an element has been asked for.
  ///
  /// - Returns: false when it was cancelled.
  private func isAsked() async -> Bool {
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

  private func complete(_ completion: Subscribers.Completion<any Error>) {
    let downstream = state.withLock { state in
      defer { state.downstream = nil }
      return Carried(state.downstream)
    }
    downstream.value?.receive(completion: completion)
  }
}

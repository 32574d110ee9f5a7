// The values of a publisher as an asynchronous sequence of its own: whoever stops reading does not want the publisher's
// work any more. Knows nothing of what is published.

import Synchronization

/// The values of a publisher, read one after the other: each iterator is a subscription of its own, and ends with it.
///
/// Leaving a loop over it by `break`, `return` or an error, and cancelling its task, cancel the subscription; so nothing
/// goes on that nobody reads. (The sequence that OpenCombine makes of any publisher does not notice that somebody has left.)
/// One value is asked for at a time. A failure of the publisher is thrown.
public struct CancellingAsyncPublisher<Upstream: Publisher>: AsyncSequence {
  /// A value of the publisher.
  public typealias Element = Upstream.Output

  private let upstream: Upstream

  /// Makes the sequence; nothing is subscribed to yet.
  ///
  /// - Parameter upstream: What is to be read.
  package init(_ upstream: Upstream) {
    self.upstream = upstream
  }

  /// Subscribes.
  public func makeAsyncIterator() -> Iterator {
    let held = HeldSubscription()
    let base = upstream.handleEvents(receiveSubscription: { held.hold($0) }).values
    return Iterator(base: Carried(base.makeAsyncIterator()), reader: Reader(held))
  }

  /// Reads one subscription; it is cancelled when nobody holds the iterator any more.
  public struct Iterator: AsyncIteratorProtocol {
    /// An iterator that keeps what it reads from behind a reference: its copies read the same subscription.
    let base: Carried<AsyncThrowingPublisher<Publishers.HandleEvents<Upstream>>.Iterator>
    let reader: Reader

    /// Waits for the next value.
    ///
    /// - Returns: The value; nil when the publisher has finished.
    /// - Throws: The failure of the publisher.
    public mutating func next() async throws -> Element? {
      var base = base.value
      return try await base.next()
    }
  }

  /// Whoever reads.
  ///
  /// Only iterators hold it, and not what they read from: so its end is theirs.
  final class Reader: Sendable {
    private let held: HeldSubscription

    init(_ held: HeldSubscription) {
      self.held = held
    }

    deinit { held.cancel() }
  }

  /// The subscription that is read from, once there is one.
  final class HeldSubscription: Sendable {
    // @unchecked: a subscription is not Sendable, but may be cancelled from any thread.
    private struct State: @unchecked Sendable {
      var subscription: (any Subscription)?
      var isCancelled = false
    }

    private let state = Mutex(State())

    init() {}

    func hold(_ subscription: any Subscription) {
      let held = State(subscription: subscription)
      let isTooLate = state.withLock { state in
        if !state.isCancelled { state.subscription = held.subscription }
        return state.isCancelled
      }
      if isTooLate { subscription.cancel() }
    }

    func cancel() {
      let held = state.withLock { state in
        defer { state = State(isCancelled: true) }
        return state
      }
      held.subscription?.cancel()
    }
  }
}

extension CancellingAsyncPublisher: Sendable where Upstream: Sendable {}

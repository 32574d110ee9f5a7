// An asynchronous sequence of a publisher's values that cancels the subscription when it is no
// longer read.

/// An asynchronous sequence of the values of a publisher, with one subscription for each iterator.
///
/// Leaving a loop over it by `break`, `return` or an error, or cancelling the task of the loop,
/// cancels the subscription, so that no unread work continues. One value is requested at a time. A failure of the publisher is
/// thrown.
public struct CancellingAsyncPublisher<Upstream: Publisher>: AsyncSequence {
  /// A value of the publisher.
  public typealias Element = Upstream.Output

  private let upstream: Upstream

  /// Creates the sequence; each iterator subscribes.
  ///
  /// - Parameter upstream: The publisher.
  public init(_ upstream: Upstream) {
    self.upstream = upstream
  }

  /// Subscribes.
  public func makeAsyncIterator() -> Iterator {
    let held = HeldSubscription()
    let base = upstream.handleEvents(receiveSubscription: { held.hold($0) }).values
    return Iterator(base: UncheckedSendable(base.makeAsyncIterator()), reader: Reader(held))
  }

  /// An iterator of one subscription, which is cancelled when the iterator and its copies are
  /// released.
  public struct Iterator: AsyncIteratorProtocol {
    /// The iterator of `values`; copies of it share the subscription.
    let base: UncheckedSendable<AsyncThrowingPublisher<Publishers.HandleEvents<Upstream>>.Iterator>
    let reader: Reader

    /// Waits for the next value.
    ///
    /// - Returns: The value; nil if the publisher has finished.
    /// - Throws: The failure of the publisher.
    public mutating func next() async throws -> Element? {
      var base = base.value
      return try await base.next()
    }
  }

  /// Cancels a subscription when it is released.
  ///
  /// Only iterators retain it, so it is released together with the last of them.
  final class Reader: Sendable {
    private let held: HeldSubscription

    init(_ held: HeldSubscription) {
      self.held = held
    }

    deinit { held.cancel() }
  }

  /// The subscription, after it has been received.
  final class HeldSubscription: Sendable {
    private let upstream = Locked(CombineOperators.Upstream())

    init() {}

    func hold(_ subscription: any Subscription) {
      upstream.withLock { $0.receive(subscription) }.perform()
    }

    func cancel() {
      upstream.withLock { $0.cancel() }.perform()
    }
  }
}

extension CancellingAsyncPublisher: Sendable where Upstream: Sendable {}

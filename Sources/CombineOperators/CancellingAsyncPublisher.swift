// The values of a publisher as an asynchronous sequence that cancels when it is no longer read.

/// The values of a publisher as an asynchronous sequence: each iterator is a subscription of its own
/// and ends with it.
///
/// Leaving a loop over it by `break`, `return` or an error, and cancelling its task, cancel the
/// subscription, so no work continues that is not read. (The sequence that OpenCombine makes of any
/// publisher does not notice when a loop is left.) One value is requested at a time. A failure of the
/// publisher is thrown.
public struct CancellingAsyncPublisher<Upstream: Publisher>: AsyncSequence {
  /// A value of the publisher.
  public typealias Element = Upstream.Output

  private let upstream: Upstream

  /// Makes the sequence; each iterator subscribes.
  ///
  /// - Parameter upstream: The publisher to read.
  public init(_ upstream: Upstream) {
    self.upstream = upstream
  }

  /// Subscribes.
  public func makeAsyncIterator() -> Iterator {
    let held = HeldSubscription()
    let base = upstream.handleEvents(receiveSubscription: { held.hold($0) }).values
    return Iterator(base: UncheckedSendable(base.makeAsyncIterator()), reader: Reader(held))
  }

  /// Reads one subscription, which is cancelled when the iterator and its copies are released.
  public struct Iterator: AsyncIteratorProtocol {
    /// The iterator of OpenCombine, whose copies read the same subscription.
    let base: UncheckedSendable<AsyncThrowingPublisher<Publishers.HandleEvents<Upstream>>.Iterator>
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

  /// Cancels a subscription when it is released.
  ///
  /// Only iterators retain it, and nothing that they read from does: so its end is theirs.
  final class Reader: Sendable {
    private let held: HeldSubscription

    init(_ held: HeldSubscription) {
      self.held = held
    }

    deinit { held.cancel() }
  }

  /// The subscription that is read, once it has arrived.
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

// The events of a run as an asynchronous sequence of its own: whoever stops reading does not want the run any more.
// Knows nothing of what the events tell.

import CombineOperators
import Synchronization

extension RunPublisher {
  /// The events of a run as an asynchronous sequence.
  ///
  /// A loop over it starts a run and ends with it: it throws ``RunFailure`` when the run did not succeed. Leaving the
  /// loop by `break`, `return` or an error, and cancelling its task, cancel the run; so nothing goes on that nobody
  /// reads. (The sequence that OpenCombine makes of any publisher does not notice that somebody has left.)
  public var values: Values { Values(publisher: self) }
}

extension RunPublisher {
  /// The events of a run, read one after the other: each iterator is a run of its own.
  public struct Values: AsyncSequence, Sendable {
    /// An event of the run.
    public typealias Element = Event

    let publisher: RunPublisher

    /// Starts a run.
    public func makeAsyncIterator() -> Iterator {
      let held = HeldSubscription()
      let base = publisher.handleEvents(receiveSubscription: { held.hold($0) }).values
      return Iterator(base: Carried(base.makeAsyncIterator()), reader: Reader(held))
    }

    /// Reads the events of one run; the run is cancelled when nobody holds it any more.
    public struct Iterator: AsyncIteratorProtocol {
      /// An iterator that keeps what it reads from behind a reference: its copies read the same run.
      let base: Carried<AsyncThrowingPublisher<Publishers.HandleEvents<RunPublisher>>.Iterator>
      let reader: Reader

      /// Waits for the next event.
      ///
      /// - Returns: The event; nil when the run has succeeded.
      /// - Throws: ``RunFailure`` when it ended otherwise.
      public mutating func next() async throws -> Event? {
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
      private let subscription = Mutex(Carried<(any Subscription)?>(nil))

      init() {}

      func hold(_ subscription: any Subscription) {
        let carried = Carried<(any Subscription)?>(subscription)
        self.subscription.withLock { $0 = carried }
      }

      func cancel() {
        let carried = subscription.withLock { subscription in
          defer { subscription = Carried(nil) }
          return subscription
        }
        carried.value?.cancel()
      }
    }
  }
}

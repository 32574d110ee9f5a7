// Shares running publishers by key: for each key there is one execution.

public import CombineShim
import Synchronization

/// Shares publishers by key for as long as they run.
///
/// The first caller for a key makes the publisher, and callers that come while it runs get the same
/// one. When it has completed, or all of its subscribers have cancelled, it is forgotten, and the next
/// caller makes a new one. Safe to use from any thread. This is no cache: no result outlives its
/// execution.
public final class SharedPublishers<Key: Hashable & Sendable, Output, Failure: Error>: Sendable {
  private struct Entry {
    let number: Int
    let publisher: SharedPublisher<Output, Failure>
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    var nextNumber = 0
  }

  private let state = Mutex(State())

  /// Makes an empty collection.
  public init() {}

  /// The number of keys whose publishers run or wait for their first subscriber.
  public var count: Int { state.withLock { $0.entries.count } }

  /// The publisher for a key.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - make: Makes the publisher if none runs. Called without a lock; of publishers that several
  ///     threads make at once, one is used. It starts with the first subscription.
  /// - Returns: The shared publisher. Late subscribers receive its last value, as long as it runs.
  public func publisher<Upstream: Publisher>(
    for key: Key, _ make: () -> Upstream
  ) -> SharedPublisher<Output, Failure>
  where Upstream.Output == Output, Upstream.Failure == Failure {
    if let entry = state.withLock({ $0.entries[key] }) { return entry.publisher }
    // Made outside of the lock; of two that are made at once, one is dropped before it starts.
    let number = state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
    let publisher = make().handleEvents(
      receiveCompletion: { [weak self] _ in self?.forget(key, number) },
      receiveCancel: { [weak self] in self?.forget(key, number) }
    ).share(replay: 1)
    return state.withLock { state in
      if let entry = state.entries[key] { return entry.publisher }
      state.entries[key] = Entry(number: number, publisher: publisher)
      return publisher
    }
  }

  private func forget(_ key: Key, _ number: Int) {
    let forgotten = state.withLock { state -> Entry? in
      guard state.entries[key]?.number == number else { return nil }
      return state.entries.removeValue(forKey: key)
    }
    withExtendedLifetime(forgotten) {}
  }
}

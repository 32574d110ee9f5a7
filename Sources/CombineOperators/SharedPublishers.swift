// Keyed sharing of what is under way: same key, one execution. Knows nothing of what is executed.

public import CombineShim
import Synchronization

/// Shares publishers by key for as long as they are under way.
///
/// The first caller of a key makes the publisher; whoever comes while it is under way gets the same
/// one; when it has ended, or everybody has left, it is forgotten, and the next caller makes a new one.
/// Safe to use from any thread: of callers that come at once, one makes it. The values must not be
/// kept by key: this is no cache.
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

  /// How many keys are under way, or wait for their first subscriber.
  public var count: Int { state.withLock { $0.entries.count } }

  /// The publisher for a key.
  ///
  /// - Parameters:
  ///   - key: What is to be done.
  ///   - make: Makes the publisher that does it, when none is under way. It must not use this
  ///     collection; making is not starting: that is done by the first subscription.
  /// - Returns: The shared publisher. Late subscribers get its last value, as long as it is under way.
  public func publisher<Upstream: Publisher>(
    for key: Key, _ make: () -> Upstream
  ) -> SharedPublisher<Output, Failure>
  where Upstream.Output == Output, Upstream.Failure == Failure {
    if let entry = state.withLock({ $0.entries[key] }) { return entry.publisher }
    // Made outside of the lock; of two that are made at once one is dropped before it starts.
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

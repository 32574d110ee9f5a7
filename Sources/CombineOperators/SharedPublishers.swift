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
  /// Refers weakly to its publisher: callers and subscribers retain that, as long as there are any.
  private struct Entry {
    let number: Int
    weak var publisher: SharedPublisher<Output, Failure>?
  }

  /// Forgets a key when it is released, together with the publisher that is shared for the key.
  private final class Registration: Sendable {
    private let forget: @Sendable () -> Void

    init(forget: @escaping @Sendable () -> Void) {
      self.forget = forget
    }

    deinit { forget() }
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    var nextNumber = 0
  }

  private let state = Mutex(State())

  /// Makes an empty collection.
  public init() {}

  /// The number of keys whose publishers run, or are retained by a caller before their first subscriber.
  public var count: Int { state.withLock { $0.entries.count } }

  /// The publisher for a key.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - make: Makes the publisher if none runs. Called without a lock; of publishers that several
  ///     threads make at once, one is used. It starts with the first subscription.
  /// - Returns: The shared publisher. Late subscribers receive its last value, as long as it runs. When it is
  ///   released without ever having had a subscriber, it is forgotten.
  public func publisher<Upstream: Publisher>(
    for key: Key, _ make: () -> Upstream
  ) -> SharedPublisher<Output, Failure>
  where Upstream.Output == Output, Upstream.Failure == Failure {
    if let publisher = state.withLock({ $0.entries[key]?.publisher }) { return publisher }
    // Made outside of the lock; of two that are made at once, one is dropped before it starts.
    let number = state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
    let registration = Registration { [weak self] in self?.forget(key, number) }
    let publisher = make().handleEvents(
      receiveCompletion: { [weak self] _ in self?.forget(key, number) },
      // Retains the registration as long as the shared publisher may connect.
      receiveCancel: { [weak self] in
        withExtendedLifetime(registration) { self?.forget(key, number) }
      }
    ).share(replay: 1)
    return state.withLock { state in
      if let publisher = state.entries[key]?.publisher { return publisher }
      state.entries[key] = Entry(number: number, publisher: publisher)
      return publisher
    }
  }

  /// Removes a key; nothing is released under the lock, because entries retain nothing.
  private func forget(_ key: Key, _ number: Int) {
    state.withLock { state in
      guard state.entries[key]?.number == number else { return }
      state.entries[key] = nil
    }
  }
}

// Shares running publishers by key: there is one execution for each key.

public import ReactiveCore
import Synchronization

/// Shares publishers by key while they run.
///
/// The first caller for a key creates the publisher, and callers that arrive while it runs get the
/// same one. When it has completed, or all of its subscribers have cancelled, it is removed, and
/// the next caller creates a new one. Thread-safe. This is not a cache: no result outlives its
/// execution.
public final class SharedPublishers<Key: Hashable & Sendable, Output, Failure: Error>: Sendable {
  /// A weak reference to a publisher, which its callers and subscribers retain.
  private struct Entry {
    let number: Int
    weak var publisher: SharedPublisher<Output, Failure>?
  }

  /// Removes a key when it is released together with the publisher of the key.
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

  /// Creates an empty collection.
  public init() {}

  /// The number of keys whose publishers are running, or are retained before their first
  /// subscriber.
  public var count: Int { state.withLock { $0.entries.count } }

  /// Returns the publisher for a key.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - make: Creates the publisher if none is running. Called without a lock; if several threads
  ///     create publishers at once, one is used. It starts with the first subscription.
  /// - Returns: The shared publisher. Late subscribers receive its last value while it runs. If it
  ///   is released without ever having had a subscriber, it is removed.
  public func publisher<Upstream: Publisher>(
    for key: Key, _ make: () -> Upstream
  ) -> SharedPublisher<Output, Failure>
  where Upstream.Output == Output, Upstream.Failure == Failure {
    if let publisher = state.withLock({ $0.entries[key]?.publisher }) { return publisher }
    // Created outside of the lock; if two are created at once, one is released before it starts.
    let number = state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
    let registration = Registration { [weak self] in self?.forget(key, number) }
    let publisher = make().handleEvents(
      receiveCompletion: { [weak self] _ in self?.forget(key, number) },
      // Retains the registration while the shared publisher may connect.
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

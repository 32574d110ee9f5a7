// The second, harder way to stop a run: a set of handlers that are called once. Knows nothing of
// processes.

import Synchronization

/// Lets whoever runs something be told that it must end now.
///
/// Safe to use from any thread.
final class KillSwitch: Sendable {
  private struct State {
    var isEngaged = false
    var next = 0
    var handlers: [Int: @Sendable () -> Void] = [:]
  }

  private let state = Mutex(State())

  init() {}

  /// Calls every handler, and from now on each new one at once.
  func engage() {
    let handlers = state.withLock { state in
      state.isEngaged = true
      let handlers = state.handlers
      state.handlers = [:]
      return handlers
    }
    for handler in handlers.values { handler() }
  }

  /// Adds a handler.
  ///
  /// - Parameter handler: What to call, without the lock held.
  /// - Returns: What `unregister` takes.
  func register(_ handler: @escaping @Sendable () -> Void) -> Int {
    let (registration, isEngaged) = state.withLock { state in
      state.next += 1
      if !state.isEngaged { state.handlers[state.next] = handler }
      return (state.next, state.isEngaged)
    }
    if isEngaged { handler() }
    return registration
  }

  /// Removes a handler; it may still be under way.
  func unregister(_ registration: Int) {
    state.withLock { $0.handlers[registration] = nil }
  }
}

// Stops single steps while the others go on. Knows nothing of why.

import Synchronization
import WorkflowLanguage

/// Lets whatever runs a step be told to stop.
///
/// Safe to use from any thread.
final class StopSwitches: Sendable {
  private struct State {
    var next = 0
    var handlers: [StepIndex: (registration: Int, stop: @Sendable () -> Void)] = [:]
  }

  private let state = Mutex(State())

  init() {}

  /// Says how a step is stopped.
  ///
  /// - Returns: What `unregister` takes.
  func register(_ step: StepIndex, _ stop: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.next += 1
      state.handlers[step] = (state.next, stop)
      return state.next
    }
  }

  /// Forgets how a step is stopped, unless it is under way again.
  func unregister(_ step: StepIndex, _ registration: Int) {
    state.withLock { state in
      if state.handlers[step]?.registration == registration { state.handlers[step] = nil }
    }
  }

  /// Stops a step, if it is under way.
  func stop(_ step: StepIndex) {
    state.withLock { $0.handlers[step]?.stop }?()
  }
}

// A gate that tests open to let tasks continue.

import Synchronization

/// A gate that tasks wait for.
public final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Creates a closed gate.
  public init() {}

  /// Waits for the gate to open, even if the task is cancelled.
  public func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  /// Waits for the gate to open, or for the task to be cancelled.
  ///
  /// - Throws: `CancellationError` if the task is cancelled first.
  public func waitUnlessCancelled() async throws {
    let both = Gate()
    let opening = Task {
      await wait()
      both.open()
    }
    await withTaskCancellationHandler {
      await both.wait()
    } onCancel: {
      both.open()
    }
    opening.cancel()
    try Task.checkCancellation()
  }

  /// Resumes all waiting tasks, and lets later ones pass.
  public func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}

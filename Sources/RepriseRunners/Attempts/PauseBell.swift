// `PauseBell`: cuts a pause short.

import Reprise
import Synchronization

/// Cuts the pauses of one task short when there is a reason to look at once.
final class PauseBell: Sendable {
  private struct State {
    var isRung = false
    var sleep: Task<Void, Never>?
  }

  private let state = Mutex(State())

  /// Ends the pause in progress, or the next one.
  func ring() {
    state.withLock { state in
      state.isRung = state.sleep == nil
      return state.sleep
    }?.cancel()
  }

  /// Waits for some time, or until the bell is rung; one task may wait at a time.
  ///
  /// - Throws: `CancellationError`.
  func pause(for time: Duration, _ clock: any RunClock) async throws {
    let sleep = Task { _ = try? await clock.sleep(for: time) }
    let wasRung = state.withLock { state in
      defer { state.isRung = false }
      state.sleep = sleep
      return state.isRung
    }
    if wasRung { sleep.cancel() }
    await withTaskCancellationHandler {
      await sleep.value
    } onCancel: {
      sleep.cancel()
    }
    state.withLock { $0.sleep = nil }
    try Task.checkCancellation()
  }
}

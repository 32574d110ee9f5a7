// The live runs of a process or of a service: which there are, and the wait until there is none.

import Synchronization

/// The runs that are being begun or are live, each with what controls it.
///
/// All members may be called from any thread.
package final class RunGroup<Controls: Sendable>: Sendable {
  /// What becomes of runs that are added.
  private enum Phase {
    case open, closed, cancelling
  }

  private struct State {
    /// In the order in which they were added.
    var runs: [(id: RunID, controls: Controls)] = []
    var beginningCount = 0
    var phase = Phase.open
    var waiting = Waiters()

    /// The tasks that wait for the last run, if there is none any more.
    mutating func waitersIfIdle() -> Waiters { isIdle ? waiting.takeAll() : Waiters() }
    var isIdle: Bool { runs.isEmpty && beginningCount == 0 }
  }

  private let state = Mutex(State())

  /// Makes a group without runs.
  package init() {}

  // MARK: Members

  /// Notes that a run is being begun; ``beginningEnded()`` follows.
  ///
  /// - Returns: Whether it may begin: not once the group is closed.
  package func begin() -> Bool {
    state.withLock { state in
      if state.phase == .open { state.beginningCount += 1 }
      return state.phase == .open
    }
  }

  /// Notes that a beginning is over: by then its run has been added, unless there is none.
  package func beginningEnded() {
    let waiting = state.withLock { state in
      state.beginningCount -= 1
      return state.waitersIfIdle()
    }
    waiting.wake()
  }

  /// Adds a run.
  ///
  /// - Returns: Whether it is to be cancelled, since all others have been.
  package func add(_ id: RunID, _ controls: Controls) -> Bool {
    state.withLock { state in
      state.runs.append((id, controls))
      return state.phase == .cancelling
    }
  }

  /// Removes a run, of which nothing is left.
  package func remove(_ id: RunID) {
    let waiting = state.withLock { state in
      state.runs.removeAll { $0.id == id }
      return state.waitersIfIdle()
    }
    waiting.wake()
  }

  /// The ids of the runs, in the order in which they were added.
  package var ids: [RunID] { state.withLock { $0.runs.map(\.id) } }

  /// What controls each of them, in the same order.
  package var controls: [Controls] { state.withLock { $0.runs.map(\.controls) } }

  /// What controls a run; nil when it is not in the group.
  package subscript(id: RunID) -> Controls? {
    state.withLock { $0.runs.first { $0.id == id }?.controls }
  }

  /// Whether no run is live or being begun.
  package var isIdle: Bool { state.withLock { $0.isIdle } }

  // MARK: The end

  /// Whether no run begins any more.
  package var isClosed: Bool { state.withLock { $0.phase != .open } }

  /// Begins no more runs.
  package func close() {
    state.withLock { if $0.phase == .open { $0.phase = .closed } }
  }

  /// Begins no more runs, and cancels those that are live or added later.
  ///
  /// - Returns: What controls the live ones, to be cancelled by the caller.
  package func closeToCancel() -> [Controls] {
    state.withLock { state in
      state.phase = .cancelling
      return state.runs.map(\.controls)
    }
  }

  /// Waits until no run is live or being begun.
  package func finish() async {
    await state.wait(until: { $0.isIdle }, among: { $0.waiting.add($1) })
  }
}

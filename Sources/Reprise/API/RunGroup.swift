// `RunGroup`: tracks the live runs of a process or service, and waits until all of them are gone.

import Synchronization

/// The runs that are starting or live, each with its controls.
///
/// All members are thread-safe.
package final class RunGroup<Controls: Sendable>: Sendable {
  /// Whether the group accepts runs.
  private enum Phase {
    case open, closed, cancelling
  }

  private struct State {
    /// In the order in which they were added.
    var runs: [(id: RunID, controls: Controls)] = []
    var beginningCount = 0
    var phase = Phase.open
    var waiting = Waiters()

    /// Takes the tasks that wait in `finish()`, if the group is idle.
    mutating func waitersIfIdle() -> Waiters { isIdle ? waiting.takeAll() : Waiters() }
    var isIdle: Bool { runs.isEmpty && beginningCount == 0 }
  }

  private let state = Mutex(State())

  /// Creates an empty group.
  package init() {}

  // MARK: Members

  /// Reserves a place for a run that is about to start; pair it with ``reservationEnded()``.
  ///
  /// - Returns: Whether the run may start; false once the group is closed.
  package func begin() -> Bool {
    state.withLock { state in
      if state.phase == .open { state.beginningCount += 1 }
      return state.phase == .open
    }
  }

  /// Ends a ``begin()``, after its run was added or failed to start.
  package func reservationEnded() {
    let waiting = state.withLock { state in
      state.beginningCount -= 1
      return state.waitersIfIdle()
    }
    waiting.wake()
  }

  /// Adds a run.
  ///
  /// - Returns: Whether the caller must cancel the run, because the group is being cancelled.
  package func add(_ id: RunID, _ controls: Controls) -> Bool {
    state.withLock { state in
      state.runs.append((id, controls))
      return state.phase == .cancelling
    }
  }

  /// Removes a run that has ended completely.
  package func remove(_ id: RunID) {
    let waiting = state.withLock { state in
      state.runs.removeAll { $0.id == id }
      return state.waitersIfIdle()
    }
    waiting.wake()
  }

  /// The ids of the runs, in the order in which they were added.
  package var ids: [RunID] { state.withLock { $0.runs.map(\.id) } }

  /// The controls of the runs, in the same order.
  package var controls: [Controls] { state.withLock { $0.runs.map(\.controls) } }

  /// The controls of a run; nil if it is not in the group.
  package subscript(id: RunID) -> Controls? {
    state.withLock { $0.runs.first { $0.id == id }?.controls }
  }

  /// Whether no run is live or starting.
  package var isIdle: Bool { state.withLock { $0.isIdle } }

  // MARK: Closing

  /// Whether the group accepts no more runs.
  package var isClosed: Bool { state.withLock { $0.phase != .open } }

  /// Stops accepting runs.
  package func close() {
    state.withLock { if $0.phase == .open { $0.phase = .closed } }
  }

  /// Stops accepting runs, and makes ``add(_:_:)`` ask for the cancellation of late ones.
  ///
  /// - Returns: The controls of the live runs, which the caller must cancel.
  package func closeToCancel() -> [Controls] {
    state.withLock { state in
      state.phase = .cancelling
      return state.runs.map(\.controls)
    }
  }

  /// Stops accepting runs if none is live or starting.
  ///
  /// - Returns: Whether it does.
  package func closeIfIdle() -> Bool {
    state.withLock { state in
      if state.isIdle, state.phase == .open { state.phase = .closed }
      return state.phase != .open
    }
  }

  /// Waits until no run is live or starting.
  package func finish() async {
    await state.wait(until: { $0.isIdle }, among: { $0.waiting.add($1) })
  }
}

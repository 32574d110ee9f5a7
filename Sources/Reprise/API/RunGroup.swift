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

  private struct Member {
    /// Its place in the order in which runs were added.
    let position: Int
    let controls: Controls
    /// The number of times that it was added: a run that is resumed at once begins again before all of
    /// its end is done.
    var count: Int
  }

  private struct State {
    var runs: [RunID: Member] = [:]
    /// The number of runs that were added, also those that are gone.
    var addedCount = 0
    var beginningCount = 0
    var phase = Phase.open
    var waiting = Waiters()
    var nextWatcher = 0
    /// Called when the group is closed.
    var watchers: [Int: @Sendable () -> Void] = [:]

    /// Closes the group, unless it is.
    ///
    /// - Returns: What the caller must call after releasing the lock.
    mutating func close(as closed: Phase = .closed) -> [@Sendable () -> Void] {
      if phase == .open || closed == .cancelling { phase = closed }
      defer { watchers = [:] }
      return Array(watchers.values)
    }

    /// Takes the tasks that wait in `finish()`, if the group is idle.
    mutating func waitersIfIdle() -> Waiters { isIdle ? waiting.takeAll() : Waiters() }
    var isIdle: Bool { runs.isEmpty && beginningCount == 0 }
    /// In the order in which they were added.
    var ordered: [(key: RunID, value: Member)] {
      runs.sorted { $0.value.position < $1.value.position }
    }
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

  /// Adds a run; pair it with ``remove(_:)``.
  ///
  /// A run that is in the group already gets the new controls.
  ///
  /// - Returns: Whether the caller must cancel the run, because the group is being cancelled.
  package func add(_ id: RunID, _ controls: Controls) -> Bool {
    state.withLock { state in
      let count = (state.runs[id]?.count ?? 0) + 1
      state.runs[id] = Member(position: state.addedCount, controls: controls, count: count)
      state.addedCount += 1
      return state.phase == .cancelling
    }
  }

  /// Removes a run that has ended completely.
  package func remove(_ id: RunID) {
    let waiting = state.withLock { state in
      guard let count = state.runs[id]?.count else { return Waiters() }
      if count == 1 { state.runs[id] = nil } else { state.runs[id]?.count -= 1 }
      return state.waitersIfIdle()
    }
    waiting.wake()
  }

  /// The ids of the runs, in the order in which they were added.
  package var ids: [RunID] { state.withLock { $0.ordered.map(\.key) } }

  /// The controls of the runs, in the same order.
  package var controls: [Controls] { state.withLock { $0.ordered.map(\.value.controls) } }

  /// The controls of a run; nil if it is not in the group.
  package subscript(id: RunID) -> Controls? {
    state.withLock { $0.runs[id]?.controls }
  }

  /// Whether no run is live or starting.
  package var isIdle: Bool { state.withLock { $0.isIdle } }

  // MARK: Closing

  /// Whether the group accepts no more runs.
  package var isClosed: Bool { state.withLock { $0.phase != .open } }

  /// Stops accepting runs.
  package func close() {
    for watcher in state.withLock({ $0.close() }) { watcher() }
  }

  /// Calls a closure when the group stops accepting runs; at once if it has.
  ///
  /// - Returns: Has the closure forgotten.
  package func onClose(_ action: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    let number = state.withLock { state -> Int? in
      guard state.phase == .open else { return nil }
      state.nextWatcher += 1
      state.watchers[state.nextWatcher] = action
      return state.nextWatcher
    }
    guard let number else {
      action()
      return {}
    }
    return { [self] in state.withLock { _ = $0.watchers.removeValue(forKey: number) } }
  }

  /// Stops accepting runs, and makes ``add(_:_:)`` ask for the cancellation of late ones.
  ///
  /// - Returns: The controls of the live runs, which the caller must cancel.
  package func closeToCancel() -> [Controls] {
    let (controls, watchers) = state.withLock { state in
      (state.ordered.map(\.value.controls), state.close(as: .cancelling))
    }
    for watcher in watchers { watcher() }
    return controls
  }

  /// Stops accepting runs if none is live or starting.
  ///
  /// - Returns: Whether it does.
  package func closeIfIdle() -> Bool {
    let (isClosed, watchers) = state.withLock { state in
      let watchers = state.isIdle ? state.close() : []
      return (state.phase != .open, watchers)
    }
    for watcher in watchers { watcher() }
    return isClosed
  }

  /// Waits until no run is live or starting.
  package func finish() async {
    await state.wait(until: { $0.isIdle }, among: { $0.waiting.add($1) })
  }
}

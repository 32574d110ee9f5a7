// The runs of an engine that are in progress, so that no two of them have the same id.

import Synchronization

/// A run in progress.
final class LiveRun: Sendable {
  private let ledger = Mutex<RunLedger?>(nil)

  /// Sets the ledger, as soon as there is one.
  func follow(_ ledger: RunLedger) {
    self.ledger.withLock { $0 = ledger }
  }

  /// Whether the end of the run is published, after which its id may be used again.
  var isOver: Bool {
    guard let ledger = ledger.withLock({ $0 }) else { return false }
    return if case .ended = ledger.state.phase { true } else { false }
  }
}

/// The runs in progress by id; thread-safe.
final class LiveRuns: Sendable {
  private let runs = Mutex<[RunID: LiveRun]>([:])

  init() {}

  /// Returns whether a run with this id is in progress.
  func has(_ id: RunID) -> Bool {
    guard let run = runs.withLock({ $0[id] }) else { return false }
    return !run.isOver
  }

  /// Takes an id.
  ///
  /// - Returns: The run, for ``end(_:_:)``; nil if the id is in use.
  func begin(_ id: RunID) -> LiveRun? {
    let run = LiveRun()
    return runs.withLock { runs in
      if let other = runs[id], !other.isOver { return nil }
      runs[id] = run
      return run
    }
  }

  /// Releases an id, unless another run has taken it since.
  func end(_ id: RunID, _ run: LiveRun) {
    runs.withLock { runs in
      if runs[id] === run { runs[id] = nil }
    }
  }
}

// The locks of runs that a journal holds, so that this process need not look at its own locks.

import Reprise
import Synchronization

/// The locks of runs that this process holds through one journal.
///
/// The kernel knows them, too, but each question takes several system calls, and a run that waits for
/// its turn asks for each run ahead of it. Thread-safe.
final class HeldLocks: Sendable {
  private struct State {
    var runs: Set<RunID> = []
    var probeCount = 0
  }

  private let state = Mutex(State())

  /// Adds the lock of a run, which was taken.
  func insert(_ run: RunID) { state.withLock { _ = $0.runs.insert(run) } }

  /// Removes the lock of a run, which is about to be released.
  func remove(_ run: RunID) { state.withLock { _ = $0.runs.remove(run) } }

  /// Returns whether this process holds the lock of a run; false if another journal of it does.
  func contains(_ run: RunID) -> Bool { state.withLock { $0.runs.contains(run) } }

  /// Returns whether a lock is held by any process.
  func probe(_ path: String) -> Bool {
    state.withLock { $0.probeCount += 1 }
    return FileLock.isHeld(path)
  }

  /// The number of locks that were opened to find out whether they are held.
  var probeCount: Int { state.withLock { $0.probeCount } }
}

// Keeps copies of the locks of runs in the guardian of this process.

import ChildProcesses
import Reprise
import RepriseJournal
import Synchronization

/// The locks of the runs of a process, which its guardian also holds.
///
/// If this process is killed, other runs of a group start only after the guardian has killed all
/// processes of these runs. Thread-safe.
final class GuardedLocks: Sendable {
  private let copies = Mutex<[RunID: Int32]>([:])
  private let kept: KeptDescriptors?

  /// Creates an empty set of locks.
  ///
  /// - Parameter guardian: The guardian, if any.
  init(_ guardian: GuardianLink?) {
    kept = guardian.flatMap(KeptDescriptors.init)
  }

  /// Makes the guardian hold the lock of a run; must be called before the run starts.
  func hold(_ recorded: RecordedRun) {
    guard let lock = recorded.lockDescriptor, let copy = kept?.keep(lock) else { return }
    copies.withLock { $0[recorded.id] = copy }
  }

  /// Releases the guardian's copy of the lock of a run.
  func release(_ id: RunID) {
    guard let copy = copies.withLock({ $0.removeValue(forKey: id) }) else { return }
    kept?.letGo(of: copy)
  }
}

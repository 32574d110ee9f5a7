// The locks of runs that the guardian of this process holds as well.

import ChildProcesses
import Reprise
import RepriseJournal
import Synchronization

/// The locks of the runs of a process, which its guardian holds as well.
///
/// If this process is killed, no other run of a group begins before nothing of these is left. All
/// members may be called from any thread.
final class GuardedLocks: Sendable {
  private let copies = Mutex<[RunID: Int32]>([:])
  private let kept: KeptDescriptors?

  /// Holds nothing yet.
  ///
  /// - Parameter guardian: The guardian; nil where there is none.
  init(_ guardian: GuardianLink?) {
    kept = guardian.flatMap(KeptDescriptors.init)
  }

  /// Has the guardian hold the lock of a run; called before the run begins.
  func hold(_ recorded: RecordedRun) {
    guard let lock = recorded.lockDescriptor, let copy = kept?.keep(lock) else { return }
    copies.withLock { $0[recorded.id] = copy }
  }

  /// Releases the lock of a run, whose end has been recorded.
  func release(_ id: RunID) {
    guard let copy = copies.withLock({ $0.removeValue(forKey: id) }) else { return }
    kept?.letGo(of: copy)
  }
}

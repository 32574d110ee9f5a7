// The locks of the runs of this process, shared with its guardian.

package import ChildProcesses
import Reprise
package import RepriseJournal
import Synchronization

/// The locks of the runs of this process, shared with its guardian.
///
/// If this process is killed, the guardian holds the locks until every process of the runs has
/// ended, so that no other run of their concurrency groups starts earlier. Thread-safe.
package final class GuardedLocks: Sendable {
  private struct State {
    /// The guardian's copy of each lock.
    var copies: [RunID: Int32] = [:]
    /// Runs that are never released.
    var retained: [RecordedRun] = []
  }

  private let state = Mutex(State())
  private let kept: KeptDescriptors?

  /// Creates an empty set of locks.
  ///
  /// - Parameters:
  ///   - guardian: The guardian of this process, if it has one.
  ///   - run: The id of the only run, for the guardian's message if this process is killed.
  package init(_ guardian: GuardianLink?, run: String = "") {
    kept = guardian.flatMap { KeptDescriptors($0, run: run) }
  }

  /// Gives the guardian a copy of the lock of a run.
  ///
  /// Must be called before the run starts.
  package func share(_ recorded: RecordedRun) {
    guard let lock = recorded.lockDescriptor, let copy = kept?.keep(lock) else { return }
    state.withLock { $0.copies[recorded.id] = copy }
  }

  /// Releases the lock of a run that has ended.
  ///
  /// If the end could not be recorded, the run is retained; see ``retain(_:)``.
  package func release(_ recorded: RecordedRun) {
    if recorded.lockDescriptor != nil { retain(recorded) }
    withdraw(recorded.id)
  }

  /// Holds the lock of a run that is not recorded as ended until this process ends.
  ///
  /// A process that finds such a run unlocked kills all processes of its control group, which other
  /// runs of this process share.
  func retain(_ recorded: RecordedRun) {
    state.withLock { $0.retained.append(recorded) }
  }

  /// Releases the guardian's copy of the lock of a run.
  func withdraw(_ id: RunID) {
    guard let copy = state.withLock({ $0.copies.removeValue(forKey: id) }) else { return }
    kept?.release(copy)
  }
}

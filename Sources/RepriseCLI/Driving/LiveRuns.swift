// The runs of a process that drives several: which there are, and how they are reached together. Knows
// neither why they were begun nor how they are shown.

import ChildProcesses
import Reprise
import RepriseJournal
import Synchronization

/// The runs of this process that are under way, in the order in which they came.
///
/// All members may be called from any thread.
final class LiveRuns: SignalTarget {
  private struct State {
    var runs: [(id: RunID, steering: Steering)] = []
    /// By which the guardian lets go of the locks of runs.
    var locks: [RunID: Int32] = [:]
    var waiting = Waiters()
  }

  private let state = Mutex(State())
  /// What the guardian holds: if this process is killed, no other run of a group begins before nothing of
  /// these is left.
  private let kept = ProcessLinks.current.withLock { $0.guardian }.flatMap(KeptDescriptors.init)

  /// Takes in a run.
  func add(_ id: RunID, _ steering: Steering) {
    state.withLock { $0.runs.append((id, steering)) }
  }

  /// Has the guardian hold a run as well; called before it is begun.
  func hold(_ recorded: RecordedRun) {
    guard let lock = recorded.lockDescriptor, let copy = kept?.keep(lock) else { return }
    state.withLock { $0.locks[recorded.id] = copy }
  }

  /// Lets others have a run, whose end has been recorded.
  func letGo(of id: RunID) {
    guard let copy = state.withLock({ $0.locks.removeValue(forKey: id) }) else { return }
    kept?.letGo(of: copy)
  }

  /// Lets go of a run, of which nothing is left.
  func remove(_ id: RunID) {
    letGo(of: id)
    let waiting = state.withLock { state in
      state.runs.removeAll { $0.id == id }
      return state.runs.isEmpty ? state.waiting.takeAll() : Waiters()
    }
    waiting.wake()
  }

  /// The ids of the runs.
  var ids: [RunID] { state.withLock { $0.runs.map(\.id) } }

  /// What steers each of them.
  var steerings: [Steering] { state.withLock { $0.runs.map(\.steering) } }

  /// What steers a run; nil when it is not under way.
  subscript(id: RunID) -> Steering? {
    state.withLock { $0.runs.first { $0.id == id }?.steering }
  }

  /// Waits until there is none.
  func finish() async {
    await state.wait(until: { $0.runs.isEmpty }, among: { $0.waiting.add($1) })
  }

  /// Passes a signal on to all of them.
  func receive(_ signal: Int32) {
    for steering in steerings { steering.receive(signal) }
  }

  /// Has nothing of them recorded any more.
  func freeze() {
    for steering in steerings { steering.freeze() }
  }
}

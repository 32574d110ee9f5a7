// A serial queue of an engine under test.

import Reprise
import Synchronization

/// A serial queue whose items run on the executor of a test.
final class TestQueue: WorkQueue {
  private struct State {
    var items: [@Sendable () -> Void] = []
    var isBusy = false
  }

  /// The queues that record and deliver what has happened.
  private static let bookkeeping: Set = ["reprise.recorder", "reprise.events"]

  private let executor: TestExecutor
  /// Whether its items run before all other work.
  ///
  /// Then a test never sees a state whose events are neither recorded nor delivered. A simulation
  /// also runs other orders.
  private let isUrgent: Bool
  private let state = Mutex(State())

  init(_ executor: TestExecutor, label: String) {
    self.executor = executor
    isUrgent = executor.isInOrder && Self.bookkeeping.contains(label)
  }

  func enqueue(_ work: @escaping @Sendable () -> Void) {
    let mustStart = state.withLock { state in
      state.items.append(work)
      defer { state.isBusy = true }
      return !state.isBusy
    }
    if mustStart { startNext() }
  }

  // The delays of the engine only collect work; they take no virtual time, so that a test that does
  // not advance the time sees their results.
  func enqueue(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    if isUrgent { return enqueue(work) }
    executor.addLater(.closure { self.enqueue(work) })
  }

  private func startNext() {
    executor.add(
      .closure {
        let item = self.state.withLock { $0.items.removeFirst() }
        item()
        let isMore = self.state.withLock { state in
          state.isBusy = !state.items.isEmpty
          return state.isBusy
        }
        if isMore { self.startNext() }
      }, isUrgent: isUrgent)
  }
}

// A clock whose time advances only when a test advances it.

import Reprise
import Synchronization
import TestSupport
import Testing

final class VirtualClock: RunClock {
  private struct Sleeper {
    let id: Int
    let wakesAt: Timestamp
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var now = Timestamp(microseconds: 0)
    var nextID = 0
    var sleepers: [Sleeper] = []
    var cancelledEarly: Set<Int> = []
  }

  private let state = Mutex(State())

  var now: Timestamp { state.withLock { $0.now } }

  /// The number of sleeping tasks.
  var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  func sleep(for duration: Duration) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let isOver = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isCancelled = state.withLock { state in
          guard state.cancelledEarly.remove(id) == nil else { return true }
          state.sleepers.append(
            Sleeper(
              id: id, wakesAt: state.now.advanced(by: duration), continuation: continuation))
          return false
        }
        if isCancelled { continuation.resume(returning: false) }
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
          state.cancelledEarly.insert(id)
          return nil
        }
        return state.sleepers.remove(at: index)
      }
      sleeper?.continuation.resume(returning: false)
    }
    guard isOver else { throw CancellationError() }
  }

  /// Advances the time until the next sleepers wake, and returns their number.
  @discardableResult
  func advanceToNextWake() -> Int {
    let woken = state.withLock { state -> [Sleeper] in
      guard let next = state.sleepers.map(\.wakesAt).min() else { return [] }
      state.now = max(state.now, next)
      let woken = state.sleepers.filter { $0.wakesAt <= state.now }
      state.sleepers.removeAll { $0.wakesAt <= state.now }
      return woken
    }
    for sleeper in woken { sleeper.continuation.resume(returning: true) }
    return woken.count
  }

  /// Advances the time until a run is over.
  func end(of run: Run) async throws -> RunOutcome {
    await expectEventually("the run is over") {
      advanceToNextWake()
      if case .ended = run.state.phase { return true }
      return false
    }
    return try await run.outcome
  }
}

// A FIFO queue of futures for tests, with a limit on concurrent ones.

import Synchronization

@testable import Reprise

final class CountingQueue: StepQueue {
  private struct State {
    var free: Int
    var waiting: [StepFuture] = []
    var head = 0
    var withdrawn: Set<Int> = []
    var entered: [Int] = []
  }

  private let state: Mutex<State>

  init(limit: Int) {
    state = Mutex(State(free: limit))
  }

  /// The steps that have entered, in order.
  var entered: [Int] { state.withLock { $0.entered } }

  func enter(_ future: StepFuture) -> StepResult? {
    state.withLock { state in
      state.waiting.append(future)
      state.entered.append(future.step.position)
    }
    return nil
  }

  func leave(_ future: StepFuture) -> StepResult? {
    let isWaiting = state.withLock { state in
      state.waiting[state.head...].contains { $0 === future }
        && state.withdrawn.insert(future.step.position).inserted
    }
    return isWaiting ? .stopped : nil
  }

  func startNext(after ended: StepFuture?) {
    var begun: [StepFuture] = []
    state.withLock { state in
      if ended != nil { state.free += 1 }
      while state.free > 0, state.head < state.waiting.count {
        let future = state.waiting[state.head]
        state.head += 1
        guard state.withdrawn.remove(future.step.position) == nil else { continue }
        state.free -= 1
        begun.append(future)
      }
    }
    for future in begun { future.begin() }
  }
}

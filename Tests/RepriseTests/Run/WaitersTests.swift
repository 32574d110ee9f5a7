import Reprise
import Synchronization
import TestSupport
import Testing

/// Tasks that wait for a condition on state guarded by a lock.
struct WaitersTests {
  private struct State: Sendable {
    var left = 100
    var waiting = Waiters()
  }

  private final class Work: Sendable {
    let state = Mutex(State())

    func takeOne() {
      let waiting = state.withLock { state in
        state.left -= 1
        return state.left == 0 ? state.waiting.takeAll() : Waiters()
      }
      waiting.wake()
    }

    func finish() async {
      await state.wait(until: { $0.left == 0 }, among: { $0.waiting.add($1) })
    }
  }

  @Test func `all waiting tasks resume when the condition holds, and not before`() async {
    for _ in 0..<scaled(100) {
      let work = Work()
      let tooEarly = Protected(0)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<100 {
          group.addTask {
            await work.finish()
            if work.state.withLock({ $0.left }) > 0 { tooEarly.withLock { $0 += 1 } }
          }
          group.addTask { work.takeOne() }
        }
      }
      #expect(tooEarly.value == 0)
    }
  }

  @Test func `a task does not wait if the condition already holds`() async {
    let work = Work()
    for _ in 0..<100 { work.takeOne() }
    await work.finish()
  }
}

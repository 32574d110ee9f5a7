// The set of live runs that tasks can wait for.

import Reprise
import TestSupport
import Testing

struct RunGroupTests {
  @Test func `the wait ends when no run is live or starting`() async {
    let group = RunGroup<Int>()
    let id = RunID()
    #expect(group.begin())
    #expect(!group.isIdle)
    let isOver = Protected(false)
    let waiting = Task {
      await group.finish()
      isOver.withLock { $0 = true }
    }
    #expect(!group.add(id, 1))
    group.reservationEnded()
    #expect(!group.isIdle && group.ids == [id] && group[id] == 1)
    #expect(!isOver.value)
    group.remove(id)
    await waiting.value
    #expect(group.isIdle)
  }

  @Test func `a closed group starts no run, and keeps its live runs`() async {
    let group = RunGroup<Int>()
    #expect(group.begin())
    group.close()
    #expect(group.isClosed && !group.begin())
    // This run had begun before the group was closed.
    #expect(!group.add(RunID(), 1))
    group.reservationEnded()
    #expect(group.controls == [1])
  }

  @Test func `a run that is added after a cancel must be cancelled`() {
    let group = RunGroup<Int>()
    #expect(!group.add(RunID(), 1))
    #expect(group.closeToCancel() == [1])
    #expect(group.add(RunID(), 2))
    // Closing the group again does not undo the cancel.
    group.close()
    #expect(group.add(RunID(), 3))
  }

  @Test func `a run that begins again before its end is done is removed by its second end`() {
    let group = RunGroup<Int>()
    let (id, other) = (RunID(), RunID())
    _ = group.add(id, 1)
    _ = group.add(other, 2)
    _ = group.add(id, 3)
    #expect(group.ids == [other, id] && group[id] == 3)
    group.remove(id)
    #expect(group[id] == 3 && group.controls == [2, 3])
    group.remove(id)
    group.remove(other)
    #expect(group.isIdle)
  }
}

import Synchronization
import TestSupport
import Testing

@testable import Reprise

struct SlotsTests {
  @Test func `places are given in the order of asking`() async {
    let slots = Slots(count: 1)
    #expect(await slots.take())
    let order = Protected<[Int]>([])
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<5 {
        group.addTask {
          #expect(await slots.take())
          order.withLock { $0.append(number) }
          slots.giveBack()
        }
        await expectEventually("\(number) waits") { slots.waitingCount == number + 1 }
      }
      slots.giveBack()
    }
    #expect(order.withLock { $0 } == [0, 1, 2, 3, 4])
  }

  @Test func `whoever is cancelled while it waits gets no place and takes none away`() async {
    let slots = Slots(count: 1)
    #expect(await slots.take())
    let waiting = Task { await slots.take() }
    await expectEventually("one waits") { slots.waitingCount == 1 }
    waiting.cancel()
    #expect(await waiting.value == false)
    slots.giveBack()
    #expect(await slots.take())
  }

  @Test func `under contention and cancellation no place is lost or made up`() async {
    let slots = Slots(count: 3)
    let inside = Protected(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<scaled(3000) {
        let task = Task {
          guard await slots.take() else { return }
          let count = inside.withLock { inside in
            inside += 1
            return inside
          }
          #expect(count <= 3)
          await Task.yield()
          inside.withLock { $0 -= 1 }
          slots.giveBack()
        }
        if Bool.random() { task.cancel() }
        group.addTask { await task.value }
      }
    }
    #expect(inside.withLock { $0 } == 0)
    for _ in 0..<3 { #expect(await slots.take()) }
    let fourth = Task { await slots.take() }
    fourth.cancel()
    #expect(await fourth.value == false)
  }
}

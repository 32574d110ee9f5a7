import Synchronization
import TestSupport
import Testing
import WorkflowFiles

@testable import Reprise

struct SlotsTests {
  /// Returns slots for the steps of a file, with no limit except the file's own.
  private func slots(of text: String, _ count: Int = 1000) throws -> Slots {
    Slots(for: Plan(try Workflow(text: text, file: "w.yaml")), maxParallel: count)
  }

  /// Starts all steps that may start, and returns their order.
  private func begun(_ slots: Slots, _ steps: some Sequence<Int>) -> [Int] {
    let order = Protected<[Int]>([])
    for step in steps {
      slots.enter(StepIndex(step), generation: 1) { order.withLock { $0.append(step) } }
    }
    slots.startNext()
    var startedCount = 0
    while order.value.count > startedCount {
      let step = order.value[startedCount]
      startedCount += 1
      slots.started(StepIndex(step))
    }
    return order.value
  }

  @Test func `waiting steps begin in file order, not in order of entry`() {
    #expect(begun(Slots(count: 3), [5, 2, 9, 7, 1]) == [1, 2, 5])
  }

  @Test func `the next step begins only after the previous one has started`() {
    let slots = Slots(count: 3)
    let order = Protected<[Int]>([])
    for step in [2, 1, 0] {
      slots.enter(StepIndex(step), generation: 1) { order.withLock { $0.append(step) } }
    }
    slots.startNext()
    slots.startNext()
    #expect(order.value == [0])
    slots.started(StepIndex(1))
    #expect(order.value == [0])
    slots.started(StepIndex(0))
    #expect(order.value == [0, 1])
  }

  @Test func `a released slot goes to the first waiting step`() {
    let slots = Slots(count: 1)
    let order = Protected<[Int]>([])
    for step in [3, 1, 2] {
      slots.enter(StepIndex(step), generation: 1) { order.withLock { $0.append(step) } }
    }
    slots.startNext()
    for step in 1...3 {
      slots.started(StepIndex(step))
      slots.release(StepIndex(step))
      slots.startNext()
    }
    #expect(order.value == [1, 2, 3])
  }

  @Test func `a step that waits for its mutex does not delay later steps`() throws {
    let slots = try slots(
      of: """
        steps:
          - parallel:
              - { id: a, mutex: m, run: x }
              - { id: b, mutex: m, run: x }
              - { id: c, run: x }
              - { id: d, mutex: m, run: x }
        """)
    #expect(begun(slots, [3, 2, 1, 0]) == [0, 2])
    slots.release(StepIndex(0))
    #expect(begun(slots, []) == [])
    #expect(slots.waitingCount == 1)
    #expect(!slots.withdraw(StepIndex(1), generation: 1), "its slot was free, so it has started")
    slots.started(StepIndex(1))
    slots.release(StepIndex(1))
    slots.startNext()
    #expect(slots.waitingCount == 0)
  }

  @Test func `steps that go on from an earlier engine have their slots before all others`() throws {
    let slots = try slots(
      of: """
        steps:
          - parallel:
              - { id: a, mutex: m, run: x }
              - { id: b, run: x }
              - { id: c, mutex: m, run: x }
              - { id: d, run: x }
        """, 2)
    slots.letGoOn([StepIndex(2), StepIndex(3)])
    #expect(begun(slots, [0, 1, 2, 3]) == [2, 3])
    // In another attempt, they have no advantage.
    slots.release(StepIndex(3))
    #expect(begun(slots, [3]) == [])
    #expect(!slots.withdraw(StepIndex(1), generation: 1), "it has the slot")
    #expect(slots.withdraw(StepIndex(3), generation: 1))
  }

  @Test func `steps that go on from an earlier engine wait for no pause and no lower limit`() {
    let slots = Slots(count: 1)
    slots.letGoOn([StepIndex(1), StepIndex(2)])
    slots.setPaused(true)
    #expect(begun(slots, [0, 1, 2]) == [1, 2])
    slots.setPaused(false)
    for step in [1, 2] { slots.release(StepIndex(step)) }
    slots.startNext()
    #expect(!slots.withdraw(StepIndex(0), generation: 1), "it has the slot")
  }

  @Test func `a step that leaves the queue makes room for the next`() throws {
    let slots = try slots(
      of: "steps: [{ id: s, foreach: { from: 1, to: 9 }, max-parallel: 1, run: x }]")
    #expect(begun(slots, 0..<4) == [0])
    #expect(slots.withdraw(StepIndex(1), generation: 1))
    #expect(!slots.withdraw(StepIndex(1), generation: 1))
    slots.release(StepIndex(0))
    slots.startNext()
    #expect(!slots.withdraw(StepIndex(2), generation: 1))
    #expect(slots.withdraw(StepIndex(3), generation: 1))
  }

  @Test func `a late withdrawal does not remove the step of the next generation`() {
    let slots = Slots(count: 1)
    let order = Protected<[Int]>([])
    slots.enter(StepIndex(4), generation: 2) { order.withLock { $0.append(4) } }
    #expect(!slots.withdraw(StepIndex(4), generation: 1))
    slots.startNext()
    #expect(order.value == [4])
  }

  @Test func `slots are granted in file order`() async {
    let slots = Slots(count: 1)
    #expect(await slots.take(StepIndex(0), generation: 1))
    #expect(await slots.take(StepIndex(0), generation: 1), "it already has a slot")
    slots.started(StepIndex(0))
    let order = Protected<[Int]>([])
    await withTaskGroup(of: Void.self) { group in
      for step in [3, 1, 2] {
        group.addTask {
          #expect(await slots.take(StepIndex(step), generation: 1))
          order.withLock { $0.append(step) }
          slots.release(StepIndex(step))
          slots.startNext()
        }
        await expectEventually("\(step) waits") {
          slots.waitingCount == [3: 1, 1: 2, 2: 3][step]
        }
      }
      slots.release(StepIndex(0))
      slots.startNext()
    }
    #expect(order.value == [1, 2, 3])
  }

  @Test func `contention and cancellation neither lose nor duplicate a slot`() async {
    let count = scaled(3000)
    let slots = Slots(count: 3)
    let inside = Protected(0)
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<count {
        let step = StepIndex(number)
        let task = Task {
          guard await slots.take(step, generation: 1) else { return }
          let insideCount = inside.withLock { inside in
            inside += 1
            return inside
          }
          #expect(insideCount <= 3)
          slots.started(step)
          await Task.yield()
          inside.withLock { $0 -= 1 }
          slots.release(step)
          slots.startNext()
        }
        if Bool.random() { task.cancel() }
        group.addTask { await task.value }
      }
    }
    #expect(inside.withLock { $0 } == 0)
    #expect(begun(slots, count..<count + 4) == Array(count..<count + 3))
  }

  /// A model that searches all steps for each decision.
  private struct Model {
    var free: Int
    let limits: [Int: [Int]]
    var freeOf: [Int: Int]
    var waiting: Set<Int> = []
    var holders: Set<Int> = []

    mutating func next() -> Int? {
      guard free > 0 else { return nil }
      let step = waiting.sorted().first { step in
        (limits[step] ?? []).allSatisfy { freeOf[$0, default: 0] > 0 }
      }
      guard let step else { return nil }
      waiting.remove(step)
      holders.insert(step)
      free -= 1
      for limit in limits[step] ?? [] { freeOf[limit, default: 0] -= 1 }
      return step
    }

    mutating func release(_ step: Int) {
      holders.remove(step)
      free += 1
      for limit in limits[step] ?? [] { freeOf[limit, default: 0] += 1 }
    }
  }

  @Test func `random requests are granted as by a search through all waiting steps`() {
    var generator = SeededGenerator.announced()
    for _ in 0..<rounds(300, soak: 20_000) {
      let count = Int.random(in: 1...30, using: &generator)
      let groupLimit = Int.random(in: 1...3, using: &generator)
      let mutexes = (0..<count).map { _ in Int.random(in: -2...2, using: &generator) }
      let isGrouped = (0..<count).map { _ in Bool.random(using: &generator) }
      var limits: [Int: [Int]] = [:]
      for position in 0..<count {
        limits[position] =
          (mutexes[position] >= 0 ? [mutexes[position]] : []) + (isGrouped[position] ? [3] : [])
      }
      let free = Int.random(in: 1...4, using: &generator)
      let slots = Slots(count: free, limits: [1, 1, 1, groupLimit], limitsOfStep: limits)
      var model = Model(free: free, limits: limits, freeOf: [0: 1, 1: 1, 2: 1, 3: groupLimit])
      let begun = Protected<[Int]>([])
      var expected: [Int] = []
      for _ in 0..<100 {
        let step = Int.random(in: 0..<count, using: &generator)
        if model.holders.contains(step) {
          model.release(step)
          slots.release(StepIndex(step))
        } else if model.waiting.contains(step) {
          if Bool.random(using: &generator) {
            model.waiting.remove(step)
            #expect(slots.withdraw(StepIndex(step), generation: 1))
          }
        } else {
          model.waiting.insert(step)
          slots.enter(StepIndex(step), generation: 1) { begun.withLock { $0.append(step) } }
        }
        while let next = model.next() { expected.append(next) }
        slots.startNext()
        var startedCount = 0
        while begun.value.count > startedCount {
          let step = begun.value[startedCount]
          startedCount += 1
          slots.started(StepIndex(step))
        }
        #expect(begun.value == expected)
      }
    }
  }
}

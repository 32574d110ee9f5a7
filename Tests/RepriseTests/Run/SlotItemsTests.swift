// Tests limits that count items of several steps: random nested groups end, within their limits.

import TestSupport
import Testing

@testable import Reprise
@testable import WorkflowLanguage

struct SlotItemsTests {
  /// A random workflow with nested groups whose limits count items.
  ///
  /// A step needs the step before it in its item, and any earlier steps.
  struct RandomGroups {
    var steps: [Workflow.Step] = []
    var random: SeededGenerator
    private var groupCount = 0

    init(size: Int, _ random: SeededGenerator) {
      self.random = random
      while steps.count < size { add([], depth: 0, last: nil) }
    }

    private mutating func add(_ items: [GroupItem], depth: Int, last: String?) {
      guard depth < 4, Int.random(in: 0..<3, using: &random) == 0 else {
        var needs = last.map { [$0] } ?? []
        if !steps.isEmpty, Bool.random(using: &random) {
          needs.append(steps[Int.random(in: 0..<steps.count, using: &random)].id)
        }
        var step = Workflow.Step(
          id: "s\(steps.count)", needs: Set(needs).sorted(), action: .wait)
        step.extras.items = items
        steps.append(step)
        return
      }
      groupCount += 1
      let group = "g\(groupCount)"
      let limit = Int.random(in: 1...2, using: &random)
      for item in 0..<Int.random(in: 1...4, using: &random) {
        let inner = GroupItem(
          group: group, item: item, limit: limit, failFastCount: nil, countsItems: true)
        var before = last
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          add(items + [inner], depth: depth + 1, last: before)
          before = steps.last?.id
        }
      }
    }
  }

  /// Runs the steps of a workflow with slots; finishes running steps in random order.
  final class Execution {
    let workflow: Workflow
    let slots: Slots
    var ended: Set<Int> = []
    var waiting: Set<Int> = []
    var running: [Int] = []
    /// The steps that began or ended, to see which items are in progress.
    var touched: Set<Int> = []
    /// The steps that the slots have begun.
    let begun = Protected<[Int]>([])

    private var random: SeededGenerator

    init(_ workflow: Workflow, maxParallel: Int, _ random: SeededGenerator) {
      self.workflow = workflow
      self.random = random
      slots = Slots(for: workflow, maxParallel: maxParallel)
    }

    func enterReady(skipping skips: Bool) {
      for step in workflow.steps.indices
      where !ended.contains(step) && !waiting.contains(step) && !running.contains(step)
        && workflow.graph.needs(of: StepIndex(step)).allSatisfy({ ended.contains($0.position) })
      {
        if skips, Int.random(in: 0..<5, using: &random) == 0 {
          ended.insert(step)
          slots.ended(step)
          continue
        }
        waiting.insert(step)
        slots.enter(StepIndex(step), generation: 1) { [begun] in
          begun.withLock { $0.append(step) }
        }
      }
      advance()
    }

    func advance() {
      slots.startNext()
      while let step = begun.withLock({ $0.popLast() }) {
        waiting.remove(step)
        running.append(step)
        touched.insert(step)
        slots.started(StepIndex(step))
      }
    }

    func finishOne() {
      let step = running.remove(at: Int.random(in: running.indices, using: &random))
      ended.insert(step)
      touched.insert(step)
      slots.ended(step)
      slots.release(StepIndex(step))
    }

    /// Restarts a step that has ended, with all of its dependents, none of which may be running.
    func restart() {
      guard let step = ended.sorted().randomElement(using: &random) else { return }
      let affected = workflow.graph.withDependents([StepIndex(step)]).map(\.position)
      guard !affected.contains(where: { running.contains($0) || waiting.contains($0) }) else {
        return
      }
      ended.subtract(affected)
      touched.subtract(affected)
      slots.reset(affected)
    }

    /// The limits that are exceeded: an item is in progress from its first step to its last.
    var exceeded: [String] {
      var members: [String: [Int: [Int]]] = [:]
      var limits: [String: Int] = [:]
      for (step, declared) in workflow.steps.enumerated() {
        for item in declared.extras.items {
          members[item.group, default: [:]][item.item, default: []].append(step)
          limits[item.group] = item.limit
        }
      }
      return members.compactMap { group, items in
        let inProgress = items.values.count { steps in
          steps.contains { running.contains($0) }
            || steps.contains { touched.contains($0) } && steps.contains { !ended.contains($0) }
        }
        return inProgress > limits[group] ?? 0 ? group : nil
      }
    }
  }

  @Test(arguments: 0..<200)
  func `random nested groups end within their limits`(_: Int) throws {
    var random = SeededGenerator.announced()
    let steps = RandomGroups(size: 30, random).steps
    let workflow = try Workflow(name: "w", steps: steps)
    let execution = Execution(workflow, maxParallel: Int.random(in: 1...4, using: &random), random)
    var restarts = 3
    execution.enterReady(skipping: true)
    while !execution.running.isEmpty {
      #expect(execution.exceeded.isEmpty || restarts < 3)
      execution.finishOne()
      if restarts > 0, Int.random(in: 0..<10, using: &random) == 0 {
        restarts -= 1
        execution.restart()
      }
      execution.enterReady(skipping: true)
    }
    #expect(execution.ended.count == steps.count, "some steps can never begin")
  }

  @Test func `the items of a group run one after the other, in order and as a whole`() throws {
    var steps: [Workflow.Step] = []
    for item in 0..<3 {
      for (number, name) in ["deploy", "verify"].enumerated() {
        var step = Workflow.Step(
          id: "h\(item)/\(name)", needs: number == 0 ? [] : ["h\(item)/deploy"], action: .wait)
        step.extras.items = [
          GroupItem(group: "h", item: item, limit: 1, failFastCount: 1, countsItems: true)
        ]
        steps.append(step)
      }
    }
    let execution = Execution(
      try Workflow(name: "w", steps: steps), maxParallel: 9, SeededGenerator(seed: 1))
    var order: [Int] = []
    execution.enterReady(skipping: false)
    while let step = execution.running.first {
      #expect(execution.running.count == 1)
      order.append(step)
      execution.finishOne()
      execution.enterReady(skipping: false)
    }
    #expect(order == Array(0..<6))
  }

  @Test func `an item begins when everything outside of it that it needs has ended`() throws {
    var first = Workflow.Step(id: "a1", action: .wait)
    var second = Workflow.Step(id: "a2", needs: ["a1", "x"], action: .wait)
    var other = Workflow.Step(id: "b1", action: .wait)
    first.extras.items = [
      GroupItem(group: "g", item: 0, limit: 1, failFastCount: nil, countsItems: true)
    ]
    second.extras.items = first.extras.items
    other.extras.items = [
      GroupItem(group: "g", item: 1, limit: 1, failFastCount: nil, countsItems: true)
    ]
    // Item 0 must not hold the slot that x, which item 1 precedes, needs.
    let last = Workflow.Step(id: "x", needs: ["b1"], action: .wait)
    let workflow = try Workflow(name: "w", steps: [first, second, other, last])
    let execution = Execution(workflow, maxParallel: 9, SeededGenerator(seed: 1))
    var order: [String] = []
    execution.enterReady(skipping: false)
    while let step = execution.running.first {
      order.append(workflow.steps[step].id)
      execution.finishOne()
      execution.enterReady(skipping: false)
    }
    #expect(order == ["b1", "x", "a1", "a2"])
  }
}

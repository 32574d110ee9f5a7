// Tests limits that count items of several steps: random nested groups end, within their limits.

import TestSupport
import Testing

@testable import Reprise
@testable import WorkflowFiles

struct SlotItemsTests {
  /// A random workflow with nested groups whose limits count items.
  ///
  /// A step needs the step before it in its item, and any earlier steps.
  struct RandomGroups {
    var steps: [Workflow.Step] = []
    var groups = GroupTree()
    var random: SeededGenerator

    init(size: Int, _ random: SeededGenerator) {
      self.random = random
      while steps.count < size { add(to: .run, depth: 0, last: nil) }
    }

    private mutating func add(to parent: GroupIndex, depth: Int, last: String?) {
      guard depth < 4, Int.random(in: 0..<3, using: &random) == 0 else {
        var needs = last.map { [$0] } ?? []
        if !steps.isEmpty, Bool.random(using: &random) {
          needs.append(steps[Int.random(in: 0..<steps.count, using: &random)].id)
        }
        var step = Workflow.Step(
          id: "s\(steps.count)", needs: Set(needs).sorted(), action: .wait)
        step.group = parent
        steps.append(step)
        return
      }
      let group = groups.add(to: parent, maxParallel: Int.random(in: 1...2, using: &random))
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let inner = groups.add(to: group)
        var before = last
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          add(to: inner, depth: depth + 1, last: before)
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
      slots = Slots(for: Plan(workflow), maxParallel: maxParallel)
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
      let groups = workflow.groups
      var members: [GroupIndex: [GroupIndex: [Int]]] = [:]
      for (step, declared) in workflow.steps.enumerated() {
        for item in workflow.groups(around: declared) {
          guard let group = groups[item].parent, groups[group].maxParallel != nil else { continue }
          members[group, default: [:]][item, default: []].append(step)
        }
      }
      return members.compactMap { group, items in
        let inProgress = items.values.count { steps in
          steps.contains { running.contains($0) }
            || steps.contains { touched.contains($0) } && steps.contains { !ended.contains($0) }
        }
        return inProgress > groups[group].maxParallel ?? 0 ? groups[group].name : nil
      }
    }
  }

  @Test(arguments: 0..<200)
  func `random nested groups end within their limits`(_: Int) throws {
    var random = SeededGenerator.announced()
    let groups = RandomGroups(size: 30, random)
    let steps = groups.steps
    var workflow = try Workflow(name: "w", steps: steps)
    workflow.groups = groups.groups
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
    var groups = GroupTree()
    let group = groups.add(to: .run, maxParallel: 1)
    for item in 0..<3 {
      let part = groups.add(to: group)
      for (number, name) in ["deploy", "verify"].enumerated() {
        var step = Workflow.Step(
          id: "h\(item)/\(name)", needs: number == 0 ? [] : ["h\(item)/deploy"], action: .wait)
        step.group = part
        steps.append(step)
      }
    }
    var workflow = try Workflow(name: "w", steps: steps)
    workflow.groups = groups
    let execution = Execution(workflow, maxParallel: 9, SeededGenerator(seed: 1))
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

  @Test func `a restart frees the mutex of a group whose step has ended but holds its slots`()
    throws
  {
    let workflow = try Workflow(
      text: """
        steps:
          - { id: a, run: x, mutex: m }
          - { id: G, mutex: m, steps: [{ id: b, run: x }, { id: c, run: x }] }
        """, file: "w.yaml")
    let slots = Slots(for: Plan(workflow), maxParallel: 1)
    let begun = Protected<[Int]>([])
    func begin(_ step: Int, generation: Int) {
      slots.enter(StepIndex(step), generation: generation) { begun.withLock { $0.append(step) } }
      slots.startNext()
      slots.started(StepIndex(step))
    }
    begin(0, generation: 1)
    slots.ended(0)
    slots.release(StepIndex(0))
    begin(1, generation: 1)
    slots.ended(1)
    slots.reset(nil)
    slots.release(StepIndex(1))
    begin(0, generation: 2)
    #expect(begun.value == [0, 1, 0])
  }

  @Test func `an item begins when everything outside of it that it needs has ended`() throws {
    var first = Workflow.Step(id: "a1", action: .wait)
    var second = Workflow.Step(id: "a2", needs: ["a1", "x"], action: .wait)
    var other = Workflow.Step(id: "b1", action: .wait)
    var groups = GroupTree()
    let group = groups.add(to: .run, maxParallel: 1)
    first.group = groups.add(to: group)
    second.group = first.group
    other.group = groups.add(to: group)
    // Item 0 must not hold the slot that x, which item 1 precedes, needs.
    let last = Workflow.Step(id: "x", needs: ["b1"], action: .wait)
    var workflow = try Workflow(name: "w", steps: [first, second, other, last])
    workflow.groups = groups
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

extension GroupTree {
  /// Adds a group with a name of its own.
  fileprivate mutating func add(to parent: GroupIndex, maxParallel: Int? = nil) -> GroupIndex {
    var group = Group(name: "g\(count)")
    (group.parent, group.maxParallel) = (parent, maxParallel)
    return add(group)
  }
}

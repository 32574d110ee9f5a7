import TestSupport
import Testing
import WorkflowFiles

@testable import Reprise

/// The indices of the steps of a run, over random versions of its workflow.
struct PlanTests {
  /// Returns a workflow with some of ten steps, in random order and with random needs.
  private static func workflow(using generator: inout SeededGenerator) throws -> Workflow {
    let ids = (0..<10).filter { _ in Bool.random(using: &generator) }
      .shuffled(using: &generator).map { "s\($0)" }
    let steps = ids.indices.map { position in
      let needs = ids[..<position].filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }
      return Workflow.Step(id: ids[position], needs: Array(needs), action: .run("x"))
    }
    return try Workflow(name: "w", steps: steps)
  }

  @Test func `a step keeps its index, and only the order follows the file`() throws {
    var generator = SeededGenerator.announced()
    for _ in 0..<rounds(300, soak: 30_000) {
      let first = try Self.workflow(using: &generator)
      var plan = Plan(first)
      var states = StepStates(first.steps.map { StepState(id: $0.id) })
      var indices: [String: StepIndex] = [:]
      for version in 0..<6 {
        let next = version == 0 ? first : try Self.workflow(using: &generator)
        if version > 0 {
          plan.take(next)
          states.take(next.steps.map(\.id))
        }
        #expect(plan.order.map { plan[$0].id } == next.steps.map(\.id))
        for step in plan.order {
          let id = plan[step].id
          #expect(indices.updateValue(step, forKey: id) ?? step == step)
          #expect(plan.contains(step) && plan.graph.index(of: id) == step)
          #expect(plan.graph.needs(of: step).map { plan[$0].id } == plan[step].needs)
          // The state of a run follows the same rule.
          #expect(states.index(of: id) == step && states[step].id == id)
          #expect(states.position(of: step).map { next.steps[$0].id } == id)
        }
        for (id, step) in indices where next.graph.index(of: id) == nil {
          #expect(!plan.contains(step) && plan.graph.index(of: id) == nil)
          #expect(states.index(of: id) == nil && states.position(of: step) == nil)
        }
        #expect(
          plan.graph.topologicalOrder.map { plan[$0].id }
            == next.graph.topologicalOrder.map { next.graph.id(of: $0) })
        #expect(
          plan.order.map { plan.graph.dependents(of: $0).map { plan[$0].id } }
            == next.graph.indices.map { next.graph.dependents(of: $0).map(next.graph.id) })
      }
    }
  }

  @Test func `steps that are added begin in the order of the file`() throws {
    let plan = try Plan(needs: [[], []]).taking(
      Workflow(
        name: "w",
        steps: ["s1", "new", "s0"].map { Workflow.Step(id: $0, action: .run("x")) }))
    let order = QueueOrder(of: plan, usualDurations: [:])
    let ids = plan.order.sorted { order.rank(of: $0.position) < order.rank(of: $1.position) }
      .map { plan[$0].id }
    #expect(ids == ["s1", "new", "s0"])
  }

  @Test func `a seed makes an order of its own, which is the same each time`() throws {
    let plan = try Plan(needs: (0..<20).map { _ in [] })
    func order(_ seed: UInt64?) -> [Int] {
      let order = QueueOrder(of: plan, usualDurations: [:], seed: seed)
      let ranks = (0..<20).map(order.rank(of:))
      #expect((0..<20).allSatisfy { order.step(ofRank: order.rank(of: $0)) == $0 })
      return ranks
    }
    #expect(order(nil) == Array(0..<20))
    #expect(order(1) == order(1))
    #expect(Set((1...20).map { order($0) }).count == 20)
  }

  @Test func `a step that is gone and comes back is pending`() throws {
    var states = StepStates([StepState(id: "a"), StepState(id: "b")])
    states.update(StepIndex(0)) { $0.phase = .succeeded([:]) }
    states.take(["b"])
    #expect(states.map(\.id) == ["b"] && states.index(of: "a") == nil)
    states.take(["b", "a"])
    #expect(states.map(\.id) == ["b", "a"] && states.map(\.phase) == [.pending, .pending])
    #expect(states.index(of: "a") == StepIndex(0))
  }
}

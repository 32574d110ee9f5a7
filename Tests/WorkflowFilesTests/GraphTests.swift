import TestSupport
import Testing
import WorkflowFiles

struct GraphTests {
  private func graph(_ needs: [[Int]]) throws(GraphError) -> Graph {
    try Graph(ids: needs.indices.map { "s\($0)" }, needs: needs.map { $0.map { "s\($0)" } })
  }

  @Test func `in random graphs every step comes after its needs`() throws {
    var generator = SeededGenerator.announced()
    for _ in 0..<200 {
      let count = Int.random(in: 1...60, using: &generator)
      let rank = Array(0..<count).shuffled(using: &generator)
      let needs = (0..<count).map { position in
        (0..<count).filter {
          rank[$0] < rank[position] && Int.random(in: 0..<8, using: &generator) == 0
        }
      }
      let graph = try graph(needs)
      var seen: Set<Int> = []
      for index in graph.topologicalOrder {
        #expect(needs[index.position].allSatisfy(seen.contains))
        seen.insert(index.position)
      }
      #expect(seen.count == count)
      for position in 0..<count {
        let index = StepIndex(position)
        #expect(graph.needs(of: index).map(\.position) == needs[position])
        #expect(
          graph.dependents(of: index).map(\.position)
            == (0..<count).filter { needs[$0].contains(position) })
        #expect(Set(graph.withDependents([index])) == reachable(from: position, needs))
      }
    }
  }

  private func reachable(from start: Int, _ needs: [[Int]]) -> Set<StepIndex> {
    var reached: Set<Int> = [start]
    var hasGrown = true
    while hasGrown {
      hasGrown = false
      for position in needs.indices where !reached.contains(position) {
        if needs[position].contains(where: reached.contains) {
          reached.insert(position)
          hasGrown = true
        }
      }
    }
    return Set(reached.map { StepIndex($0) })
  }

  @Test func `a random backward edge makes a cycle, and all its steps are named`() throws {
    var generator = SeededGenerator.announced()
    for _ in 0..<100 {
      let count = Int.random(in: 2...30, using: &generator)
      var needs = (0..<count).map { $0 == 0 ? [] : [$0 - 1] }
      let (low, high) = (0, Int.random(in: 1..<count, using: &generator))
      needs[low].append(high)
      do {
        _ = try graph(needs)
        Issue.record("was accepted")
      } catch {
        #expect(error == .cycle((low...high).reversed().map { "s\($0)" }.rotatedToFirst("s\(low)")))
      }
    }
  }

  @Test func `steps without unmet needs come in file order`() throws {
    let graph = try graph([[3], [], [1], []])
    #expect(graph.topologicalOrder.map(\.position) == [1, 2, 3, 0])
  }

  @Test func `duplicate ids, unknown needs and self-references are refused`() {
    #expect(throws: GraphError.duplicateStep("a")) { try Graph(ids: ["a", "a"], needs: [[], []]) }
    #expect(throws: GraphError.unknownNeed(step: "a", need: "b")) {
      try Graph(ids: ["a"], needs: [["b"]])
    }
    #expect(throws: GraphError.needsItself("a")) { try Graph(ids: ["a"], needs: [["a"]]) }
  }

  @Test func `a chain and a fan of 100,000 steps are sorted`() throws {
    let chain = try graph((0..<100_000).map { $0 == 0 ? [] : [$0 - 1] })
    #expect(chain.withDependents([StepIndex(50_000)]).count == 50_000)
    let fan = try graph([[]] + (0..<100_000).map { _ in [0] })
    #expect(fan.dependents(of: StepIndex(0)).count == 100_000)
  }

  @Test func `drawings name every step and need`() throws {
    let workflow = try Workflow(
      name: "a \"b\"",
      steps: [
        Workflow.Step(id: "x", action: .run("1")),
        Workflow.Step(id: "y", needs: ["x"], action: .run("2")),
      ])
    #expect(
      workflow.rendered(as: .mermaid) == "flowchart TD\n  s0[\"x\"]\n  s1[\"y\"]\n  s0 --> s1")
    #expect(
      workflow.rendered(as: .dot)
        == "digraph \"a \\\"b\\\"\" {\n  \"x\";\n  \"y\";\n  \"x\" -> \"y\";\n}")
    #expect(workflow.rendered(as: .json).contains("{\"id\": \"y\", \"needs\": [\"x\"]}"))
    #expect(workflow.rendered(as: .text).contains("2.  y  after x"))
  }
}

extension [String] {
  fileprivate func rotatedToFirst(_ element: String) -> [String] {
    guard let position = firstIndex(of: element) else { return self }
    return Array(self[position...] + self[..<position])
  }
}

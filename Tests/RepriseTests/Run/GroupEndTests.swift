import TestSupport
import Testing

@testable import Reprise

/// What follows a group waits for all of its steps.
struct GroupEndTests {
  private static func workflow(_ group: String, used: String = "") throws -> Workflow {
    let text = """
      steps:
        - { id: before, run: x }
        - \(group)
        - { id: last, run: x }
      """
    return try Workflow(
      bytes: Array(text.utf8), file: "w.yaml", sources: .kept(["u.yaml": used]))
  }

  private static let loose = "steps: [{ id: a, run: x }, { id: b, needs: [], run: x }]"
  private static let fork =
    "steps: [{ id: a, run: x }, { id: b, needs: a, run: x }, { id: c, needs: a, run: x }]"

  @Test(arguments: [
    ("{ \(loose) }", ["a", "b"]), ("{ id: G, \(loose) }", ["a", "b"]),
    ("{ \(fork) }", ["b", "c"]),
    ("{ parallel: [{ id: z, run: x }, { \(fork) }] }", ["b", "c", "z"]),
    ("{ id: G, steps: [{ id: y, run: x }, { \(fork) }, { id: d, run: x }] }", ["d"]),
    ("{ id: G, steps: [{ id: y, run: x }, { \(fork) }] }", ["b", "c"]),
    ("{ id: G, foreach: [1, 2], \(fork) }", ["G[0]/b", "G[0]/c", "G[1]/b", "G[1]/c"]),
    ("{ id: G, steps: [{ id: a, run: x }, { id: b, needs: { a: ready }, run: x }] }", ["a", "b"]),
  ])
  func `the next step needs the steps of a group that no other of them needs`(
    _ group: String, _ ends: [String]
  ) throws {
    let workflow = try Self.workflow(group)
    let last = try #require(workflow.steps.last)
    #expect(last.needs.sorted() == ends)
  }

  @Test func `the name of a group means all of its ends, and its result is the worst of theirs`()
    async throws
  {
    let workflow = try Workflow(
      text: """
        steps:
          - { id: G, \(Self.fork) }
          - { id: next, needs: { G: over }, env: { R: "${{ steps.G.result }}" }, run: x }
        """, file: "w.yaml")
    #expect(workflow.steps.last?.needs.sorted() == ["b", "c"])
    let run = Engine(
      executor: ClosureExecutor { context in
        if context.step.id == "b" { throw FailureReason.exited(status: 1) }
        return context.resolved.environment
      }
    ).start(workflow)
    _ = try await run.outcome
    #expect(run.state["next"]?.phase == .succeeded(["R": "failure"]))
  }

  @Test func `what follows a used file or computed items waits for all of their steps, too`()
    async throws
  {
    let file = try Self.workflow("{ id: G, uses: ./u.yaml }", used: Self.fork)
    #expect(file.steps.last?.needs.sorted() == ["G/b", "G/c"])
    let computed = try Workflow(
      text: """
        steps:
          - { id: list, run: x }
          - { id: G, foreach: "${{ fromJSON(steps.list.outputs.l) }}", \(Self.fork) }
          - { id: last, run: x }
        """, file: "w.yaml")
    let run = Engine(executor: FeaturePairTests.Stage(items: "[1, 2]").executor).start(computed)
    #expect(try await run.outcome == .succeeded)
    let plan = run.ledger.plan
    let last = try #require(plan.graph.index(of: "last"))
    #expect(
      plan.graph.needs(of: last).map { plan[$0].id }.sorted()
        == ["G", "G[0]/b", "G[0]/c", "G[1]/b", "G[1]/c"])
  }

  @Test func `also a step with needs of its own begins after what its group needs`() throws {
    func needs(_ group: String, of step: String = "b", used: String = "") throws -> [String] {
      let workflow = try Self.workflow(group, used: used)
      return try #require(workflow.steps.first { $0.id == step }).needs.sorted()
    }
    #expect(try needs("{ id: G, \(Self.loose) }") == ["before"])
    #expect(try needs("{ id: G, needs: [], \(Self.loose) }") == [])
    // A list without settings is only a part of the file.
    #expect(try needs("{ \(Self.loose) }") == [])
    #expect(try needs("{ id: G, steps: [{ id: H, needs: [], \(Self.loose) }] }") == ["before"])
    #expect(try needs("{ id: G, foreach: [1], \(Self.loose) }", of: "G[0]/b") == ["before"])
    #expect(try needs("{ id: G, uses: ./u.yaml }", of: "G/b", used: Self.loose) == ["before"])
    let over = "steps: [{ id: a, run: x }, { id: b, needs: { a: over }, run: x }]"
    #expect(try needs("{ id: G, \(over) }") == ["a", "before"])
  }

  @Test
  func `nothing of a group runs whose needs have failed, also not what waits for an end only`()
    async throws
  {
    let workflow = try Self.workflow(
      "{ id: G, steps: [{ id: a, run: x }, { id: b, needs: { a: over }, run: x }] }")
    let run = Engine(
      executor: ClosureExecutor { context in
        if context.step.id == "before" { throw FailureReason.exited(status: 1) }
        return [:]
      }
    ).start(workflow)
    _ = try await run.outcome
    for id in ["a", "b", "last"] {
      #expect(run.state[id]?.phase == .cancelled(.failure(ofStep: "before")))
    }
  }

  @Test func `a step of a group that waits for what follows the group is a cycle`() throws {
    let text = """
      steps:
        - { id: G, steps: [{ id: a, run: x }, { id: b, needs: c, run: x }] }
        - { id: c, run: x }
      """
    let error = #expect(throws: WorkflowError.self) { try Workflow(text: text, file: "w.yaml") }
    #expect(error?.diagnostics.map(\.code) == ["R0402"])
  }
}

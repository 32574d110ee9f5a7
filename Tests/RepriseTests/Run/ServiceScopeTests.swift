import TestSupport
import Testing

@testable import Reprise

/// The list of steps to which a service belongs.
struct ServiceScopeTests {
  private typealias Stage = FeaturePairTests.Stage

  /// Expects that steps of an ended run have ended and started in this order, each after the one
  /// before.
  private func expectInOrder(_ ids: [String], _ run: Run) throws {
    for (first, second) in zip(ids, ids.dropFirst()) {
      let end = try #require(run.state[first]?.endedAt)
      let start = try #require(run.state[second]?.startedAt)
      #expect(end <= start, "\(first) before \(second)")
    }
  }

  @Test(arguments: [
    "steps: [{ id: db, service: x }, { id: use, run: x }]",
    "steps: [{ parallel: [{ id: db, service: x }, { id: other, run: x }] }, { id: use, run: x }]",
    "steps: [{ id: use, needs: db, run: x }, { id: db, needs: [], service: x }]",
    "mutex: m, steps: [{ id: db, service: x }, { id: use, run: x }]",
    "timeout: 60s, steps: [{ id: db, service: x }, { id: use, run: x }]",
  ])
  func `what follows a list starts after the end of its services`(_ group: String) async throws {
    let run = try Stage().start(
      """
      steps:
        - { id: G, \(group) }
        - { id: H, mutex: m, steps: [{ id: db-2, service: x }, { id: use-2, run: x }] }
        - { id: last, run: x }
      """)
    #expect(try await run.outcome == .succeeded)
    try expectInOrder(["db", "db-2", "last"], run)
    #expect(run.state["db"]?.phase.name == "succeeded")
    let (use, db) = (run.state["use"], run.state["db"])
    #expect(try #require(use?.startedAt) >= #require(db?.readyAt ?? db?.startedAt))
    #expect(try #require(use?.endedAt) <= #require(db?.endedAt))
  }

  @Test(arguments: ["[1, 2]", "\"${{ fromJSON(steps.list.outputs.l) }}\""])
  func `an item ends with its services, and then the next one begins`(_ items: String) async throws
  {
    let run = try Stage(items: "[1, 2]").start(
      """
      steps:
        - { id: list, run: x }
        - id: each
          foreach: \(items)
          max-parallel: 1
          steps: [{ id: db, service: x }, { id: use, run: x }]
        - { id: last, run: x }
      """)
    #expect(try await run.outcome == .succeeded)
    try expectInOrder(["each[0]/db", "each[1]/db", "last"], run)
  }

  @Test func `a service in a branch serves the list around the branches`() async throws {
    let stage = Stage()
    let run = try stage.start(
      """
      steps:
        - { id: G, max-parallel: 1, parallel: [{ id: db, service: x }, { id: a, run: x }] }
        - { id: use, run: x }
      """)
    #expect(try await run.outcome == .succeeded)
    #expect(stage.started.value == ["db", "a", "use"])
    #expect(try #require(run.state["use"]?.endedAt) <= #require(run.state["db"]?.endedAt))
  }

  @Test func `a restart after a list leaves its services alone, and one inside starts them again`()
    async throws
  {
    let stage = Stage(holding: ["last"])
    let run = try stage.start(
      """
      steps:
        - { id: G, steps: [{ id: db, service: x }, { id: use, run: x }] }
        - { id: last, run: x }
      """)
    await expectEventually("the last step runs") { stage.started.value.contains("last") }
    let after = try await run.perform(.restart(from: ["last"]))
    #expect(after.steps == ["last"])
    await expectEventually("it runs again") { stage.started.value.count { $0 == "last" } == 2 }
    let inside = try await run.perform(.restart(from: ["use"]))
    #expect(inside.steps?.sorted() == ["db", "last", "use"])
    await expectEventually("it runs again") { stage.started.value.count { $0 == "last" } == 3 }
    stage.open("last")
    #expect(try await run.outcome == .succeeded)
    #expect(stage.started.value == ["db", "use", "last", "last", "db", "use", "last"])
  }

  @Test func `a used file ends with its services, before what follows it`() async throws {
    let run = Engine(executor: Stage().executor).start(
      try Workflow(
        bytes: Array(
          "steps: [{ id: u, uses: ./u.yaml }, { id: v, uses: ./u.yaml }, { id: last, run: x }]".utf8
        ),
        file: "w.yaml",
        sources: .kept([
          "u.yaml": "steps: [{ id: db, service: x }, { id: use, run: x }]"
        ])))
    #expect(try await run.outcome == .succeeded)
    try expectInOrder(["u/db", "v/db", "last"], run)
  }

  @Test func `a step outside that needs a service by its id is an error`() throws {
    func codes(_ text: String) -> [String] {
      do throws(WorkflowError) {
        return try Workflow(text: text, file: "w.yaml").warnings.map(\.code)
      } catch {
        return error.diagnostics.map(\.code)
      }
    }
    let group = "steps: [{ id: G, steps: [{ id: db, service: ls }, { id: use, run: ls }] }, "
    #expect(codes(group + "{ id: t, needs: [G, db], run: ls }]") == ["R0411"])
    #expect(codes(group + "{ id: t, needs: { db: ready }, run: ls }]") == ["R0411"])
    #expect(codes(group + "{ id: t, needs: { db: over }, run: ls }]") == [])
    #expect(codes(group + "{ id: t, needs: G, run: ls }]") == [])
    #expect(
      codes("steps: [{ id: G, steps: [{ id: db, service: ls }] }, { id: t, run: ls }]") == ["R0917"]
    )
    #expect(codes("steps: [{ parallel: [{ id: db, service: ls }] }, { id: t, run: ls }]") == [])
  }
}

// Tests what services and the steps that use them must not wait for.

import Testing

@testable import WorkflowFiles

struct ServiceReadingTests {
  private func codes(_ text: String) -> [String] {
    do throws(WorkflowError) {
      _ = try Workflow(text: text, file: "w.yaml")
      return []
    } catch {
      return error.diagnostics.map(\.code)
    }
  }

  @Test(arguments: [
    // s waits for the end of db1, which is kept for db2, which is kept for s.
    """
    steps:
      - { id: db1, service: x }
      - { id: db2, service: x }
      - { id: s, needs: { db2: ready, db1: over }, run: x }
    """,
    """
    steps:
      - { id: db1, service: x }
      - { id: t, run: x }
      - { id: db2, needs: { t: success }, service: x }
      - { id: s, needs: { db1: over, t: success }, run: x }
      - { id: u, needs: { db2: ready, s: success }, run: x }
      - { id: v, needs: { u: success, db1: ready }, run: x }
    """,
    """
    steps:
      - { id: plan, run: x }
      - { id: db1, service: x }
      - id: each
        foreach: "${{ fromJSON(steps.plan.outputs.l) }}"
        needs: [plan, db1]
        service: x
      - { id: t, needs: { each: success, db1: over }, run: x }
      - { id: u, needs: { each: success, t: success, db1: ready }, run: x }
    """,
  ]) func `steps that would wait for one another through a service are reported`(_ text: String) {
    #expect(codes(text) == ["R0409"], "\(text)")
  }

  @Test(arguments: [
    """
    steps:
      - { id: db1, service: x }
      - { id: t, run: x }
      - { id: s, needs: { db1: over }, run: x }
    """,
    """
    steps:
      - { id: db1, service: x }
      - { id: db2, service: x }
      - { id: t, run: x }
      - { id: s, needs: { db2: over, db1: over }, run: x }
    """,
    """
    steps:
      - { id: db, service: x }
      - { id: s, needs: { db: ready }, run: x }
    """,
  ]) func `waiting for the end of a service is possible`(_ text: String) {
    #expect(codes(text) == [], "\(text)")
  }

  @Test(arguments: [
    ("{ p: 1 }", "pool: p", "pool: p", true),
    ("{ p: 2 }", "pool: p", "pool: p", false),
    ("{ p: 3 }", "pool: { name: p, take: 2 }", "pool: { name: p, take: 2 }", true),
    ("{ p: 1, q: 1 }", "pool: p", "pool: q", false),
    ("{ p: 1 }", "pool: p", "env: { A: b }", false),
  ]) func `a service must not hold the pool that its users need`(
    _ pools: String, _ service: String, _ user: String, _ isRefused: Bool
  ) {
    let text = """
      pools: \(pools)
      steps:
        - { id: db, \(service), service: x }
        - { id: between, run: x }
        - { id: u, \(user), run: x }
      """
    #expect(codes(text) == (isRefused ? ["R0410"] : []), "\(text)")
  }

  @Test(arguments: [
    ("steps: [{ pool: p, steps: [{ id: a, service: x }, { id: u, run: x }] }]", false),
    ("steps: [{ id: a, pool: p, service: x }, { pool: p, steps: [{ id: u, run: x }] }]", true),
    ("steps: [{ id: a, pool: q, service: x }, { pool: p, steps: [{ id: u, run: x }] }]", false),
  ]) func `a service must not hold the pool that a group of its users needs`(
    _ steps: String, _ isRefused: Bool
  ) {
    #expect(codes("pools: { p: 1, q: 1 }\n" + steps) == (isRefused ? ["R0410"] : []), "\(steps)")
  }

  @Test(arguments: [
    ("{ pool: p, steps: [{ id: a, pool: q, run: x }] }", true),
    ("{ pool: p, steps: [{ id: a, mutex: m, run: x }] }", true),
    ("{ pool: p, steps: [{ parallel: [{ mutex: m, steps: [{ id: a, run: x }] }] }] }", true),
    ("{ pool: p, steps: [{ foreach: [1], pool: q, steps: [{ id: a, run: x }] }] }", true),
    ("{ mutex: m, steps: [{ id: a, pool: q, run: x }] }", false),
    ("{ mutex: m, steps: [{ pool: q, steps: [{ id: a, run: x }] }] }", false),
    ("{ mutex: m, pool: q, steps: [{ id: a, run: x }] }", false),
  ]) func `a group with places of a pool contains no pool and no mutex`(
    _ group: String, _ isRefused: Bool
  ) {
    let text = "pools: { p: 1, q: 1 }\nsteps: [\(group)]"
    #expect(codes(text) == (isRefused ? ["R0217"] : []), "\(text)")
  }

  @Test func `several services hold places of a pool together`() {
    let text = """
      pools: { p: 2 }
      steps:
        - { id: a, pool: p, service: x }
        - { id: b, pool: p, service: x }
        - { id: u, pool: p, run: x }
      """
    #expect(codes(text) == ["R0410"])
  }

  @Test func `the work of a service cannot be approved`() {
    let text = "steps: [{ id: a, service: x, approval: { message: m, after: true } }]"
    #expect(codes(text) == ["R0216"])
    #expect(codes("steps: [{ id: a, service: x, approval: m }]") == [])
  }

  @Test func `a part of a workflow has the services that its steps use`() throws {
    let workflow = try Workflow(
      text: """
        steps:
          - { id: build, run: x }
          - { id: db, service: x }
          - { id: api, service: x }
          - { id: migrate, needs: db, run: x }
          - { id: test, needs: [migrate, api], run: x }
          - { id: report, needs: test, run: x }
          - { id: late, needs: { db: over }, run: x }
        """, file: "w.yaml")
    let only = try workflow.selecting(only: ["test"])
    #expect(only.steps.map(\.id) == ["db", "api", "test"])
    #expect(only.steps.last?.needs == ["api"])
    let report = try workflow.selecting(only: ["report"])
    #expect(report.steps.map(\.id) == ["db", "api", "report"])
    #expect(report.steps.last.map { Set($0.needs) }?.contains("api") == true)
    #expect(try workflow.selecting(from: ["report"]).steps.map(\.id) == ["db", "api", "report"])
    #expect(try workflow.selecting(only: ["late"]).steps.map(\.id) == ["late"])
    #expect(try workflow.selecting(only: ["build"]).steps.map(\.id) == ["build"])
  }
}

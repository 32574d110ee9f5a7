// Tests the reading of `undo`, `pools` and `pool`.

import Testing

@testable import WorkflowFiles

struct UndoReadingTests {
  private func workflow(_ text: String) throws -> Workflow {
    try Workflow(text: text, file: "w.yaml")
  }

  @Test func `what undoes steps comes before finally, last first`() throws {
    let workflow = try workflow(
      """
      steps:
        - { id: a, name: Make it, run: x, env: { A: "1", B: "1" }, dir: d, undo: y }
        - parallel:
            - { id: b, foreach: [u, v], run: x, undo: [y, "${{ item }}", "${{ steps.a.outputs.o }}"] }
            - { id: c, run: x, env: { A: "1", B: "1" }, undo: { run: y, env: { B: "2" }, timeout: 3s } }
      finally: [{ id: f, run: x }]
      """)
    #expect(
      workflow.steps.map(\.id) == [
        "a", "b[0]", "b[1]", "c", "c/undo", "b[1]/undo", "b[0]/undo", "a/undo", "f",
      ])
    #expect(workflow.finallyCount == 5)
    #expect(
      workflow.steps.suffix(5).map(\.needs) == [
        [], ["c/undo"], ["b[1]/undo"], ["b[0]/undo"], ["a/undo"],
      ])
    let undo = workflow.steps[7]
    #expect(undo.extras.undoes == "a" && undo.extras.finally == [.failure])
    #expect(undo.extras.name == "Undo: Make it")
    #expect(workflow.declaredEnvironment(of: undo) == ["A": "1", "B": "1"])
    #expect(workflow.declaredDirectories(of: undo) == ["d"])
    #expect(workflow.declaredEnvironment(of: workflow.steps[4]) == ["A": "1", "B": "2"])
    #expect(workflow.steps[4].timeout == .seconds(3))
  }

  @Test(arguments: [
    ("- { id: a, run: x, undo: {} }", "R0213"), ("- { id: a, run: x, undo: { run: '' } }", "R0205"),
    ("- { id: a, run: x, undo: { script: y } }", "R0201"),
    ("- { id: a, run: x, undo: 'echo ${{ params.x }}' }", "R0304"),
    ("- { id: a, service: x, undo: y }", "R0216"), ("- { id: a, run: x, rollback: y }", "R0201"),
    ("- { id: a, run: x }\nfinally: [{ id: b, run: x, undo: y }]", "R0217"),
    ("- { id: a, pool: db, run: x }", "R0809"),
    ("- { id: a, pool: p, run: x }\npools: { p: 0 }", "R0210"),
    ("- { id: a, pool: { take: 2 }, run: x }\npools: { p: 2 }", "R0213"),
    ("- { id: a, pool: { name: p, take: 3 }, run: x }\npools: { p: 2 }", "R0210"),
    ("- { id: a, pool: q, run: x }\npools: { p: 2 }", "R0809"),
    ("- { id: a, queue: p, run: x }\npools: { p: 2 }", "R0201"),
    ("- { id: a, run: x }\nconcurrency: { group: g, policy: reject, limit: 2 }", "R0217"),
  ]) func `a wrong setting is reported`(_ item: String, _ code: String) {
    #expect {
      _ = try workflow("steps:\n  \(item)\n")
    } throws: { error in
      (error as? WorkflowError)?.diagnostics.map(\.code) == [code]
    }
  }

  @Test func `a step takes places of a pool`() throws {
    let workflow = try workflow(
      """
      params: { n: { type: number, default: 2 } }
      pools: { db: "${{ params.n }}", net: 1 }
      concurrency: { group: g, policy: queue, limit: "${{ params.n }}" }
      steps:
        - { id: a, pool: db, run: x }
        - { id: b, pool: { name: db, take: 2 }, run: x }
      """)
    #expect(workflow.steps[0].extras.pools == [PoolClaim(pool: "db", count: 1, size: 2)])
    #expect(workflow.steps[1].extras.pools == [PoolClaim(pool: "db", count: 2, size: 2)])
    #expect(workflow.concurrency?.limit == 2)
  }
}

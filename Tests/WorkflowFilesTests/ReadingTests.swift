import TestSupport
import Testing
import WorkflowFiles

struct ReadingTests {
  private func needs(_ text: String) throws -> [String: [String]] {
    let workflow = try Workflow(text: text, file: "w.yaml")
    return Dictionary(uniqueKeysWithValues: workflow.steps.map { ($0.id, $0.needs) })
  }

  @Test func `a list runs in order, a group in parallel`() throws {
    let needs = try needs(
      """
      steps:
        - { id: a, run: x }
        - parallel:
            - { id: b, run: x }
            - steps: [{ id: c, run: x }, { id: d, run: x }]
            - parallel: [{ id: e, run: x }, { id: f, run: x }]
        - { id: g, run: x }
      """)
    #expect(
      needs == [
        "a": [], "b": ["a"], "c": ["a"], "d": ["c"], "e": ["a"], "f": ["a"],
        "g": ["b", "d", "e", "f"],
      ])
  }

  @Test func `the defaults of the workflow apply to steps without their own setting`() throws {
    let workflow = try Workflow(
      text: """
        defaults: { timeout: 2s, retry: 3 }
        steps:
          - { id: a, run: x }
          - { id: b, run: x, timeout: 5s, dir: d }
        """, file: "w.yaml")
    #expect(workflow.steps.map(\.timeout) == [.seconds(2), .seconds(5)])
    #expect(workflow.steps.map(\.retry?.limit) == [3, 3])
    #expect(workflow.steps.map(\.directory) == [nil, "d"])
  }

  @Test func `needs replaces the order that the list implies`() throws {
    let needs = try needs(
      """
      steps:
        - { id: a, run: x }
        - { id: b, run: x, needs: [] }
        - { id: c, run: x, needs: a }
        - { id: d, run: x }
        - { id: e, run: x, needs: [a, d] }
      """)
    #expect(needs == ["a": [], "b": [], "c": ["a"], "d": ["c"], "e": ["a", "d"]])
  }

  @Test func `every key is read`() throws {
    let workflow = try Workflow(
      text: """
        name: all
        description: every key
        env: { A: 1, B: yes, C: "x y", D: 1.50 }
        dir: sub
        shell: bash
        timeout: 1m30s
        grace: 500ms
        max-parallel: 3
        steps:
          - id: one
            run: |
              echo 1
              echo 2
            env: { E: no }
            dir: deeper
            shell: [bash, -eu, -c]
            timeout: 2h
            grace: 0
          - { id: two, exec: [git, status, 1] }
        """, file: "all.yaml")
    #expect(workflow.name == "all" && workflow.description == "every key")
    #expect(workflow.environment == ["A": "1", "B": "yes", "C": "x y", "D": "1.50"])
    #expect(workflow.directory == "sub" && workflow.shell == .named("bash"))
    #expect(workflow.timeout == .seconds(90) && workflow.grace == .milliseconds(500))
    #expect(workflow.maxParallel == 3)
    let one = workflow.steps[0]
    #expect(one.action == .run("echo 1\necho 2\n") && one.environment == ["E": "no"])
    #expect(one.directory == "deeper" && one.shell == .arguments(["bash", "-eu", "-c"]))
    #expect(one.timeout == .seconds(7200) && one.grace == .zero)
    #expect(workflow.steps[1].action == .exec(["git", "status", "1"]))
  }

  @Test func `a workflow without a name is named after its file`() throws {
    let text = "steps: [{ id: a, run: x }]"
    #expect(try Workflow(text: text, file: "flows/my.flow.yaml").name == "my")
  }

  @Test func `merge keys and aliases are resolved`() throws {
    let workflow = try Workflow(
      text: """
        env: &base { A: "1", B: "2" }
        steps:
          - { id: a, run: x, env: { <<: *base, B: "3" } }
        """, file: "w.yaml")
    #expect(workflow.steps[0].environment == ["A": "1", "B": "3"])
  }

  @Test func `a selection drops the needs that it leaves out`() throws {
    let workflow = try Workflow(
      text: """
        steps:
          - { id: a, run: x }
          - parallel: [{ id: b, run: x }, { id: c, run: x }]
          - { id: d, run: x }
        """, file: "w.yaml")
    let only = try workflow.selecting(only: ["d", "b"])
    #expect(only.steps.map(\.id) == ["b", "d"] && only.steps.map(\.needs) == [[], ["b"]])
    let from = try workflow.selecting(from: "c")
    #expect(from.steps.map(\.id) == ["c", "d"] && from.steps.map(\.needs) == [[], ["c"]])
    let to = try workflow.selecting(to: "c")
    #expect(to.steps.map(\.id) == ["a", "c"] && to.steps.map(\.needs) == [[], ["a"]])
    #expect(throws: SelectionError.unknownStep("bb", known: ["a", "b", "c", "d"])) {
      try workflow.selecting(from: "bb")
    }
  }

  @Test func `a file of 100,000 steps is read`() throws {
    let lines = (0..<100_000).map { "  - { id: step-\($0), run: 'echo \($0)', env: { N: \($0) } }" }
    let text = "steps:\n" + lines.joined(separator: "\n")
    let workflow = try Workflow(text: text, file: "large.yaml")
    #expect(workflow.steps.count == 100_000)
    #expect(workflow.graph.topologicalOrder.last == StepIndex(99_999))
  }

  @Test func `random bytes are refused or read, and never crash`() {
    var generator = SeededGenerator.announced()
    let seed = Array(
      "steps:\n- &a {id: a, run: \"x\", needs: [b, *a]}\n- parallel:\n  - | \n  ? x\n".utf8)
    for _ in 0..<5000 {
      var bytes = seed
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        let position = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[position] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes.remove(at: position)
        default: bytes.insert(bytes.randomElement(using: &generator) ?? 0, at: position)
        }
        if bytes.isEmpty { bytes = [0x61] }
      }
      do {
        _ = try Workflow(bytes: bytes, file: "f.yaml")
      } catch {
        #expect(!error.diagnostics.isEmpty)
        #expect(error.diagnostics.allSatisfy { $0.line >= 1 && $0.column >= 1 })
      }
    }
  }
}

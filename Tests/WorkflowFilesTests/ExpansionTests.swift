import TestSupport
import Testing

@testable import WorkflowFiles

/// Steps that expand to many through `foreach` and `matrix`.
struct ExpansionTests {
  private func workflow(_ step: String, _ arguments: [String: String] = [:]) throws -> Workflow {
    try Workflow(
      text: """
        params: { sizes: "[1, 2]", from: 2 }
        steps:
          - { id: before, run: x }
          - { id: s, run: x, \(step) }
          - { id: after, run: x }
        """, file: "w.yaml", with: Arguments(arguments))
  }

  private func labels(_ workflow: Workflow) -> [String] {
    workflow.steps.compactMap(\.extras.label)
  }

  @Test func `a foreach makes a step of each item, between the previous and the next step`() throws
  {
    let workflow = try workflow("foreach: [a, 2, {k: v}]")
    #expect(workflow.steps.map(\.id) == ["before", "s[0]", "s[1]", "s[2]", "after"])
    #expect(workflow.steps[1...3].allSatisfy { $0.needs == ["before"] })
    #expect(workflow.steps[4].needs == ["s[0]", "s[1]", "s[2]"])
    #expect(labels(workflow) == ["a", "2", #"{"k":"v"}"#])
    #expect(workflow.indices(named: "s").map(\.position) == [1, 2, 3])
  }

  @Test(arguments: [
    ("foreach: { from: 1, to: 3 }", ["1", "2", "3"]),
    ("foreach: { from: 3, to: 1, by: -1 }", ["3", "2", "1"]), ("foreach: { from: 1, to: 0 }", []),
    ("foreach: { from: 0, to: 10, by: 5 }", ["0", "5", "10"]),
    ("foreach: { from: \"${{ params.from }}\", to: 3 }", ["2", "3"]),
    ("foreach: \"${{ fromJSON(params.sizes) }}\"", ["1", "2"]), ("foreach: []", []),
    ("foreach: [\"${{ params.from }}-x\"]", ["2-x"]),
  ]) func `items come from lists, ranges and parameters`(_ step: String, _ expected: [String])
    throws
  {
    #expect(labels(try workflow(step)) == expected)
  }

  @Test func `a step after an empty foreach needs the step before it`() throws {
    #expect(try workflow("foreach: []").steps.last?.needs == ["before"])
  }

  @Test func `a step that needs an empty foreach needs what the foreach needs`() throws {
    let workflow = try Workflow(
      text: """
        steps:
          - { id: plan, run: x }
          - { id: other, run: x, needs: [] }
          - { id: a, run: x, needs: [plan, other], foreach: [] }
          - { id: b, run: x, needs: a, matrix: { x: [1], exclude: [{ x: 1 }], include: [{ x: 2 }] } }
          - { id: c, run: x, needs: b, foreach: { from: 1, to: 0 } }
          - { id: join, needs: [c, a], env: { P: "${{ steps.plan.outputs.x }}" }, run: x }
        """, file: "w.yaml")
    #expect(workflow.steps.last?.needs == ["b[0]", "plan", "other"])
    let chain = try Workflow(
      text: """
        steps:
          - { id: plan, run: x }
          - { id: a, run: x, foreach: [], needs: plan }
          - { id: b, run: x, foreach: [], needs: a }
          - { id: join, needs: b, env: { P: "${{ steps.plan.outputs.x }}" }, run: x }
        """, file: "w.yaml")
    #expect(chain.steps.last?.needs == ["plan"])
  }

  // MARK: Files

  private func inFolder(_ dir: String, _ step: String, _ kept: [String: String]? = nil) throws
    -> Workflow
  {
    try Workflow(
      bytes: Array("dir: '\(dir)'\nsteps: [{ id: s, run: x, \(step) }]\n".utf8), file: "w.yaml",
      sources: kept.map(SourceFiles.kept) ?? .disk)
  }

  @Test func `files that match patterns are items, sorted, relative to the folder of the step`()
    throws
  {
    let folder = try TemporaryFolder()
    try folder.write(["src/b.c", "src/a.c", "src/a.h", "src/deep/c.c"])
    let flat = try inFolder(folder.path, "foreach: { files: 'src/*.c' }")
    #expect(labels(flat) == ["src/a.c", "src/b.c"])
    let below = try inFolder(folder.path, "dir: src, foreach: { files: ['**/*.c', '!b.c'] }")
    #expect(labels(below) == ["a.c", "deep/c.c"])
    #expect(labels(try inFolder(folder.path, "foreach: { files: '*.swift' }")).isEmpty)
    // The list is part of the record of a run.
    try folder.write(["src/new.c"])
    let again = try inFolder(folder.path, "foreach: { files: 'src/*.c' }", flat.sources)
    #expect(labels(again) == ["src/a.c", "src/b.c"])
  }

  @Test func `files are relative to the folder of the step in a group and in a used file, too`()
    throws
  {
    let folder = try TemporaryFolder()
    try folder.write(["in/one.txt", "in/deep/two.txt"])
    let used = "steps: [{ id: s, foreach: { files: '*.txt' }, run: x }]"
    try folder.write("used.yaml", used.utf8)
    let group = "{ id: s, foreach: { files: '*.txt' }, run: x }"
    for (steps, ids) in [
      ("[{ id: G, dir: in, steps: [\(group)] }]", ["s[0]"]),
      ("[{ id: G, dir: in, steps: [{ dir: deep, steps: [\(group)] }] }]", ["s[0]"]),
      ("[{ id: G, dir: in, parallel: [\(group)] }]", ["s[0]"]),
      ("[{ id: u, dir: in, uses: ./used.yaml }]", ["u/s[0]"]),
      ("[{ dir: in, steps: [{ id: u, dir: deep, uses: ./used.yaml }] }]", ["u/s[0]"]),
      (
        "[{ id: m, foreach: [in, in/deep], dir: \"${{ item }}\", steps: [\(group)] }]",
        ["m[0]/s[0]", "m[1]/s[0]"]
      ),
    ] {
      let workflow = try Workflow(
        bytes: Array("dir: '\(folder.path)'\nsteps: \(steps)\n".utf8),
        file: folder.path + "/w.yaml")
      #expect(workflow.steps.map(\.id) == ids, "\(steps)")
    }
  }

  @Test func `files in a folder that only the run knows are refused`() {
    let text = """
      steps:
        - { id: a, run: x }
        - dir: "${{ steps.a.outputs.d }}"
          steps: [{ id: s, foreach: { files: '*.txt' }, run: x }]
      """
    #expect {
      _ = try Workflow(text: text, file: "w.yaml")
    } throws: { error in
      (error as? WorkflowError)?.diagnostics.map(\.code).contains("R0306") == true
    }
  }

  /// The examples in "Running variations of jobs in a workflow" of the documentation of GitHub
  /// Actions.
  @Test func `a matrix is expanded as by GitHub Actions`() throws {
    let text = """
      matrix: { fruit: [apple, pear], animal: [cat, dog], include: [{ color: green }, \
      { color: pink, animal: cat }, { fruit: apple, shape: circle }, { fruit: banana }, \
      { fruit: banana, animal: cat }] }
      """
    let workflow = try workflow(text)
    let combinations = workflow.steps.compactMap { $0.extras.bindings?.matrix?.mapValues(\.asText) }
    #expect(
      combinations == [
        ["fruit": "apple", "animal": "cat", "color": "pink", "shape": "circle"],
        ["fruit": "apple", "animal": "dog", "color": "green", "shape": "circle"],
        ["fruit": "pear", "animal": "cat", "color": "pink"],
        ["fruit": "pear", "animal": "dog", "color": "green"], ["fruit": "banana"],
        ["fruit": "banana", "animal": "cat"],
      ])
    let excluded = try self.workflow(
      "matrix: { os: [linux, mac], v: [1, 2, 3], exclude: [{ os: mac, v: 1 }, { v: 3 }] }")
    #expect(labels(excluded) == ["linux, 1", "linux, 2", "mac, 2"])
  }

  @Test func `an open parameter leaves one placeholder step`() throws {
    let text = """
      params: { list: { required: true } }
      steps: [{ id: s, foreach: "${{ fromJSON(params.list) }}", run: x }]
      """
    #expect(throws: WorkflowError.self) { try Workflow(text: text, file: "w.yaml") }
    let open = try Workflow(text: text, file: "w.yaml", with: Arguments(allowsMissing: true))
    #expect(open.steps.map(\.id) == ["s[0]"])
    let given = try Workflow(text: text, file: "w.yaml", with: Arguments(["list": "[1,2,3]"]))
    #expect(given.steps.count == 3)
  }

  @Test func `settings are evaluated for each of the steps`() throws {
    let workflow = try workflow(
      "foreach: [1, 2], timeout: \"${{ item }}s\", continue-on-error: \"${{ item == 2 }}\", max-parallel: 1, fail-fast: true"
    )
    #expect(workflow.steps[1...2].map(\.timeout) == [.seconds(1), .seconds(2)])
    #expect(workflow.steps[1...2].map(\.extras.continuesOnError) == [false, true])
    let groups = workflow.steps[1...2].map { workflow.groups[$0.group] }
    #expect(groups[0] == groups[1] && groups[0].name == "s")
    #expect(groups[0].maxParallel == 1 && groups[0].failFastCount == 1)
  }
}

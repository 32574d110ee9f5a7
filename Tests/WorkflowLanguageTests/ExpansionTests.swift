import Testing

@testable import WorkflowLanguage

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
    #expect(workflow.steps[1].extras.parallelLimit == ParallelLimit(group: "s", count: 1))
    #expect(workflow.steps[2].extras.failFastGroup == "s")
  }
}

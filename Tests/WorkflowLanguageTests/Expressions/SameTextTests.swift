import Testing
import WorkflowLanguage

/// Texts with expressions that stand more than once: what is remembered of one must not show in another.
struct SameTextTests {
  @Test(arguments: [
    ("${{ params.x == }}", "a value is expected at the end"),
    ("${{ params.y }}", "there is no parameter \"y\""),
    ("${{ steps.b.outputs.v }}", "\"b\" may not be over when this step starts"),
  ])
  func `a mistake that stands twice is told twice, each time at its place`(
    _ text: String, _ message: String
  ) throws {
    let error = #expect(throws: WorkflowError.self) {
      try Workflow(
        text: """
          params: { x: a }
          steps:
            - { id: first, run: x, env: { A: "\(text)" } }
            - { id: second, run: x, env: { LONG: "\(text)" } }
            - { id: b, run: x }
          """, file: "w.yaml")
    }
    let diagnostics = try #require(error).diagnostics
    #expect(diagnostics.map(\.line) == [3, 4])
    // The second one stands as much further to the right as the names before it are longer.
    #expect(
      diagnostics.map(\.column).reduce(0) { $1 - $0 } == "second, LONG".count - "first, A".count)
    #expect(diagnostics.allSatisfy { $0.message.contains(message) })
  }

  @Test func `names are looked for among others for the first mistakes alone`() throws {
    let steps = (1...40).map {
      "  - { id: s\($0), run: x, env: { A: \"${{ steps.s0.outputs.v }}\" } }\n"
    }
    let error = #expect(throws: WorkflowError.self) {
      try Workflow(text: "steps:\n" + steps.joined(), file: "w.yaml")
    }
    let hints = try #require(error).diagnostics.map(\.hint)
    #expect(hints.count == 40 && hints.first == "did you mean \"s1\"?" && hints.last == .some(nil))
  }

  @Test func `texts that spell a letter differently stay as they are written`() throws {
    let (composed, decomposed) = ("\u{E9} ${{ params.x }}", "e\u{301} ${{ params.x }}")
    let workflow = try Workflow(
      text: """
        params: { x: a }
        steps:
          - { id: a, run: x, env: { A: "\(composed)" } }
          - { id: b, run: x, env: { A: "\(decomposed)" } }
        """, file: "w.yaml")
    let sources = workflow.steps.compactMap { $0.environment["A"]?.source }
    #expect(sources.map { Array($0.utf8) } == [Array(composed.utf8), Array(decomposed.utf8)])
  }

  @Test func `a text without brackets is an expression in a condition and a text elsewhere`() throws
  {
    let workflow = try Workflow(
      text: """
        params: { x: { type: boolean, default: true } }
        steps:
          - { id: a, run: x, env: { A: params.x }, if: params.x }
          - { id: b, run: x, env: { A: params.x }, if: params.x }
        """, file: "w.yaml")
    #expect(workflow.steps.allSatisfy { $0.environment["A"]?.isPlain == true })
    #expect(throws: WorkflowError.self) {
      try Workflow(
        text: """
          steps:
            - { id: a, run: x, env: { A: params.y } }
            - { id: b, run: x, env: { A: params.y }, if: params.y }
          """, file: "w.yaml")
    }
  }
}

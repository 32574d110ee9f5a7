import Testing
import WorkflowFiles

/// Texts with expressions that occur more than once: a cached result must not leak from one
/// occurrence to another.
struct RepeatedExpressionTests {
  @Test(arguments: [
    ("${{ params.x == }}", "expected a value at the end"),
    ("${{ params.y }}", "there is no parameter \"y\""),
    ("${{ steps.b.outputs.v }}", "\"b\" might not be finished when this step starts"),
  ])
  func `an error that occurs twice is reported twice, each time at its position`(
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
    // The second error is further right by the difference in length of the preceding names.
    #expect(
      diagnostics.map(\.column).reduce(0) { $1 - $0 } == "second, LONG".count - "first, A".count)
    #expect(diagnostics.allSatisfy { $0.message.contains(message) })
  }

  @Test func `suggestions are searched for the first errors only`() throws {
    let steps = (1...40).map {
      "  - { id: s\($0), run: x, env: { A: \"${{ steps.s0.outputs.v }}\" } }\n"
    }
    let error = #expect(throws: WorkflowError.self) {
      try Workflow(text: "steps:\n" + steps.joined(), file: "w.yaml")
    }
    let hints = try #require(error).diagnostics.map(\.hint)
    #expect(hints.count == 40 && hints.first == "did you mean \"s1\"?" && hints.last == .some(nil))
  }

  @Test func `texts with different Unicode normalization are kept apart`() throws {
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

  @Test func `a text without braces is an expression in a condition and a text elsewhere`() throws {
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

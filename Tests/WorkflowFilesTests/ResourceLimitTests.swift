import TestSupport
import Testing

@testable import WorkflowFiles

/// Small files that would exhaust CPU or memory if nothing limited them.
struct ResourceLimitTests {
  // MARK: Needs

  @Test(arguments: [
    (
      """
      steps:
        - { id: a, run: x, foreach: { from: 1, to: 10000 } }
        - { id: b, run: x, foreach: { from: 1, to: 10000 } }
      """, 3, 11
    ),
    (
      """
      steps:
        - { id: b, needs: a, run: x, foreach: { from: 1, to: 10000 } }
        - { id: a, run: x, foreach: { from: 1, to: 10000 } }
      """, 2, 11
    ),
    (
      "steps:\n"
        + (0..<50).map { "  - { id: a\($0), run: x, foreach: { from: 1, to: 1000 } }\n" }.joined(),
      4, 11
    ),
  ]) func `two consecutive large groups are refused at the second one`(
    _ text: String, _ line: Int, _ column: Int
  ) {
    let found = diagnostics(text)
    #expect(found.map(\.line) == [line] && found.map(\.column) == [column])
    #expect(found.first?.code == "R0406")
    #expect(found.first?.hint?.contains("{ id: joined, exec: [\"true\"] }") == true)
  }

  @Test func `a step between two large groups makes them acceptable`() throws {
    let workflow = try Workflow(
      text: """
        steps:
          - { id: a, run: x, foreach: { from: 1, to: 10000 } }
          - { id: joined, exec: ["true"] }
          - { id: b, run: x, foreach: { from: 1, to: 10000 } }
          - { id: c, env: { X: "${{ toJSON(steps.a.outputs) }}" }, run: x }
        """, file: "w.yaml")
    #expect(workflow.steps.count == 20_002)
    #expect(workflow.steps[10_000].needs.count == 10_000)
    #expect(workflow.steps[10_001].needs == ["joined"])
  }

  @Test func `a million needs are allowed`() throws {
    let workflow = try Workflow(
      text: """
        steps:
          - { id: a, run: x, foreach: { from: 1, to: 1000 } }
          - { id: b, run: x, foreach: { from: 1, to: 1000 } }
        """, file: "w.yaml")
    #expect(workflow.steps[1999].needs.count == 1000)
  }

  // MARK: References

  @Test func `each of many steps may refer to a much earlier step`() throws {
    // A graph traversal for each step would take minutes and gigabytes.
    let steps = (0..<20_000).map { number in
      let uses = number < 2 ? "" : ", env: { X: \"${{ steps.s\(number - 2).outputs.x }}\" }"
      return "  - { id: s\(number), run: x\(uses) }\n"
    }
    let workflow = try Workflow(text: "steps:\n" + steps.joined(), file: "w.yaml")
    #expect(workflow.steps.count == 20_000)
  }

  @Test func `in random graphs a step may refer to its transitive needs only`() throws {
    var generator = SeededGenerator.announced()
    for _ in 0..<30 {
      let count = Int.random(in: 2...150, using: &generator)
      let needs = (0..<count).map { position in
        Set(
          (0..<Int.random(in: 0...2, using: &generator)).map { _ in
            Int.random(in: 0..<max(1, position), using: &generator)
          }
        ).filter { $0 < position }.sorted()
      }
      var before: [Set<Int>] = []
      for position in 0..<count {
        before.append(
          needs[position].reduce(into: []) { $0.formUnion(before[$1].union([$1])) })
      }
      let asked = (0..<count).map { _ in
        Int.random(in: 0..<count, using: &generator)
      }
      let lines = (0..<count).map { position in
        "  - { id: s\(position), needs: [\(needs[position].map { "s\($0)" }.joined(separator: ", "))], "
          + "run: x, env: { X: \"${{ steps.s\(asked[position]).result }}\" } }\n"
      }
      let found = diagnostics("steps:\n" + lines.joined())
      let wrong = (0..<count).filter { !before[$0].contains(asked[$0]) }
      #expect(Set(found.map(\.line)).isSubset(of: Set(wrong.map { $0 + 2 })))
      #expect(found.count == min(wrong.count, found.count) && found.isEmpty == wrong.isEmpty)
    }
  }

  // MARK: Values

  private static func nested(_ depth: Int) -> String {
    let places = String(repeating: "{0}", count: 10)
    return (0..<depth).reduce("'0123456789'") { inner, _ in "format('\(places)', \(inner))" }
  }

  @Test(arguments: [
    "timeout: \"${{ \(nested(8)) }}\"", "timeout: \"${{ \(nested(12)) }}\"",
    "foreach: [\"${{ \(nested(9)) }}\"]", "matrix: { a: [\"${{ \(nested(9)) }}\"] }",
    "continue-on-error: \"${{ \(nested(9)) == 'x' }}\"",
    "mutex: \"${{ \(nested(9)) }}\"",
    "foreach: \"${{ fromJSON(toJSON(\(nested(9)))) }}\"",
  ]) func `a value that grows with each level of nesting is refused at its position`(
    _ setting: String
  ) {
    let found = diagnostics("steps:\n  - { id: a, run: x, \(setting) }\n")
    #expect(found.count == 1)
    #expect(found.first?.line == 2 && (found.first?.column ?? 0) > 20)
    #expect(found.first?.code == "R0521")
  }

  @Test func `many large values exceed a common limit`() {
    let item = "\"${{ \(Self.nested(5)) }}\""
    let items = Array(repeating: item, count: 80).joined(separator: ", ")
    let found = diagnostics("steps:\n  - { id: a, run: x, foreach: [\(items)] }\n")
    #expect(found.contains { $0.code == "R0521" })
  }

  @Test func `a condition that grows with each level of nesting causes a warning`() throws {
    let workflow = try Workflow(
      text: "steps:\n  - { id: a, run: x, if: \"\(Self.nested(9)) == 'x'\" }\n", file: "w.yaml")
    #expect(workflow.warnings.contains { $0.code == "R0521" })
  }

  @Test func `a value that grows with each level of nesting fails its step`() throws {
    let workflow = try Workflow(
      text: "steps:\n  - { id: a, exec: [echo, \"${{ \(Self.nested(9)) }}\"] }\n", file: "w.yaml")
    let values = RunValues(
      run: "r", generation: 1, environment: [:], secrets: { _, _ in nil }, step: { _ in nil },
      status: .success, hashFiles: { _ in "" })
    let error = #expect(throws: ResolutionError.self) {
      try workflow.resolved(workflow.steps[0], values)
    }
    #expect(error?.description.contains("exec: the value is too large") == true)
  }

  @Test func `joined and nested lists count with their expanded size`() throws {
    let items = Array(repeating: "1", count: 1000).joined(separator: ",")
    let list = "fromJSON('[\(items)]')"
    let found = diagnostics(
      "steps:\n  - { id: a, run: x, timeout: \"${{ join(\(list), \(Self.nested(4))) }}\" }\n")
    #expect(found.first?.code == "R0521")
  }
}

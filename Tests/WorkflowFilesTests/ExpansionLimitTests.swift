import Foundation
import TestSupport
import Testing

@testable import WorkflowFiles

/// Small files that expand to many steps or to long lists.
struct ExpansionLimitTests {
  /// A pattern whose braces expand to 512 patterns.
  private static let wide = String(repeating: "{a,b}", count: 9)

  // MARK: Patterns

  @Test func `patterns of many steps are checked once`() throws {
    let patterns = (0..<20).map { "\"\(Self.wide)\($0)\"" }.joined(separator: ", ")
    let workflow = try Workflow(
      text: """
        params: { folder: src }
        steps:
          - id: a
            run: x
            foreach: { from: 1, to: 10000 }
            cache: { inputs: [\(patterns)], makes: ["${{ params.folder }}/\(Self.wide)"] }
        """, file: "w.yaml")
    #expect(workflow.steps.count == 10_000)
    #expect(workflow.steps[9999].extras.cache?.inputs.count == 20)
    #expect(workflow.steps[9999].extras.cache?.outputs == ["src/\(Self.wide)"])
  }

  @Test func `patterns that differ for each of many steps exceed a common limit`() {
    let found = diagnostics(
      """
      steps:
        - { id: a, run: x, foreach: { from: 1, to: 10000 }, cache: { inputs: ["${{ item }}\(Self.wide)"] } }
      """)
    #expect(found.map(\.line) == [2] && found.first.map { $0.column > 60 } == true)
    #expect(found.first?.code == "R0219")
  }

  @Test func `an invalid pattern that many steps share is reported once`() {
    let found = diagnostics(
      "steps: [{ id: a, run: x, foreach: { from: 1, to: 100 }, cache: { inputs: [\"a[\"] } }]\n")
    #expect(found.count == 1)
  }

  // MARK: Matrices

  /// A slow reference implementation that follows the documented rules of a matrix literally.
  private func slowCombinations(_ matrix: Matrix) -> [[String: Value]] {
    var result: [[String: Value]] = matrix.lists.isEmpty ? [] : [[:]]
    for (name, values) in matrix.lists {
      result = result.flatMap { combination in
        values.map { value in combination.merging([name: value]) { $1 } }
      }
    }
    result.removeAll { combination in
      matrix.exclude.contains { $0.allSatisfy { combination[$0.key] == $0.value } }
    }
    let (originals, names) = (result, matrix.lists.map(\.name))
    for addition in matrix.include {
      let matching = originals.indices.filter { position in
        addition.allSatisfy { !names.contains($0.key) || originals[position][$0.key] == $0.value }
      }
      if matching.isEmpty { result.append(addition) }
      for position in matching { result[position].merge(addition) { $1 } }
    }
    return result
  }

  @Test func `random matrices are combined as documented`() {
    var generator = SeededGenerator.announced()
    for _ in 0..<500 {
      var matrix = Matrix()
      let names = ["a", "b", "c", "d"].prefix(Int.random(in: 0...4, using: &generator))
      func value() -> Value { .number(Double(Int.random(in: 0...3, using: &generator))) }
      func some(of names: [String]) -> [String: Value] {
        Dictionary(
          uniqueKeysWithValues: names.filter { _ in Bool.random(using: &generator) }.map {
            ($0, value())
          })
      }
      for name in names {
        matrix.lists.append(
          (name, (0..<Int.random(in: 1...4, using: &generator)).map { _ in value() }))
      }
      for _ in 0..<Int.random(in: 0...3, using: &generator) {
        matrix.include.append(some(of: names + ["x", "y"]))
        matrix.exclude.append(some(of: Array(names)))
      }
      #expect(matrix.combinations() == slowCombinations(matrix), "\(matrix)")
    }
  }

  @Test func `a matrix with thousands of entries is combined in linear time`() throws {
    let count = 5000
    let numbers = (0..<count).map(String.init).joined(separator: ", ")
    let include = (0..<count).map { "{ a: \($0), b\($0): x }" }.joined(separator: ", ")
    let exclude = (0..<count / 2).map { "{ a: \($0 * 2) }" }.joined(separator: ", ")
    let workflow = try Workflow(
      text: """
        steps:
          - id: a
            run: x
            env: { X: "${{ matrix.b1 }}" }
            matrix: { a: [\(numbers)], include: [\(include)], exclude: [\(exclude)] }
        """, file: "w.yaml")
    #expect(workflow.steps.count == count)
    #expect(workflow.steps[0].extras.bindings?.matrix == ["a": .number(1), "b1": .text("x")])
    #expect(workflow.steps[count - 1].extras.bindings?.matrix?["a"] == .number(Double(count - 2)))
  }

  @Test func `a matrix of thousands of short lists is one combination`() throws {
    let lists = (0..<5000).map { "l\($0): [1]" }.joined(separator: ", ")
    let workflow = try Workflow(
      text: "steps: [{ id: a, run: x, matrix: { \(lists) } }]\n", file: "w.yaml")
    #expect(workflow.steps.count == 1)
    #expect(workflow.steps[0].extras.bindings?.matrix?.count == 5000)
  }

  @Test func `a matrix whose combinations have millions of values is refused`() {
    let numbers = (0..<1100).map(String.init).joined(separator: ", ")
    let include = (0..<1100).map { "{ b\($0): x }" }.joined(separator: ", ")
    let found = diagnostics(
      "steps:\n  - { id: a, run: x, matrix: { a: [\(numbers)], include: [\(include)] } }\n")
    #expect(found.map(\.line) == [2] && found.map(\.column) == [30])
    #expect(found.first?.code == "R0305")
  }

  // MARK: Steps

  @Test func `a large step that expands to many is refused`() {
    let variables = (0..<250).map { "V\($0): x" }.joined(separator: ", ")
    let found = diagnostics(
      """
      steps:
        - { id: a, run: x, foreach: { from: 1, to: 10000 }, env: { \(variables) } }
      """)
    #expect(found.map(\.line) == [2])
    #expect(found.first?.code == "R0305")
  }

  @Test func `the list of a foreach counts once, not for each of its steps`() throws {
    let items = (0..<10_000).map(String.init).joined(separator: ", ")
    let workflow = try Workflow(
      text: "steps: [{ id: a, run: x, foreach: [\(items)] }]\n", file: "w.yaml")
    #expect(workflow.steps.count == 10_000)
  }

  /// Reads a workflow that uses files of a megabyte.
  private func readUses(_ user: String, files: Int) throws -> Workflow {
    let folder = try TemporaryFolder()
    let used = "steps: [{ id: b, run: x }]\n#" + String(repeating: "x", count: 1 << 20)
    for number in 1...files { try folder.write("used\(number).yaml", used.utf8) }
    try folder.write("w.yaml", user.utf8)
    return try Workflow(contentsOf: folder.path + "/w.yaml")
  }

  @Test func `a large file that many steps use is read once`() throws {
    let user = "steps:\n  - { id: a, foreach: { from: 1, to: 100 }, uses: ./used1.yaml }\n"
    #expect(try readUses(user, files: 1).steps.count == 100)
  }

  @Test func `used files that are too large together are refused`() throws {
    let steps = (1...65).map { "  - { id: a\($0), uses: ./used\($0).yaml }\n" }.joined()
    let error = #expect(throws: WorkflowError.self) {
      try readUses("steps:\n" + steps, files: 65)
    }
    #expect(error?.diagnostics.first?.code == "R0103")
  }

  // MARK: Messages

  @Test func `the number of searches for a suggestion is limited`() {
    let parameters = (0..<300).map { "  parameter\($0): x\n" }.joined()
    let variables = (0..<300).map { "V\($0): '${{ params.porameter\($0) }}'" }
    let found = diagnostics(
      "params:\n\(parameters)steps: [{ id: a, run: x, env: { \(variables.joined(separator: ", ")) } }]\n"
    )
    #expect(found.first?.hint?.contains("did you mean \"parameter") == true)
    #expect(found.count == 200 && found.last?.hint == nil)
  }

  @Test func `the same error in thousands of steps is reported for the first of them`() {
    let steps = (0..<5000).map { "  - { id: s\($0), run: x, bogus: 1 }\n" }.joined()
    let found = diagnostics("steps:\n\(steps)  - { id: last, run: x, timeout: never }\n")
    #expect(found.map(\.line) == Array(2...21) + [5002])
    #expect(found[18].message == "a step has no key \"bogus\"")
    #expect(found[19].message == "a step has no key \"bogus\" (and 4980 more like it)")
    let error = #expect(throws: WorkflowError.self) {
      try Workflow(text: "steps:\n\(steps)", file: "w.yaml")
    }
    #expect(error?.errorCount == 5000)
  }

  @Test func `a message quotes the beginning and the end of a huge value`() {
    let huge = "first" + String(repeating: "x", count: 5 << 20) + "last"
    for text in [
      "steps: [{ id: \(huge), run: x }]\n", "durability: \(huge)\nsteps: [{ id: a, run: x }]\n",
      "steps: [{ id: a, run: x, needs: [\(huge)] }]\n",
      "steps: [{ id: a, run: x, timeout: \(huge) }]\n",
      "params: { p: { type: number, default: \(huge) } }\nsteps: [{ id: a, run: x }]\n",
    ] {
      let found = diagnostics(text)
      let hasBoth = found.contains {
        $0.message.contains("\"first") && $0.message.contains("x…x")
          && $0.message.contains("last\"")
      }
      #expect(hasBoth, "\(text.prefix(60))")
      #expect(found.allSatisfy { $0.description.unicodeScalars.count < 3000 })
    }
  }

  @Test func `a name has at most 256 characters`() throws {
    let name = String(repeating: "x", count: 256)
    let workflow = try Workflow(
      text: "name: \(name)\nsteps: [{ id: a, run: x }]\n", file: "w.yaml")
    #expect(workflow.name == name)
    let found = diagnostics("name: \(name)x\nsteps: [{ id: a, run: x }]\n")
    #expect(found.map(\.line) == [1] && found.map(\.column) == [7])
    #expect(found.first?.code == "R0212")
  }
}

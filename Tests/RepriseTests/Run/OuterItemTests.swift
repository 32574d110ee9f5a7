// What an inner `foreach` sees of the settings of the groups around it.

import TestSupport
import Testing

@testable import Reprise

/// Settings of groups whose steps have items of their own.
struct OuterItemTests {
  private static let written = "[1, 2]"
  private static let computed = "\"${{ fromJSON(steps.list.outputs.l) }}\""

  private static let used = """
    env: { OWN: file }
    steps: [{ id: s, run: x }]
    """

  /// Runs a group with items around a step with items.
  ///
  /// - Returns: The variables and folders of each step, by its id.
  private static func run(
    outer: String, inner: String, step: String, group: String = ""
  ) async throws -> [String: String] {
    let text = """
      steps:
        - { id: list, run: x }
        - id: group
          foreach: \(outer)
          env: { OUTER: "o${{ item }}", SAME: "o${{ item }}" }
          dir: "d${{ item }}"
          \(group)
          steps:
            - { id: each, foreach: \(inner), \(step) }
      """
    let seen = Protected<[String: String]>([:])
    let engine = Engine(
      executor: ClosureExecutor { context in
        let variables = context.resolved.environment.sorted { $0.key < $1.key }
          .map { "\($0.key)=\($0.value)" }
        let line = variables + [context.resolved.directories.joined(separator: "/")]
        seen.withLock { $0[context.step.id] = line.joined(separator: " ") }
        return ["l": Self.written]
      })
    let run = engine.start(
      try Workflow(bytes: Array(text.utf8), file: "w.yaml", sources: .kept(["u.yaml": used])))
    #expect(try await run.outcome == .succeeded)
    var result = seen.value
    result["list"] = nil
    return result
  }

  @Test(
    arguments: [(written, written), (written, computed), (computed, written), (computed, computed)])
  func `variables and folder of a group have the item of the group, for any steps in it`(
    outer: String, inner: String
  ) async throws {
    let seen = try await Self.run(
      outer: outer, inner: inner,
      step:
        "env: { INNER: \"i${{ item }}\", SAME: \"i${{ item }}\" }, dir: \"e${{ item }}\", run: x")
    #expect(
      seen == [
        "group[0]/each[0]": "INNER=i1 OUTER=o1 SAME=i1 d1/e1",
        "group[0]/each[1]": "INNER=i2 OUTER=o1 SAME=i2 d1/e2",
        "group[1]/each[0]": "INNER=i1 OUTER=o2 SAME=i1 d2/e1",
        "group[1]/each[1]": "INNER=i2 OUTER=o2 SAME=i2 d2/e2",
      ])
  }

  @Test(
    arguments: [(written, written), (written, computed), (computed, written), (computed, computed)])
  func `a file that is used for each item has them, too`(
    outer: String, inner: String
  ) async throws {
    let seen = try await Self.run(
      outer: outer, inner: inner, step: "uses: ./u.yaml, env: { SAME: \"i${{ item }}\" }, dir: e")
    #expect(
      seen == [
        "group[0]/each[0]/s": "OUTER=o1 OWN=file SAME=i1 d1/e",
        "group[0]/each[1]/s": "OUTER=o1 OWN=file SAME=i2 d1/e",
        "group[1]/each[0]/s": "OUTER=o2 OWN=file SAME=i1 d2/e",
        "group[1]/each[1]/s": "OUTER=o2 OWN=file SAME=i2 d2/e",
      ])
  }

  @Test func `three levels keep three items`() async throws {
    let text = """
      steps:
        - id: a
          foreach: [1, 2]
          env: { A: "${{ item }}" }
          steps:
            - id: b
              foreach: [3, 4]
              env: { B: "${{ item }}" }
              steps:
                - { id: c, foreach: [5, 6], env: { C: "${{ item }}" }, run: x }
      """
    let seen = Protected<Set<String>>([])
    let run = Engine(
      executor: ClosureExecutor { context in
        let values = context.resolved.environment.sorted { $0.key < $1.key }.map(\.value)
        seen.withLock { _ = $0.insert(values.joined()) }
        return [:]
      }
    ).start(try Workflow(text: text, file: "w.yaml"))
    #expect(try await run.outcome == .succeeded)
    #expect(seen.value == ["135", "136", "145", "146", "235", "236", "245", "246"])
  }

  @Test(arguments: [written, computed])
  func `an output that no item of a group wrote is a list of nulls, unless all succeeded`(
    items: String
  ) async throws {
    let text = """
      steps:
        - { id: list, run: x }
        - id: all
          foreach: \(items)
          continue-on-error: true
          steps: [{ id: work, run: x }]
          outputs: { x: "${{ steps.work.outputs.x }}" }
        - { id: end, needs: { all: over }, env: { X: "${{ toJSON(steps.all.outputs.x) }}" }, run: x }
      """
    let run = Engine(
      executor: ClosureExecutor { context in
        if context.step.id.hasPrefix("all") { throw FailureReason.exited(status: 1) }
        return context.step.id == "end" ? context.resolved.environment : ["l": Self.written]
      }
    ).start(try Workflow(text: text, file: "w.yaml"))
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["end"]?.phase == .succeeded(["X": "[null,null]"]))
  }
}

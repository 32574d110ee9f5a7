import Testing

@testable import WorkflowFiles

/// Reading of steps whose items are computed during the run, and of keys of items.
struct FanReadingTests {
  private static func workflow(_ step: String) throws -> Workflow {
    try Workflow(
      text: """
        secrets: { token: { env: TOKEN } }
        steps:
          - { id: plan, run: x }
          - { id: test, run: x, \(step) }
          - { id: after, run: x }
        """, file: "w.yaml")
  }

  private static let list = "foreach: \"${{ fromJSON(steps.plan.outputs.items) }}\""

  private func item(_ key: String) -> ExpandedItem {
    ExpandedItem(key: key, item: .text(key), label: key)
  }

  @Test func `a step with computed items is one step, drawn with a star`() throws {
    let workflow = try Self.workflow(Self.list)
    #expect(workflow.steps.map(\.id) == ["plan", "test", "after"])
    #expect(workflow.steps[2].needs == ["test"])
    #expect(workflow.steps[1].isFan)
    #expect(workflow.rendered(as: .text).contains("test[*]"))
    #expect(workflow.rendered(as: .json).contains("\"id\": \"test\""))
  }

  @Test func `an expansion replaces the steps of the one before`() throws {
    let workflow = try Self.workflow(Self.list)
    let first = workflow.expanding(["test": [item("a"), item("b")]])
    #expect(first.steps.map(\.id) == ["plan", "test", "test[a]", "test[b]", "after"])
    #expect(first.steps[4].needs == ["test", "test[a]", "test[b]"])
    #expect(first.indices(named: "test").map(\.position) == [1, 2, 3])
    let second = first.expanding(["test": [item("c"), item("a")]])
    #expect(second == workflow.expanding(["test": [item("c"), item("a")]]))
    #expect(first.expanding(["test": []]) == workflow.expanding(["test": []]))
    #expect(workflow.expanding(like: first) == first)
  }

  @Test(arguments: [
    ("foreach: \"${{ steps.plan.outputs.items }}\"", "foreach must be a list"),
    ("foreach: \"${{ fromJSON(steps.other.outputs.x) }}\"", "there is no step \"other\""),
    ("foreach: \"${{ fromJSON(steps.after.outputs.x) }}\"", "\"after\""),
    (
      "foreach: \"${{ fromJSON(format('{0}{1}', steps.plan.outputs.x, secrets.token)) }}\"",
      "secrets"
    ),
    (list + ", timeout: \"${{ item }}\"", "\"item\" is not known before the run starts"),
    (list + ", if: \"failure() && item == 1\"", "cannot test the status"),
    (list + ", max-items: 100001", "at most 100000"),
    ("matrix: \"${{ steps.plan.outputs.items }}\"", "a matrix must be a map"),
    ("foreach: [a, b, a], item-id: \"${{ item }}\"", "items 0 and 2 have the same item-id \"a\""),
    ("foreach: [a b], item-id: \"${{ item }}\"", "cannot be the item-id of an item"),
    ("foreach: [a, b], max-items: 1", "there are 2 items, and \"max-items\" is 1"),
    ("item-id: a", "\"item-id\" of a step is only valid with \"foreach\""),
  ]) func `errors are found before the run`(_ step: String, _ message: String) {
    let error = #expect(throws: WorkflowError.self) { try Self.workflow(step) }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }

  private static func group(
    _ settings: String, _ steps: String, _ rest: String = ""
  ) throws -> Workflow {
    try Workflow(
      text: """
        steps:
          - { id: plan, run: x }
          - { id: test, \(list), \(settings)steps: \(steps) }
          - { id: after, run: x }
        \(rest)
        """, file: "w.yaml")
  }

  @Test func `a group with computed items is one step with a template`() throws {
    let workflow = try Self.group(
      "", "[{ id: a, run: x }, { parallel: [{ id: b, run: x }, { id: c, run: x }] }]")
    #expect(workflow.steps.map(\.id) == ["plan", "test", "after"])
    #expect(workflow.steps.map(\.needs) == [[], ["plan"], ["test"]])
    let template = try #require(workflow.steps[1].template)
    #expect(template.steps.map(\.id) == ["test[*]/a", "test[*]/b", "test[*]/c"])
    #expect(template.steps.map(\.needs) == [["test"], ["test[*]/a"], ["test[*]/a"]])
    #expect(template.ends == ["test[*]/b", "test[*]/c"])
    #expect(workflow.rendered(as: .text).contains("test[*]  after plan"))
  }

  @Test func `an expansion of a group replaces the one before`() throws {
    func item(_ key: String) -> ExpandedItem {
      ExpandedItem(key: key, item: .list([.text("x\(key)"), .text("y")]), label: key)
    }
    let workflow = try Self.group(
      "name: Test, ",
      "[{ id: a, run: x }, { id: b, foreach: \"${{ item }}\", steps: [{ id: c, run: x }] }]")
    let first = workflow.expanding(["test": [item("p"), item("q")], "test[p]/b": [item("z")]])
    #expect(
      first.steps.map(\.id) == [
        "plan", "test", "test[p]/a", "test[p]/b", "test[p]/b[z]/c", "test[q]/a", "test[q]/b",
        "after",
      ])
    #expect(
      first.steps[7].needs == ["test", "test[p]/b", "test[p]/b[z]/c", "test[q]/b"])
    #expect(first.steps[4].extras.item == .list([.text("xz"), .text("y")]))
    #expect(first.indices(named: "test[p]").map(\.position) == [2, 3, 4])
    #expect(first.indices(named: "test").map(\.position) == Array(1...6))
    let second = first.expanding(["test": [item("r"), item("p")]])
    #expect(
      second == workflow.expanding(["test": [item("r"), item("p")], "test[p]/b": [item("z")]]))
    #expect(first.expanding(["test": []]) == workflow.expanding(["test": []]))
    #expect(workflow.expanding(like: first) == first)
  }

  @Test(arguments: [
    ("", "[{ id: a, run: x, timeout: \"${{ item }}s\" }]", "\"item\" is not known before the run"),
    ("", "[{ id: a, run: x, needs: after }]", "cycle"),
    ("", "[{ id: a, run: x, env: { A: \"${{ steps.test.result }}\" } }]", "\"test\""),
    (
      "", "[{ id: a, run: x, env: { A: \"${{ steps.b.outputs.x }}\" } }, { id: b, run: x }]",
      "\"b\""
    ),
    ("if: \"failure()\", ", "[{ id: a, run: x }]", "failure()"),
    ("approval: Go?, ", "[{ id: a, run: x }]", "approval"),
    ("", "[]", "needs at least one step"),
  ]) func `errors in a template are found before the run`(
    _ settings: String, _ steps: String, _ message: String
  ) {
    let error = #expect(throws: WorkflowError.self) { try Self.group(settings, steps) }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }

  @Test func `computed items can be alternatives`() throws {
    let workflow = try Self.group(
      "", "[{ id: a, run: x }]", "  - { id: c, needs: { any: [test] }, run: x }")
    #expect(workflow.steps.last?.needs == ["test"])
    #expect(workflow.steps.last?.extras.needRules?.anyOf == ["test"])
    let expanded = workflow.expanding(["test": [item("p"), item("q")]])
    #expect(
      expanded.steps.last?.extras.needRules?.anyOf == ["test", "test[p]/a", "test[q]/a"])
  }

  @Test func `what undoes computed items comes after one step for all of them`() throws {
    let workflow = try Self.group(
      "", "[{ id: a, run: x, undo: [y, \"${{ item }}\"] }, { id: b, run: x }]",
      "finally: [{ id: f, run: x }]")
    #expect(workflow.steps.suffix(2).map(\.id) == ["test/undo", "f"])
    #expect(workflow.steps.suffix(2).map(\.extras.undoes) == ["test", nil])
    let expanded = workflow.expanding(["test": [item("p"), item("q")]])
    #expect(
      expanded.steps.suffix(4).map(\.id) == [
        "test/undo", "test[p]/a/undo", "test[q]/a/undo", "f",
      ])
    #expect(expanded.finallyCount == 4)
    #expect(expanded.steps.suffix(3).map(\.extras.undoes) == ["test[p]/a", "test[q]/a", nil])
    #expect(expanded.expanding(["test": []]) == workflow.expanding(["test": []]))
  }

  @Test func `items that are known have keys, too`() throws {
    let workflow = try Self.workflow("foreach: [linux, mac], item-id: \"${{ item }}-${{ index }}\"")
    #expect(workflow.steps.map(\.id) == ["plan", "test[linux-0]", "test[mac-1]", "after"])
  }
}

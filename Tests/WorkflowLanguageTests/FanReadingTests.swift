import Testing

@testable import WorkflowLanguage

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

  @Test func `a step with computed items is one step, drawn with a star`() throws {
    let workflow = try Self.workflow(Self.list)
    #expect(workflow.steps.map(\.id) == ["plan", "test", "after"])
    #expect(workflow.steps[2].needs == ["test"])
    #expect(workflow.isFan(workflow.steps[1]))
    #expect(workflow.rendered(as: .text).contains("test[*]"))
    #expect(workflow.rendered(as: .json).contains("\"id\": \"test\""))
  }

  @Test func `an expansion replaces the steps of the one before`() throws {
    func item(_ key: String) -> ExpandedItem {
      ExpandedItem(key: key, item: .text(key), label: key)
    }
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
    ("foreach: [a, b, a], key: \"${{ item }}\"", "items 0 and 2 have the same key \"a\""),
    ("foreach: [a b], key: \"${{ item }}\"", "cannot be the key of an item"),
    ("foreach: [a, b], max-items: 1", "there are 2 items, and \"max-items\" is 1"),
    ("key: a", "\"key\" of a step is only valid with \"foreach\""),
  ]) func `mistakes are found before the run`(_ step: String, _ message: String) {
    let error = #expect(throws: WorkflowError.self) { try Self.workflow(step) }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }

  @Test func `a used file is refused`() {
    let error = #expect(throws: WorkflowError.self) {
      try Workflow(
        text: """
          steps:
            - { id: plan, run: x }
            - { id: test, \(Self.list), uses: ./u.yaml }
          """, file: "w.yaml")
    }
    #expect(error?.description.contains("only known during the run") == true)
  }

  @Test func `items that are known have keys, too`() throws {
    let workflow = try Self.workflow("foreach: [linux, mac], key: \"${{ item }}-${{ index }}\"")
    #expect(workflow.steps.map(\.id) == ["plan", "test[linux-0]", "test[mac-1]", "after"])
  }
}

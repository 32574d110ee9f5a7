import Testing

@testable import WorkflowFiles

/// The names by which people select items of a matrix or a list.
struct StepNameTests {
  private static let workflow = try? Workflow(
    text: """
      steps:
        - { id: unit, matrix: { shard: [1, 2, 10], os: [linux, mac] }, run: x }
        - { id: each, foreach: [a.b, "c, d"], run: x }
      """, file: "w.yaml")

  @Test(arguments: [
    ("unit", [0, 1, 2, 3, 4, 5]), ("unit[0]", [0]), ("unit.0", [0]), ("unit.mac", [1, 3, 5]),
    ("unit[mac]", [1, 3, 5]), ("unit[10, mac]", [5]), ("unit[mac,10]", [5]), ("unit.10,mac", [5]),
    ("unit.10", [4, 5]), ("each.a.b", [6]), ("each[c, d]", [7]),
    // An index counts before a value.
    ("unit[2]", [2]), ("unit.2", [2]),
    ("unit.windows", []), ("unit[]", []), ("unit.", []), ("other.mac", []), ("mac", []),
  ])
  func `items are selected by index or by values of their labels`(
    _ name: String, _ positions: [Int]
  ) throws {
    let workflow = try #require(Self.workflow)
    #expect(workflow.indices(named: name).map(\.position) == positions)
  }
}

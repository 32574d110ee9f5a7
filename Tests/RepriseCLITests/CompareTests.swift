// `reprise compare`: what differs between two runs.

import Foundation
import Testing

struct CompareTests {
  private func scenario() async throws -> Scenario {
    let scenario = try Scenario()
    try scenario.write(
      """
      name: build
      params: { mode: debug }
      steps:
        - { id: stamp, env: { M: "${{ params.mode }}" }, run: 'echo "mode=$M" >> "$REPRISE_OUTPUT"' }
        - { id: slow, run: 'test ! -e wait || sleep 0.3' }
        - { id: check, run: test ! -e broken }
        - { id: ship, run: 'true' }
      """, to: "workflows/build.yaml")
    try await scenario.reprise("run", "build").succeeds()
    for name in ["wait", "broken"] { try scenario.write("", to: name) }
    try await scenario.reprise("run", "build", "-p", "mode=release").fails(with: 1)
    return scenario
  }

  @Test func `states, times, parameters, outputs and the file are compared, what matters first`()
    async throws
  {
    let scenario = try await scenario()
    let file = scenario.read("workflows/build.yaml")
    try scenario.write(
      file.replacingOccurrences(of: "id: ship, run: 'true'", with: "id: ship, run: echo it"),
      to: "workflows/build.yaml")
    try await scenario.reprise("run", "build").fails(with: 1)
    let output = try await scenario.reprise("compare", "@build~2", "@build~1").succeeds().output
    let rows = output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    let names = rows.compactMap(\.first)
    #expect(output.contains("not run: check failed"))
    let check = try #require(names.firstIndex(of: "check"))
    let slow = try #require(names.firstIndex(of: "slow"))
    #expect(check < slow && rows[slow].last == "ms" && rows[slow].contains { $0.hasPrefix("+") })
    #expect(!names.contains("stamp"))
    #expect(output.contains("1 step has no difference worth mentioning"))
    #expect(
      output.contains("mode: (none) → release") && output.contains("stamp.mode: debug → release"))
    #expect(!output.contains("workflow file"))
    let later = try await scenario.reprise("compare").succeeds().output
    #expect(later.contains("+   - { id: ship, run: echo it }"), "\(later)")
  }

  @Test func `it is one object in JSON, as on the page`() async throws {
    let scenario = try await scenario()
    let output = try await scenario.reprise("compare", "--json").succeeds().output
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
    let steps = try #require(object["steps"] as? [[String: Any]])
    #expect(steps.count == 4 && object["first-different"] as? String == "stamp")
  }

  @Test func `a first run has nothing to be compared with`() async throws {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: a, run: 'true' }]", to: "workflows/only.yaml")
    try await scenario.reprise("run").succeeds()
    let refused = try await scenario.reprise("compare").fails(with: 2)
    #expect(refused.errors.contains("there is no run of only before"))
  }
}

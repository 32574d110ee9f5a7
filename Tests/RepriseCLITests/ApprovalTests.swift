// Approval without a terminal: `--yes`, the time limit, and runs that nothing could approve.

import Foundation
import TestSupport
import Testing

struct ApprovalTests {
  private static let workflow = """
    steps:
      - { id: gate, approval: "Deploy?" }
      - { id: deploy, approval: "Really?", run: echo deployed >> log }
    """

  @Test func `with --yes every question is approved`() async throws {
    let scenario = try Scenario()
    try scenario.write(Self.workflow, to: "w.yaml")
    try await scenario.reprise("run", "w.yaml", "--yes").succeeds()
    try await scenario.reprise("run", "w.yaml", "--yes", "--no-journal").succeeds()
    #expect(scenario.read("log") == "deployed\ndeployed\n")
  }

  @Test func `a run that nothing could approve is refused before its first step`() async throws {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: a, run: x }, { id: gate, approval: ok }]", to: "w.yaml")
    let ended = try await scenario.reprise("run", "w.yaml", "--no-journal").fails(with: 2)
    #expect(ended.output.isEmpty && ended.errors.contains("\"gate\" waits for approval"))
    #expect(ended.errors.contains("--yes"))
  }

  @Test func `the timeout of an approval limits the wait`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "defaults: { timeout: 50ms }\nsteps: [{ id: gate, timeout: 200ms, approval: ok }]",
      to: "w.yaml")
    let ended = try await scenario.reprise("run", "w.yaml").fails(with: 1)
    #expect(ended.output.contains(": nobody has approved it within 200 ms"), "\(ended.output)")
  }
}

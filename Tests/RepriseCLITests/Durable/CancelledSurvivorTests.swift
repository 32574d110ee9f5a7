import Foundation
import TestSupport
import Testing

/// Steps that survive their engine while they are being cancelled alone.
@Suite(.serialized) struct CancelledSurvivorTests {
  @Test func `a step that is being cancelled when its engine is killed does not go on`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(
      """
      steps:
        - id: stubborn
          runner: survive
          grace: 4s
          run: "trap '' TERM; echo begun >> log; n=0; while [ $n -lt 300 ]; do sleep 0.1; n=$((n+1)); done; echo done >> log"
        - { id: after, run: "echo after >> log" }
      """, to: "w.yaml")
    let started = try scenario.start(["run", "w.yaml", "--progress", "none"])
    await expectEventually("the step runs") { scenario.has("log") }
    try await scenario.reprise("cancel", "@last", "--step", "stubborn").succeeds()
    started.send(SIGKILL)
    _ = try await started.end()
    let resumed = try await scenario.reprise("resume", "@last", "--progress", "plain")
    resumed.fails(with: 130)
    let lines = resumed.output.split(separator: "\n")
    let asked = lines.filter { $0.contains("stubborn being cancelled by reprise cancel") }
    #expect(asked.count == 2, "in the record, and again: \(resumed.output)")
    #expect(lines.contains { $0.contains("stubborn cancelled on request by reprise cancel") })
    #expect(scenario.read("log") == "begun\n")
    #expect(try await scenario.runs().map(\.status) == ["cancelled"])
  }
}

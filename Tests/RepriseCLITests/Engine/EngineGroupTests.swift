import Foundation
import Reprise
import TestSupport
import Testing

/// Concurrency groups among the runs of one engine, and between engines.
@Suite(.serialized) struct EngineGroupTests {
  /// A step that reports when another instance of it is alive.
  private func workflow(_ policy: String) -> String {
    """
    grace: 1s
    concurrency: { group: g, policy: \(policy) }
    steps:
      - id: a
        run: |
          exec 9> lock
          flock -n 9 || echo overlap >> overlaps
          echo $REPRISE_RUN_ID >> log
          until test -e go; do sleep 0.02; done
    """
  }

  private func ranRuns(_ scenario: Scenario) -> [String] {
    scenario.read("log").split(separator: "\n").map(String.init)
  }

  @Test func `queue runs the runs of an engine one at a time, in request order`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(workflow("queue"), to: "w.yaml")
    let client = try EngineClient(scenario)
    var runs: [String] = []
    for _ in 0..<6 { runs.append(try await client.start("w.yaml")) }
    await expectEventually("the first one runs") { scenario.has("log") }
    #expect(try await scenario.runs().filter { $0.status == "queued" }.count == 5)
    // A queued run can be cancelled. It ends without having started.
    let waiting = runs.remove(at: 2)
    let early = try await client.ask("restart", #","run":"\#(waiting)""#)
    #expect(early.reply == "error" && early.text?.contains("waiting for another run") == true)
    #expect(try await client.ask("cancel", #","run":"\#(waiting)""#).reply == "ok")
    #expect(await client.outcome(of: waiting) == "cancelled")
    #expect(client.lines.filter { $0.run == waiting && $0.event != nil }.count == 1)
    // A queued run can be cancelled from another terminal, too.
    let other = runs.remove(at: 3)
    try await scenario.reprise("cancel", other).succeeds()
    #expect(await client.outcome(of: other) == "cancelled")
    try scenario.write("", to: "go")
    for run in runs { #expect(await client.outcome(of: run) == "succeeded") }
    #expect(ranRuns(scenario) == runs)
    #expect(!scenario.has("overlaps"))
    try client.closeInput()
    #expect(await client.endOfOutput() == 0)
  }

  @Test func `restart cancels the earlier run of the same engine`() async throws {
    let scenario = try Scenario()
    try scenario.write(workflow("restart"), to: "w.yaml")
    let client = try EngineClient(scenario)
    var runs = [try await client.start("w.yaml")]
    for count in 1...3 {
      await expectEventually("it runs") { self.ranRuns(scenario).count == count }
      runs.append(try await client.start("w.yaml"))
      #expect(await client.outcome(of: runs[count - 1]) == "cancelled")
    }
    try scenario.write("", to: "go")
    #expect(await client.outcome(of: runs[3]) == "succeeded")
    #expect(ranRuns(scenario) == runs && !scenario.has("overlaps"))
    try client.closeInput()
    #expect(await client.endOfOutput() == 0)
  }

  @Test func `reject refuses a second run of the same engine`() async throws {
    let scenario = try Scenario()
    try scenario.write(workflow("reject"), to: "w.yaml")
    let client = try EngineClient(scenario)
    let run = try await client.start("w.yaml")
    let second = try await client.ask("start", #","workflow":"w.yaml""#)
    #expect(second.reply == "error" && second.text?.contains("run \(run) of the group") == true)
    try scenario.write("", to: "go")
    #expect(await client.outcome(of: run) == "succeeded")
    // A client that has received the end of a run may start the next one.
    for _ in 0..<20 {
      let next = try await client.start("w.yaml")
      #expect(await client.outcome(of: next) == "succeeded")
    }
    try client.closeInput()
    #expect(await client.endOfOutput() == 0)
  }

  @Test func `queued runs are cancelled with the engine, and their end is reported`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(workflow("queue"), to: "w.yaml")
    let client = try EngineClient(scenario)
    let runs = [try await client.start("w.yaml"), try await client.start("w.yaml")]
    await expectEventually("the first one runs") { self.ranRuns(scenario).count == 1 }
    try client.closeInput()
    #expect(await client.endOfOutput() == 0)
    for run in runs { #expect(await client.outcome(of: run) == "cancelled") }
    #expect(ranRuns(scenario) == [runs[0]])
    #expect(try await scenario.runs().map(\.status) == ["cancelled", "cancelled"])
  }

  @Test
  func
    `a run of another process waits until a killed engine has left no process`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(workflow("queue"), to: "w.yaml")
    let client = try EngineClient(scenario)
    _ = try await client.start("w.yaml")
    await expectEventually("it runs") { scenario.has("log") }
    let waiting = try scenario.start(["run", "w.yaml", "--progress", "none"])
    try await expectEventually("the run waits") {
      try await scenario.runs().first?.status == "queued"
    }
    // Stop the guardian, so that it does not clean up yet.
    let both = KillTests.engineAndGuardian(client.id)
    try #require(both.count == 2)
    kill(both[0], SIGSTOP)
    kill(both[1], SIGKILL)
    await expectEventually("the engine is dead") {
      processes(with: "engine").allSatisfy { $0 != both[1] }
    }
    for _ in 0..<3 {
      #expect(try await scenario.runs().map(\.status) == ["queued", "running"])
    }
    try scenario.write("", to: "go")
    kill(both[0], SIGCONT)
    #expect(await client.end() == SIGKILL)
    try await waiting.end().succeeds()
    #expect(!scenario.has("overlaps"))
    #expect(try await scenario.runs().map(\.status) == ["succeeded", "interrupted"])
  }
}

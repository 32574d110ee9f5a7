import Foundation
import Reprise
import TestSupport
import Testing

/// How an engine ends, and how it treats clients that do not read.
@Suite(.serialized) struct EngineEndTests {
  /// Writes a workflow whose step ignores the first signal, and returns a marker that identifies
  /// its processes.
  private func stubborn(_ scenario: Scenario) throws -> String {
    let mark = "\(Int.random(in: 100_000...999_999)).\(Int.random(in: 1000...9999))"
    try scenario.write(
      """
      grace: 300ms
      steps:
        - { id: a, run: "trap '' TERM HUP INT; (setsid sleep \(mark) &); sleep \(mark); sleep \(mark)" }
      """, to: "w.yaml")
    return mark
  }

  private func start(_ client: EngineClient, count: Int, _ mark: String) async throws -> [String] {
    var runs: [String] = []
    for _ in 0..<count { runs.append(try await client.start("w.yaml")) }
    await expectEventually("all of them run") { processes(with: mark).count >= 3 * count }
    return runs
  }

  @Test func `the end of the input cancels all runs and waits until no process is left`()
    async throws
  {
    let scenario = try Scenario()
    let mark = try stubborn(scenario)
    let client = try EngineClient(scenario)
    let runs = try await start(client, count: 3, mark)
    try client.closeInput()
    #expect(await client.endOfOutput() == 0)
    #expect(processes(with: mark) == [])
    for run in runs { #expect(try client.state(of: run).phase == .ended(.cancelled)) }
    #expect(try await scenario.runs().map(\.status) == ["cancelled", "cancelled", "cancelled"])
  }

  @Test(arguments: [SIGHUP, SIGINT, SIGTERM])
  func `a signal cancels all runs`(_ signal: Int32) async throws {
    let scenario = try Scenario()
    let mark = try stubborn(scenario)
    let client = try EngineClient(scenario)
    let runs = try await start(client, count: 2, mark)
    client.send(signal)
    #expect(await client.endOfOutput() == 128 + signal)
    #expect(processes(with: mark) == [])
    for run in runs { #expect(try client.state(of: run).phase == .ended(.cancelled)) }
  }

  @Test func `a second signal to an engine kills the steps`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "grace: 1h\nsteps: [{ id: a, run: \"trap 'touch signalled' TERM; : > began; while true; do sleep 0.05 || :; done\" }]",
      to: "w.yaml")
    let client = try EngineClient(scenario)
    let run = try await client.start("w.yaml")
    await expectEventually("it runs") { scenario.has("began") }
    client.send(SIGTERM)
    await expectEventually("the step has got the signal") { scenario.has("signalled") }
    // Signals within 200 ms are one request, so repeat the signal until it is a second one.
    let sending = Task {
      while !Task.isCancelled {
        client.send(SIGTERM)
        await Task.yield()
      }
    }
    #expect(await client.endOfOutput() == 143)
    sending.cancel()
    #expect(try client.state(of: run).phase == .ended(.cancelled))
  }

  @Test func `SIGUSR1 restarts all runs`() async throws {
    let scenario = try Scenario()
    try scenario.write(EngineRequestTests.slow, to: "w.yaml")
    let client = try EngineClient(scenario)
    let runs = [try await client.start("w.yaml"), try await client.start("w.yaml")]
    for run in runs { await client.waits(for: "step-started", of: run, step: "b") }
    client.send(SIGUSR1)
    for run in runs {
      await client.waits(for: "step-started", of: run, step: "b", generation: 2)
    }
    try scenario.write("", to: "go")
    for run in runs { #expect(await client.outcome(of: run) == "succeeded") }
    try client.closeInput()
    #expect(await client.endOfOutput() == 0)
  }

  @Test func `all runs are cancelled when the output pipe is closed`() async throws {
    let scenario = try Scenario()
    let mark = try stubborn(scenario)
    let client = try EngineClient(scenario, reads: false)
    for _ in 0..<2 { client.send(#"{"reprise":1,"request":"start","workflow":"w.yaml"}"#) }
    await expectEventually("both run") { processes(with: mark).count >= 6 }
    try client.closeOutput()
    // The engine notices the closed pipe on its next write.
    client.send("{}")
    #expect(await client.end() == 141)
    #expect(processes(with: mark) == [])
    #expect(try await scenario.runs().map(\.status) == ["cancelled", "cancelled"])
  }

  @Test(arguments: [0, 1])
  func `no process is left a second after the engine or its guardian was killed`(_ victim: Int)
    async throws
  {
    let scenario = try Scenario()
    let mark = try stubborn(scenario)
    let client = try EngineClient(scenario)
    _ = try await start(client, count: 3, mark)
    let victims = KillTests.engineAndGuardian(client.id)
    try #require(victims.count == 2)
    kill(victims[victim], SIGKILL)
    #expect(await client.end() == SIGKILL)
    await expectEventually("nothing is left", within: promised(.seconds(1), busy: .seconds(30))) {
      processes(with: mark).isEmpty
    }
    // The engine outlives its guardian for a moment, and holds its runs until it ends.
    _ = await client.endOfOutput()
    let runs = try await scenario.runs()
    #expect(runs.map(\.status) == ["interrupted", "interrupted", "interrupted"])
  }

  @Test func `a start that is being prepared when the engine ends is refused`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      secrets: { token: { command: [sh, -c, "touch asked; exec sleep 83.9"] } }
      steps: [{ id: a, run: touch ran }]
      """, to: "w.yaml")
    let client = try EngineClient(scenario)
    client.send(#"{"reprise":1,"id":"x","request":"start","workflow":"w.yaml"}"#)
    client.send(#"{"reprise":1,"id":"y","request":"start","workflow":"w.yaml"}"#)
    await expectEventually("the start is being prepared") { scenario.has("asked") }
    let other = try await client.ask("cancel", #","run":"nobody""#)
    #expect(other.reply == "error", "other requests are answered in the meantime")
    try client.closeInput()
    #expect(await client.endOfOutput() == 0)
    for name in ["x", "y"] { #expect(try await client.reply(to: name).reply == "error") }
    #expect(!scenario.has("ran"))
  }

  // MARK: Clients that do not read

  @Test func `a client that reads gets the complete output of a step`() async throws {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: a, run: seq 1000000 }]", to: "w.yaml")
    let client = try EngineClient(scenario)
    let run = try await client.start("w.yaml")
    #expect(await client.outcome(of: run) == "succeeded")
    // A partial line is followed by the complete line.
    let texts = client.lines.filter { $0.event == "step-output" && $0.partial != true }
    let lines = texts.flatMap { ($0.text ?? "").split(separator: "\n") }
    #expect(lines.count == 1_000_000)
    let isWhole = zip(lines, 1...).allSatisfy { $0 == String($1) }
    #expect(isWhole)
    try client.closeInput()
    #expect(await client.endOfOutput() == 0)
  }

  @Test
  func `a client that reads late misses output but no transitions, and does not delay the run`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(
      """
      steps:
        - { id: a, run: "yes 0123456789 | head -c 200000000; echo a1 >> log" }
        - { id: b, run: echo b1 >> log }
      """, to: "w.yaml")
    let client = try EngineClient(scenario, reads: false)
    client.send(#"{"reprise":1,"id":"x","request":"start","workflow":"w.yaml"}"#)
    try await expectEventually("the run is over", within: promised(.seconds(30))) {
      try await scenario.runs().first?.status == "succeeded"
    }
    let engine = KillTests.engineAndGuardian(client.id)[1]
    #expect(try Self.peakMemory(of: engine) < 120 << 20)
    client.read()
    let run = try #require(try await client.reply(to: "x").run)
    #expect(await client.outcome(of: run) == "succeeded")
    #expect(try client.state(of: run).phase == .ended(.succeeded))
    let bytes = client.lines.reduce(0) { $0 + ($1.text?.utf8.count ?? 0) }
    #expect(bytes > 1 << 19 && bytes < 100_000_000)
    #expect(scenario.read("log") == "a1\nb1\n")
    try client.closeInput()
    #expect(await client.endOfOutput() == 0)
  }

  @Test func `a client that never reads does not prevent the engine from ending`() async throws {
    let scenario = try Scenario()
    let steps = (0..<400).map { "  - { id: s\($0), needs: [], run: 'true' }\n" }
    try scenario.write("steps:\n" + steps.joined(), to: "w.yaml")
    let client = try EngineClient(scenario, reads: false)
    client.send(#"{"reprise":1,"request":"start","workflow":"w.yaml"}"#)
    try await expectEventually("the run is over") {
      try await scenario.runs().first?.status == "succeeded"
    }
    try client.closeInput()
    #expect(await client.end() == 141)
  }

  private static func peakMemory(of process: Int32) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(Int(line.split(separator: " ").dropLast().last ?? "")) * 1024
  }
}

import Foundation
import Reprise
import TestSupport
import Testing

/// Requests to `reprise engine --stdio`.
@Suite(.serialized) struct EngineRequestTests {
  static let slow = """
    name: slow
    grace: 2s
    steps:
      - { id: a, run: "echo a$REPRISE_GENERATION >> log" }
      - { id: b, run: "touch b$REPRISE_GENERATION; while [ ! -e go ]; do sleep 0.02; done; echo done" }
      - { id: c, run: "echo c$REPRISE_GENERATION >> log" }
    """

  @Test func `the error without stdio names the missing option`() async throws {
    let ended = try await Scenario().reprise("engine").fails(with: 2)
    #expect(ended.errors.contains("--stdio"))
    let help = try await Scenario().reprise("engine", "--help").succeeds()
    for word in ["\"start\"", "\"restart\"", "\"cancel\"", "\"approve\"", "EXIT STATUS", "141"] {
      #expect(help.output.contains(word))
    }
  }

  @Test func `a run is started by name, and its events follow the reply`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      params: { page: { required: true } }
      steps: [{ id: a, env: { PAGE: "${{ params.page }}" }, run: echo page $PAGE }]
      """, to: "workflows/site.yaml")
    let client = try EngineClient(scenario)
    let run = try await client.start("site", #","params":{"page":"index"}"#)
    #expect(await client.outcome(of: run) == "succeeded")
    let lines = client.lines
    #expect(lines[0].reply == "started" && lines[0].run == run)
    #expect(lines[1].event == "run-started" && lines[1].run == run)
    #expect(lines.contains { $0.event == "step-output" && $0.text == "page index" })
    #expect(lines.last?.event == "run-ended")
    #expect(try client.state(of: run).phase == .ended(.succeeded))
    try client.closeInput()
    #expect(await client.endOfOutput() == 0)
    #expect(try await scenario.runs().map(\.id) == [run])
    #expect(try await scenario.runs().map(\.status) == ["succeeded"])
    #expect(
      try await scenario.reprise("logs", run, "a").succeeds().output == "page index\n")
  }

  @Test func `a run is started from a text, and can be resumed from it`() async throws {
    let scenario = try Scenario()
    let client = try EngineClient(scenario)
    let reply = try await client.ask(
      "start",
      #","text":"name: inline\nsteps:\n  - { id: a, run: echo a >> log }\n  - { id: b, run: test -e go }""#
    )
    let run = try #require(reply.run)
    #expect(await client.outcome(of: run) == "failed")
    // The engine continues to run, but has released the run, so it can be resumed.
    try scenario.write("", to: "go")
    try await scenario.reprise("resume", run, "--progress", "none").succeeds()
    #expect(scenario.read("log") == "a\n")
    #expect(try await scenario.reprise("runs").succeeds().output.contains("inline"))
    try client.closeInput()
    #expect(await client.endOfOutput() == 0)
  }

  @Test func `without a journal runs succeed, but leave no record`() async throws {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: a, run: echo a }]", to: "w.yaml")
    try scenario.write(
      "concurrency: { group: g, policy: queue }\nsteps: [{ id: a, run: echo a }]", to: "group.yaml")
    let client = try EngineClient(scenario, ["--no-journal"])
    let run = try await client.start("w.yaml")
    #expect(await client.outcome(of: run) == "succeeded")
    let refused = try await client.ask("start", #","workflow":"group.yaml""#)
    #expect(refused.text?.contains("omit --no-journal") == true, "\(refused)")
    let endless = try await client.ask("start", #","text":"steps: [{ id: a, run: sleep 61.7 }]""#)
    try client.closeInput()
    #expect(await client.endOfOutput() == 0)
    #expect(try client.state(of: endless.run ?? "").phase == .ended(.cancelled))
    #expect(!scenario.has(".reprise"))
  }

  @Test func `concurrent runs have separate events, and one can be cancelled alone`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(Self.slow, to: "w.yaml")
    let client = try EngineClient(scenario)
    let first = try await client.start("w.yaml")
    let second = try await client.start("w.yaml")
    await client.waits(for: "step-started", of: first, step: "b")
    await client.waits(for: "step-started", of: second, step: "b")
    #expect(try await client.ask("cancel", #","run":"\#(first)""#).reply == "ok")
    #expect(await client.outcome(of: first) == "cancelled")
    #expect(try client.state(of: second).phase == .running)
    try scenario.write("", to: "go")
    #expect(await client.outcome(of: second) == "succeeded")
    let over = try await client.ask("cancel", #","run":"\#(first)""#)
    #expect(over.reply == "error" && over.text?.contains("no run \"\(first)\"") == true)
    try client.closeInput()
    #expect(await client.endOfOutput() == 0)
    #expect(try client.state(of: first).phase == .ended(.cancelled))
    #expect(try client.state(of: second).phase == .ended(.succeeded))
    #expect(try await scenario.runs().map(\.id) == [second, first])
  }

  @Test func `cancelling now skips the grace period`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "grace: 1h\nsteps: [{ id: a, run: \"trap '' TERM; touch began; sleep 97.1; sleep 97.1\" }]",
      to: "w.yaml")
    let client = try EngineClient(scenario)
    let run = try await client.start("w.yaml")
    await expectEventually("it runs") { scenario.has("began") }
    #expect(try await client.ask("cancel", #","run":"\#(run)","now":true"#).reply == "ok")
    #expect(await client.outcome(of: run) == "cancelled")
    try client.closeInput()
    #expect(await client.endOfOutput() == 0)
  }

  @Test func `a run is restarted from a step, and from other terminals`() async throws {
    let scenario = try Scenario()
    try scenario.write(Self.slow, to: "w.yaml")
    let client = try EngineClient(scenario)
    let run = try await client.start("w.yaml")
    await client.waits(for: "step-started", of: run, step: "b")
    let wrong = try await client.ask("restart", #","run":"\#(run)","from":"bb""#)
    #expect(wrong.reply == "error" && wrong.text?.contains("there is no step") == true)
    #expect(try await client.ask("restart", #","run":"\#(run)","from":"b""#).reply == "ok")
    await client.waits(for: "step-started", of: run, step: "b", generation: 2)
    #expect(scenario.read("log") == "a1\n")
    #expect(try await client.ask("restart", #","run":"\#(run)""#).reply == "ok")
    await client.waits(for: "step-started", of: run, step: "b", generation: 3)
    let attached = try scenario.start("attach \(run) --progress json", writingTo: "seen")
    await expectEventually("it is attached") { !scenario.read("seen").isEmpty }
    try await scenario.reprise("restart", run, "--from", "b").succeeds()
    await client.waits(for: "step-started", of: run, step: "b", generation: 4)
    try scenario.write("", to: "go")
    #expect(await client.outcome(of: run) == "succeeded")
    #expect(scenario.read("log") == "a1\na3\nc4\n")
    try await attached.end().succeeds()
    try client.closeInput()
    #expect(await client.endOfOutput() == 0)
  }

  @Test func `a waiting step is approved or refused`() async throws {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: go, approval: Go on? }]", to: "w.yaml")
    let client = try EngineClient(scenario)
    let runs = [try await client.start("w.yaml"), try await client.start("w.yaml")]
    for run in runs { await client.waits(for: "step-waiting", of: run, step: "go") }
    let approval = #","run":"\#(runs[0])","step":"go""#
    #expect(try await client.ask("approve", approval).reply == "ok")
    let refusal = #","run":"\#(runs[1])","step":"go","approved":false"#
    #expect(try await client.ask("approve", refusal).reply == "ok")
    #expect(await client.outcome(of: runs[0]) == "succeeded")
    #expect(await client.outcome(of: runs[1]) == "failed")
    try client.closeInput()
    #expect(await client.endOfOutput() == 0)
  }

  @Test func `errors in a file are reported with line and column`() async throws {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: a, run: x, neds: b }, { id: a, run: y }]", to: "one.yaml")
    let client = try EngineClient(scenario)
    let reply = try await client.ask("start", #","workflow":"one.yaml""#)
    let errors = try #require(reply.diagnostics)
    #expect(reply.reply == "error" && reply.text?.hasPrefix("one.yaml:1:26: error[R0201]:") == true)
    #expect(errors.map(\.line) == [1, 1, 1] && errors.map(\.column) == [26, 32, 43])
    #expect(errors[0].hint == "did you mean \"needs\"?" && errors[0].file == "one.yaml")
    let text = try await client.ask("start", #","text":"steps:\n  - { id: a, rum: x }""#)
    #expect(text.diagnostics?.map(\.line) == [2])
    let missing = try await client.ask("start", #","workflow":"nowhere""#)
    #expect(missing.text?.hasPrefix("there is no workflow \"nowhere\"") == true)
    try client.closeInput()
    #expect(await client.endOfOutput() == 0)
    #expect(try await scenario.runs().isEmpty)
  }

  @Test(arguments: [
    (#"{"reprise":1,"id":"x","request":"dance"}"#, "there is no request \"dance\"", true),
    (#"{"reprise":2,"id":"x","request":"cancel","run":"r"}"#, "version 2 is not supported", true),
    (#"{"id":"x","request":"cancel","run":"r"}"#, "the field \"reprise\" is missing", true),
    (#"{"reprise":1,"id":"x","request":"cancel"}"#, "the field \"run\" is missing", true),
    (#"{"reprise":1,"id":"x","request":"cancel","run":"r"}"#, "no run \"r\" of this engine", true),
    (#"{"reprise":1,"id":"x","request":"cancel","run":"../r"}"#, "no run \"../r\"", true),
    (#"{"reprise":1,"id":"x","request":"start"}"#, "either \"workflow\"", true),
    (
      #"{"reprise":1,"id":"x","request":"start","workflow":"a","text":"b"}"#,
      "either \"workflow\"", true
    ),
    (#"{"reprise":1,"id":[],"request":"start"}"#, "the field \"id\" must be", false),
    (#"{"reprise":1,"id":"x"}"#, "the field \"request\" is missing", true),
    (#"{"reprise":"1","id":"x"}"#, "the field \"reprise\" must be an integer", true),
    (#"{"reprise":1,"id":"x","request":[]}"#, "the field \"request\" must be a string", true),
    (#"{"reprise":1,"id":"x","request":null}"#, "the field \"request\" ", true),
    (
      #"{"reprise":1,"id":"x","request":"start","text":"a","params":[]}"#,
      "the field \"params\" must be an object", true
    ),
    (
      #"{"reprise":1,"id":"x","request":"start","text":"a","params":{"a":{}}}"#,
      "the field \"params.a\" must be a string", true
    ),
    (
      #"{"reprise":1,"id":"x","request":"cancel","run":"r","now":3}"#,
      "the field \"now\" must be true or false", true
    ),
    (
      #"{"reprise":1,"id":"x","request":"set","run":"r"}"#, "the field \"result\" is missing",
      true
    ),
    (#"{"reprise":1,"#, "see Documentation/control.md: it is not JSON", false),
    ("", "see Documentation/control.md: it is not JSON", false),
    ("[1,2]", "see Documentation/control.md: it is not a JSON object", false),
    (String(repeating: "x", count: (1 << 20) + 1), "more than 1 MiB was skipped", false),
    (String(repeating: "x", count: 5 << 20), "more than 1 MiB was skipped", false),
  ])
  func `an invalid request is answered, and the engine continues`(
    _ line: String, _ answer: String, _ hasName: Bool
  ) async throws {
    let scenario = try Scenario()
    try scenario.write(
      "steps: [{ id: a, run: \"until test -e go; do sleep 0.01; done\" }]", to: "w.yaml")
    let client = try EngineClient(scenario)
    let run = try await client.start("w.yaml")
    client.send(line)
    await expectEventually("an answer") { client.lines.contains { $0.reply == "error" } }
    let reply = client.lines.first { $0.reply == "error" }
    #expect(reply?.text?.contains(answer) == true, "\(String(describing: reply))")
    #expect(reply?.text?.contains("Error") == false, "not the error text of the decoder")
    if hasName { _ = try await client.reply(to: "x") }
    try scenario.write("", to: "go")
    #expect(await client.outcome(of: run) == "succeeded")
    #expect(client.lines.filter { $0.reply == "error" }.count == 1, "one reply per line")
    try client.closeInput()
    #expect(await client.endOfOutput() == 0)
  }

  @Test func `a request of exactly one mebibyte is accepted`() async throws {
    let scenario = try Scenario()
    let client = try EngineClient(scenario)
    let start = #"{"reprise":1,"id":"x","request":"start","text":"steps: [{ id: a, run: echo a }]"#
    let filler = String(repeating: " ", count: (1 << 20) - start.utf8.count - 2)
    client.send(start + filler + "\"}")
    let run = try #require(try await client.reply(to: "x").run)
    #expect(await client.outcome(of: run) == "succeeded")
    try client.closeInput()
    #expect(await client.endOfOutput() == 0)
  }

  @Test func `secrets are fetched for each run, and never shown`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      secrets: { token: { file: token } }
      steps: [{ id: a, env: { T: "${{ secrets.token }}" }, run: echo "is $T" }]
      """, to: "w.yaml")
    let client = try EngineClient(scenario)
    let missing = try await client.ask("start", #","workflow":"w.yaml""#)
    #expect(missing.text?.contains("token") == true && missing.reply == "error")
    try scenario.write("a-very-secret-word", to: "token")
    let run = try await client.start("w.yaml")
    #expect(await client.outcome(of: run) == "succeeded")
    #expect(client.lines.contains { $0.text == "is ***" })
    try client.closeInput()
    #expect(await client.endOfOutput() == 0)
  }
}

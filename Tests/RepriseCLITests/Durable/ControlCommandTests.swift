import Foundation
import Reprise
import RepriseControl
import RepriseJournal
import TestSupport
import Testing

/// Runs that are controlled and displayed from other terminals.
@Suite(.serialized) struct ControlCommandTests {
  private static let slow = """
    name: slow
    grace: 2s
    steps:
      - { id: a, run: "echo a$REPRISE_GENERATION >> log" }
      - { id: b, run: "touch b$REPRISE_GENERATION; while [ ! -e go ]; do sleep 0.02; done; echo done" }
      - { id: c, run: "echo c$REPRISE_GENERATION >> log" }
    """

  private func start(_ scenario: Scenario) async throws -> Scenario.Started {
    try scenario.write(Self.slow, to: "w.yaml")
    let started = try scenario.start(["run", "w.yaml", "--progress", "plain"])
    await expectEventually("b runs") { scenario.has("b1") }
    return started
  }

  @Test func `restart restarts a run from the top or from a step`() async throws {
    let scenario = try Scenario()
    let started = try await start(scenario)
    try await scenario.reprise("restart", "@last").succeeds()
    await expectEventually("b runs again") { scenario.has("b2") }
    try await scenario.reprise("restart", "@last", "--from", "b").succeeds()
    await expectEventually("b runs again") { scenario.has("b3") }
    let wrong = try await scenario.reprise("restart", "@last", "--from", "bb").fails(with: 2)
    #expect(wrong.errors.contains("did you mean \"b\"?"))
    try scenario.write("", to: "go")
    try await started.end().succeeds()
    #expect(scenario.read("log") == "a1\na2\nc3\n")
    let over = try await scenario.reprise("restart", "@last").fails(with: 2)
    #expect(over.errors.contains("has ended: succeeded"))
  }

  @Test func `cancel ends a run from another terminal`() async throws {
    let scenario = try Scenario()
    let started = try await start(scenario)
    try await scenario.reprise("cancel", "@last").succeeds()
    try await started.end().fails(with: 130)
    #expect(try await scenario.runs().map(\.status) == ["cancelled"])
    try scenario.write("", to: "go")
    try await scenario.reprise("resume", "@last", "--progress", "none").succeeds()
    #expect(scenario.read("log") == "a1\nc2\n")
  }

  @Test func `commands answer with what the run does, and wait for what follows`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      grace: 2s
      steps:
        - parallel:
            - { id: slow, run: "touch slow; exec sleep 60" }
            - { id: bad, run: "[ $REPRISE_GENERATION = 2 ]" }
            - { id: go, approval: "Ship it?" }
            - { id: hold, run: "until [ -e go ]; do sleep 0.02; done" }
        - { id: end, run: "true" }
      """, to: "w.yaml")
    let started = try scenario.start("run w.yaml --progress plain", writingTo: "log")
    await expectEventually("it waits") {
      scenario.has("slow") && scenario.read("log").contains("exited with status")
        && scenario.read("log").contains("waits for approval")
    }
    let approved = try await scenario.reprise(
      "approve", "@last", "--comment", "checked", "--wait"
    ).succeeds()
    #expect(approved.output == "step \"go\" is approved\n")
    let cancelled = try await scenario.reprise("cancel", "@last", "--step", "s*w", "--wait")
      .succeeds()
    #expect(cancelled.output == "step \"slow\": being cancelled; the run continues\n")
    try await scenario.reprise("approve", "@last").fails(with: 2)
    let again = try await scenario.reprise("restart", "@last", "--from", ":failed").succeeds()
    #expect(again.output.hasPrefix("generation 2 of run "))
    #expect(again.output.hasSuffix(" begins: 2 steps run again\n"), "\(again.output)")
    await expectEventually("the generation begins") {
      scenario.read("log").contains("generation 2 started from :failed by reprise restart (")
    }
    try scenario.write("", to: "go")
    try await started.end().fails(with: 130)
    let log = scenario.read("log")
    #expect(log.contains(" approved by reprise approve ("), "\(log)")
    #expect(log.contains("): checked\n"), "\(log)")
    #expect(log.contains(" cancelled on request by reprise cancel ("), "\(log)")
  }

  @Test func `a result that is set by hand lets a run go on, while it runs and after its end`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(
      """
      steps:
        - { id: bad, needs: [], run: "exit 3" }
        - { id: use, needs: [bad], run: "echo used $V >> used", env: { V: "${{ steps.bad.outputs.v || 'nothing' }}" } }
        - { id: hold, needs: [], run: "until [ -e go ]; do sleep 0.02; done" }
      """, to: "w.yaml")
    let started = try scenario.start("run w.yaml --progress plain", writingTo: "log")
    await expectEventually("it has failed") { scenario.read("log").contains("exited with status") }
    let set = try await scenario.reprise(
      "set", "@last", "bad", "success", "--output", "v=1", "--comment", "did it", "--wait"
    ).succeeds()
    #expect(
      set.output
        == "step \"bad\" counts as succeeded; generation 2 begins with the steps that depend on it\n"
    )
    await expectEventually("its dependent runs") { scenario.read("used") == "used 1\n" }
    await expectEventually("the log says who has set it") {
      scenario.read("log").contains(" set to succeeded by reprise set (")
    }
    let again = try await scenario.reprise("skip", "@last", "bad").fails(with: 2)
    #expect(again.errors.contains("already succeeded; restart from it instead"), "\(again.errors)")
    try await scenario.reprise("restart", "@last", "--from", "bad").succeeds()
    await expectEventually("it runs and fails again") {
      scenario.read("log").components(separatedBy: "exited with status").count == 3
    }
    try scenario.write("", to: "go")
    try await started.end().fails(with: 1)
    let late = try await scenario.reprise("set", "@last", "bad", "succeeded").fails(with: 2)
    #expect(late.errors.contains("--set bad=success"), "\(late.errors)")
    try await scenario.reprise("resume", "@last", "--set", "bad=succeeded").succeeds()
    #expect(scenario.read("used") == "used 1\nused nothing\n")
    let shown = try await scenario.reprise("show", "@last").succeeds()
    #expect(shown.output.contains("set by hand by reprise resume"), "\(shown.output)")
    for wrong in [
      "set @last bad done", "resume @last --set bad", "set @last bad skipped --output a=b",
    ] {
      try await scenario.start(wrong.split(separator: " ").map(String.init)).end().fails(with: 2)
    }
  }

  @Test func `in a paused run nothing new starts until it is unpaused`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      steps:
        - { id: first, run: "touch began; until [ -e go ]; do sleep 0.02; done" }
        - { id: next, run: "touch next" }
      """, to: "w.yaml")
    let started = try scenario.start("run w.yaml --progress plain", writingTo: "log")
    await expectEventually("it runs") { scenario.has("began") }
    try await scenario.reprise("pause", "@last").succeeds()
    try scenario.write("", to: "go")
    await expectEventually("the next step waits") {
      (try? scenario.journal().state(of: scenario.journal().run(named: "@last")))?.counts.waiting
        == 1
    }
    let runs = try await scenario.reprise("runs").succeeds()
    #expect(runs.output.contains("paused"), "\(runs.output)")
    #expect(!scenario.has("next"))
    try await scenario.reprise("unpause", "@last").succeeds()
    try await started.end().succeeds()
    #expect(scenario.read("log").contains("run paused by reprise pause ("))
    #expect(scenario.has("next"))
  }

  @Test func `a process that a step leaves behind is named when it is ended`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "steps: [{ id: serve, run: 'sleep 61 & echo ready' }]", to: "w.yaml")
    let ended = try await scenario.reprise("run", "w.yaml", "--progress", "plain").succeeds()
    #expect(
      ended.output.contains("ended: sleep 61, left behind by \"serve\""), "\(ended.output)")
    let json = try await scenario.reprise("logs", "@last").succeeds()
    #expect(!json.output.contains("left behind"))
    let journal = try scenario.journal()
    let recorded = try journal.state(of: try journal.run(named: "@last"))
    #expect(recorded["serve"]?.leftBehind == ["sleep 61"])
  }

  @Test func `restart --wait exits like the run`() async throws {
    let scenario = try Scenario()
    let started = try await start(scenario)
    let waiting = try scenario.start(["restart", "@last", "--from", "b", "--wait"])
    await expectEventually("b runs again") { scenario.has("b2") }
    try scenario.write("", to: "go")
    try await started.end().succeeds()
    try await waiting.end().succeeds()
  }

  @Test func `attach shows a run to its end, with its exit status`() async throws {
    let scenario = try Scenario()
    let started = try await start(scenario)
    let attached = try scenario.start("attach @last --progress json", writingTo: "seen")
    let other = try scenario.start("attach @last --progress plain", writingTo: "plain")
    await expectEventually("both are attached") {
      !scenario.read("seen").isEmpty && !scenario.read("plain").isEmpty
    }
    try await scenario.reprise("restart", "@last").succeeds()
    await expectEventually("b runs again") { scenario.has("b2") }
    try scenario.write("", to: "go")
    try await started.end().succeeds()
    try await attached.end().succeeds()
    var state = RunState()
    for line in scenario.read("seen").split(separator: "\n") {
      try state.apply(try JSONDecoder().decode(Event.self, from: Data(line.utf8)))
    }
    #expect(state.phase == .ended(.succeeded) && state.generation == 2)
    let journal = try scenario.journal()
    let recorded = try journal.state(of: try journal.run(named: "@last"))
    #expect(recorded.steps.map(\.phase) == state.steps.map(\.phase))
    try await other.end().succeeds()
    #expect(scenario.read("plain").contains("run succeeded"))
  }

  @Test func `attach shows how to resume a cancelled run`() async throws {
    let scenario = try Scenario()
    let started = try await start(scenario)
    let attached = try scenario.start("attach @last --progress plain", writingTo: "plain")
    let program = try scenario.start("attach @last --progress json", writingTo: "seen")
    await expectEventually("both are attached") {
      !scenario.read("seen").isEmpty && !scenario.read("plain").isEmpty
    }
    let id = try #require(try await scenario.runs().first?.id)
    try await scenario.reprise("cancel", "@last").succeeds()
    try await started.end().fails(with: 130)
    try await attached.end().fails(with: 130)
    try await program.end().fails(with: 130)
    #expect(scenario.read("plain").hasSuffix("resume it with: reprise resume \(id)\n"))
    #expect(!scenario.read("seen").contains("resume it with"))
  }

  @Test(arguments: [(SIGTERM, 143), (SIGHUP, 129), (SIGINT, 130)] as [(Int32, Int32)])
  func `attach has the exit status of a run that a signal ended`(
    _ signal: Int32, _ status: Int32
  ) async throws {
    let scenario = try Scenario()
    let started = try await start(scenario)
    let attached = try scenario.start("attach @last --progress json", writingTo: "seen")
    await expectEventually("it is attached") { !scenario.read("seen").isEmpty }
    started.send(signal)
    try await started.end().fails(with: status)
    try await attached.end().fails(with: status)
  }

  @Test func `closing an attached display does not affect the run`() async throws {
    let scenario = try Scenario()
    let started = try await start(scenario)
    let attached = try scenario.start("attach @last --progress plain", writingTo: "plain")
    let killed = try scenario.start("attach @last --progress json", writingTo: "seen")
    await expectEventually("both are attached") {
      !scenario.read("seen").isEmpty && !scenario.read("plain").isEmpty
    }
    attached.send(SIGINT)
    killed.send(SIGKILL)
    try await attached.end().fails(with: 130)
    _ = try await killed.end()
    try scenario.write("", to: "go")
    try await started.end().succeeds()
  }

  @Test func `attach reports a lost connection`() async throws {
    let scenario = try Scenario()
    let started = try await start(scenario)
    let attached = try scenario.start("attach @last --progress plain", writingTo: "plain")
    await expectEventually("it is attached") { !scenario.read("plain").isEmpty }
    for process in KillTests.engineAndGuardian(started.id) { kill(process, SIGKILL) }
    try await attached.end().fails(with: 4)
    #expect(scenario.read("plain").contains("the connection was lost"))
    _ = try await started.end()
    // The next command terminates the leftover processes of the run.
    try await scenario.reprise("runs").succeeds()
  }

  @Test func `a detached run can be controlled as soon as its id is printed`() async throws {
    let scenario = try Scenario()
    try scenario.write(Self.slow, to: "w.yaml")
    let started = try await scenario.reprise("run", "w.yaml", "--detach").succeeds()
    let run = started.output.trimmingCharacters(in: .whitespacesAndNewlines)
    try await scenario.reprise("restart", run).succeeds()
    await expectEventually("b runs again") { scenario.has("b2") }
    try await scenario.reprise("cancel", run).succeeds()
  }

  @Test func `a run can be resumed as soon as its end is recorded`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "steps: [{ id: a, run: touch began; until test -e go; do sleep 0.02; done; exit $(cat go) }]",
      to: "w.yaml")
    let started = try scenario.start(["run", "w.yaml", "--progress", "none"])
    await expectEventually("it runs") { scenario.has("began") }
    // A connected client has two seconds to read the end of the run. The run is still locked during
    // that time.
    let run = try #require(try await scenario.runs().first?.id)
    let silent = try ControlClient(scenario.journal().directory.path + "/live/\(run).sock")
    try scenario.write("1", to: "go")
    try await expectEventually("it has failed") {
      try await scenario.runs().first?.status == "failed"
    }
    try scenario.write("0", to: "go")
    try await scenario.reprise("resume", "@last", "--progress", "none").succeeds()
    try await started.end().fails(with: 1)
    withExtendedLifetime(silent) {}
  }

  @Test func `logs of a queued run are followed from its start`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      Self.slow.replacing("grace: 2s", with: "concurrency: { group: g, policy: queue }"),
      to: "w.yaml")
    let first = try scenario.start(["run", "w.yaml", "--progress", "none"])
    await expectEventually("b runs") { scenario.has("b1") }
    let second = try await scenario.reprise("run", "w.yaml", "--detach").succeeds()
    let run = second.output.trimmingCharacters(in: .whitespacesAndNewlines)
    let early = try await scenario.reprise("logs", run).succeeds()
    #expect(early.output == "" && early.errors.contains("has not started yet"))
    let following = [
      try scenario.start(["logs", run, "--follow"]),
      try scenario.start(["logs", run, "b", "--follow"]),
    ]
    let wrong = try scenario.start(["logs", run, "bb", "--follow"])
    try scenario.write("", to: "go")
    try await first.end().succeeds()
    #expect(try await following[0].end().succeeds().output.hasSuffix(" b │ done\n"))
    #expect(try await following[1].end().succeeds().output == "done\n")
    #expect(try await wrong.end().fails(with: 2).errors.contains("has no step \"bb\""))
  }

  @Test func `a detached run continues without its terminal`() async throws {
    let scenario = try Scenario()
    try scenario.write(Self.slow, to: "w.yaml")
    let started = try await scenario.reprise("run", "w.yaml", "--detach").succeeds()
    let run = started.output.trimmingCharacters(in: .whitespacesAndNewlines)
    await expectEventually("b runs") { scenario.has("b1") }
    #expect(try await scenario.runs().map(\.id) == [run])
    let following = try scenario.start(["logs", run, "b", "--follow"])
    try scenario.write("", to: "go")
    #expect(try await following.end().succeeds().output == "done\n")
    #expect(try await scenario.runs().map(\.status) == ["succeeded"])
  }

  @Test func `an error is reported before a run is detached`() async throws {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: a, rum: true }]", to: "w.yaml")
    let ended = try await scenario.reprise("run", "w.yaml", "--detach").fails(with: 2)
    #expect(ended.errors.contains("did you mean \"run\"?") && ended.output.isEmpty)
  }

  @Test func `displays on two terminals agree with the journal after random requests`()
    async throws
  {
    var generator = SeededGenerator.announced()
    for round in 0..<rounds(5, soak: 100) {
      let scenario = try Scenario()
      try scenario.write(
        """
        grace: 1s
        steps:
          - { id: a, run: sleep 0.03 }
          - parallel:
              - { id: b, run: sleep 0.05 }
              - { id: c, run: "(setsid sleep 0.05 &); sleep 0.04" }
          - { id: d, run: sleep 0.03 }
        """, to: "w.yaml")
      let first = try scenario.start(["run", "w.yaml", "--progress", "json"])
      try await expectEventually("the run is there") { try await !scenario.runs().isEmpty }
      let second = try scenario.start(["attach", "@last", "--progress", "json"])
      for _ in 0..<Int.random(in: 0...4, using: &generator) {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: _ = try await scenario.reprise("cancel", "@last")
        case 1: _ = try await scenario.reprise("restart", "@last", "--from", "b")
        case 2: _ = try await scenario.reprise("attach", "@last", "--progress", "none")
        default: _ = try await scenario.reprise("restart", "@last")
        }
      }
      let states = [try await first.end(), try await second.end()].map(Self.state)
      let journal = try scenario.journal()
      let recorded = try journal.state(of: try journal.run(named: "@last"))
      #expect(states[0]?.phase == recorded.phase, "round \(round)")
      #expect(states[0]?.steps.map(\.phase) == recorded.steps.map(\.phase), "round \(round)")
      // A display that attached after the end of the run has received no events.
      if let seen = states[1], seen.run != nil {
        #expect(seen.steps.map(\.phase) == recorded.steps.map(\.phase), "round \(round)")
      }
      #expect(processes(startedWith: "REPRISE_RUN_ID=\(recorded.run?.description ?? "")") == [])
    }
  }

  private static func state(_ ended: Scenario.Ended) -> RunState? {
    var state = RunState()
    for line in ended.output.split(separator: "\n") {
      guard let event = try? JSONDecoder().decode(Event.self, from: Data(line.utf8)),
        (try? state.apply(event)) != nil
      else { return nil }
    }
    return state
  }
}

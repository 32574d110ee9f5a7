import Foundation
import TestSupport
import Testing

/// Every way to end or restart a run, combined with every process tree that resists termination.
@Suite(.serialized) struct TriggerTests {
  enum Trigger: CaseIterable, Sendable {
    case interrupt, terminate, hangUp, cancel, cancelNow, restart, timeOut
  }

  @Test(arguments: Trigger.allCases, KillTests.nastyScripts.indices)
  func `no process is left a second after the grace period`(_ trigger: Trigger, _ tree: Int)
    async throws
  {
    // The soak tests all pairs. Otherwise each trigger and each tree is tested at least once.
    guard isSoak || tree % Trigger.allCases.count == trigger.number else { return }
    let scenario = try Scenario()
    let mark = "\(Int.random(in: 100_000...999_999)).\(Int.random(in: 1000...9999))"
    let script = KillTests.nastyScripts[tree].replacingOccurrences(of: "MARK", with: mark)
    let timeout = trigger == .timeOut ? "timeout: 1s, " : ""
    try scenario.write(
      """
      grace: 200ms
      steps: [{ id: a, \(timeout)run: "if [ $REPRISE_GENERATION = 1 ]; then \(script); fi" }]
      """, to: "w.yaml")
    let started = try scenario.start(["run", "w.yaml", "--progress", "none"])
    // With a timeout the tree may have ended already.
    if trigger != .timeOut {
      await expectEventually("the tree lives") { !processes(with: mark).isEmpty }
    }
    switch trigger {
    case .interrupt: started.send(SIGINT)
    case .terminate: started.send(SIGTERM)
    case .hangUp: started.send(SIGHUP)
    case .cancel: try await scenario.reprise("cancel", "@last").succeeds()
    case .cancelNow: try await scenario.reprise("cancel", "@last", "--now").succeeds()
    case .restart: try await scenario.reprise("restart", "@last").succeeds()
    case .timeOut: break
    }
    let ended = try await started.end()
    #expect(ended.status == trigger.status, "\(ended)")
    await expectEventually("nothing is left", within: promised(.seconds(1), busy: .seconds(30))) {
      processes(with: mark).isEmpty
    }
  }

  @Test func `restarts from other processes never let two generations overlap`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      grace: 1s
      steps:
        - id: a
          run: |
            exec 9> lock-a
            flock -n 9 || echo a >> overlaps
            (setsid sleep 0.05 &)
            sleep 0.02
        - id: b
          run: |
            exec 9> lock-b
            flock -n 9 || echo b >> overlaps
            sleep 0.03
            while [ ! -e go ]; do sleep 0.01; done
      """, to: "w.yaml")
    let started = try scenario.start(["run", "w.yaml", "--progress", "none"])
    try await expectEventually("it runs") { try await scenario.runs().first?.status == "running" }
    let count = rounds(25, soak: 1000)
    for number in 0..<count {
      let from = number % 3 == 0 ? ["--from", "b"] : []
      try await scenario.start(["restart", "@last"] + from).end().succeeds()
    }
    try scenario.write("", to: "go")
    try await started.end().succeeds()
    #expect(!scenario.has("overlaps"))
    #expect(try await scenario.runs()[0].generation > count / 4, "most of the restarts took place")
  }

  @Test func `a hundred simultaneous restarts are coalesced`() async throws {
    let scenario = try Scenario()
    // The first generation does not end before the restarts, however slowly they are sent.
    try scenario.write(
      """
      steps:
        - id: a
          run: |
            echo $REPRISE_GENERATION >> log
            [ $REPRISE_GENERATION != 1 ] || exec sleep 60
            sleep 0.3; exec sleep 0.3
      """, to: "w.yaml")
    let started = try scenario.start(["run", "w.yaml", "--progress", "none"])
    await expectEventually("it runs") { scenario.read("log") == "1\n" }
    for _ in 0..<100 { started.send(SIGUSR1) }
    try await started.end().succeeds()
    let generations = scenario.read("log").split(separator: "\n")
    #expect((2..<60).contains(generations.count), "\(generations)")
  }

  @Test func `a stopped engine keeps its run, and a dead one releases it`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(
      "steps: [{ id: a, run: \"echo hello; touch began; [ -e go ] || sleep 57.3\" }]", to: "w.yaml")
    let started = try scenario.start(["run", "w.yaml", "--progress", "none"])
    await expectEventually("it runs") { scenario.has("began") }
    try await expectEventually("the output is logged") {
      try await scenario.reprise("logs", "@last", "a").output == "hello\n"
    }
    let both = KillTests.engineAndGuardian(started.id)
    for process in both { kill(process, SIGSTOP) }
    // Promise 16: no other command waits for a stopped engine for more than ten seconds.
    let commands: [(arguments: [String], status: Int32, says: String)] = [
      (["resume", "@last"], 4, "is running in process"),
      (["restart", "@last"], 4, "there is no answer"),
      (["cancel", "@last"], 4, "there is no answer"),
      (["cancel", "@last", "--now"], 4, "there is no answer"),
      (["approve", "@last", "a"], 4, "there is no answer"),
      (["attach", "@last"], 4, "there is no answer"),
      (["runs"], 0, "running"), (["show", "@last"], 0, "running"),
      (["logs", "@last", "a"], 0, "hello"),
      (["prune", "--keep", "0"], 0, "0 runs deleted"),
      (["validate", "w.yaml"], 0, "no errors"),
      (["run", "w.yaml", "--dry-run"], 0, "would run"),
    ]
    let start = ContinuousClock.now
    let others = try commands.map { try scenario.start($0.arguments) }
    for (other, command) in zip(others, commands) {
      let ended = try await other.end().fails(with: command.status)
      #expect(
        (ended.output + ended.errors).contains(command.says), "\(command.arguments): \(ended)")
    }
    #expect(ContinuousClock.now - start < promised(.seconds(15)))
    for process in both { kill(process, SIGKILL) }
    _ = try await started.end()
    try scenario.write("", to: "go")
    try await scenario.reprise("resume", "@last", "--progress", "none").succeeds()
  }
}

extension TriggerTests.Trigger {
  fileprivate var number: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  /// The expected exit status of the command.
  fileprivate var status: Int32 {
    switch self {
    case .interrupt, .cancel, .cancelNow: 130
    case .terminate: 143
    case .hangUp: 129
    case .restart: 0
    case .timeOut: 1
    }
  }
}

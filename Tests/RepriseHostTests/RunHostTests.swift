// Tests of hosted runs: group order, controls, and waiting.

import Reprise
import RepriseControl
import RepriseJournal
import RepriseTerminal
import TestSupport
import Testing

@testable import RepriseHost

struct RunHostTests {
  private static let stubborn = """
    steps:
      - { id: a, run: "trap '' TERM; echo up; sleep 60 & wait; wait; sleep 60", grace: 10m }
    """

  @Test func `a run is recorded to its end`() async throws {
    let folder = try HostFolder()
    let (id, hosted) = try await folder.begin(try folder.load("steps: [{ id: a, run: echo a }]"))
    let run = try #require(hosted)
    #expect(try await run.run.outcome == .succeeded)
    #expect(await run.finish() == nil)
    #expect(try folder.journal.run(named: id.description).status == .succeeded)
  }

  @Test func `a request before the start of a run is applied at its start`() async throws {
    let folder = try HostFolder()
    let controls = RunControls()
    let requester = Requester(.command, name: "reprise cancel")
    controls.perform(.cancel(steps: [], now: false), by: requester) { _ in }
    let loaded = try folder.load("steps: [{ id: a, run: sleep 600 }]")
    let (id, hosted) = try await folder.begin(loaded, controls: controls)
    // Without a group the run is not queued; it starts and is cancelled at once.
    if let hosted {
      #expect(try await hosted.run.outcome == .cancelled)
      let events = try await folder.journal.events(of: id)
      #expect(events.last { $0.kind.name == "run-cancelling" }?.by == requester)
    }
    #expect(controls.isCancelled)
  }

  /// Keys, signals and control requests are counted together, so a second request kills, whatever
  /// the source of the first one.
  @Test(arguments: ["key", "signal", "socket"])
  func `a signal after a first request to end kills the run`(first: String) async throws {
    let folder = try HostFolder()
    let controls = RunControls()
    let (_, hosted) = try await folder.begin(try folder.load(Self.stubborn), controls: controls)
    let run = try #require(hosted).run
    await expectEventually("the step ignores SIGTERM") { run.state.tail(of: "a") == ["up"] }
    switch first {
    case "key": _ = await controls.keys.request(.cancel(steps: [], now: false), "c")
    case "signal": controls.receive(2)
    default: controls.cancel(now: false)
    }
    await expectEventually("the run is being cancelled") { run.state.phase.isCancelling }
    controls.receive(15)
    await expectEventually("the run was killed", within: .seconds(30)) {
      run.state.phase == .ended(.cancelled)
    }
    #expect(controls.stopSignal == (first == "signal" ? 2 : 15))
  }

  @Test(arguments: [
    (nil, "the run has not started: it is waiting for another run of its group"),
    (RunControls.EndBeforeStart.interrupted, "the run has ended before its first step"),
  ])
  func `every request that needs steps says why there are none`(
    _ end: RunControls.EndBeforeStart?, _ reason: String
  ) async throws {
    let controls = RunControls()
    if let end { controls.neverBegins(end) }
    let replies = Protected<[ControlReply]>([])
    controls.perform(.restart(), by: .api) { reply in replies.withLock { $0.append(reply) } }
    controls.reload(ReloadOptions(changedOnly: true, isDryRun: false), by: .api) { reply in
      replies.withLock { $0.append(reply) }
    }
    #expect(replies.value == [.refused(reason), .refused(reason)])
    guard case .failure(let refusal) = controls.controlEvents else {
      Issue.record("there are events")
      return
    }
    #expect(refusal.description == reason)
  }

  @Test func `SIGHUP twice counts as one request`() async throws {
    let folder = try HostFolder()
    let controls = RunControls()
    let loaded = try folder.load(
      "steps: [{ id: a, run: \"trap 'sleep 1; echo cleaned; exit' HUP TERM; echo up; sleep 60 & wait\", grace: 1m }]"
    )
    let (_, hosted) = try await folder.begin(loaded, controls: controls)
    let run = try #require(hosted).run
    await expectEventually("the step runs") { run.state.tail(of: "a") == ["up"] }
    controls.receive(1)
    controls.receive(1)
    #expect(try await run.outcome == .cancelled)
    #expect(run.state.tail(of: "a") == ["up", "cleaned"])
  }

  @Test func `runs of a group start in the order in which they were recorded`()
    async throws
  {
    let folder = try HostFolder()
    let loaded = try folder.load(
      "concurrency: { group: g, policy: queue }\nsteps: [{ id: a, run: echo a }]")
    let first = try folder.record(loaded)
    let order = Protected<[Int]>([])
    let waits = Protected(0)
    let later = (1...4).map { number in
      let recorded = Result { try folder.record(loaded) }
      return Task {
        let hosted = try await folder.host.begin(
          try recorded.get(), loaded, Secrets(), controls: RunControls(),
          onReachable: { waits.withLock { $0 += 1 } })
        order.withLock { $0.append(number) }
        _ = try await hosted?.run.outcome
        return number
      }
    }
    await expectEventually("all wait") { waits.withLock { $0 } == 4 }
    #expect(order.withLock { $0 }.isEmpty)
    try first.end(as: .cancelled)
    for task in later { _ = try await task.value }
    #expect(order.withLock { $0 } == [1, 2, 3, 4])
  }

  @Test func `a queued run ends when it is cancelled`() async throws {
    let folder = try HostFolder()
    let loaded = try folder.load(
      "concurrency: { group: g, policy: queue }\nsteps: [{ id: a, run: echo a }]")
    let first = try folder.record(loaded)
    let controls = RunControls()
    let isWaiting = Gate()
    let waiting = Task {
      try await folder.begin(loaded, controls: controls, onReachable: { isWaiting.open() })
    }
    await isWaiting.wait()
    controls.cancel(now: false)
    await expectEventually("the run has ended", within: .seconds(30)) {
      (try? folder.journal.runs().contains { $0.status == .cancelled }) == true
    }
    try first.end(as: .cancelled)
    #expect(try await waiting.value.hosted == nil)
  }
}

extension RunState {
  /// Returns the last output lines of a step.
  fileprivate func tail(of step: String) -> [String] {
    steps.first { $0.id == step }?.output.lines.map(\.text) ?? []
  }
}

extension RunPhase {
  fileprivate var isCancelling: Bool {
    if case .cancelling = self { true } else { false }
  }
}

import TestSupport
import Testing

@testable import Reprise

/// Groups and items that begin with a step that waits: for a time, or for approval.
struct FirstWaitTests {
  private static func run(_ text: String, _ clock: VirtualClock) throws -> Run {
    Engine(executor: ClosureExecutor { _ in [:] }, clock: clock)
      .start(try Workflow(text: text, file: "w.yaml"))
  }

  private func waiting(_ run: Run) -> [String] {
    run.state.steps.filter { $0.waitsUntil != nil || $0.approval != nil }.map(\.id)
  }

  @Test func `an item that begins with a wait occupies its slot from then on`() async throws {
    let clock = VirtualClock()
    let run = try Self.run(
      """
      steps:
        - id: R
          foreach: [1, 2, 3]
          max-parallel: 1
          steps: [{ id: cool, wait: 10s }, { id: deploy, run: x }]
      """, clock)
    for item in 0..<3 {
      await expectEventually("item \(item) waits") {
        waiting(run).contains("R[\(item)]/cool") && clock.sleeperCount > 0
      }
      let isAlone = waiting(run) == ["R[\(item)]/cool"]
      #expect(isAlone)
      guard isAlone else { return run.kill() }
      clock.advanceToNextWake()
    }
    #expect(try await run.outcome == .succeeded)
    #expect(clock.now.microseconds == 30_000_000)
  }

  @Test func `a wait takes the mutex that a step with a slot cannot use yet`() async throws {
    let clock = VirtualClock()
    let run = try Self.run(
      """
      steps:
        - id: g
          max-parallel: 1
          parallel:
            - { id: a, mutex: m, run: x }
            - { id: b, foreach: [0, 1], mutex: m, steps: [{ id: w, wait: 10s }] }
      """, clock)
    await expectEventually("the run is over") {
      clock.advanceToNextWake()
      if case .ended = run.state.phase { return true }
      return false
    }
    #expect(run.state.phase == .ended(.succeeded))
    run.kill()
  }

  @Test func `items that begin with an approval ask one after the other, within the limit`()
    async throws
  {
    let run = try Self.run(
      """
      steps:
        - id: R
          foreach: [1, 2, 3]
          max-parallel: 1
          steps: [{ id: ask, approval: May it? }, { id: deploy, run: x }]
      """, VirtualClock())
    for item in 0..<3 {
      await expectEventually("item \(item) asks") { waiting(run) == ["R[\(item)]/ask"] }
      #expect(try run.approve("R[\(item)]/ask"))
    }
    #expect(try await run.outcome == .succeeded)
  }

  @Test func `two groups with a mutex that begin with a wait exclude each other`() async throws {
    let clock = VirtualClock()
    let run = try Self.run(
      """
      steps:
        - parallel:
            - { id: G, mutex: m, steps: [{ id: v, wait: 10s }, { id: a, run: x }] }
            - { id: H, mutex: m, steps: [{ id: w, wait: 10s }, { id: b, run: x }] }
      """, clock)
    await expectEventually("the first waits") {
      waiting(run) == ["v"] && clock.sleeperCount == 1
    }
    clock.advanceToNextWake()
    await expectEventually("the second waits") {
      waiting(run) == ["w"] && clock.sleeperCount == 1
    }
    #expect(run.state["a"]?.phase == .succeeded([:]))
    clock.advanceToNextWake()
    #expect(try await run.outcome == .succeeded)
  }

  @Test func `the time limit of a group counts from a wait at its beginning`() async throws {
    let clock = VirtualClock()
    let run = try Self.run(
      "steps: [{ id: G, timeout: 1s, steps: [{ id: w, wait: 3s }, { id: d, run: x }] }]", clock)
    await expectEventually("both are waited for") { clock.sleeperCount == 2 }
    clock.advanceToNextWake()
    #expect(try await run.outcome == .failed(step: "w", reason: .timedOut(after: .seconds(1))))
    #expect(clock.now.microseconds == 1_000_000)
  }

  @Test func `a wait that is cancelled gives the place of its item back`() async throws {
    let clock = VirtualClock()
    let run = try Self.run(
      """
      steps:
        - id: R
          foreach: [1, 2]
          max-parallel: 1
          steps: [{ id: cool, wait: 10s }, { id: deploy, run: x }]
      """, clock)
    await expectEventually("the first waits") { waiting(run) == ["R[0]/cool"] }
    try await run.perform(.cancel(steps: ["R[0]/cool"], now: false))
    await expectEventually("the second waits") { waiting(run) == ["R[1]/cool"] }
    try await run.perform(.restart(from: ["R[0]/cool"]))
    await expectEventually("generation 2 has begun, and the second waits on") {
      run.state.generation == 2 && clock.sleeperCount == 1
    }
    clock.advanceToNextWake()
    await expectEventually("the first waits again") {
      waiting(run) == ["R[0]/cool"] && clock.sleeperCount == 1
    }
    clock.advanceToNextWake()
    #expect(try await run.outcome == .succeeded)
  }

  @Test func `in a pause no wait begins, and questions are asked`() async throws {
    let (clock, stage) = (VirtualClock(), FeaturePairTests.Stage(holding: ["first"]))
    let run = try stage.start(
      """
      steps:
        - { id: first, run: x }
        - parallel: [{ id: w, wait: 10s }, { id: ask, approval: May it? }]
      """, clock: clock)
    await expectEventually("the first runs") { run.state["first"]?.phase == .running }
    try await run.perform(.pause)
    await expectEventually("it is paused") { run.state.isPaused }
    stage.open("first")
    await expectEventually("it asks") { waiting(run) == ["ask"] }
    #expect(run.state["w"]?.phase == .waiting && clock.sleeperCount == 0)
    #expect(try run.approve("ask"))
    try await run.perform(.unpause)
    await expectEventually("the wait has begun") { clock.sleeperCount == 1 }
    clock.advanceToNextWake()
    #expect(try await run.outcome == .succeeded)
  }
}

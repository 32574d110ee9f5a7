import TestSupport
import Testing

@testable import Reprise

/// Steps under `finally`, which run however the run ended.
struct FinallyTests {
  private static let text = """
    steps:
      - { id: a, run: a }
      - { id: b, run: b }
    finally:
      - { id: always, run: x }
      - { id: good, when: success, run: x }
      - { id: bad, when: [failure], run: x }
      - { id: gone, when: cancelled, run: x }
      - { id: asks, if: failure() || cancelled(), run: x }
    """

  /// Records the steps that ran, in order; `a` waits for a gate.
  private struct Stage {
    let ran = Protected<[String]>([])
    let gate = Gate()
    let finallyGate: Gate?
    let failing: String?

    init(failing: String? = nil, finallyGate: Gate? = nil) {
      self.failing = failing
      self.finallyGate = finallyGate
    }

    func start() throws -> Run {
      let engine = Engine(
        executor: ClosureExecutor { context in
          ran.withLock { $0.append("\(context.step.id) \(context.generation)") }
          if context.step.id == "a" { try await gate.waitUnlessCancelled() }
          if context.step.id == "always", let finallyGate {
            try await finallyGate.waitUnlessCancelled()
          }
          if context.step.id == failing { throw FailureReason.exited(status: 1) }
          return [:]
        })
      return engine.start(try Workflow(text: FinallyTests.text, file: "w.yaml"))
    }
  }

  @Test func `a success runs the finally steps for successes`() async throws {
    let stage = Stage()
    let run = try stage.start()
    stage.gate.open()
    #expect(try await run.outcome == .succeeded)
    #expect(stage.ran.value == ["a 1", "b 1", "always 1", "good 1"])
  }

  @Test func `a failure runs the finally steps for failures, and the run has failed`() async throws
  {
    let stage = Stage(failing: "a")
    let run = try stage.start()
    stage.gate.open()
    #expect(try await run.outcome == .failed(step: "a", reason: .exited(status: 1)))
    #expect(stage.ran.value == ["a 1", "always 1", "bad 1", "asks 1"])
  }

  @Test func `a cancel runs the finally steps for cancels after all other steps have ended`()
    async throws
  {
    let stage = Stage()
    let run = try stage.start()
    await expectEventually("the first step runs") { stage.ran.value == ["a 1"] }
    run.cancel()
    #expect(try await run.outcome == .cancelled)
    #expect(stage.ran.value == ["a 1", "always 1", "gone 1", "asks 1"])
    #expect(run.state["a"]?.phase == .cancelled(.request))
  }

  @Test func `a failed finally step fails the run, and the other finally steps run`() async throws {
    let stage = Stage(failing: "always")
    let run = try stage.start()
    stage.gate.open()
    #expect(try await run.outcome == .failed(step: "always", reason: .exited(status: 1)))
    #expect(stage.ran.value == ["a 1", "b 1", "always 1", "good 1"])
  }

  @Test func `a kill skips the finally steps`() async throws {
    let stage = Stage()
    let run = try stage.start()
    await expectEventually("the first step runs") { stage.ran.value == ["a 1"] }
    run.kill()
    #expect(try await run.outcome == .cancelled)
    #expect(stage.ran.value == ["a 1"])
  }

  @Test func `a kill stops the finally steps that run`() async throws {
    let gate = Gate()
    let stage = Stage(finallyGate: gate)
    let run = try stage.start()
    await expectEventually("the first step runs") { stage.ran.value == ["a 1"] }
    run.cancel()
    await expectEventually("the finally steps run") { stage.ran.value == ["a 1", "always 1"] }
    run.cancel()
    #expect(run.state["always"]?.phase == .running)
    run.kill()
    #expect(try await run.outcome == .cancelled)
    #expect(stage.ran.value == ["a 1", "always 1"])
  }

  @Test func `the first cancel lets the finally steps go on that run, and those after them`()
    async throws
  {
    let gate = Gate()
    let stage = Stage(finallyGate: gate)
    let run = try stage.start()
    stage.gate.open()
    await expectEventually("the finally steps run") { stage.ran.value.last == "always 1" }
    run.cancel()
    await expectEventually("the run is being cancelled") {
      run.state.phase == .cancelling(.request)
    }
    #expect(run.state["always"]?.phase == .running)
    gate.open()
    #expect(try await run.outcome == .cancelled)
    #expect(stage.ran.value == ["a 1", "b 1", "always 1", "good 1"])
    #expect(run.state["always"]?.phase == .succeeded([:]))
  }

  @Test func `a cancel during a restart runs the finally steps that had not begun`() async throws {
    let (restarting, held) = (Gate(), Gate())
    let ran = Protected<[String]>([])
    let engine = Engine(
      executor: ClosureExecutor { context in
        ran.withLock { $0.append(context.step.id) }
        guard context.step.id == "one" else { return [:] }
        do { try await held.waitUnlessCancelled() } catch {
          await restarting.wait()
          throw error
        }
        return [:]
      })
    let run = engine.start(
      try Workflow(
        text: "{ steps: [{ id: a, run: x }], finally: [{ id: one, run: x }, { id: two, run: x }] }",
        file: "w.yaml"))
    await expectEventually("the finally steps run") { ran.value == ["a", "one"] }
    run.restart()
    run.cancel()
    await expectEventually("the run is being cancelled") {
      run.state.phase == .cancelling(.request)
    }
    restarting.open()
    #expect(try await run.outcome == .cancelled)
    #expect(ran.value == ["a", "one", "two"])
    #expect(run.state["one"]?.phase.name == "cancelled")
  }

  @Test func `a restart during the finally steps restarts all steps`() async throws {
    let gate = Gate()
    let stage = Stage(finallyGate: gate)
    let run = try stage.start()
    stage.gate.open()
    await expectEventually("the finally steps run") { stage.ran.value.last == "always 1" }
    gate.open()
    run.restart()
    #expect(try await run.outcome == .succeeded)
    let second = stage.ran.value.drop { $0.hasSuffix("1") }
    #expect(
      second.isEmpty || Array(second) == ["a 2", "b 2", "always 2", "good 2"],
      "\(stage.ran.value)")
  }

  @Test func `a restart from a step runs the finally steps again`() async throws {
    let gate = Gate()
    let stage = Stage(finallyGate: gate)
    let run = try stage.start()
    stage.gate.open()
    await expectEventually("the finally steps run") { stage.ran.value.last == "always 1" }
    try run.restart(from: "b")
    await expectEventually("b runs again") { stage.ran.value.contains("b 2") }
    gate.open()
    #expect(try await run.outcome == .succeeded)
    #expect(!stage.ran.value.contains("a 2"))
    #expect(stage.ran.value.suffix(2) == ["always 2", "good 2"])
  }

  @Test func `a resumed run runs the finally steps again`() async throws {
    let stage = Stage(failing: "b")
    let run = try stage.start()
    stage.gate.open()
    _ = try await run.outcome
    let ran = Protected<[String]>([])
    let engine = Engine(
      executor: ClosureExecutor { context in
        ran.withLock { $0.append(context.step.id) }
        return [:]
      })
    let resumed = try engine.resume(run.state, with: try Workflow(text: Self.text, file: "w.yaml"))
    #expect(try await resumed.outcome == .succeeded)
    #expect(ran.value == ["b", "always", "good"])
  }

  @Test func `a run timeout counts as a failure and does not limit the finally steps`() async throws
  {
    let clock = VirtualClock()
    let ran = Protected<[String]>([])
    let engine = Engine(
      executor: ClosureExecutor { context in
        ran.withLock { $0.append(context.step.id) }
        if context.step.id == "a" { try await clock.sleep(for: .seconds(100)) }
        return [:]
      }, clock: clock)
    let run = engine.start(try Workflow(text: "timeout: 5s\n" + Self.text, file: "w.yaml"))
    // Otherwise the clock could pass the timeout before the step starts.
    await expectEventually("the first step and the timeout have started") {
      ran.value == ["a"] && clock.sleeperCount == 2
    }
    // Only to the timeout: further on, the first step could end before the timeout has cancelled it.
    clock.advanceToNextWake()
    #expect(try await run.outcome == .timedOut(after: .seconds(5)))
    #expect(ran.value == ["a", "always", "bad", "asks"])
  }

  @Test func `a step under finally sees how the run ended`() async throws {
    let seen = Protected<[String: [String: String]]>([:])
    let engine = Engine(
      executor: ClosureExecutor { context in
        seen.withLock { $0[context.step.id] = context.resolved.environment }
        if context.step.id == "b" || context.step.id == "t" {
          throw FailureReason.exited(status: 75)
        }
        return [:]
      })
    let run = engine.start(
      try Workflow(
        text: """
          steps:
            - { id: a, run: x }
            - { id: t, continue-on-error: true, run: x }
            - { id: told, env: { S: "${{ steps.t.status }}", W: "${{ steps.t.reason }}" }, run: x }
            - { id: b, run: x }
            - { id: c, run: x }
          finally:
            - id: report
              env:
                OUTCOME: ${{ run.outcome }}
                FAILED: ${{ join(run.failed, ' ') }}
                STATUS: ${{ steps.a.status }} ${{ steps.b.status }} ${{ toJSON(steps.c.status) }}
                WHY: ${{ steps.c.reason }}
                OK: ${{ success() }} ${{ failure() }}
              run: x
            - { id: again, if: steps.b.status == 75 && run.outcome == 'failed', run: x }
          """, file: "w.yaml"))
    _ = try await run.outcome
    #expect(seen.value["told"] == ["S": "75", "W": "exited with status 75"])
    #expect(
      seen.value["report"] == [
        "OUTCOME": "failed", "FAILED": "b", "STATUS": "0 75 null",
        "WHY": "cancelled because step \"b\" failed", "OK": "false true",
      ])
    #expect(seen.value["again"] == [:])
  }
}

import Reprise
import TestSupport
import Testing

struct FailureTests {
  private static let workflow = """
    steps:
      - parallel:
          - steps:
              - { id: bad, run: "true" }
              - { id: after-bad, run: "true" }
          - steps:
              - { id: good, run: "true" }
              - { id: after-good, run: "true" }
      - { id: last, run: "true" }
    """

  @Test func `a failure stops the dependents of the step and nothing else`() async throws {
    let engine = Engine(
      executor: ClosureExecutor { context in
        if context.step.id == "bad" { throw FailureReason.exited(status: 3) }
        return [:]
      })
    let run = engine.start(try Workflow(text: Self.workflow, file: "failure.yaml"))
    #expect(try await run.outcome == .failed(step: "bad", reason: .exited(status: 3)))
    let state = run.state
    #expect(state["bad"]?.phase == .failed(.exited(status: 3)))
    #expect(state["after-bad"]?.phase == .cancelled(.failure(ofStep: "bad")))
    #expect(state["last"]?.phase == .cancelled(.failure(ofStep: "bad")))
    #expect(state["after-good"]?.phase == .succeeded([:]))
  }

  @Test func `running siblings of a failed step finish`() async throws {
    let gate = Gate()
    let engine = Engine(
      executor: ClosureExecutor { context in
        if context.step.id == "bad" { throw FailureReason.exited(status: 3) }
        if context.step.id == "good" { await gate.wait() }
        return [:]
      })
    let run = engine.start(try Workflow(text: Self.workflow, file: "failure.yaml"))
    await expectEventually("the step has failed") { run.state.counts.failed == 1 }
    #expect(run.state.phase == .running)
    gate.open()
    #expect(try await run.outcome == .failed(step: "bad", reason: .exited(status: 3)))
    #expect(run.state["good"]?.phase == .succeeded([:]))
  }

  @Test func `an error thrown by a step is its failure reason`() async throws {
    struct TestError: Error, CustomStringConvertible {
      let description = "the dog ate it"
    }
    let engine = Engine(executor: ClosureExecutor { _ in throw TestError() })
    let workflow = try Workflow(name: "one", steps: [Workflow.Step(id: "a", action: .run("true"))])
    let outcome = try await engine.start(workflow).outcome
    #expect(outcome == .failed(step: "a", reason: .threw("the dog ate it")))
  }

  @Test func `a step that exceeds its timeout fails with that reason`() async throws {
    let clock = VirtualClock()
    let engine = Engine(
      executor: ClosureExecutor { _ in
        try await clock.sleep(for: .seconds(60))
        return [:]
      }, clock: clock)
    let step = Workflow.Step(id: "slow", action: .run("true"), timeout: .seconds(2))
    let run = engine.start(try Workflow(name: "one", steps: [step]))
    await expectEventually("the step and its timeout sleep") { clock.sleeperCount == 2 }
    clock.advanceToNextWake()
    #expect(try await run.outcome == .failed(step: "slow", reason: .timedOut(after: .seconds(2))))
    #expect(clock.now == Timestamp(microseconds: 2_000_000))
  }
}

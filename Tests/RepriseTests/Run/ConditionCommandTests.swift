import TestSupport
import Testing

@testable import Reprise

/// Conditions that a command decides, and conditions of whole workflows.
struct ConditionCommandTests {
  /// Runs a workflow whose scripts `0`, `1` and `2` exit with that status.
  private func state(_ text: String, ran: Protected<[String]> = Protected([])) async throws
    -> RunState
  {
    let engine = Engine(
      executor: ClosureExecutor { context in
        guard case .run(let script) = context.resolved.action else { return [:] }
        ran.withLock { $0.append("\(context.step.id) \(script)") }
        if let status = Int(script), status > 0 {
          context.report("something is wrong")
          throw FailureReason.exited(status: status)
        }
        return [:]
      })
    let run = engine.start(try Workflow(text: text, file: "w.yaml"))
    _ = try await run.outcome
    return run.state
  }

  @Test func `the exit status of a command decides whether a step runs`() async throws {
    let ran = Protected<[String]>([])
    let state = try await state(
      """
      steps:
        - { id: a, if: { run: "0" }, run: x }
        - { id: b, if: { run: "1" }, run: x }
        - { id: c, if: { run: "1" }, if-skipped: skip, run: x }
        - { id: d, run: x }
      """, ran: ran)
    #expect(ran.value == ["a 0", "a x", "b 1", "c 1"])
    #expect(state["b"]?.phase == .skipped("if: 1", [:]))
    #expect(state["d"]?.phase == .skipped("step \"c\" was skipped", [:]))
    #expect(state.phase == .ended(.succeeded))
  }

  @Test func `another exit status fails the step with the output of the command`() async throws {
    let state = try await state("steps: [{ id: a, if: { run: \"2\" }, run: x }]")
    #expect(
      state["a"]?.phase
        == .failed(.badValue("if: 2: exited with status 2: something is wrong")))
    #expect(state["a"]?.output.lines == [])
  }

  @Test func `a command runs in the folder and with the environment of its step`() async throws {
    let run = Engine().start(
      try Workflow(
        text: """
          steps:
            - { id: a, dir: /, env: { X: y }, if: { run: 'test "$X $PWD" = "y /"' }, run: "true" }
            - { id: b, if: { run: 'echo lost >&2; exit 3' }, run: "true" }
          """, file: "w.yaml"))
    _ = try await run.outcome
    #expect(run.state["a"]?.phase == .succeeded([:]))
    #expect(
      run.state["b"]?.phase
        == .failed(.badValue("if: echo lost >&2; exit 3: exited with status 3: lost")))
  }

  @Test func `a command that takes too long fails the step`() async throws {
    let clock = VirtualClock()
    let engine = Engine(
      executor: ClosureExecutor { _ in
        // Not on the clock: the time limit must be the next to wake.
        try await Gate().waitUnlessCancelled()
        return [:]
      }, clock: clock)
    let run = engine.start(
      try Workflow(
        text: "steps: [{ id: a, if: { run: sleep 1000, timeout: 5s }, run: x }]", file: "w.yaml"))
    await expectEventually("the run is over") {
      clock.advanceToNextWake()
      if case .ended = run.state.phase { return true }
      return false
    }
    #expect(
      run.state["a"]?.phase == .failed(.badValue("if: sleep 1000: took longer than 5.0 s")))
  }

  @Test func `cancelling a run stops the command of a condition`() async throws {
    let (gate, clock) = (Gate(), VirtualClock())
    let engine = Engine(
      executor: ClosureExecutor { _ in
        gate.open()
        try await clock.sleep(for: .seconds(1000))
        return [:]
      })
    let run = engine.start(
      try Workflow(text: "steps: [{ id: a, if: { run: x }, run: x }]", file: "w.yaml"))
    await gate.wait()
    run.cancel()
    #expect(try await run.outcome == .cancelled)
    #expect(run.state["a"]?.phase == .cancelled(.request))
  }

  @Test(arguments: ["{ run: \"1\" }", "params.go"])
  func `a workflow whose condition is false skips all steps`(_ condition: String) async throws {
    let ran = Protected<[String]>([])
    let state = try await state(
      """
      params: { go: false }
      if: \(condition)
      steps: [{ id: a, run: x }]
      finally: [{ id: b, run: x }]
      """, ran: ran)
    let reason = "if: " + (condition == "params.go" ? condition : "1")
    #expect(state.phase == .ended(.skipped(reason)))
    #expect(state["a"]?.phase == .skipped(SkipReason(reason), [:]))
    #expect(state["b"]?.phase.isSuccess == true)
    #expect(!ran.value.contains { $0.hasSuffix("x") })
  }

  @Test func `an error in the condition of a workflow abandons the run`() async throws {
    let state = try await state("if: { run: \"2\" }\nsteps: [{ id: a, run: x }]")
    #expect(
      state.phase == .ended(.abandoned("if: 2: exited with status 2: something is wrong")))
    let other = try await self.state("if: 1 < 2\nsteps: [{ id: a, run: x }]")
    #expect(other.phase == .ended(.succeeded))
  }
}

import TestSupport
import Testing

@testable import Reprise

/// Steps that repeat until a condition holds, and steps that only wait.
struct RoundTests {
  /// Starts a workflow whose step `a` ends its n-th attempt as `rounds` says: with this standard
  /// output, or with this exit status.
  private func start(
    _ text: String, _ rounds: [String], _ clock: VirtualClock,
    times: Protected<[Int64]> = Protected([])
  ) throws -> Run {
    let engine = Engine(
      executor: ClosureExecutor { context in
        guard context.step.id == "a" else { return [:] }
        times.withLock { $0.append(clock.now.microseconds / 1000) }
        let round = rounds[min(context.attempt, rounds.count) - 1]
        // As a shell sees it.
        if let status = Int(round), status > 128 {
          throw FailureReason.signalled(signal: status - 128)
        }
        if let status = Int(round) { throw FailureReason.exited(status: status) }
        context.report(round)
        return ["said": round]
      }, clock: clock)
    return engine.start(try Workflow(text: text, file: "w.yaml"))
  }

  @Test func `a step repeats until its condition is true`() async throws {
    let clock = VirtualClock()
    let times = Protected<[Int64]>([])
    let run = try start(
      """
      steps:
        - { id: a, run: x, repeat: { until: "stdout == 'ready'", delay: 2s, limit: 29 } }
        - { id: b, env: { X: "${{ steps.a.outputs.said }}" }, run: x }
      """, ["no", "not yet", "ready"], clock, times: times)
    let events = EventCollector(run)
    #expect(try await clock.end(of: run) == .succeeded)
    #expect(times.value == [0, 2000, 4000])
    #expect(run.state["a"]?.phase == .succeeded(["said": "ready"]))
    #expect(run.state["a"]?.round == StepRound(number: 3, limit: 30))
    var rounds: [Int] = []
    for event in await events.all() {
      if case .step("a", _, .repeating(let round, .seconds(2))) = event.kind {
        rounds.append(round.number)
      }
    }
    #expect(rounds == [1, 2])
    var recap = RunState()
    for event in run.state.recap { try recap.apply(event) }
    #expect(recap["a"] == run.state["a"])
  }

  @Test func `a step fails after its last round`() async throws {
    let clock = VirtualClock()
    let run = try start(
      "steps: [{ id: a, run: x, repeat: { while: \"outputs.said != 'yes'\", limit: 1 } }]",
      ["no"], clock)
    _ = try await clock.end(of: run)
    #expect(
      run.state["a"]?.phase
        == .failed(.badValue("repeat: after 2 rounds, still waiting while outputs.said != 'yes'")))
  }

  @Test(arguments: [
    ("{ until: stdout == 'x' }", ["3"], "failed"),
    ("{ until: status == 0 }", ["3", "x"], "succeeded"),
    ("{ while: status == 3 }", ["3", "3", "4"], "failed"),
    ("{ while: status == 3 }", ["3", "x"], "succeeded"),
    ("{ while: status == 137 }", ["137", "137", "x"], "succeeded"),
  ])
  func `a failed round ends the rounds unless the condition reads the exit status`(
    _ rule: String, _ rounds: [String], _ end: String
  ) async throws {
    let clock = VirtualClock()
    let times = Protected<[Int64]>([])
    let run = try start(
      "steps: [{ id: a, run: x, repeat: \(rule) }]", rounds, clock, times: times)
    _ = try await clock.end(of: run)
    #expect(run.state["a"]?.phase.name == end)
    #expect(times.value.count == rounds.count)
  }

  @Test func `rounds do not count as retries`() async throws {
    let clock = VirtualClock()
    let times = Protected<[Int64]>([])
    let run = try start(
      "steps: [{ id: a, run: x, retry: 1, repeat: { until: stdout == 'c', delay: 5s } }]",
      ["a", "b", "7", "c"], clock, times: times)
    #expect(try await clock.end(of: run) == .succeeded)
    #expect(times.value == [0, 5000, 10000, 11000])
  }

  @Test func `a retry after too many rounds begins with the first one`() async throws {
    let clock = VirtualClock()
    let times = Protected<[Int64]>([])
    let run = try start(
      "steps: [{ id: a, run: x, retry: 1, repeat: { until: stdout == 'c', delay: 5s, limit: 1 } }]",
      ["a", "b", "a", "c"], clock, times: times)
    #expect(try await clock.end(of: run) == .succeeded)
    #expect(times.value == [0, 5000, 6000, 11000])
  }

  @Test func `a wait occupies no slot and ends at its moment`() async throws {
    let clock = VirtualClock()
    let run = try start(
      """
      max-parallel: 1
      steps:
        - { id: w, needs: [], wait: 30m }
        - { id: v, needs: [], wait: { until: "1970-01-01T00:00:01Z" } }
        - { id: a, needs: [], run: x }
        - { id: b, needs: w, run: x }
      """, ["x"], clock)
    await expectEventually("a has succeeded while w waits") {
      run.state["a"]?.phase.isSuccess == true && run.state["w"]?.waitsUntil != nil
    }
    #expect(
      run.state["w"]?.waitsUntil == run.state["w"]?.waitingSince?.advanced(by: .seconds(1800)))
    #expect(try await clock.end(of: run) == .succeeded)
    #expect(run.state["w"]?.waitsUntil == nil)
  }

  @Test func `a resumed run waits only for the rest`() async throws {
    let text = "steps: [{ id: w, wait: 30m }]"
    let clock = VirtualClock()
    let memory = RecorderTests.Memory()
    let workflow = try Workflow(text: text, file: "w.yaml")
    let run = Engine(executor: ClosureExecutor { _ in [:] }, clock: clock, recorder: memory)
      .start(workflow)
    await expectEventually("the wait is recorded") {
      memory.events.value.contains { event in
        if case .step("w", _, .pausing) = event.kind { true } else { false }
      }
    }
    let end = run.state["w"]?.waitsUntil
    // The engine dies: its events end here. The next one resumes the run and dies, too.
    var state = RunState()
    for event in memory.events.value { try state.apply(event) }
    for _ in 0..<2 {
      let again = try Engine(executor: ClosureExecutor { _ in [:] }, clock: clock)
        .resume(state, with: workflow)
      await expectEventually("it waits again") { again.state["w"]?.phase == .waiting }
      await expectEventually("it waits for the rest") { again.state["w"]?.waitsUntil == end }
      state = again.state
      again.kill()
      _ = try await again.outcome
    }
    run.kill()
    _ = try await run.outcome
  }

  @Test func `cancelling and skipping end a wait`() async throws {
    let clock = VirtualClock()
    let run = try start("steps: [{ id: w, wait: 30m }, { id: a, run: x }]", ["x"], clock)
    await expectEventually("w waits") { run.state["w"]?.waitsUntil != nil }
    _ = try await run.perform(.set(steps: ["w"], .skipped), by: .api)
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["w"]?.phase.name == "skipped" && run.state["a"]?.phase.name == "succeeded")
    let other = try start("steps: [{ id: w, wait: 30m }]", ["x"], clock)
    await expectEventually("w waits") { other.state["w"]?.waitsUntil != nil }
    other.cancel()
    #expect(try await other.outcome == .cancelled)
  }
}

import TestSupport
import Testing

@testable import Reprise

/// Steps that are retried.
struct RetryTests {
  private static func workflow(_ retry: Retry, maxParallel: Int? = nil) throws -> Workflow {
    try Workflow(
      name: "w", maxParallel: maxParallel,
      steps: [
        Workflow.Step(id: "a", action: .exec(["-"]), retry: retry),
        Workflow.Step(id: "b", needs: ["a"], action: .exec(["-"])),
      ])
  }

  /// Fails the given number of times, then succeeds; records the time of each attempt.
  private static func flaky(
    _ clock: VirtualClock, failures: Int, _ tries: Protected<[Int64]>,
    reason: FailureReason = .exited(status: 1)
  ) -> ClosureExecutor {
    ClosureExecutor { context in
      guard context.step.id == "a" else { return [:] }
      tries.withLock { $0.append(clock.now.microseconds / 1000) }
      if context.attempt <= failures { throw reason }
      return ["attempt": String(context.attempt)]
    }
  }

  private func outcome(of run: Run, _ clock: VirtualClock) async throws -> RunOutcome {
    let outcome = Task { try await run.outcome }
    await expectEventually("the run is over") {
      clock.advanceToNextWake()
      if case .ended = run.state.phase { return true }
      return false
    }
    return try await outcome.value
  }

  @Test func `a step is retried after its delays until it succeeds`() async throws {
    let clock = VirtualClock()
    let tries = Protected<[Int64]>([])
    let engine = Engine(executor: Self.flaky(clock, failures: 3, tries), clock: clock)
    let run = engine.start(
      try Self.workflow(Retry(limit: 5, delay: .seconds(1), backoff: .exponential)))
    let events = EventCollector(run)
    #expect(try await outcome(of: run, clock) == .succeeded)
    #expect(tries.value == [0, 1000, 3000, 7000])
    #expect(run.state["a"]?.phase == .succeeded(["attempt": "4"]))
    #expect(run.state["a"]?.attempt == 4 && run.state["a"]?.retry == nil)
    var retrying: [Duration] = []
    for event in await events.all() {
      if case .step("a", _, .retrying(.exited(status: 1), let delay)) = event.kind {
        retrying.append(delay)
      }
    }
    #expect(retrying == [.seconds(1), .seconds(2), .seconds(4)])
  }

  @Test func `a step fails after its last attempt`() async throws {
    let clock = VirtualClock()
    let tries = Protected<[Int64]>([])
    let engine = Engine(executor: Self.flaky(clock, failures: 9, tries), clock: clock)
    let run = engine.start(try Self.workflow(Retry(limit: 2)))
    #expect(try await outcome(of: run, clock) == .failed(step: "a", reason: .exited(status: 1)))
    #expect(tries.value.count == 3)
  }

  @Test func `only the listed exit statuses are retried`() async throws {
    for (reason, count) in [
      (FailureReason.exited(status: 75), 3), (.exited(status: 1), 1), (.signalled(signal: 9), 1),
      // The status as a shell sees it: 128 and the number of the signal.
      (.signalled(signal: 15), 3), (.timedOut(after: .seconds(1)), 1),
    ] {
      let clock = VirtualClock()
      let tries = Protected<[Int64]>([])
      let executor = Self.flaky(clock, failures: 9, tries, reason: reason)
      let run = Engine(executor: executor, clock: clock).start(
        try Self.workflow(Retry(limit: 2, failures: [75, 143])))
      #expect(try await outcome(of: run, clock) == .failed(step: "a", reason: reason))
      #expect(tries.value.count == count)
    }
  }

  @Test func `a step awaiting its next attempt takes no slot, and can be cancelled and restarted`()
    async throws
  {
    let clock = VirtualClock()
    let tries = Protected<[Int64]>([])
    let executor = Self.flaky(clock, failures: 9, tries)
    let workflow = try Workflow(
      name: "w", maxParallel: 1,
      steps: [
        Workflow.Step(id: "a", action: .exec(["-"]), retry: Retry(limit: 100, delay: .seconds(60))),
        Workflow.Step(id: "other", action: .exec(["-"])),
      ])
    let run = Engine(executor: executor, clock: clock).start(workflow)
    await expectEventually("a waits, and the other one is done") {
      run.state["a"]?.retry != nil && run.state["other"]?.phase == .succeeded([:])
    }
    run.restart()
    await expectEventually("a waits in the next generation") {
      run.state.generation == 2 && run.state["a"]?.retry != nil
    }
    #expect(run.state["a"]?.attempt == 1, "attempts are counted from one")
    run.cancel()
    #expect(try await run.outcome == .cancelled)
    #expect(tries.value.count == 2)
  }
}

// Tests of the clock with engines that run on their own.

import Reprise
import RepriseTesting
import Testing

/// Tests of engines with a test clock.
struct TestClockTests {
  struct Unavailable: Error {}

  private func duration(seed: UInt64) async throws -> Duration {
    let clock = TestClock(seed: seed)
    let workflow = try Workflow("retries") {
      Step(
        "try", .retry(Retry(limit: 3, delay: .seconds(100), backoff: .exponential, jitter: 0.5))
      ) { _ in throw Unavailable() }
    }
    let run = Engine(clock: clock).start(workflow)
    await clock.advance { if case .ended = run.state.phase { true } else { false } }
    return clock.now - TestClock.defaultStart
  }

  @Test func `an engine with the clock runs, and time passes only when the test says so`()
    async throws
  {
    let clock = TestClock()
    let workflow = try Workflow("sleeps") {
      Step("first") { context in try await context.clock.sleep(for: .seconds(3600)) }
      Step("second", .timeout(.seconds(10))) { context in
        try await context.clock.sleep(for: .seconds(100))
      }
    }
    let run = Engine(clock: clock).start(workflow)
    await clock.idle()
    #expect(run.state["first"]?.phase == .running)
    await clock.advance(by: .seconds(3599))
    #expect(run.state["first"]?.phase == .running)
    await clock.advance(by: .seconds(1))
    #expect(run.state["second"]?.phase == .running)
    #expect(await clock.advance { if case .ended = run.state.phase { true } else { false } })
    #expect(clock.now - TestClock.defaultStart == .seconds(3610))
    let outcome = try await run.outcome
    #expect(outcome == .failed(step: "second", reason: .timedOut(after: .seconds(10))))
    #expect(await !clock.advance { false })
  }

  @Test func `a seed determines the jitter of retries`() async throws {
    #expect(try await duration(seed: 1) == duration(seed: 1))
    #expect(try await duration(seed: 1) != duration(seed: 2))
  }

  @Test func `a cancelled test does not wait`() async throws {
    let clock = TestClock()
    let (started, continuation) = AsyncStream<Void>.makeStream()
    let workflow = try Workflow("hangs") {
      Step("hang") { _ in
        continuation.finish()
        for await _ in AsyncStream<Int>.makeStream().stream {}
      }
    }
    let run = Engine(clock: clock).start(workflow)
    let advance = Task { await clock.advance { false } }
    for await _ in started {}
    advance.cancel()
    #expect(await advance.value == false)
    run.cancel()
    #expect(try await run.outcome == .cancelled)
  }
}

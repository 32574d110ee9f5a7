import Testing

@testable import Reprise

/// The maximum age of a cached result.
struct CacheAgeTests {
  /// A clock with a constant time.
  private struct FixedClock: RunClock {
    let now: Timestamp

    func sleep(for duration: Duration) async throws {}
  }

  private static func phase(
    _ text: String, at seconds: Int64, _ memory: TraceMemory
  ) async throws -> StepPhase? {
    let clock = FixedClock(now: Timestamp(microseconds: seconds * 1_000_000))
    let run = Engine(clock: clock, memory: memory).start(try Workflow(text: text, file: "w.yaml"))
    _ = try await run.outcome
    return run.state["a"]?.phase
  }

  @Test func `a result is used until it is too old`() async throws {
    let memory = TraceMemory()
    let text = "steps: [{ id: a, run: 'true', cache: { max-age: 1h } }]"
    #expect(try await Self.phase(text, at: 0, memory) == .succeeded([:]))
    #expect(try await Self.phase(text, at: 3_599, memory) == .skipped("up to date", [:]))
    // Its age counts from the last success, not from the last time that it was used.
    #expect(try await Self.phase(text, at: 3_601, memory) == .succeeded([:]))
    #expect(try await Self.phase(text, at: 7_000, memory) == .skipped("up to date", [:]))
    let other = "steps: [{ id: a, run: 'true', cache: { key: x } }]"
    #expect(try await Self.phase(other, at: 7_001, memory) == .succeeded([:]))
    #expect(try await Self.phase(other, at: 900_000, memory) == .skipped("up to date", [:]))
  }
}

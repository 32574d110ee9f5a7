import Testing
import WorkflowFiles

struct RetryTests {
  private func delays(_ retry: Retry, random: Double = 0) -> [Duration] {
    (1...5).map { retry.delay(after: $0, random: random) }
  }

  @Test func `the delay is constant, linear or exponential`() {
    let second = Duration.seconds(1)
    #expect(delays(Retry(limit: 5)) == Array(repeating: second, count: 5))
    #expect(delays(Retry(limit: 5, backoff: .linear)) == [1, 2, 3, 4, 5].map { second * $0 })
    #expect(delays(Retry(limit: 5, backoff: .exponential)) == [1, 2, 4, 8, 16].map { second * $0 })
    let limited = Retry(limit: 5, backoff: .exponential, factor: 3, maxDelay: .seconds(10))
    #expect(delays(limited) == [1, 3, 9, 10, 10].map { second * $0 })
  }

  @Test func `jitter shortens the delay by a fraction`() {
    let retry = Retry(limit: 1, delay: .seconds(10), jitter: 0.2)
    #expect(retry.delay(after: 1, random: 0) == .seconds(10))
    #expect(retry.delay(after: 1, random: 0.5) == .seconds(9))
    #expect(retry.delay(after: 1, random: 1) == .seconds(8))
  }

  @Test func `the delay does not overflow`() {
    let retry = Retry(limit: .max, delay: .seconds(3600), backoff: .exponential, factor: 1000)
    for attempt in [1, 10, 1000, 1_000_000] {
      #expect(retry.delay(after: attempt, random: 0) <= .seconds(100 * 365 * 86_400))
    }
  }

  @Test func `a retry is a number or a map`() throws {
    func retry(_ text: String) throws -> Retry? {
      try Workflow(text: "steps: [{ id: a, run: x, retry: \(text) }]", file: "w.yaml").steps[0]
        .retry
    }
    #expect(try retry("3") == Retry(limit: 3))
    let whole =
      "{ limit: 4, delay: 2s, backoff: exponential, factor: 1.5, max-delay: 1m, jitter: 0.2, on: [75, 1] }"
    #expect(
      try retry(whole)
        == Retry(
          limit: 4, delay: .seconds(2), backoff: .exponential, factor: 1.5, maxDelay: .seconds(60),
          jitter: 0.2, failures: [1, 75]))
    #expect(
      try retry("{ limit: 2, for: [out-of-memory, 75, node] }")?.failures
        == [.lost(.outOfMemory), 75, .lost(.node)])
    #expect(try retry("{ limit: 2, for: time-limit }")?.failures == [.lost(.timeLimit)])
    for wrong in ["oom", "0", "256", "[]", "[node, x]"] {
      #expect(throws: WorkflowError.self) { try retry("{ limit: 2, for: \(wrong) }") }
    }
  }
}

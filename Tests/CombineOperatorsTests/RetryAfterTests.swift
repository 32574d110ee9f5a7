import CombineOperators
import Synchronization
import TestSupport
import Testing

/// Retries with delays.
struct RetryAfterTests {
  /// A publisher that fails a number of times before it publishes its number of attempts.
  private func flaky(
    failures: Int, attempts: Protected<Int>
  ) -> AnyPublisher<Int, TestError> {
    Deferred { () -> AnyPublisher<Int, TestError> in
      let number = attempts.withLock { count in
        count += 1
        return count
      }
      return number <= failures
        ? Fail(error: TestError()).eraseToAnyPublisher()
        : Just(number).setFailureType(to: TestError.self).eraseToAnyPublisher()
    }.eraseToAnyPublisher()
  }

  @Test func `an attempt follows when the delay has passed, and not before`() async {
    let (clock, attempts) = (ManualClock(), Protected(0))
    let probe = Probe<Int, TestError>()
    flaky(failures: 2, attempts: attempts)
      .retry(limit: 3, delay: .exponential(.seconds(10)), sleep: { try await clock.sleep(for: $0) })
      .subscribe(probe)
    for (seconds, attempt) in [(10, 2), (20, 3)] {
      await expectEventually("sleeps") { clock.sleepers == 1 }
      #expect(attempts.value == attempt - 1)
      clock.advance(by: .seconds(seconds) - .milliseconds(1))
      #expect(clock.sleepers == 1)
      clock.advance(by: .milliseconds(1))
      await expectEventually("attempt \(attempt)") { attempts.value == attempt }
    }
    await expectEventually("finished") { probe.ended == .finished }
    #expect(probe.values == [3] && probe.faults == [])
  }

  @Test func `the failure after the last retry is delivered`() async {
    let attempts = Protected(0)
    let probe = Probe<Int, TestError>()
    flaky(failures: 9, attempts: attempts).retry(limit: 2, delay: .constant(.zero))
      .subscribe(probe)
    #expect(attempts.value == 3 && probe.ended == .failed && probe.values == [])
  }

  @Test func `a failure that the condition excludes is delivered at once`() {
    let attempts = Protected(0)
    let probe = Probe<Int, TestError>()
    flaky(failures: 1, attempts: attempts)
      .retry(limit: 5, delay: .constant(.seconds(60)), when: { _ in false }).subscribe(probe)
    #expect(attempts.value == 1 && probe.ended == .failed)
  }

  @Test func `a cancel ends the delay, and no attempt follows`() async {
    let (clock, attempts) = (ManualClock(), Protected(0))
    let probe = Probe<Int, TestError>()
    flaky(failures: 1, attempts: attempts)
      .retry(limit: 1, delay: .constant(.seconds(5)), sleep: { try await clock.sleep(for: $0) })
      .subscribe(probe)
    await expectEventually("sleeps") { clock.sleepers == 1 }
    probe.cancel()
    await expectEventually("no longer sleeps") { clock.sleepers == 0 }
    clock.advance(by: .seconds(60))
    #expect(attempts.value == 1 && probe.ended == nil && probe.values == [])
  }

  @Test func `values before a failure are kept, and unmet demand goes to the next attempt`() {
    let upstream = BareUpstream<Int, TestError>()
    let probe = Probe<Int, TestError>(demand: .max(3))
    upstream.retry(limit: 1, delay: .constant(.zero)).subscribe(probe)
    upstream.send(1)
    upstream.send(completion: .failure(TestError()))
    #expect(probe.values == [1] && upstream.asked == [.max(3), .max(2)])
  }

  @Test func `100,000 attempts that fail immediately do not recurse`() async {
    let attempts = Protected(0)
    let probe = Probe<Int, TestError>()
    await onSmallStack {
      flaky(failures: scaled(100_000), attempts: attempts)
        .retry(limit: .max, delay: .constant(.zero)).subscribe(probe)
    }
    #expect(probe.ended == .finished && attempts.value == scaled(100_000) + 1)
  }

  @Test func `delays grow up to their maximum`() {
    let delay = RetryDelay.exponential(.seconds(1), factor: 3, atMost: .seconds(20))
    #expect(
      (1...5).map { delay.delay(afterFailures: $0) } == [1, 3, 9, 20, 20].map { .seconds($0) })
    #expect(RetryDelay.constant(.seconds(2)).delay(afterFailures: 9) == .seconds(2))
  }
}

import CombineOperators
import TestSupport
import Testing

/// Asynchronous sinks and sequences of publishers that fail, and typed futures.
struct FailingPublisherTests {
  private let failing = [1, 2].publisher.setFailureType(to: TestError.self)
    .append(Fail(error: TestError()))

  @Test func `sinkOneByOne handles the values before a failure`() async {
    let (values, ended) = (Protected<[Int]>([]), Protected<Ended?>(nil))
    let subscription = failing.sinkOneByOne(
      receiveCompletion: { completion in
        let end: Ended = if case .finished = completion { .finished } else { .failed }
        ended.withLock { $0 = end }
      },
      receiveValue: { value in
        await Task.yield()
        values.withLock { $0.append(value) }
      })
    await expectEventually("ended") { ended.value == .failed }
    #expect(values.value == [1, 2])
    subscription.cancel()
  }

  @Test func `throwingSequence throws the failure after the values`() async {
    var values: [Int] = []
    await #expect(throws: TestError.self) {
      for try await value in failing.throwingSequence() { values.append(value) }
    }
    #expect(values == [1, 2])
  }

  @Test func `a typed future fails with the error that its function throws`() async {
    let probe = Probe<Int, TestError>()
    Future<Int, TestError>(typed: { () async throws(TestError) -> Int in throw TestError() })
      .subscribe(probe)
    await expectEventually("failed") { probe.ended == .failed }
    let other = Probe<Int, TestError>()
    Future<Int, TestError>(typed: { () async throws(TestError) -> Int in 5 }).subscribe(other)
    await expectEventually("finished") { other.ended == .finished }
    #expect(other.values == [5])
  }
}

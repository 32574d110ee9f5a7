import CombineOperators
import TestSupport
import Testing

/// The values that a buffer keeps, drops and reports, on one thread.
struct CountingBufferTests {
  typealias Upstream = BareUpstream<Int, TestError>
  typealias Strategy = BufferFullStrategy<TestError>

  /// The values that the callbacks of a buffer have received.
  struct Reported: Sendable, Equatable {
    var dropped: [Int] = []
    var waiting: [Int] = []
  }

  private func buffered(
    _ upstream: Upstream, _ limit: Int, _ strategy: Strategy, _ reported: Protected<Reported>
  ) -> Publishers.CountingBuffer<Upstream> {
    upstream.buffer(
      limit: limit, whenFull: strategy,
      onDrop: { value in reported.withLock { $0.dropped.append(value) } },
      onChange: { count in reported.withLock { $0.waiting.append(count) } })
  }

  @Test func `a buffer requests everything from upstream and delivers what downstream requests`() {
    let (upstream, reported) = (Upstream(), Protected(Reported()))
    let probe = Probe<Int, TestError>(demand: .none)
    buffered(upstream, 10, .dropOldest, reported).subscribe(probe)
    #expect(upstream.asked == [.unlimited])
    for value in 1...4 { upstream.send(value) }
    #expect(probe.values == [])
    probe.request(1)
    #expect(probe.values == [1])
    probe.request(2)
    #expect(probe.values == [1, 2, 3])
    probe.request(2)
    upstream.send(5)
    upstream.send(6)
    #expect(probe.values == [1, 2, 3, 4, 5] && upstream.asked == [.unlimited])
    #expect(reported.value == Reported(dropped: [], waiting: [1, 2, 3, 4, 3, 1, 0, 1]))
  }

  @Test func `a full buffer drops the oldest values`() {
    let (upstream, reported) = (Upstream(), Protected(Reported()))
    let probe = Probe<Int, TestError>(demand: .none)
    buffered(upstream, 2, .dropOldest, reported).subscribe(probe)
    for value in 1...5 { upstream.send(value) }
    #expect(reported.value == Reported(dropped: [1, 2, 3], waiting: [1, 2]))
    probe.request(9)
    #expect(probe.values == [4, 5] && upstream.cancels == 0)
  }

  @Test func `a full buffer drops the newest values`() {
    let (upstream, reported) = (Upstream(), Protected(Reported()))
    let probe = Probe<Int, TestError>(demand: .none)
    buffered(upstream, 2, .dropNewest, reported).subscribe(probe)
    for value in 1...5 { upstream.send(value) }
    #expect(reported.value == Reported(dropped: [3, 4, 5], waiting: [1, 2]))
    probe.request(9)
    #expect(probe.values == [1, 2] && upstream.cancels == 0)
  }

  @Test func `a full buffer can fail, after its waiting values`() {
    let (upstream, reported) = (Upstream(), Protected(Reported()))
    let probe = Probe<Int, TestError>(demand: .none)
    buffered(upstream, 2, .fail(TestError()), reported).subscribe(probe)
    for value in 1...2 { upstream.send(value) }
    #expect(upstream.cancels == 0 && reported.value.dropped == [])
    upstream.send(3)
    #expect(upstream.cancels == 1 && reported.value.dropped == [3] && probe.ended == nil)
    // Upstream may send more before it notices the cancel; the buffer ignores that.
    upstream.send(4)
    upstream.send(completion: .finished)
    probe.request(1)
    #expect(probe.values == [1] && probe.ended == nil)
    probe.request(1)
    #expect(probe.values == [1, 2] && probe.ended == .failed && probe.faults == [])
    #expect(upstream.cancels == 1 && reported.value.dropped == [3])
  }

  @Test(arguments: [Strategy.dropOldest, .dropNewest])
  func `with limit 0, a value passes only if it was requested`(
    _ strategy: Strategy
  ) {
    let (upstream, reported) = (Upstream(), Protected(Reported()))
    let probe = Probe<Int, TestError>(demand: .none)
    buffered(upstream, 0, strategy, reported).subscribe(probe)
    upstream.send(1)
    probe.request(2)
    for value in 2...4 { upstream.send(value) }
    #expect(probe.values == [2, 3] && reported.value == Reported(dropped: [1, 4], waiting: []))
    upstream.send(completion: .finished)
    #expect(probe.ended == .finished)
  }

  @Test func `with limit 0, a buffer fails at the first value without demand`() {
    let (upstream, reported) = (Upstream(), Protected(Reported()))
    let probe = Probe<Int, TestError>(demand: .max(1))
    buffered(upstream, 0, .fail(TestError()), reported).subscribe(probe)
    upstream.send(1)
    #expect(probe.values == [1] && probe.ended == nil)
    upstream.send(2)
    #expect(probe.ended == .failed && upstream.cancels == 1 && reported.value.dropped == [2])
  }

  @Test(arguments: [true, false]) func `the end comes after the waiting values`(_ fails: Bool) {
    let (upstream, reported) = (Upstream(), Protected(Reported()))
    let probe = Probe<Int, TestError>(demand: .none)
    buffered(upstream, 5, .dropOldest, reported).subscribe(probe)
    for value in 1...2 { upstream.send(value) }
    upstream.send(completion: fails ? .failure(TestError()) : .finished)
    upstream.send(3)
    probe.request(1)
    #expect(probe.values == [1] && probe.ended == nil)
    probe.request(1)
    #expect(probe.values == [1, 2] && probe.ended == (fails ? .failed : .finished))
    #expect(probe.faults == [] && reported.value.dropped == [] && upstream.cancels == 0)
  }

  @Test func `the end of an empty buffer needs no demand`() {
    let probe = Probe<Int, Never>(demand: .none)
    Empty<Int, Never>().buffer(limit: 1, whenFull: .dropNewest).subscribe(probe)
    #expect(probe.ended == .finished)
  }

  @Test func `a publisher that never fails can get a buffer that fails`() {
    let subject = PassthroughSubject<Int, Never>()
    let probe = Probe<Int, BufferIsFull>(demand: .none)
    subject.setFailureType(to: BufferIsFull.self)
      .buffer(limit: 1, whenFull: .fail(BufferIsFull())).subscribe(probe)
    for value in 1...2 { subject.send(value) }
    probe.request(1)
    #expect(probe.values == [1] && probe.ended == .failed)
  }

  @Test func `a second subscription is cancelled`() {
    let (upstream, reported) = (Upstream(), Protected(Reported()))
    let probe = Probe<Int, TestError>()
    buffered(upstream, 1, .dropNewest, reported).subscribe(probe)
    let second = Upstream()
    upstream.give(second)
    #expect(second.cancels == 1 && second.asked == [] && upstream.cancels == 0)
  }

  // MARK: Cancelling

  @Test func `cancelling releases the waiting values, and nothing is delivered afterwards`() {
    let living = Protected(0)
    let reported = Protected<[Int]>([])
    let dropped = Protected(0)
    let upstream = BareUpstream<Counted, TestError>()
    let probe = Probe<Counted, TestError>(demand: .none)
    upstream.buffer(
      limit: 3, whenFull: .dropOldest, onDrop: { _ in dropped.withLock { $0 += 1 } },
      onChange: { count in reported.withLock { $0.append(count) } }
    ).subscribe(probe)
    for number in 0..<3 { upstream.send(Counted(number, living)) }
    #expect(living.value == 3)
    probe.cancel()
    #expect(living.value == 0 && upstream.cancels == 1 && reported.value == [1, 2, 3, 0])
    for number in 0..<9 { upstream.send(Counted(number, living)) }
    probe.request(9)
    upstream.send(completion: .finished)
    probe.cancel()
    #expect(living.value == 0 && upstream.cancels == 1 && dropped.value == 0)
    #expect(probe.values.isEmpty && probe.ended == nil)
  }

  @Test func `a subscriber that cancels on subscription causes no request`() {
    let upstream = Upstream()
    let values = Protected(0)
    upstream.buffer(limit: 1, whenFull: .dropNewest).subscribe(
      Responder(
        started: { $0.cancel() },
        answer: { _, _ in
          values.withLock { $0 += 1 }
          return .none
        }))
    upstream.send(1)
    #expect(upstream.asked == [] && upstream.cancels == 1 && values.value == 0)
  }

  @Test func `a subscriber that cancels while it receives a value gets nothing more`() {
    let upstream = Upstream()
    let (values, ends) = (Protected<[Int]>([]), Protected(0))
    let responder = Responder<Int, TestError>(
      started: { $0.request(.max(1)) }, ended: { _ in ends.withLock { $0 += 1 } },
      answer: { value, subscription in
        values.withLock { $0.append(value) }
        if value == 2 { subscription.cancel() }
        return .unlimited
      })
    upstream.buffer(limit: 9, whenFull: .dropNewest).subscribe(responder)
    for value in 1...5 { upstream.send(value) }
    upstream.send(completion: .finished)
    responder.request(.max(1))
    #expect(values.value == [1, 2] && ends.value == 0 && upstream.cancels == 1)
  }

  @Test func `a cancel in onDrop reports no drop twice`() {
    let upstream = Upstream()
    let reported = Protected<[Int]>([])
    let probe = Probe<Int, TestError>(demand: .none)
    upstream.buffer(
      limit: 1, whenFull: .dropOldest,
      onDrop: { value in
        reported.withLock { $0.append(value) }
        probe.cancel()
      }
    ).subscribe(probe)
    for value in 1...4 { upstream.send(value) }
    probe.request(4)
    #expect(reported.value == [1] && probe.values == [] && upstream.cancels == 1)
  }

  @Test(arguments: [true, false]) func `a buffer that has ended does not retain its subscriber`(
    _ cancels: Bool
  ) {
    let upstream = Upstream()
    let living = Protected(0)
    do {
      let counted = Counted(1, living)
      let responder = Responder<Int, TestError> { [counted] _, _ in
        .max(counted.number)
      }
      upstream.buffer(limit: 1, whenFull: .dropNewest).subscribe(responder)
      if cancels { responder.cancel() } else { upstream.send(completion: .finished) }
      responder.forget()
    }
    // Upstream still retains the buffer, which must not retain the downstream subscriber.
    #expect(living.value == 0)
    upstream.forget()
  }
}

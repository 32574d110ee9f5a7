import CombineOperators
import TestSupport
import Testing

/// The values that a debounce folds, and when it delivers them, in virtual time.
struct FoldingDebounceTests {
  typealias Upstream = BareUpstream<[Int], TestError>

  private let clock = ManualClock()
  private let upstream = Upstream()

  private func debounced(
    _ quiet: Duration, atMost longest: Duration? = nil
  ) -> some Publisher<[Int], TestError> {
    // As a caller with a clock of the engine would write it.
    let clock: any TestClock = clock
    return upstream.debounce(
      for: quiet, atMost: longest, now: { clock.now }, sleep: clock.sleep(for:), fold: +=)
  }

  /// Waits until the timer sleeps until the given time, or until no timer sleeps if it is `nil`.
  private func timer(until end: Duration?) async {
    await expectEventually("the timer sleeps until \(String(describing: end))") {
      clock.firstEnd == end
    }
  }

  @Test func `values in quick succession are folded into one after the quiet time`() async {
    let probe = Probe<[Int], TestError>()
    debounced(.seconds(2)).subscribe(probe)
    #expect(upstream.asked == [.unlimited])
    for value in 1...3 {
      upstream.send([value])
      await timer(until: .seconds(2))
      if value < 3 { clock.advance(by: .milliseconds(500)) }
    }
    // The timer wakes when the first value alone would have been due, and finds newer values.
    clock.advance(by: .seconds(1))
    await timer(until: .seconds(3))
    #expect(probe.values == [])
    clock.advance(by: .milliseconds(999))
    #expect(clock.sleepers == 1 && probe.values == [])
    clock.advance(by: .milliseconds(1))
    await expectEventually("the folded value arrives") { probe.values == [[1, 2, 3]] }
    upstream.send([4])
    await timer(until: .seconds(5))
    clock.advance(by: .seconds(2))
    await expectEventually("the next window ends") { probe.values == [[1, 2, 3], [4]] }
    #expect(clock.sleepersMax == 1 && clock.sleepers == 0 && probe.faults == [])
  }

  @Test func `a timer with an outdated reading of the clock does not wait too long`() async {
    // The value arrives at ten seconds; the timer was delayed after it had read two.
    let moments = Protected([2, 10])
    let slept = Protected<[Duration]>([])
    let probe = Probe<[Int], TestError>()
    upstream.debounce(
      for: .seconds(1),
      now: { Moment(elapsed: .seconds(moments.withLock { $0.popLast() } ?? 11)) },
      sleep: { duration in slept.withLock { $0.append(duration) } }, fold: +=
    ).subscribe(probe)
    upstream.send([1])
    await expectEventually("the value arrives") { probe.values == [[1]] }
    #expect(slept.value == [.seconds(1)])
  }

  @Test func `a steady stream is delivered when the window reaches its maximum age`() async {
    let probe = Probe<[Int], TestError>()
    debounced(.seconds(2), atMost: .seconds(5)).subscribe(probe)
    var expected: [[Int]] = []
    for second in 0..<30 {
      upstream.send([second])
      // A value at the very moment in which a window ends is not part of it.
      let start = second / 5 * 5
      if second % 5 == 0 { await timer(until: .seconds(second + 2)) }
      clock.advance(by: .seconds(1))
      if second % 5 == 4 {
        expected.append(Array(start..<start + 5))
        let soFar = expected
        await expectEventually("window \(start)") { probe.values == soFar }
        guard probe.values == soFar else { return }
      } else {
        await expectEventually("the timer is set") {
          clock.firstEnd.map { $0 > clock.now.elapsed } ?? false
        }
      }
    }
    #expect(probe.values.joined().elementsEqual(0..<30) && clock.sleepersMax == 1)
  }

  @Test func `one task sleeps at a time, and rarely, for any number of values`() async {
    let probe = Probe<[Int], TestError>()
    debounced(.milliseconds(100), atMost: .seconds(1)).subscribe(probe)
    for value in 0..<1000 {
      upstream.send([value])
      await expectEventually("a timer sleeps") {
        clock.firstEnd.map { $0 > clock.now.elapsed } ?? false
      }
      clock.advance(by: .milliseconds(1))
    }
    await expectEventually("the folded value arrives") { probe.values == [Array(0..<1000)] }
    // Each time the timer wakes, the end has moved by 99 or 100 milliseconds.
    #expect(clock.sleepersMax == 1 && clock.sleeps <= 11 && clock.sleepers == 0)
  }

  @Test func `values without demand are folded further, and delivered on request`()
    async
  {
    let probe = Probe<[Int], TestError>(demand: .none)
    debounced(.seconds(1)).subscribe(probe)
    upstream.send([1])
    await timer(until: .seconds(1))
    clock.advance(by: .seconds(1))
    await timer(until: nil)
    for value in 2...5 {
      upstream.send([value])
      clock.advance(by: .seconds(1))
    }
    #expect(clock.sleeps == 1 && probe.values == [])
    probe.request(1)
    // The timer may be what delivers, here and below, if it has just woken.
    await expectEventually("the folded value arrives") { probe.values == [[1, 2, 3, 4, 5]] }
    // A request does not deliver a value before its quiet time has passed.
    upstream.send([6])
    probe.request(1)
    #expect(probe.values.count == 1)
    await timer(until: .seconds(6))
    clock.advance(by: .seconds(1))
    await expectEventually("the value arrives") { probe.values.last == [6] }
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func `without a quiet time, values pass at once, and are folded while there is no demand`(
    _ quiet: Duration
  ) {
    let probe = Probe<[Int], TestError>(demand: .max(2))
    debounced(quiet).subscribe(probe)
    for value in 1...5 { upstream.send([value]) }
    #expect(probe.values == [[1], [2]])
    probe.request(5)
    #expect(probe.values == [[1], [2], [3, 4, 5]])
    upstream.send([6])
    #expect(probe.values.last == [6] && clock.sleeps == 0)
  }

  @Test func `a maximum age of zero delivers every value`() {
    let probe = Probe<[Int], TestError>()
    debounced(.seconds(5), atMost: .zero).subscribe(probe)
    for value in 1...3 { upstream.send([value]) }
    #expect(probe.values == [[1], [2], [3]] && clock.sleeps == 0)
  }

  @Test func `a value ends an overdue window if the timer is late`() async {
    let probe = Probe<[Int], TestError>()
    let (time, isAsleep, wakes) = (Protected(Moment(elapsed: .zero)), Gate(), Gate())
    upstream.debounce(
      for: .seconds(1), now: { time.value },
      sleep: { _ in
        isAsleep.open()
        try await wakes.waitUnlessCancelled()
      },
      fold: +=
    ).subscribe(probe)
    upstream.send([1])
    await isAsleep.wait()
    time.withLock { $0.elapsed = .seconds(3) }
    upstream.send([2])
    #expect(probe.values == [[1, 2]])
    // The same timer then serves the next window.
    upstream.send([3])
    #expect(probe.values == [[1, 2]])
    time.withLock { $0.elapsed = .seconds(4) }
    wakes.open()
    await expectEventually("the value arrives") { probe.values == [[1, 2], [3]] }
  }

  @Test func `a sleep that fails ends the window, and nothing is lost`() async {
    let probe = Probe<[Int], TestError>()
    upstream.debounce(
      for: .seconds(1), now: { Moment(elapsed: .zero) }, sleep: { _ in throw TestError() }, fold: +=
    ).subscribe(probe)
    upstream.send([1])
    await expectEventually("the value arrives") { probe.values == [[1]] }
  }

  // MARK: The end

  @Test(arguments: [true, false]) func `the end does not wait for the quiet time`(_ fails: Bool)
    async
  {
    let probe = Probe<[Int], TestError>(demand: .none)
    debounced(.seconds(1)).subscribe(probe)
    for value in 1...2 { upstream.send([value]) }
    await timer(until: .seconds(1))
    upstream.send(completion: fails ? .failure(TestError()) : .finished)
    upstream.send([3])
    await timer(until: nil)
    #expect(probe.values == [] && probe.ended == nil)
    probe.request(1)
    await expectEventually("it ends") { probe.ended == (fails ? .failed : .finished) }
    #expect(probe.values == [[1, 2]])
    #expect(upstream.cancels == 0 && probe.faults == [])
  }

  @Test func `a requested value is delivered during the call that sends the end`() async {
    let probe = Probe<[Int], TestError>()
    debounced(.seconds(1)).subscribe(probe)
    for value in 1...2 { upstream.send([value]) }
    await timer(until: .seconds(1))
    upstream.send(completion: .finished)
    #expect(probe.values == [[1, 2]] && probe.ended == .finished)
    await timer(until: nil)
  }

  @Test func `the end is delivered at once when nothing is waiting`() {
    let probe = Probe<[Int], TestError>(demand: .none)
    debounced(.seconds(1)).subscribe(probe)
    upstream.send(completion: .finished)
    #expect(probe.ended == .finished && clock.sleeps == 0)
  }

  @Test func `cancelling ends the timer and releases the waiting value`() async {
    let living = Protected(0)
    let upstream = BareUpstream<[Counted], TestError>()
    let probe = Probe<[Counted], TestError>()
    upstream.debounce(
      for: .seconds(1), now: { [clock] in clock.now }, sleep: clock.sleep(for:), fold: +=
    ).subscribe(probe)
    for number in 1...3 { upstream.send([Counted(number, living)]) }
    await timer(until: .seconds(1))
    #expect(living.value == 3)
    probe.cancel()
    #expect(living.value == 0 && upstream.cancels == 1)
    await timer(until: nil)
    upstream.send([Counted(4, living)])
    upstream.send(completion: .finished)
    probe.request(1)
    clock.advance(by: .seconds(5))
    probe.cancel()
    #expect(probe.values.isEmpty && probe.ended == nil && upstream.cancels == 1)
    #expect(living.value == 0 && clock.sleeps == 1)
  }

  @Test func `cancelling releases a value that is due but was not requested`() {
    let living = Protected(0)
    let upstream = BareUpstream<[Counted], TestError>()
    let probe = Probe<[Counted], TestError>(demand: .none)
    upstream.debounce(
      for: .zero, now: { [clock] in clock.now }, sleep: clock.sleep(for:), fold: +=
    ).subscribe(probe)
    for number in 1...3 { upstream.send([Counted(number, living)]) }
    #expect(living.value == 3)
    probe.cancel()
    #expect(living.value == 0)
  }

  @Test func `a subscriber that cancels on subscription causes no request`() {
    debounced(.zero).subscribe(Responder(started: { $0.cancel() }, answer: { _, _ in .none }))
    #expect(upstream.asked == [] && upstream.cancels == 1)
  }

  @Test func `a second subscription is cancelled`() {
    let probe = Probe<[Int], TestError>()
    debounced(.zero).subscribe(probe)
    let second = Upstream()
    upstream.give(second)
    #expect(second.cancels == 1 && second.asked == [] && upstream.cancels == 0)
  }
}

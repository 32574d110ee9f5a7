import CombineOperators
import Dispatch
import TestSupport
import Testing

/// A buffer under races, reentrant calls and many values.
struct CountingBufferRaceTests {
  typealias Strategy = BufferFullStrategy<TestError>

  static let strategies = [Strategy.dropOldest, .dropNewest, .fail(TestError())]

  @Test(arguments: strategies, [0, 1, 3])
  func `values, requests and the end may race, and each value is delivered or dropped once`(
    _ strategy: Strategy, _ limit: Int
  ) {
    for _ in 0..<rounds(2000, soak: 40_000) {
      let race = Race(strategy, limit)
      DispatchQueue.concurrentPerform(iterations: 3) { number in
        // There are as many requests as values, so nothing may be waiting at the end.
        if number == 0 { race.send(8) } else { for _ in 0..<4 { race.probe.request(1) } }
      }
      let (values, dropped) = (race.probe.values, race.dropped.value)
      let hasFailed = race.probe.ended == .failed
      let isWhole =
        (values + dropped).sorted() == Array(0..<(hasFailed ? values.count + 1 : 8))
        && values == values.sorted() && dropped == dropped.sorted()
      let isEnded = hasFailed ? race.upstream.cancels == 1 : race.probe.ended == .finished
      guard isWhole, isEnded, race.probe.faults == [], race.faults.value == [],
        race.waiting.value == 0, race.living.value == values.count + dropped.count
      else { return race.record() }
    }
  }

  @Test(arguments: strategies, [0, 1, 3])
  func `a cancel may race with everything, and nothing is delivered after it`(
    _ strategy: Strategy, _ limit: Int
  ) {
    for _ in 0..<rounds(2000, soak: 40_000) {
      let race = Race(strategy, limit)
      DispatchQueue.concurrentPerform(iterations: 4) { number in
        switch number {
        case 0: race.send(8)
        case 1: race.probe.cancel()
        default: for _ in 0..<3 { race.probe.request(1) }
        }
      }
      let before = (race.probe.values, race.dropped.value, race.probe.ended)
      race.upstream.send(Counted(9, race.living))
      race.probe.request(100)
      let (values, dropped) = (race.probe.values, race.dropped.value)
      let isRight =
        values == values.sorted() && dropped == dropped.sorted()
        && Set(values + dropped).count == values.count + dropped.count
        && before == (values, dropped, race.probe.ended)
      // Values that were neither delivered nor dropped are released.
      guard isRight, race.probe.faults == [], race.faults.value == [], race.waiting.value == 0,
        race.living.value == values.count + dropped.count
      else { return race.record() }
    }
  }

  /// One round: a buffer that is called by several threads.
  final class Race: Sendable {
    let upstream = BareUpstream<Counted, TestError>()
    let living = Protected(0)
    let kept = Protected<[Counted]>([])
    let dropped = Protected<[Int]>([])
    let waiting = Protected(0)
    let faults = Protected<[String]>([])
    let isReporting = Protected(false)
    let probe = Probe<Int, TestError>(demand: .none)

    init(_ strategy: Strategy, _ limit: Int) {
      upstream.buffer(
        limit: limit, whenFull: strategy,
        onDrop: { value in
          self.report {
            self.dropped.withLock { $0.append(value.number) }
            self.kept.withLock { $0.append(value) }
          }
        },
        onChange: { count in
          self.report {
            if count > limit { self.faults.withLock { $0.append("\(count) waiting") } }
            self.waiting.withLock { $0 = count }
          }
        }
      ).map { value in
        self.kept.withLock { $0.append(value) }
        return value.number
      }.subscribe(probe)
    }

    private func report(_ body: () -> Void) {
      if isReporting.withLock({ $0 }) { faults.withLock { $0.append("two callbacks at once") } }
      isReporting.withLock { $0 = true }
      body()
      isReporting.withLock { $0 = false }
    }

    func send(_ count: Int) {
      for number in 0..<count { upstream.send(Counted(number, living)) }
      upstream.send(completion: .finished)
    }

    func record() {
      Issue.record(
        """
        delivered \(probe.values), dropped \(dropped.value), \(waiting.value) waiting, \
        \(living.value) live, \(String(describing: probe.ended)), \(probe.faults), \(faults.value)
        """)
    }
  }

  // MARK: Reentrancy

  @Test func `a chain of values that each request the next one does not recurse`() async {
    let sums = Protected<[Int]>([])
    await onSmallStack {
      let sum = Protected(0)
      // The answers alternate between the two ways to request values.
      let responder = Responder<Int, Never>(
        started: { $0.request(.max(1)) }, ended: { _ in sums.withLock { $0.append(sum.value) } },
        answer: { value, subscription in
          sum.withLock { $0 += value }
          if value % 2 == 0 { return .max(1) }
          subscription.request(.max(1))
          return .none
        })
      (1...100_000).publisher.buffer(limit: 100_000, whenFull: .dropNewest).subscribe(responder)
    }
    #expect(sums.value == [100_000 * 100_001 / 2])
  }

  @Test(arguments: [0, 1]) func `a chain of values that each send the next one does not recurse`(
    _ limit: Int
  ) async {
    let (last, dropped) = (Protected(0), Protected(0))
    await onSmallStack {
      let upstream = BareUpstream<Int, Never>()
      let responder = Responder<Int, Never>(
        started: { $0.request(.unlimited) },
        answer: { value, _ in
          last.withLock { $0 = value }
          if value < 100_000 { upstream.send(value + 1) }
          return .none
        })
      upstream.buffer(
        limit: limit, whenFull: .dropNewest, onDrop: { _ in dropped.withLock { $0 += 1 } }
      ).subscribe(responder)
      upstream.send(1)
      responder.cancel()
      upstream.forget()
    }
    #expect(last.value == 100_000 && dropped.value == 0)
  }

  @Test func `a chain of drops that each send the next value does not recurse`() async {
    let dropped = Protected<[Int]>([])
    await onSmallStack {
      let upstream = BareUpstream<Int, Never>()
      upstream.buffer(
        limit: 0, whenFull: .dropOldest,
        onDrop: { value in
          dropped.withLock { $0.append(value) }
          if value < 100_000 { upstream.send(value + 1) }
        }
      ).subscribe(Probe<Int, Never>(demand: .none))
      upstream.send(1)
      upstream.forget()
    }
    // Compared here, because `#expect` would compute the difference of the arrays for minutes.
    let isWhole = dropped.value == Array(1...100_000)
    #expect(isWhole)
  }

  @Test func `the onChange callback may request the waiting values`() {
    let upstream = BareUpstream<Int, Never>()
    let probe = Probe<Int, Never>(demand: .none)
    let reported = Protected<[Int]>([])
    upstream.buffer(
      limit: 2, whenFull: .dropNewest,
      onChange: { count in
        reported.withLock { $0.append(count) }
        if count == 2 { probe.request(2) }
      }
    ).subscribe(probe)
    for value in 1...4 { upstream.send(value) }
    #expect(probe.values == [1, 2, 3, 4] && reported.value == [1, 2, 0, 1, 2, 0])
  }

  @Test func `releasing a value may call back into the buffer`() {
    let living = Protected(0)
    let upstream = BareUpstream<Counted, Never>()
    let probe = Probe<Counted, Never>(demand: .none)
    upstream.buffer(limit: 3, whenFull: .dropOldest).subscribe(probe)
    for number in 0..<6 {
      upstream.send(
        Counted(number, living) {
          probe.request(1)
          upstream.send(Counted(9, living))
          probe.cancel()
        })
    }
    probe.cancel()
    #expect(living.value == probe.values.count)
  }

  // MARK: Memory

  @Test(arguments: [Strategy.dropOldest, .dropNewest])
  func `a buffer never retains more values than its limit`(_ strategy: Strategy) {
    let (living, most) = (Protected(0), Protected(0))
    let (delivered, dropped) = (Protected(0), Protected(0))
    let upstream = BareUpstream<Counted, TestError>()
    let responder = Responder<Counted, TestError> { _, _ in
      delivered.withLock { $0 += 1 }
      return .none
    }
    upstream.buffer(
      limit: 10, whenFull: strategy, onDrop: { _ in dropped.withLock { $0 += 1 } }
    ).subscribe(responder)
    for number in 0..<100_000 {
      upstream.send(Counted(number, living))
      most.withLock { $0 = max($0, living.value) }
      if number % 7 == 0 { responder.request(.max(1)) }
    }
    #expect(most.value == 10 && delivered.value == 14_286)
    #expect(delivered.value + dropped.value + living.value == 100_000)
    responder.cancel()
    #expect(living.value == 0)
  }

  @Test func `a subscriber that is busy on one thread does not delay drops on another`() async {
    let living = Protected(0)
    let (isBusy, isOver) = (Gate(), DispatchSemaphore(value: 0))
    let upstream = BareUpstream<Counted, TestError>()
    let dropped = Protected(0)
    let responder = Responder<Counted, TestError> { _, _ in
      isBusy.open()
      isOver.wait()
      return .none
    }
    upstream.buffer(
      limit: 10, whenFull: .dropOldest, onDrop: { _ in dropped.withLock { $0 += 1 } }
    ).subscribe(responder)
    upstream.send(Counted(0, living))
    DispatchQueue.global().async { responder.request(.max(1)) }
    await isBusy.wait()
    for number in 1...100_000 { upstream.send(Counted(number, living)) }
    #expect(dropped.value == 99_990 && living.value == 11)
    isOver.signal()
    responder.cancel()
    await expectEventually("the values are released") { living.value == 0 }
  }

  @Test func `events in bursts are handled one by one, and drops are counted`()
    async
  {
    let subject = PassthroughSubject<Int, Never>()
    let (gate, isInside) = (Gate(), Gate())
    let (handled, dropped) = (Protected<[Int]>([]), Protected<[Int]>([]))
    let inside = Protected((now: 0, most: 0))
    let subscription =
      subject
      .buffer(limit: 10, whenFull: .dropOldest) { value in dropped.withLock { $0.append(value) } }
      .task(maxPublishers: .max(1)) { value in
        inside.withLock { inside in
          inside.now += 1
          inside.most = max(inside.most, inside.now)
        }
        isInside.open()
        await gate.wait()
        handled.withLock { $0.append(value) }
        inside.withLock { $0.now -= 1 }
      }.sink { _ in }
    subject.send(0)
    await isInside.wait()
    for value in 1..<30 { subject.send(value) }
    #expect(dropped.value == Array(1..<20))
    gate.open()
    await expectEventually("the last one is handled") { handled.value.last == 29 }
    #expect(handled.value == [0] + Array(20..<30) && inside.value.most == 1)
    subscription.cancel()
  }
}

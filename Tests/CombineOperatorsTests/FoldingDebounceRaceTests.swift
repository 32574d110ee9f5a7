import CombineOperators
import Dispatch
import TestSupport
import Testing

/// A debounce under races, reentrant calls and many values.
struct FoldingDebounceRaceTests {
  /// The quiet times under test.
  static let quietTimes = [Duration.zero, .nanoseconds(1), .seconds(1)]

  /// One round: a debounce that is called by several threads.
  final class Race: Sendable {
    let upstream = BareUpstream<[Counted], Never>()
    let clock = ManualClock()
    let living = Protected(0)
    let faults = Protected<[String]>([])
    let isFolding = Protected(false)
    let probe = Probe<[Int], Never>(demand: .none)

    init(_ quiet: Duration) {
      upstream.debounce(
        for: quiet, atMost: .seconds(1), now: { self.clock.now }, sleep: clock.sleep(for:),
        fold: { folded, new in
          if self.isFolding.value { self.faults.withLock { $0.append("two folds at once") } }
          self.isFolding.withLock { $0 = true }
          folded += new
          self.isFolding.withLock { $0 = false }
        }
      ).map { $0.map(\.number) }.subscribe(probe)
    }

    func send() {
      for number in 0..<8 { upstream.send([Counted(number, living)]) }
      upstream.send(completion: .finished)
    }

    func perform(_ number: Int) {
      switch number {
      case 0: send()
      case 1: for _ in 0..<4 { clock.advance(by: .milliseconds(300)) }
      default: for _ in 0..<4 { probe.request(1) }
      }
    }

    func record() {
      Issue.record(
        """
        delivered \(probe.values), \(living.value) live, \(clock.sleepers) sleep, \
        \(String(describing: probe.ended)), \(probe.faults), \(faults.value)
        """)
    }
  }

  @Test(arguments: quietTimes)
  func `values, requests, time and the end may race, and nothing is lost`(
    _ quiet: Duration
  ) async {
    for _ in 0..<rounds(4000, soak: 60_000) {
      let race = Race(quiet)
      DispatchQueue.concurrentPerform(iterations: 4) { race.perform($0) }
      // There are as many requests as values, so nothing may be waiting. The timer may be what
      // delivers.
      await expectEventually("the debounce and its timer end") {
        race.probe.ended == .finished && race.clock.sleepers == 0 && race.living.value == 0
      }
      guard race.probe.values.joined().elementsEqual(0..<8), race.probe.faults == [],
        race.faults.value == [], race.clock.sleepersMax <= 1
      else { return race.record() }
    }
  }

  @Test(arguments: quietTimes)
  func `a cancel may race with everything, and nothing is delivered after it`(
    _ quiet: Duration
  ) async {
    for _ in 0..<rounds(4000, soak: 60_000) {
      let race = Race(quiet)
      DispatchQueue.concurrentPerform(iterations: 5) { number in
        if number == 4 { race.probe.cancel() } else { race.perform(number) }
      }
      // The timer may be delivering a value that it took before the cancel.
      await expectEventually("all values are released, and the timer ends") {
        race.clock.sleepers == 0 && race.living.value == 0
      }
      let values = race.probe.values
      race.upstream.send([Counted(9, race.living)])
      race.probe.request(9)
      guard values.joined().elementsEqual(0..<values.joined().count), race.probe.values == values,
        race.probe.faults == [], race.faults.value == [], race.living.value == 0
      else { return race.record() }
    }
  }

  @Test func `values from many threads are folded one at a time, and none is lost`() {
    for _ in 0..<rounds(500, soak: 5000) {
      let race = Race(.zero)
      DispatchQueue.concurrentPerform(iterations: 4) { number in
        for count in 0..<25 { race.upstream.send([Counted(number * 25 + count, race.living)]) }
        race.probe.request(2)
      }
      race.probe.request(1)
      race.upstream.send(completion: .finished)
      let values = Array(race.probe.values.joined())
      let isOrdered = (0..<4).allSatisfy { number in
        values.filter { $0 / 25 == number }.elementsEqual(number * 25..<(number + 1) * 25)
      }
      guard isOrdered, values.count == 100, race.probe.faults == [],
        race.faults.value == [], race.probe.ended == .finished
      else { return race.record() }
    }
  }

  // MARK: Reentrancy

  private func folding(
    _ upstream: BareUpstream<[Int], Never>,
    fold: @escaping @Sendable (inout [Int], [Int]) -> Void = { $0 += $1 }
  ) -> some Publisher<[Int], Never> {
    upstream.debounce(
      for: .zero, now: { Moment(elapsed: .zero) }, sleep: { _ in }, fold: fold)
  }

  @Test func `a chain of values that each send the next one does not recurse`() async {
    let last = Protected(0)
    await onSmallStack {
      let upstream = BareUpstream<[Int], Never>()
      let responder = Responder<[Int], Never>(
        started: { $0.request(.max(1)) },
        answer: { value, subscription in
          last.withLock { $0 = value.count == 1 ? value[0] : -1 }
          if value[0] < 100_000 { upstream.send([value[0] + 1]) }
          if value[0] % 2 == 0 { return .max(1) }
          subscription.request(.max(1))
          return .none
        })
      folding(upstream).subscribe(responder)
      upstream.send([1])
      responder.cancel()
      upstream.forget()
    }
    #expect(last.value == 100_000)
  }

  @Test func `a chain of folds that each send the next value keeps the order and does not recurse`()
    async
  {
    let probe = Probe<[Int], Never>(demand: .none)
    await onSmallStack {
      let upstream = BareUpstream<[Int], Never>()
      folding(upstream) { folded, new in
        if new[0] < 100_000 { upstream.send([new[0] + 1]) }
        folded += new
      }.subscribe(probe)
      for value in 0...1 { upstream.send([value]) }
      probe.request(1)
      upstream.forget()
    }
    // Compared here, because `#expect` would compute the difference of the arrays for minutes.
    let isWhole = probe.values == [Array(0...100_000)]
    #expect(isWhole)
  }

  @Test func `values sent by a fold are folded after it, in order`() {
    let upstream = BareUpstream<[Int], Never>()
    let probe = Probe<[Int], Never>(demand: .none)
    folding(upstream) { folded, new in
      if new == [1] { for value in 2...4 { upstream.send([value]) } }
      folded += new
    }.subscribe(probe)
    for value in 0...1 { upstream.send([value]) }
    probe.request(1)
    #expect(probe.values == [[0, 1, 2, 3, 4]])
  }

  @Test func `a fold may request, finish and cancel`() {
    for action in ["ask", "end", "cancel"] {
      let upstream = BareUpstream<[Int], Never>()
      let probe = Probe<[Int], Never>(demand: .none)
      folding(upstream) { folded, new in
        switch action {
        case "ask": probe.request(1)
        case "end": upstream.send(completion: .finished)
        default: probe.cancel()
        }
        folded += new
      }.subscribe(probe)
      for value in 1...2 { upstream.send([value]) }
      #expect(probe.values == (action == "ask" ? [[1, 2]] : []), "\(action)")
      probe.request(1)
      #expect(probe.values == (action == "cancel" ? [] : [[1, 2]]), "\(action)")
      #expect(probe.ended == (action == "end" ? .finished : nil), "\(action)")
      probe.cancel()
    }
  }

  @Test func `values are folded in place, and at most one value waits`() {
    let upstream = BareUpstream<[Int], Never>()
    let probe = Probe<[Int], Never>(demand: .none)
    let copies = Protected(0)
    folding(upstream) { folded, new in
      if folded.count == 1 { folded.reserveCapacity(200_000) }
      let before = folded.withUnsafeBufferPointer { $0.baseAddress }
      folded += new
      let after = folded.withUnsafeBufferPointer { $0.baseAddress }
      if before != after { copies.withLock { $0 += 1 } }
    }.subscribe(probe)
    for value in 0..<100_000 { upstream.send([value]) }
    probe.request(2)
    let isWhole = probe.values == [Array(0..<100_000)]
    #expect(isWhole && copies.value == 0)
  }

  @Test func `a debounce retains at most one value`() {
    let (living, most) = (Protected(0), Protected(0))
    let upstream = BareUpstream<Counted, Never>()
    let delivered = Protected(0)
    let responder = Responder<Counted, Never> { _, _ in
      delivered.withLock { $0 += 1 }
      return .none
    }
    upstream.debounce(
      for: .zero, now: { Moment(elapsed: .zero) }, sleep: { _ in }, fold: { $0 = $1 }
    ).subscribe(responder)
    for number in 0..<100_000 {
      upstream.send(Counted(number, living))
      most.withLock { $0 = max($0, living.value) }
      if number % 10 == 0 { responder.request(.max(1)) }
    }
    #expect(most.value == 1 && delivered.value == 10_000)
    responder.cancel()
    #expect(living.value == 0)
  }
}

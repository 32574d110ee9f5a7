import CombineOperators
import TestSupport
import Testing

/// Lists of the values of each interval.
struct CollectByTimeTests {
  /// Returns the output for intervals of three ticks; a list is its values, joined.
  private func collected(
    _ input: String, upTo count: Int? = nil, subscriber: String = "*"
  ) -> String {
    marbles(input, subscriber: subscriber) { time, input in
      let scheduler = TickScheduler(time)
      let lists =
        if let count {
          input.collect(.byTimeOrCount(scheduler, .init(ticks: 3), count)).eraseToAnyPublisher()
        } else {
          input.collect(.byTime(scheduler, .init(ticks: 3))).eraseToAnyPublisher()
        }
      return lists.map { $0.joined() }
    }
  }

  @Test func `the values of an interval are one list`() {
    #expect(collected("ab-c--de----|") == "---[ab]--c--[de]--|")
  }

  @Test func `an interval without values publishes nothing`() {
    #expect(collected("a---------|") == "---a------|")
  }

  @Test func `what is left comes before the end, at once`() {
    #expect(collected("ab|") == "--([ab]|)")
    #expect(collected("|") == "|")
  }

  @Test func `a failure discards what is left`() {
    #expect(collected("ab#") == "--#")
  }

  @Test func `a full list does not wait for the interval`() {
    #expect(collected("abcd--e|", upTo: 2) == "-[ab]-c--d(e|)")
    #expect(collected("(abcde)|", upTo: 2) == "([ab][cd])(e|)")
  }

  @Test func `without demand values are collected further`() {
    #expect(collected("abcde---f----", subscriber: "------1----1") == "------[abcde]----f")
  }

  @Test func `after a cancel nothing is delivered, and the timer is cancelled`() {
    #expect(collected("abcdefghi|", subscriber: "*---!") == "---[abc]")
  }

  @Test func `values and intervals may race on threads`() async {
    for _ in 0..<rounds(100, soak: 2000) {
      let subject = UncheckedTransfer(value: PassthroughSubject<Int, Never>())
      let probe = Probe<[Int], Never>()
      subject.value.collect(.byTime(QueueScheduler(), .microseconds(200))).subscribe(probe)
      await withTaskGroup(of: Void.self) { group in
        for thread in 0..<4 {
          group.addTask {
            for number in 0..<100 { subject.value.send(thread * 100 + number) }
          }
        }
      }
      subject.value.send(completion: .finished)
      await expectEventually("finished") { probe.ended == .finished }
      #expect(probe.values.flatMap(\.self).sorted() == Array(0..<400))
      #expect(probe.faults == [])
    }
  }
}

/// Schedules in the ticks of marble diagrams.
private struct TickScheduler: Scheduler {
  typealias SchedulerOptions = Never

  struct SchedulerTimeType: Strideable {
    var tick: Int

    func distance(to other: SchedulerTimeType) -> Interval {
      Interval(ticks: other.tick - tick)
    }

    func advanced(by interval: Interval) -> SchedulerTimeType {
      SchedulerTimeType(tick: tick + interval.ticks)
    }
  }

  struct Interval: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric {
    var ticks: Int

    init(ticks: Int) { self.ticks = ticks }
    init(integerLiteral ticks: Int) { self.ticks = ticks }
    init?(exactly source: some BinaryInteger) { ticks = Int(source) }

    var magnitude: UInt { ticks.magnitude }

    static func seconds(_ count: Int) -> Interval { Interval(ticks: count) }
    static func seconds(_ count: Double) -> Interval { Interval(ticks: Int(count)) }
    static func milliseconds(_ count: Int) -> Interval { Interval(ticks: count) }
    static func microseconds(_ count: Int) -> Interval { Interval(ticks: count) }
    static func nanoseconds(_ count: Int) -> Interval { Interval(ticks: count) }
    static func + (a: Interval, b: Interval) -> Interval { Interval(ticks: a.ticks + b.ticks) }
    static func - (a: Interval, b: Interval) -> Interval { Interval(ticks: a.ticks - b.ticks) }
    static func * (a: Interval, b: Interval) -> Interval { Interval(ticks: a.ticks * b.ticks) }
    static func *= (a: inout Interval, b: Interval) { a = a * b }
    static func < (a: Interval, b: Interval) -> Bool { a.ticks < b.ticks }
  }

  private let time: MarbleTime

  init(_ time: MarbleTime) { self.time = time }

  var now: SchedulerTimeType { SchedulerTimeType(tick: time.now) }
  var minimumTolerance: Interval { Interval(ticks: 0) }

  func schedule(options: Never?, _ action: @escaping () -> Void) { action() }

  func schedule(
    after date: SchedulerTimeType, tolerance: Interval, options: Never?,
    _ action: @escaping () -> Void
  ) {
    time.perform(every: 1_000_000, from: date.tick, action)
  }

  func schedule(
    after date: SchedulerTimeType, interval: Interval, tolerance: Interval, options: Never?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    let isCancelled = Protected(false)
    time.perform(every: interval.ticks, from: date.tick) {
      if !isCancelled.value { action() }
    }
    return AnyCancellable { isCancelled.withLock { $0 = true } }
  }
}

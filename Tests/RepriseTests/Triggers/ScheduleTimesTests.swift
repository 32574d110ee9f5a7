import Schedules
import Testing

@testable import Reprise

/// When a schedule is due, in virtual time.
struct ScheduleTimesTests {
  private typealias Plan = ScheduleTimes.Plan

  /// Returns an hourly schedule in UTC, starting at 3,600.
  private static func hourly(catchesUp: Bool = true) throws -> ScheduleTimes {
    ScheduleTimes(
      Schedule(
        .cron(try CronExpression("0 * * * *"), zone: "UTC"), text: "hourly", catchesUp: catchesUp))
  }

  @Test func `a due time comes once, followed by a wait for the next`() throws {
    let times = try Self.hourly()
    #expect(
      times.plan(handledUntil: 100, now: 200)
        == Plan(due: nil, missed: 0, handledUntil: 100, next: 3600))
    #expect(
      times.plan(handledUntil: 100, now: 3600)
        == Plan(due: 3600, missed: 0, handledUntil: 3600, next: 7200))
    #expect(
      times.plan(handledUntil: 3600, now: 3601)
        == Plan(due: nil, missed: 0, handledUntil: 3600, next: 7200))
  }

  @Test func `a delay on a busy machine does not count as missed`() throws {
    let plan = try Self.hourly(catchesUp: false).plan(handledUntil: 0, now: 3660)
    #expect(plan == Plan(due: 3600, missed: 0, handledUntil: 3600, next: 7200))
  }

  @Test func `times missed while the machine slept come once, or not at all`() throws {
    let ten = 10 * 3600 as Int64
    #expect(
      try Self.hourly().plan(handledUntil: 0, now: ten + 600)
        == Plan(due: ten, missed: 9, handledUntil: ten, next: ten + 3600))
    #expect(
      try Self.hourly(catchesUp: false).plan(handledUntil: 0, now: ten + 600)
        == Plan(due: nil, missed: 10, handledUntil: ten, next: ten + 3600))
  }

  @Test func `a plan after years of sleep is computed quickly`() throws {
    let times = ScheduleTimes(
      Schedule(.cron(try CronExpression("* * * * *"), zone: "UTC"), text: "minutes"))
    let now = 20 * 366 * 86_400 as Int64
    let plan = times.plan(handledUntil: 0, now: now)
    #expect(plan.due == now)
    #expect(plan.next == now + 60)
  }

  @Test func `setting the clock back a little does not repeat a due time`() throws {
    let plan = try Self.hourly().plan(handledUntil: 7200, now: 3500)
    #expect(plan == Plan(due: nil, missed: 0, handledUntil: 7200, next: 10_800))
  }

  @Test func `a clock that was far ahead starts afresh when corrected`() throws {
    let plan = try Self.hourly().plan(handledUntil: 100 * 86_400, now: 3500)
    #expect(plan == Plan(due: nil, missed: 0, handledUntil: 3500, next: 3600))
  }

  @Test func `an interval counts from the last due time`() {
    let times = ScheduleTimes(Schedule(.every(.seconds(600)), text: "every 10m"))
    #expect(
      times.plan(handledUntil: 50, now: 60)
        == Plan(due: nil, missed: 0, handledUntil: 50, next: 650))
    #expect(
      times.plan(handledUntil: 50, now: 651)
        == Plan(due: 650, missed: 0, handledUntil: 650, next: 1250))
    #expect(
      times.plan(handledUntil: 50, now: 50 + 600 * 7 + 300)
        == Plan(due: 50 + 600 * 7, missed: 6, handledUntil: 50 + 600 * 7, next: 50 + 600 * 8))
  }

  @Test func `a nightly schedule in Berlin is due once a night through both clock changes`() throws
  {
    let times = ScheduleTimes(
      Schedule(.cron(try CronExpression("30 2 * * *"), zone: "Europe/Berlin"), text: "nightly"))
    // 1 January 2026, 00:00 UTC, to the same time a year later; checked every ten minutes.
    let start = 1_767_225_600 as Int64
    var handledUntil = start
    var due: [Int64] = []
    for now in stride(from: start, through: start + 365 * 86_400, by: 600) {
      let plan = times.plan(handledUntil: handledUntil, now: now)
      handledUntil = plan.handledUntil
      if let moment = plan.due { due.append(moment) }
      #expect(plan.missed == 0)
    }
    #expect(due.count == 365)
    // On 29 March, 02:30 does not exist: the run is due at 03:00, 01:00 UTC. On 25 October the
    // first 02:30 counts.
    #expect(due.contains(1_774_746_000))
    #expect(due.contains(1_792_888_200))
    #expect(!due.contains(1_792_891_800))
  }

  @Test func `a sleep lasts until its wall-clock time or a cancel`() async throws {
    let clock = SystemClock()
    let moment = clock.wallTime.advanced(by: .milliseconds(30))
    try await clock.sleep(untilWallTime: moment)
    #expect(clock.wallTime.microseconds >= moment.microseconds)
    let task = Task {
      try await clock.sleep(untilWallTime: clock.wallTime.advanced(by: .seconds(3600)))
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

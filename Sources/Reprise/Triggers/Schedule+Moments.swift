// The times of a schedule as they come, as asynchronous sequences.

public import WorkflowFiles

extension Schedule {
  /// Returns the times at which the schedule is due, each one when it has come.
  ///
  ///     let nightly = Schedule(.cron(try CronExpression("0 2 * * *"), zone: nil), text: "nightly")
  ///     for await moment in nightly.moments() { try await host.start(report(at: moment)) }
  ///
  /// A time that passes while the loop is busy or the machine sleeps is not repeated: of several, only
  /// the last one is delivered, and none if ``catchesUp`` is false and it is more than a minute late.
  /// The clock of the machine may be set; no time is delivered twice. The sequence ends when the
  /// schedule has no more times, or when the task is cancelled.
  ///
  /// - Parameters:
  ///   - last: The time up to which the schedule was handled, such as the last moment before the
  ///     program ended; by default now, so that nothing was missed.
  ///   - clock: The source of time.
  /// - Returns: The times, in order.
  public func moments(
    after last: Timestamp? = nil, clock: any RunClock = SystemClock()
  ) -> ScheduleMoments {
    ScheduleMoments(
      plans: SchedulePlans(
        self, handledUntil: last.map { $0.microseconds / 1_000_000 }, clock: clock))
  }
}

/// The times at which a schedule is due, each one when it has come.
public struct ScheduleMoments: AsyncSequence, Sendable {
  /// A time of the schedule.
  public typealias Element = Timestamp
  /// The sequence does not fail.
  public typealias Failure = Never

  let plans: SchedulePlans

  /// Starts to wait for the times.
  public func makeAsyncIterator() -> Iterator { Iterator(plans: plans.makeAsyncIterator()) }

  /// Waits for the times, one after the other.
  public struct Iterator: AsyncIteratorProtocol {
    var plans: SchedulePlans.Iterator

    /// Waits for the next time.
    ///
    /// - Returns: The time; nil if there is none, or if the task is cancelled.
    public mutating func next() async -> Timestamp? {
      while let plan = await plans.next() {
        if let due = plan.due { return Timestamp(microseconds: due * 1_000_000) }
      }
      return nil
    }
  }
}

/// The decisions of a schedule: one at once, and one at each of its times.
package struct SchedulePlans: AsyncSequence, Sendable {
  package typealias Element = ScheduleTimes.Plan
  package typealias Failure = Never

  private let times: ScheduleTimes
  private let handledUntil: Int64?
  private let clock: any RunClock

  /// Creates the decisions of a schedule.
  ///
  /// - Parameters:
  ///   - schedule: The schedule.
  ///   - last: The time up to which it was handled, in seconds; nil for a new one, which has missed
  ///     nothing.
  ///   - clock: The source of time.
  package init(_ schedule: Schedule, handledUntil last: Int64?, clock: any RunClock) {
    times = ScheduleTimes(schedule)
    handledUntil = last
    self.clock = clock
  }

  package func makeAsyncIterator() -> Iterator {
    Iterator(times: times, clock: clock, handledUntil: handledUntil)
  }

  /// Waits for the times of the schedule.
  package struct Iterator: AsyncIteratorProtocol {
    fileprivate let times: ScheduleTimes
    fileprivate let clock: any RunClock
    fileprivate var handledUntil: Int64?
    fileprivate var upcoming: Int64?
    fileprivate var hasBegun = false

    /// Waits for the next decision; nil if there is none, or if the task is cancelled.
    package mutating func next() async -> ScheduleTimes.Plan? {
      if hasBegun {
        guard let upcoming, (try? await wait(until: upcoming)) != nil else { return nil }
      }
      guard !Task.isCancelled else { return nil }
      hasBegun = true
      let now = ((clock as? any WallClock)?.wallTime ?? clock.now).microseconds / 1_000_000
      let plan = times.plan(handledUntil: handledUntil ?? now, now: now)
      handledUntil = plan.handledUntil
      upcoming = plan.next
      return plan
    }

    private func wait(until second: Int64) async throws {
      let moment = Timestamp(microseconds: second * 1_000_000)
      if let clock = clock as? any WallClock {
        try await clock.sleep(untilWallTime: moment)
      } else {
        try await clock.sleep(
          for: .microseconds(moment.microseconds - clock.now.microseconds))
      }
    }
  }
}

// Computes when a schedule is due and what was missed, and handles clock changes. Pure: the current
// time is a parameter.

import Schedules
package import WorkflowFiles

/// The times at which a schedule is due.
///
/// All times are in seconds since 1970.
package struct ScheduleTimes: Sendable {
  /// The maximum delay of an event that counts as on time, in seconds.
  ///
  /// It allows for a busy machine.
  package static let latenessMax: Int64 = 60
  /// The number of seconds by which a clock may be set back before the schedule continues from the
  /// new time.
  ///
  /// Up to this limit, the schedule waits until the clock has caught up, so that nothing runs
  /// twice. If the clock is set back further, the old time is considered wrong (as in cron(8)).
  package static let backwardCorrectionMax: Int64 = 3 * 60 * 60

  private let schedule: Schedule
  private let zone: ZoneRules

  /// Creates the times of a schedule.
  ///
  /// - Parameter schedule: The schedule; its time zone was validated before.
  package init(_ schedule: Schedule) {
    self.schedule = schedule
    if case .cron(_, let name?) = schedule.times, let zone = ZoneRules(identifier: name) {
      self.zone = zone
    } else {
      zone = .local
    }
  }

  /// The decision of a schedule at a given time.
  package struct Plan: Sendable, Equatable {
    /// The time that is due now, if any.
    package var due: Int64?
    /// The number of other times that have passed and start no run.
    package var missed: Int
    /// The time up to which the schedule has been handled.
    package var handledUntil: Int64
    /// The next time of the schedule; nil if there is none.
    package var next: Int64?
  }

  /// Decides what is due now.
  ///
  /// If several times have passed, only the last one is due. If it is more than a minute late, it
  /// is due only if the schedule catches up on missed times. The cost is linear in the number of
  /// times that have passed, at most a thousand; older ones are not counted.
  ///
  /// - Parameters:
  ///   - handledUntil: The time up to which the schedule has been handled.
  ///   - now: The current time.
  /// - Returns: The plan.
  package func plan(handledUntil: Int64, now: Int64) -> Plan {
    var handledUntil = handledUntil
    if handledUntil - now > Self.backwardCorrectionMax { handledUntil = now }
    guard now > handledUntil else {
      return Plan(due: nil, missed: 0, handledUntil: handledUntil, next: next(after: handledUntil))
    }
    var passed = 0
    var last: Int64?
    var moment = next(after: handledUntil)
    while let found = moment, found <= now {
      passed += 1
      last = found
      // After a long sleep, continue the search one day before now.
      let isFar = passed == 1000 && now - found > 86_400
      moment = next(after: isFar ? max(found, now - 86_400) : found)
    }
    guard let last else {
      return Plan(due: nil, missed: 0, handledUntil: handledUntil, next: moment)
    }
    let isOnTime = now - last <= Self.latenessMax
    let isDue = isOnTime || schedule.catchesUp
    return Plan(
      due: isDue ? last : nil, missed: isDue ? passed - 1 : passed, handledUntil: last, next: moment
    )
  }

  /// Returns the times of the schedule in a range.
  ///
  /// - Parameters:
  ///   - range: Days or minutes in the time zone of the schedule; see `LocalRange`.
  ///   - last: The last time that counts.
  ///   - limit: The maximum number of times.
  /// - Returns: The times, in order; nil if the range is invalid.
  package func moments(over range: String, until last: Int64, limit: Int) -> [Int64]? {
    guard let bounds = LocalRange(range)?.seconds(in: zone) else { return nil }
    var moments: [Int64] = []
    var moment = next(after: bounds.lowerBound - 1)
    while let found = moment, found <= min(bounds.upperBound, last), moments.count < limit {
      moments.append(found)
      moment = next(after: found)
    }
    return moments
  }

  /// Returns the next time of the schedule.
  ///
  /// - Parameter moment: Any time; `every` counts from it.
  /// - Returns: The next time after `moment`; nil if there is none.
  package func next(after moment: Int64) -> Int64? {
    switch schedule.times {
    case .cron(let expression, _): expression.next(after: moment, in: zone)
    case .every(let time): moment + max(1, time.components.seconds)
    }
  }
}

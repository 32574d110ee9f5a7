// When a schedule is due, what was missed, and what a clock that was set means for it. Pure: the present
// moment is handed in.

import Schedules
package import WorkflowLanguage

/// The moments of a schedule.
///
/// All moments are in seconds since 1970.
package struct ScheduleTimes: Sendable {
  /// How late an event of a schedule may come and still count as on time, in seconds: a busy machine
  /// misses nothing.
  package static let latenessMax: Int64 = 60
  /// A clock that is set back by no more than this waits until it has caught up, so that nothing comes
  /// twice; one that is set back further was wrong before (as in cron(8)).
  package static let correctionMin: Int64 = 3 * 60 * 60

  private let schedule: Schedule
  private let zone: ZoneRules

  /// Prepares a schedule.
  ///
  /// - Parameter schedule: The schedule; its time zone has been checked.
  package init(_ schedule: Schedule) {
    self.schedule = schedule
    if case .cron(_, let name?) = schedule.times, let zone = ZoneRules(identifier: name) {
      self.zone = zone
    } else {
      zone = .local
    }
  }

  /// What is to be done at a moment.
  package struct Plan: Sendable, Equatable {
    /// The moment that is due now; nil when none is.
    package var due: Int64?
    /// How many moments have passed unused, beside that one.
    package var missed: Int
    /// Up to which moment the schedule has been dealt with.
    package var dealtWith: Int64
    /// When to look again; nil when it never comes again.
    package var next: Int64?
  }

  /// What is to be done now.
  ///
  /// Of several moments that have passed, the last one is due, once; when it is more than a minute late,
  /// only if the schedule makes up for what was missed. Costs as much as there are moments that have
  /// passed, at most a thousand: what is older is not counted.
  ///
  /// - Parameters:
  ///   - dealtWith: Up to which moment the schedule has been dealt with.
  ///   - now: The present moment.
  /// - Returns: The plan.
  package func plan(dealtWith: Int64, now: Int64) -> Plan {
    var dealtWith = dealtWith
    if dealtWith - now > Self.correctionMin { dealtWith = now }
    guard now > dealtWith else {
      return Plan(due: nil, missed: 0, dealtWith: dealtWith, next: next(after: dealtWith))
    }
    var passed = 0
    var last: Int64?
    var moment = next(after: dealtWith)
    while let found = moment, found <= now {
      passed += 1
      last = found
      // After a long sleep the newest is looked for from near the present.
      let isFar = passed == 1000 && now - found > 86_400
      moment = next(after: isFar ? max(found, now - 86_400) : found)
    }
    guard let last else {
      return Plan(due: nil, missed: 0, dealtWith: dealtWith, next: moment)
    }
    let isOnTime = now - last <= Self.latenessMax
    let isDue = isOnTime || schedule.catchesUp
    return Plan(
      due: isDue ? last : nil, missed: isDue ? passed - 1 : passed, dealtWith: last, next: moment)
  }

  /// The next moment of the schedule.
  ///
  /// - Parameter moment: Any moment; `every` counts from it.
  /// - Returns: A later one; nil when there is none.
  package func next(after moment: Int64) -> Int64? {
    switch schedule.times {
    case .cron(let expression, _): expression.next(after: moment, in: zone)
    case .every(let time): moment + max(1, time.components.seconds)
    }
  }
}

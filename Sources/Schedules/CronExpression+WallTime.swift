// Finds the wall times that match a cron expression.

extension CronExpression {
  /// The number of years to search.
  ///
  /// The rarest match is 29 February on one day of the week (as in `0 0 29 2 */7`), which can take
  /// 40 years around a century year without a leap day.
  private static let yearsMax = 48

  /// Returns the first matching wall time at or after a time.
  ///
  /// Proceeds month by month and tests all days of a month at once, so a year takes 12 steps.
  ///
  /// - Parameter wallTime: A wall time, in seconds since 1 January 1970, 00:00 on the same clock.
  /// - Returns: A whole minute on the same clock, not before `wallTime`; nil if there is no match
  ///   within 48 years.
  func firstWallTime(from wallTime: Int64) -> Int64? {
    let minute = (wallTime + 59).flooringQuotient(by: 60)
    let today = minute.flooringQuotient(by: 1440)
    guard let day = firstDay(from: today) else { return nil }
    if day == today, let found = firstMinuteOfDay(from: Int(minute - today * 1440)) {
      return (today * 1440 + Int64(found)) * 60
    }
    guard let later = day == today ? firstDay(from: today + 1) : day else { return nil }
    return firstMinuteOfDay(from: 0).map { (later * 1440 + Int64($0)) * 60 }
  }

  private func firstDay(from dayNumber: Int64) -> Int64? {
    var date = CivilDate(dayNumber: dayNumber)
    for _ in 0..<12 * Self.yearsMax {
      let found = matchingDays(inMonthOf: date) & ~0 << UInt64(date.day)
      if found != 0 {
        let day = found.trailingZeroBitCount
        return CivilDate(year: date.year, month: date.month, day: day).dayNumber
      }
      date = date.firstOfNextMonth
    }
    return nil
  }

  /// Returns the matching days of a month, as bits 1 to 31.
  private func matchingDays(inMonthOf date: CivilDate) -> UInt64 {
    guard months & 1 << UInt64(date.month) != 0 else { return 0 }
    let first = CivilDate(year: date.year, month: date.month, day: 1).dayNumber
    let shift = UInt64(CivilDate.dayOfWeek(first))
    // Rotate the weekdays to start at the first of the month, then repeat them five times.
    let week = (daysOfWeek >> shift | daysOfWeek << (7 - shift)) & 0x7F
    let eachWeek: UInt64 = 0x1020_4081  // bits 0, 7, 14, 21 and 28; as shifts slow to type-check
    let weekdays = week * eachWeek << 1
    let days = eitherDayMatches ? daysOfMonth | weekdays : daysOfMonth & weekdays
    return days & ((1 << UInt64(date.daysInMonth + 1)) - 2)
  }

  private func firstMinuteOfDay(from minuteOfDay: Int) -> Int? {
    let (hour, minute) = (minuteOfDay / 60, minuteOfDay % 60)
    let rest = minutes & ~0 << UInt64(minute)
    if hours & 1 << UInt64(hour) != 0, rest != 0 { return hour * 60 + rest.trailingZeroBitCount }
    let later = hours & ~0 << UInt64(hour + 1)
    return later == 0 ? nil : later.trailingZeroBitCount * 60 + minutes.trailingZeroBitCount
  }
}

// Computes the next occurrence of a cron expression across clock changes.

extension CronExpression {
  /// The supported times: the years 1 to 9999.
  private static let moments: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

  /// Returns the next occurrence.
  ///
  /// Clock changes are handled in the same way as by cron(8) of Debian.
  ///
  /// A *fixed time* is an expression whose minute and hour fields do not begin with `*`. It is
  /// neither skipped nor repeated:
  /// - When clocks go forward past it, it occurs at the first moment after the gap, and only once,
  ///   regardless of how many of its times are in the gap and whether that moment matches.
  ///   `30 2 * * *` occurs at 03:00 in Berlin on the last Sunday of March, and `0 0 * * *` at 01:00
  ///   where midnight is skipped.
  /// - When clocks go back, it occurs in the first pass only.
  ///
  /// Any other expression follows the wall clock: times in a gap are skipped, and times in an
  /// overlap occur in both passes. For example, `*/15 * * * *` occurs every 15 minutes.
  ///
  /// This differs from cron(8) in two ways. cron(8) runs a fixed time once for each of its times in
  /// a gap, and treats any change of three hours or more as a correction of the clock. Here, all
  /// changes are treated alike: in `Pacific/Apia`, where 30 December 2011 was skipped, `0 9 * * *`
  /// occurred at the start of 31 December and again at 09:00.
  ///
  /// An occurrence is a whole minute of the wall clock, except when a gap ends within a minute, as
  /// some did before 1973.
  ///
  /// Queries a handful of offsets, or a few dozen if clocks change within a day.
  ///
  /// - Parameters:
  ///   - seconds: A time, in seconds since 1970.
  ///   - zone: The offsets of the time zone.
  /// - Returns: The first occurrence after the given time, or nil if either is outside the years 1
  ///   to 9999.
  package func next(after seconds: Int64, in zone: some ZoneOffsets) -> Int64? {
    guard Self.moments.contains(seconds) else { return nil }
    let next =
      isFixedTime ? nextFixedTime(after: seconds, in: zone) : nextOnWall(after: seconds, in: zone)
    return next.flatMap { Self.moments.contains($0) ? $0 : nil }
  }

  /// Returns the first moment at which the clock reaches or passes the first matching wall time
  /// that it has never reached or passed before.
  ///
  /// The end of a gap therefore reaches all times in it at once, and an overlap reaches none until
  /// the clock is back where it was.
  private func nextFixedTime(after seconds: Int64, in zone: some ZoneOffsets) -> Int64? {
    let shown = latestWallTime(at: seconds, in: zone)
    guard let wallTime = firstWallTime(from: shown + 1) else { return nil }
    // Offsets are less than a day, so no clock reaches it more than a day earlier.
    var start = max(seconds + 1, wallTime - secondsPerDay)
    while true {
      let (offset, end) = zone.steadyOffset(from: start)
      if start + offset >= wallTime { return start }
      if wallTime - offset < end { return wallTime - offset }
      start = end
    }
  }

  /// Returns the latest wall time shown up to a moment.
  ///
  /// Differs from the current wall time only if the clock was set back within the last day.
  private func latestWallTime(at seconds: Int64, in zone: some ZoneOffsets) -> Int64 {
    var latest = seconds + Int64(zone.offset(at: seconds))
    var start = seconds - secondsPerDay
    while start < seconds {
      let (offset, end) = zone.steadyOffset(from: start)
      latest = max(latest, min(end - 1, seconds) + offset)
      start = end
    }
    return latest
  }

  /// Returns the first moment at which the clock shows a matching wall time.
  private func nextOnWall(after seconds: Int64, in zone: some ZoneOffsets) -> Int64? {
    var start = seconds + 1
    while true {
      let (offset, end) = zone.steadyOffset(from: start)
      guard let wallTime = firstWallTime(from: start + offset) else { return nil }
      if wallTime - offset < end { return wallTime - offset }
      // Offsets are less than a day, so the clock cannot show `wallTime` more than a day earlier.
      // Until then nothing matches, unless the clock is set back, by at most a day, to times that
      // it has already shown. Therefore skip ahead only after a day without a change.
      start = max(end, end - start == secondsPerDay ? wallTime - secondsPerDay : end)
    }
  }
}

// When a cron expression comes next, where clocks are changed. Knows of zones only their offsets.

extension CronExpression {
  /// The moments that are considered: the years 1 to 9999.
  private static let moments: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

  /// The next moment at which this comes.
  ///
  /// When clocks are changed, it is as cron(8) of Debian does it.
  ///
  /// A *fixed time* is an expression whose minute and hour both do not begin with `*`. It is
  /// neither lost nor doubled:
  /// - When clocks go forward over it, it comes at the first moment after the gap, and only once,
  ///   however many of its times are in the gap and whether or not that moment is one of them.
  ///   `30 2 * * *` comes at 03:00 in Berlin on the last Sunday of March, and `0 0 * * *` at 01:00
  ///   where midnight is skipped.
  /// - When clocks go back, it comes in the first pass only.
  ///
  /// Any other expression follows the clock on the wall: what is in a gap does not come, and what
  /// is in an overlap comes in both passes. So `*/15 * * * *` comes every 15 minutes.
  ///
  /// This differs from cron(8) in two things. That runs a fixed time once for each of its times in
  /// a gap, and takes any change of three hours or more for a correction of the clock; here all
  /// changes are alike, so that in `Pacific/Apia`, where 30 December 2011 was skipped, `0 9 * * *`
  /// came as 31 December began, and again at 09:00.
  ///
  /// What comes is a whole minute on the clock on the wall, save where a gap ends within one, as
  /// some did before 1973.
  ///
  /// It asks for a handful of offsets, and for some dozens where clocks are changed within a day.
  ///
  /// - Parameters:
  ///   - seconds: A moment, in seconds since 1970.
  ///   - zone: The clocks that count.
  /// - Returns: The first such moment after the given one, or nil if one of the two is not in the
  ///   years 1 to 9999.
  package func next(after seconds: Int64, in zone: some ZoneOffsets) -> Int64? {
    guard Self.moments.contains(seconds) else { return nil }
    let next =
      isFixedTime ? nextFixedTime(after: seconds, in: zone) : nextOnWall(after: seconds, in: zone)
    return next.flatMap { Self.moments.contains($0) ? $0 : nil }
  }

  /// The first moment at which the clock shows or has passed the first matching time that it has
  /// never shown or passed before.
  ///
  /// So a gap brings all of its times at once when it ends, and an overlap brings nothing until the
  /// clock is again where it was.
  private func nextFixedTime(after seconds: Int64, in zone: some ZoneOffsets) -> Int64? {
    let shown = latestWallTime(at: seconds, in: zone)
    guard let wallTime = firstWallTime(from: shown + 1) else { return nil }
    // No clock is there a day before, since offsets are less than a day.
    var start = max(seconds + 1, wallTime - secondsPerDay)
    while true {
      let (offset, end) = zone.steadyOffset(from: start)
      if start + offset >= wallTime { return start }
      if wallTime - offset < end { return wallTime - offset }
      start = end
    }
  }

  /// The latest time that the clock has shown up to a moment: earlier than its own only where it
  /// has been put back within the last day.
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

  /// The first moment at which the clock shows a matching time.
  private func nextOnWall(after seconds: Int64, in zone: some ZoneOffsets) -> Int64? {
    var start = seconds + 1
    while true {
      let (offset, end) = zone.steadyOffset(from: start)
      guard let wallTime = firstWallTime(from: start + offset) else { return nil }
      if wallTime - offset < end { return wallTime - offset }
      // No clock is there a day before. Up to then nothing matches, unless it is put back, by a day
      // at most, to what it has shown already: so that day has to pass before anything is left out.
      start = max(end, end - start == secondsPerDay ? wallTime - secondsPerDay : end)
    }
  }
}

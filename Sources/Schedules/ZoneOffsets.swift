// The UTC offsets of a time zone, as needed by schedules.

/// The UTC offsets of a place over time.
///
/// Offsets must be less than a day, changes at most a day, and changes more than a day apart. In
/// all zones of the tz database (2025b), offsets are less than 16 hours, the greatest change is 24
/// hours, and changes are at least 95 hours apart.
package protocol ZoneOffsets: Sendable {
  /// Returns the offset from UTC at a time.
  ///
  /// - Parameter seconds: A time, in seconds since 1970.
  /// - Returns: The offset in seconds; positive in the east.
  func offset(at seconds: Int64) -> Int
}

extension ZoneOffsets {
  /// Returns the offset at a time and the end of its validity.
  ///
  /// Queries 2 offsets, plus 17 if there is a change.
  ///
  /// - Parameter start: A time, in seconds since 1970.
  /// - Returns: The offset at that time, and the time of the next change, or `start` plus 24 hours
  ///   if there is no change before then.
  func steadyOffset(from start: Int64) -> (offset: Int64, end: Int64) {
    let first = offset(at: start)
    var (same, other) = (start, start + secondsPerDay)
    guard offset(at: other) != first else { return (Int64(first), other) }
    while other - same > 1 {
      let middle = same + (other - same) / 2
      if offset(at: middle) == first { same = middle } else { other = middle }
    }
    return (Int64(first), other)
  }
}

/// The seconds of a day without a clock change.
let secondsPerDay: Int64 = 86_400

/// A constant UTC offset.
package struct FixedOffset: ZoneOffsets, Equatable {
  /// UTC.
  package static let utc = FixedOffset(secondsFromUTC: 0)

  private let secondsFromUTC: Int

  /// Creates a constant offset.
  ///
  /// - Parameter secondsFromUTC: The offset in seconds, positive in the east; less than a day.
  package init(secondsFromUTC: Int) {
    precondition(abs(secondsFromUTC) < secondsPerDay, "an offset must be less than a day")
    self.secondsFromUTC = secondsFromUTC
  }

  /// Returns the offset from UTC.
  ///
  /// - Parameter seconds: A time, in seconds since 1970.
  /// - Returns: The constant offset.
  package func offset(at seconds: Int64) -> Int {
    secondsFromUTC
  }
}

// How far clocks are from Greenwich, as the schedules ask for it. Knows no time zone by name.

/// The clocks of a place: by how much they are ahead of UTC, at any moment.
///
/// An offset must be less than a day, no change of it more than a day, and two changes must be more
/// than a day apart. In all zones of the tz database (2025b) offsets are less than 16 hours, the
/// greatest change is one of 24 hours, and no two changes are less than 95 hours apart.
package protocol ZoneOffsets: Sendable {
  /// By how much the clocks are ahead of UTC.
  ///
  /// - Parameter seconds: A moment, in seconds since 1970.
  /// - Returns: Seconds; positive in the east.
  func offset(at seconds: Int64) -> Int
}

extension ZoneOffsets {
  /// How far one offset holds.
  ///
  /// It asks for 2 offsets, and for 17 more when there is a change.
  ///
  /// - Parameter start: A moment.
  /// - Returns: The offset at that moment, and the next moment with another one, or else the end
  ///   of the 24 hours from the start on.
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

/// The length of a day on which no clock is changed.
let secondsPerDay: Int64 = 86_400

/// Clocks that are never changed.
package struct FixedOffset: ZoneOffsets, Equatable {
  /// UTC itself.
  package static let utc = FixedOffset(secondsFromUTC: 0)

  private let secondsFromUTC: Int

  /// Clocks that are always equally far from UTC.
  ///
  /// - Parameter secondsFromUTC: By how much they are ahead; less than a day.
  package init(secondsFromUTC: Int) {
    precondition(abs(secondsFromUTC) < secondsPerDay, "an offset is less than a day")
    self.secondsFromUTC = secondsFromUTC
  }

  /// By how much the clocks are ahead of UTC.
  ///
  /// - Parameter seconds: A moment, in seconds since 1970.
  /// - Returns: Always the same.
  package func offset(at seconds: Int64) -> Int {
    secondsFromUTC
  }
}

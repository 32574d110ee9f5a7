// A range of days or minutes in local time, as people write it.

/// A range of local time: `2026-11-01..2026-11-07`, `2026-11-01T06:00..2026-11-01T12:00`, or one day.
package struct LocalRange: Sendable, Equatable {
  /// The first and the last second, as if local time were UTC.
  private let bounds: ClosedRange<Int64>

  /// Parses a range; nil if a date does not exist, or the end is before the start.
  ///
  /// - Parameter text: One or two days or minutes, with `..` between them. The last day or minute
  ///   belongs to the range.
  package init?(_ text: String) {
    let ends = text.split(separator: "..", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = ends.first.flatMap(Self.seconds), let last = ends.last.flatMap(Self.seconds),
      first.lowerBound <= last.upperBound
    else { return nil }
    bounds = first.lowerBound...last.upperBound
  }

  /// Returns the first and the last second in a time zone, since 1970.
  ///
  /// A local time that a change of the clocks skips is moved by the change.
  package func seconds(in zone: some ZoneOffsets) -> ClosedRange<Int64> {
    func absolute(_ local: Int64) -> Int64 {
      let about = local - Int64(zone.offset(at: local))
      return local - Int64(zone.offset(at: about))
    }
    let first = absolute(bounds.lowerBound)
    return first...max(first, absolute(bounds.upperBound))
  }

  private static func seconds(_ text: Substring) -> ClosedRange<Int64>? {
    let parts = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
    guard let date = numbers(parts[0], "-", [4, 2, 2]), (1...12).contains(date[1]) else {
      return nil
    }
    let day = CivilDate(year: Int64(date[0]), month: date[1], day: date[2])
    guard (1...day.daysInMonth).contains(day.day) else { return nil }
    let start = day.dayNumber * Int64(secondsPerDay)
    guard parts.count == 2 else { return start...(start + Int64(secondsPerDay) - 1) }
    guard let time = numbers(parts[1], ":", [2, 2]), time[0] < 24, time[1] < 60 else { return nil }
    let minute = start + Int64(time[0] * 3600 + time[1] * 60)
    return minute...(minute + 59)
  }

  private static func numbers(
    _ text: Substring, _ separator: Character, _ widths: [Int]
  ) -> [Int]? {
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    guard parts.map(\.count) == widths,
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
    else { return nil }
    return parts.compactMap { Int($0) }
  }
}

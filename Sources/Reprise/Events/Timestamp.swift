// `Timestamp`: a point in UTC wall-clock time, and its ISO 8601 text.

/// A point in time in the years 0 to 9999, in whole microseconds since the Unix epoch.
public struct Timestamp: Hashable, Comparable, Sendable {
  // The range that the text form can represent. A damaged record may contain any number.
  private static let validRange: ClosedRange<Int64> =
    -62_167_219_200_000_000...253_402_300_799_999_999

  /// Microseconds since 1970-01-01T00:00:00Z.
  public let microseconds: Int64

  /// Creates a timestamp from its distance to the Unix epoch.
  ///
  /// - Parameter microseconds: Microseconds since 1970-01-01T00:00:00Z, clamped to the years 0 to
  ///   9999.
  public init(microseconds: Int64) {
    let valid = Self.validRange
    self.microseconds = min(max(microseconds, valid.lowerBound), valid.upperBound)
  }

  /// The end of a wait that lasts until the run is stopped: the year 2200.
  public static let whenStopped = Timestamp(microseconds: 7_258_118_400_000_000)

  /// Returns whether a timestamp is before another.
  public static func < (earlier: Timestamp, later: Timestamp) -> Bool {
    earlier.microseconds < later.microseconds
  }

  /// Returns the time from `earlier` to `later`; negative if they are in the opposite order.
  public static func - (later: Timestamp, earlier: Timestamp) -> Duration {
    .microseconds(later.microseconds - earlier.microseconds)
  }

  /// Returns the timestamp that is `duration` later, truncated to whole microseconds.
  ///
  /// - Parameter duration: The distance.
  /// - Returns: The later timestamp.
  public func advanced(by duration: Duration) -> Timestamp {
    let (seconds, attoseconds) = duration.components
    // Clamp to ten thousand years, which exceed the valid range from any timestamp.
    let most: Int64 = 10_000 * 366 * 86_400
    return Timestamp(
      microseconds: microseconds + min(max(seconds, -most), most) * 1_000_000
        + attoseconds / 1_000_000_000_000)
  }
}

extension Timestamp: CustomStringConvertible {
  /// ISO 8601 in UTC with microseconds, such as `2026-11-20T22:38:27.012345Z`.
  public var description: String {
    let microsecondsOfDay = Int(microseconds.floorModulo(86_400_000_000))
    let days = Int((microseconds - Int64(microsecondsOfDay)) / 86_400_000_000)
    let (year, month, day) = Self.civil(fromDays: days)
    let second = microsecondsOfDay / 1_000_000
    return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2) + "T"
      + padded(second / 3600, 2) + ":" + padded(second / 60 % 60, 2) + ":" + padded(second % 60, 2)
      + "." + padded(microsecondsOfDay % 1_000_000, 6) + "Z"
  }

  /// Parses the format of ``description``; nil for any other text.
  ///
  /// - Parameter text: `YYYY-MM-DDThh:mm:ss.ssssssZ`.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 27, bytes[4] == 0x2D, bytes[7] == 0x2D, bytes[10] == 0x54,
      bytes[13] == 0x3A, bytes[16] == 0x3A, bytes[19] == 0x2E, bytes[26] == 0x5A
    else { return nil }
    func number(_ range: Range<Int>) -> Int? {
      bytes[range].reduce(Int?(0)) { sum, byte in
        guard let sum, (0x30...0x39).contains(byte) else { return nil }
        return sum * 10 + Int(byte - 0x30)
      }
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
      let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
      let fraction = number(20..<26), (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    let seconds =
      Self.days(fromYear: year, month: month, day: day) * 86_400 + hour * 3600 + minute * 60
      + second
    self.init(microseconds: Int64(seconds) * 1_000_000 + Int64(fraction))
  }

  // The two conversions are Howard Hinnant's `civil_from_days` and `days_from_civil`
  // (https://howardhinnant.github.io/date_algorithms.html): years begin in March, eras of 400 years.

  private static func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }

  private static func days(fromYear year: Int, month: Int, day: Int) -> Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}

extension Timestamp: Codable {
  /// Decodes a timestamp from a string.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let timestamp = Timestamp(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\"\(text)\" is not a UTC time with microseconds")
    }
    self = timestamp
  }

  /// Encodes the timestamp as a string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension Int64 {
  fileprivate func floorModulo(_ divisor: Int64) -> Int64 {
    let remainder = self % divisor
    return remainder < 0 ? remainder + divisor : remainder
  }
}

private func padded(_ number: Int, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

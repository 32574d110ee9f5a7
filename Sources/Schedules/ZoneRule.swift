// The annual daylight saving time rule of a zone, in POSIX syntax.

/// A rule such as `CET-1CEST,M3.5.0,M10.5.0/3`.
///
/// The syntax is that of the POSIX variable `TZ`
/// (https://pubs.opengroup.org/onlinepubs/9799919799/basedefs/V1_chap08.html), with the extension
/// of RFC 8536 to hours from -167 to 167.
struct ZoneRule: Sendable, Equatable {
  private struct Summer: Equatable {
    let offset: Int
    let start: YearDay
    let end: YearDay
  }

  private let standardOffset: Int
  private let summer: Summer?

  /// Parses a rule; returns nil if the text is not a rule.
  ///
  /// - Parameter text: The text to parse.
  init?(_ text: String) {
    var parser = ZoneRuleParser(text)
    guard parser.name(), let west = parser.offset() else { return nil }
    standardOffset = -west
    guard !parser.isAtEnd else {
      summer = nil
      return
    }
    guard parser.name() else { return nil }
    var offset = standardOffset + 3600
    if !parser.isAtEnd, !parser.isNext(",") {
      guard let west = parser.offset() else { return nil }
      offset = -west
    }
    // Without dates, use those of the United States, as glibc and the tz database do.
    if parser.isAtEnd { parser = ZoneRuleParser(",M3.2.0,M11.1.0") }
    guard parser.skip(","), let start = YearDay(&parser), parser.skip(","),
      let end = YearDay(&parser), parser.isAtEnd
    else { return nil }
    summer = Summer(offset: offset, start: start, end: end)
  }

  /// Returns the offset from UTC, in seconds; positive in the east.
  func offset(at seconds: Int64) -> Int {
    guard let summer else { return standardOffset }
    let today = (seconds + Int64(standardOffset)).flooringQuotient(by: secondsPerDay)
    let year = CivilDate(dayNumber: today).year
    // Use the year in standard time to select the changes, as the C library does.
    let start = summer.start.moment(in: year) - Int64(standardOffset)
    let end = summer.end.moment(in: year) - Int64(summer.offset)
    let isSummer =
      start < end ? start <= seconds && seconds < end : seconds < end || start <= seconds
    return isSummer ? summer.offset : standardOffset
  }
}

/// An annual day and time.
private struct YearDay: Equatable {
  private enum Day: Equatable {
    /// Day 1 to 365, not counting 29 February.
    case ofCommonYear(Int)
    /// Day 0 to 365, counting 29 February.
    case ofYear(Int)
    /// The first to fourth, or last (5), occurrence of a weekday in a month.
    case ofWeek(month: Int, week: Int, day: Int)
  }

  private let day: Day
  private let time: Int

  init?(_ parser: inout ZoneRuleParser) {
    if parser.skip("J") {
      guard let number = parser.number(1...365) else { return nil }
      day = .ofCommonYear(number)
    } else if parser.skip("M") {
      guard let month = parser.number(1...12), parser.skip("."), let week = parser.number(1...5),
        parser.skip("."), let weekday = parser.number(0...6)
      else { return nil }
      day = .ofWeek(month: month, week: week, day: weekday)
    } else {
      guard let number = parser.number(0...365) else { return nil }
      day = .ofYear(number)
    }
    guard parser.skip("/") else {
      time = 2 * 3600
      return
    }
    guard let time = parser.time(hoursMax: 167) else { return nil }
    self.time = time
  }

  /// Returns the wall time in a year, in seconds since 1970, by the clock before the change.
  func moment(in year: Int64) -> Int64 {
    let newYear = CivilDate(year: year, month: 1, day: 1).dayNumber
    let dayNumber: Int64
    switch day {
    case .ofCommonYear(let number):
      let isAfterLeapDay =
        number >= 60 && CivilDate(year: year, month: 2, day: 1).daysInMonth == 29
      dayNumber = newYear + Int64(number) - (isAfterLeapDay ? 0 : 1)
    case .ofYear(let number):
      dayNumber = newYear + Int64(number)
    case .ofWeek(let month, let week, let weekday):
      let first = CivilDate(year: year, month: month, day: 1)
      let toFirst = (weekday - CivilDate.dayOfWeek(first.dayNumber) + 7) % 7
      var day = toFirst + (week - 1) * 7
      if day >= first.daysInMonth { day -= 7 }
      dayNumber = first.dayNumber + Int64(day)
    }
    return dayNumber * secondsPerDay + Int64(time)
  }
}

/// Reads the parts of a rule from the front.
private struct ZoneRuleParser {
  private var rest: Substring.UTF8View

  init(_ text: String) {
    rest = text[...].utf8
  }

  var isAtEnd: Bool { rest.isEmpty }

  func isNext(_ character: Unicode.Scalar) -> Bool { rest.first == UInt8(ascii: character) }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard isNext(character) else { return false }
    rest.removeFirst()
    return true
  }

  /// Reads an abbreviation: at least three letters, or any text in angle brackets.
  mutating func name() -> Bool {
    if skip("<") {
      guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
      rest = rest[end...].dropFirst()
      return true
    }
    let letters = rest.prefix { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 }
    rest = rest[letters.endIndex...]
    return letters.count >= 3
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int? {
    let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    guard let number = Int(Substring(digits)), range.contains(number) else { return nil }
    rest = rest[digits.endIndex...]
    return number
  }

  /// Reads an offset west of Greenwich; less than a day.
  mutating func offset() -> Int? {
    time(hoursMax: 24).flatMap { abs($0) < Int(secondsPerDay) ? $0 : nil }
  }

  /// Reads hours with optional sign, minutes and seconds; returns seconds.
  mutating func time(hoursMax: Int) -> Int? {
    let isNegative = skip("-")
    if !isNegative { _ = skip("+") }
    guard let hours = number(0...hoursMax) else { return nil }
    var seconds = hours * 3600
    if skip(":") {
      guard let minutes = number(0...59) else { return nil }
      seconds += minutes * 60
      if skip(":") {
        guard let rest = number(0...59) else { return nil }
        seconds += rest
      }
    }
    return isNegative ? -seconds : seconds
  }
}

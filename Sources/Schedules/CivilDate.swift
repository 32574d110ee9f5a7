// Dates of the Gregorian calendar and their conversion to day numbers.

/// A date of the proleptic Gregorian calendar.
///
/// Uses the algorithms of Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms"
/// (`days_from_civil` and `civil_from_days`, https://howardhinnant.github.io/date_algorithms.html).
/// They count years from March, so that the leap day is the last day of a year, in eras of 400
/// years, which all have the same length.
struct CivilDate: Equatable {
  /// The year; year 0 is the year before year 1.
  let year: Int64
  /// The month, 1 to 12.
  let month: Int
  /// The day of the month, from 1.
  let day: Int

  private static let daysPerEra: Int64 = 146_097
  /// The days from 1 March of year 0, the start of an era, to 1 January 1970.
  private static let daysBefore1970: Int64 = 719_468

  /// Creates a date, which must exist.
  init(year: Int64, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// Creates the date of a day number.
  ///
  /// - Parameter dayNumber: Days since 1 January 1970; negative before it.
  init(dayNumber: Int64) {
    let days = dayNumber + Self.daysBefore1970
    let era = days.flooringQuotient(by: Self.daysPerEra)
    let dayOfEra = days - era * Self.daysPerEra
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    month = Int(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// The days since 1 January 1970; negative before it.
  var dayNumber: Int64 {
    let yearFromMarch = month <= 2 ? year - 1 : year
    let era = yearFromMarch.flooringQuotient(by: 400)
    let yearOfEra = yearFromMarch - era * 400
    let monthFromMarch = Int64(month > 2 ? month - 3 : month + 9)
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + Int64(day) - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * Self.daysPerEra + dayOfEra - Self.daysBefore1970
  }

  /// The number of days in its month.
  var daysInMonth: Int {
    let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return month == 2 && !isLeapYear ? 28 : Self.daysMax(inMonth: month)
  }

  /// The first day of the next month.
  var firstOfNextMonth: CivilDate {
    month == 12
      ? CivilDate(year: year + 1, month: 1, day: 1)
      : CivilDate(year: year, month: month + 1, day: 1)
  }

  /// Returns the maximum number of days in a month, that is, in a leap year.
  ///
  /// - Parameter month: The month, 1 to 12.
  /// - Returns: 29, 30 or 31.
  static func daysMax(inMonth month: Int) -> Int {
    switch month {
    case 2: 29
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Returns the day of the week.
  ///
  /// - Parameter dayNumber: Days since 1 January 1970, which was a Thursday.
  /// - Returns: 0 (Sunday) to 6.
  static func dayOfWeek(_ dayNumber: Int64) -> Int {
    Int(dayNumber + 4 - (dayNumber + 4).flooringQuotient(by: 7) * 7)
  }
}

extension Int64 {
  /// Returns the quotient rounded down, where `/` rounds toward zero.
  ///
  /// - Parameter divisor: A positive number.
  /// - Returns: The greatest integer not above the exact quotient.
  func flooringQuotient(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}

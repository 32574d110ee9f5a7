// Tests of dates and day numbers against counting.

import Testing

@testable import Schedules

struct CivilDateTests {
  @Test func `dates of 800 years agree with counting`() {
    // 1 January 1600 was a Saturday, 135140 days before 1970: 370 years of 365 days, 90 leap days.
    var day: Int64 = -(370 * 365 + 90)
    var weekday = 6
    for year: Int64 in 1600..<2400 {
      let february = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0) ? 29 : 28
      let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      for (index, length) in lengths.enumerated() {
        for dayOfMonth in 1...length {
          let date = CivilDate(dayNumber: day)
          guard date == CivilDate(year: year, month: index + 1, day: dayOfMonth),
            date.dayNumber == day, date.daysInMonth == length, CivilDate.dayOfWeek(day) == weekday
          else {
            Issue.record("\(year)-\(index + 1)-\(dayOfMonth) is \(date)")
            return
          }
          day += 1
          weekday = (weekday + 1) % 7
        }
      }
    }
    #expect(day == 430 * 365 + 104)
  }

  static let ends: [(Int64, CivilDate)] = [
    (-719_528, CivilDate(year: 0, month: 1, day: 1)),
    (-719_162, CivilDate(year: 1, month: 1, day: 1)),
    (-1, CivilDate(year: 1969, month: 12, day: 31)),
    (2_932_896, CivilDate(year: 9999, month: 12, day: 31)),
  ]

  @Test(arguments: ends)
  func `the first and last dates are correct`(dayNumber: Int64, date: CivilDate) {
    #expect(CivilDate(dayNumber: dayNumber) == date)
    #expect(date.dayNumber == dayNumber)
  }
}

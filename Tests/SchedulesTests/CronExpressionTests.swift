// Tests of the meaning of valid cron expressions.

import Testing

@testable import Schedules

struct CronExpressionTests {
  /// An expression and its values; nil means all.
  struct Good: Sendable, CustomTestStringConvertible {
    let text: String
    var minutes: Set<Int>?
    var hours: Set<Int>?
    var days: Set<Int>?
    var months: Set<Int>?
    var weekdays: Set<Int>?

    var testDescription: String { text }
  }

  static let good: [Good] = [
    Good(text: "* * * * *"),
    Good(text: "0 0 * * *", minutes: [0], hours: [0]),
    Good(
      text: "59 23 31 12 6", minutes: [59], hours: [23], days: [31], months: [12], weekdays: [6]),
    Good(text: "05 007 01 * *", minutes: [5], hours: [7], days: [1]),
    Good(text: "*/15 * * * *", minutes: [0, 15, 30, 45]),
    Good(text: "*/25 * * * *", minutes: [0, 25, 50]),
    Good(text: "*/59 */23 * * *", minutes: [0, 59], hours: [0, 23]),
    Good(text: "*/1 * * * *"),
    Good(text: "10-40/10 * * * *", minutes: [10, 20, 30, 40]),
    Good(text: "10-45/10 * * * *", minutes: [10, 20, 30, 40]),
    Good(text: "10-12/50 * * * *", minutes: [10]),
    Good(text: "7-7 * * * *", minutes: [7]),
    Good(text: "1-5 * * * *", minutes: [1, 2, 3, 4, 5]),
    Good(text: "1,2,5-6,50-58/4 * * * *", minutes: [1, 2, 5, 6, 50, 54, 58]),
    Good(text: "3,3,3 * * * *", minutes: [3]),
    Good(text: "0,*/30 * * * *", minutes: [0, 30]),
    Good(text: "1,* * * * *"),
    Good(text: "0 9-17 * * *", minutes: [0], hours: [9, 10, 11, 12, 13, 14, 15, 16, 17]),
    Good(text: "0 */6 * * *", minutes: [0], hours: [0, 6, 12, 18]),
    Good(text: "0 0 */10 * *", minutes: [0], hours: [0], days: [1, 11, 21, 31]),
    Good(text: "0 0 1,15 * *", minutes: [0], hours: [0], days: [1, 15]),
    Good(text: "0 0 * jan *", minutes: [0], hours: [0], months: [1]),
    Good(text: "0 0 * JAN,Feb,dEC *", minutes: [0], hours: [0], months: [1, 2, 12]),
    Good(text: "0 0 * mar-may *", minutes: [0], hours: [0], months: [3, 4, 5]),
    Good(text: "0 0 * jan-dec/3 *", minutes: [0], hours: [0], months: [1, 4, 7, 10]),
    Good(text: "0 0 * */5 *", minutes: [0], hours: [0], months: [1, 6, 11]),
    Good(text: "0 0 * 6-sep *", minutes: [0], hours: [0], months: [6, 7, 8, 9]),
    Good(text: "0 0 * * 0", minutes: [0], hours: [0], weekdays: [0]),
    Good(text: "0 0 * * 7", minutes: [0], hours: [0], weekdays: [0]),
    Good(text: "0 0 * * 0,7", minutes: [0], hours: [0], weekdays: [0]),
    Good(text: "0 0 * * SUN", minutes: [0], hours: [0], weekdays: [0]),
    Good(text: "0 0 * * mon-fri", minutes: [0], hours: [0], weekdays: [1, 2, 3, 4, 5]),
    Good(text: "0 0 * * fri-7", minutes: [0], hours: [0], weekdays: [5, 6, 0]),
    Good(text: "0 0 * * 0-7", minutes: [0], hours: [0]),
    Good(text: "0 0 * * 1-7/2", minutes: [0], hours: [0], weekdays: [1, 3, 5, 0]),
    Good(text: "0 0 * * */2", minutes: [0], hours: [0], weekdays: [0, 2, 4, 6]),
    Good(text: "0 0 29 2 *", minutes: [0], hours: [0], days: [29], months: [2]),
    Good(
      text: "0 0 30 feb mon", minutes: [0], hours: [0], days: [30], months: [2], weekdays: [1]),
    Good(text: "0 0 31 2,3 *", minutes: [0], hours: [0], days: [31], months: [2, 3]),
    Good(text: " \t0  0\t* *   *\n", minutes: [0], hours: [0]),
    Good(text: "@hourly", minutes: [0]),
    Good(text: "@daily", minutes: [0], hours: [0]),
    Good(text: "@midnight", minutes: [0], hours: [0]),
    Good(text: "@weekly", minutes: [0], hours: [0], weekdays: [0]),
    Good(text: "@monthly", minutes: [0], hours: [0], days: [1]),
    Good(text: "@yearly", minutes: [0], hours: [0], days: [1], months: [1]),
    Good(text: " @annually ", minutes: [0], hours: [0], days: [1], months: [1]),
  ]

  @Test(arguments: good)
  func `a valid expression has the expected values`(good: Good) throws {
    let expression = try CronExpression(good.text)
    #expect(expression.text == good.text)
    #expect(members(expression.minutes) == good.minutes ?? Set(0...59))
    #expect(members(expression.hours) == good.hours ?? Set(0...23))
    #expect(members(expression.daysOfMonth) == good.days ?? Set(1...31))
    #expect(members(expression.months) == good.months ?? Set(1...12))
    #expect(members(expression.daysOfWeek) == good.weekdays ?? Set(0...6))
  }

  @Test(arguments: [
    ("0 0 * * *", true), ("0-59 0-23 * * *", true), ("1,* 1,* * * *", true), ("@daily", true),
    ("15 2,3 * * *", true), ("* 0 * * *", false), ("0 * * * *", false), ("*/15 2 * * *", false),
    ("0 */2 * * *", false), ("@hourly", false), ("*,1 0 * * *", false),
  ])
  func `a fixed time has a minute and an hour that do not start with a star`(
    text: String, isFixedTime: Bool
  ) throws {
    #expect(try CronExpression(text).isFixedTime == isFixedTime)
  }

  @Test(arguments: [
    ("0 0 1 * 1", true), ("0 0 1-31 * 0-7", true), ("0 0 * * 1", false), ("0 0 1 * *", false),
    ("0 0 */2 * 1", false), ("0 0 1 * */2", false), ("0 0 1,* * 1", true), ("0 0 *,1 * 1", false),
  ])
  func `either day matches if neither day field starts with a star`(
    text: String, eitherDayMatches: Bool
  ) throws {
    #expect(try CronExpression(text).eitherDayMatches == eitherDayMatches)
  }

  @Test func `expressions with the same text are equal`() throws {
    #expect(try CronExpression("0 0 * * *") == CronExpression("0 0 * * *"))
    #expect(try CronExpression("0 0 * * *") != CronExpression("@daily"))
    #expect(try CronExpression("0 0 * * *") != CronExpression("0 1 * * *"))
  }

  private func members(_ mask: UInt64) -> Set<Int> {
    Set((0..<64).filter { (mask >> UInt64($0)) % 2 == 1 })
  }
}

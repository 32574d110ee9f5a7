// Tests of the next moment with a constant offset, and of the limits.

import Schedules
import Testing

struct NextTests {
  @Test(arguments: [
    ("* * * * *", "2026-01-01 00:00", "2026-01-01 00:01"),
    ("* * * * *", "2026-01-01 00:00:59", "2026-01-01 00:01"),
    ("* * * * *", "2025-12-31 23:59:01", "2026-01-01 00:00"),
    ("0 0 29 2 *", "2024-02-29 00:00", "2028-02-29 00:00"),
    ("0 0 29 2 *", "2096-02-29 00:00", "2104-02-29 00:00"),
    // A Sunday. Those are 28 years apart, and 40 years around 2100.
    ("0 0 29 2 */7", "2032-02-29 00:00", "2060-02-29 00:00"),
    ("0 0 29 2 */7", "2088-02-29 00:00", "2128-02-29 00:00"),
    ("59 23 31 12 *", "2026-12-31 23:59", "2027-12-31 23:59"),
    ("0 0 31 * *", "2026-01-31 00:00", "2026-03-31 00:00"),
    ("0 0 31 4,5 *", "2026-01-31 00:00", "2026-05-31 00:00"),
    // 1 June 2026 is a Monday: the first of a month or a Friday.
    ("0 0 1 * 5", "2026-05-30 00:00", "2026-06-01 00:00"),
    ("0 0 1 * 5", "2026-06-01 00:00", "2026-06-05 00:00"),
    ("0 0 1 * 5", "2026-06-26 00:00", "2026-07-01 00:00"),
    // If a day field starts with a star, both fields must match: an odd date that is a Friday.
    ("0 0 */2 * 5", "2026-06-01 00:00", "2026-06-05 00:00"),
    ("0 0 */2 * 5", "2026-06-05 00:00", "2026-06-19 00:00"),
    ("0 0 1-31/2 * 5", "2026-06-05 00:00", "2026-06-07 00:00"),
    ("0 0 13 * */7", "2026-01-01 00:00", "2026-09-13 00:00"),
    ("0 0 30 2 1", "2026-01-01 00:00", "2026-02-02 00:00"),
    ("0 0 * * 7", "2026-06-01 00:00", "2026-06-07 00:00"),
    ("5-10/5 8,20 * * *", "2026-06-01 08:10", "2026-06-01 20:05"),
    ("0 0 1 1 *", "1900-02-28 23:59", "1901-01-01 00:00"),
    ("0 0 29 2 *", "1896-02-29 00:00", "1904-02-29 00:00"),
    ("* * * * *", "1969-12-31 23:59:30", "1970-01-01 00:00"),
  ])
  func `the next moment in UTC is correct`(text: String, after: String, expected: String) throws {
    let expression = try CronExpression(text)
    #expect(expression.next(after: try utc(after), in: FixedOffset.utc) == (try utc(expected)))
  }

  @Test func `an offset shifts the next moment`() throws {
    let expression = try CronExpression("0 0 * * *")
    let start = try utc("2026-06-01 12:00")
    let india = FixedOffset(secondsFromUTC: 19_800)
    #expect(expression.next(after: start, in: india) == (try utc("2026-06-01 18:30")))
    let hawaii = FixedOffset(secondsFromUTC: -36_000)
    #expect(expression.next(after: start, in: hawaii) == (try utc("2026-06-02 10:00")))
  }

  @Test(arguments: [Int64.min, -62_135_596_801, 253_402_300_800, .max])
  func `there is no next moment outside of the years 1 to 9999`(seconds: Int64) throws {
    for text in ["* * * * *", "0 0 29 2 *"] {
      #expect(try CronExpression(text).next(after: seconds, in: FixedOffset.utc) == nil)
    }
  }

  @Test func `the first and last supported moments are handled`() throws {
    let zone = try #require(ZoneRules(identifier: "Europe/Berlin"))
    for text in ["* * * * *", "30 2 * * *"] {
      let expression = try CronExpression(text)
      #expect(expression.next(after: 253_402_300_799, in: zone) == nil)
      #expect(expression.next(after: -62_135_596_800, in: zone) != nil)
    }
  }

  @Test func `time zones are found by their names`() throws {
    #expect(ZoneRules(identifier: "Mars/Olympus") == nil)
    #expect(ZoneRules(identifier: "") == nil)
    #expect(ZoneRules(identifier: "UTC")?.offset(at: 0) == 0)
    #expect(ZoneRules(identifier: "Europe/Berlin")?.identifier == "Europe/Berlin")
    #expect(ZoneRules.identifiers.count > 400)
    #expect(ZoneRules.identifiers.allSatisfy { ZoneRules(identifier: $0) != nil })
    #expect(ZoneRules.identifiers.contains("UTC"))
    #expect(ZoneRules.identifiers == ZoneRules.identifiers.sorted())
  }

  @Test func `a rare expression needs few offsets`() throws {
    let clocks = CountedClocks()
    for text in ["0 0 29 2 *", "* * 29 2 *", "0 0 29 2 */7", "*/15 * * * *", "0 3 * * *"] {
      clocks.reset()
      #expect(try CronExpression(text).next(after: try utc("2088-03-01 00:00"), in: clocks) != nil)
      #expect(clocks.count < 12, "\(text)")
    }
  }
}

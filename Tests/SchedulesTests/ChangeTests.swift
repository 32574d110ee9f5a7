// Unusual clock changes: at midnight, by a whole day, by odd seconds.

import Schedules
import Testing

struct ChangeTests {
  /// An expression in a zone, and all of its moments from the first to the last, in UTC.
  struct Change: Sendable, CustomTestStringConvertible {
    let zone: String
    let text: String
    let moments: [String]

    var testDescription: String { "\(text) in \(zone)" }
  }

  static let changes: [Change] = [
    // 6 September 2026 begins at 01:00, at 04:00 UTC (UTC-4, then UTC-3).
    Change(
      zone: "America/Santiago", text: "0 0 * * *",
      moments: ["2026-09-05 04:00", "2026-09-06 04:00", "2026-09-07 03:00"]),
    Change(
      zone: "America/Santiago", text: "0 0 6 9 *",
      moments: ["2025-09-06 04:00", "2026-09-06 04:00", "2027-09-06 03:00"]),
    // 4 April ends at 24:00 = 5 April 03:00 UTC, which becomes 23:00.
    Change(
      zone: "America/Santiago", text: "30 23 * * *",
      moments: ["2026-04-04 02:30", "2026-04-05 02:30", "2026-04-06 03:30"]),
    Change(
      zone: "America/Santiago", text: "30 */23 * * *",
      moments: ["2026-04-04 03:30", "2026-04-05 02:30", "2026-04-05 03:30", "2026-04-05 04:30"]),
    Change(
      zone: "America/Santiago", text: "0 0 * * *",
      moments: ["2026-04-04 03:00", "2026-04-05 04:00", "2026-04-06 04:00"]),
    // 24 April 2026 begins at 01:00 = 23 April 22:00 UTC (UTC+2, then UTC+3).
    Change(
      zone: "Africa/Cairo", text: "0 0 * * *",
      moments: ["2026-04-22 22:00", "2026-04-23 22:00", "2026-04-24 21:00"]),
    Change(
      zone: "Africa/Cairo", text: "*/30 * 24 4 *",
      moments: ["2026-04-23 22:00", "2026-04-23 22:30"]),
    // 29 March 2026 begins at 01:00 = 28 March 22:00 UTC (UTC+2, then UTC+3).
    Change(
      zone: "Asia/Beirut", text: "0 0 * * *",
      moments: ["2026-03-27 22:00", "2026-03-28 22:00", "2026-03-29 21:00"]),
    Change(
      zone: "Asia/Beirut", text: "0,30 0,1 * * *",
      moments: [
        "2026-03-27 23:30", "2026-03-28 22:00", "2026-03-28 22:30", "2026-03-29 21:00",
      ]),
    // 29 December 2011, 24:00 (UTC-10) became 31 December, 00:00 (UTC+14).
    Change(
      zone: "Pacific/Apia", text: "0 9 * * *",
      moments: ["2011-12-29 19:00", "2011-12-30 10:00", "2011-12-30 19:00", "2011-12-31 19:00"]),
    Change(
      zone: "Pacific/Apia", text: "0 0 * * *",
      moments: ["2011-12-29 10:00", "2011-12-30 10:00", "2011-12-31 10:00"]),
    Change(
      zone: "Pacific/Apia", text: "45 23 30 12 *",
      moments: ["2010-12-31 09:45", "2011-12-30 10:00"]),
    Change(
      zone: "Pacific/Apia", text: "0 */6 * * *",
      moments: ["2011-12-30 04:00", "2011-12-30 10:00", "2011-12-30 16:00"]),
    Change(
      zone: "Pacific/Apia", text: "0 */6 30 12 *",
      moments: ["2010-12-31 04:00", "2012-12-29 10:00"]),
    // At 00:01 (UTC-2:30) on 29 October 2006 the clock changed to 23:01 of the previous day
    // (UTC-3:30).
    Change(
      zone: "America/St_Johns", text: "0 0 * * *",
      moments: ["2006-10-28 02:30", "2006-10-29 02:30", "2006-10-30 03:30"]),
    Change(
      zone: "America/St_Johns", text: "*/30 * * * *",
      moments: ["2006-10-29 02:00", "2006-10-29 02:30", "2006-10-29 03:00", "2006-10-29 03:30"]),
    Change(
      zone: "America/St_Johns", text: "* 0 29 10 *",
      moments: ["2006-10-29 02:30", "2006-10-29 03:30", "2006-10-29 03:31"]),
    // The clock was set back by 23 hours: 1 October 1969, 00:00 (UTC+11) became 30 September,
    // 01:00.
    Change(
      zone: "Pacific/Kwajalein", text: "30 12 * * *",
      moments: ["1969-09-29 01:30", "1969-09-30 01:30", "1969-10-02 00:30"]),
    Change(
      zone: "Pacific/Kwajalein", text: "30 */12 30 9 *",
      moments: ["1969-09-29 13:30", "1969-09-30 01:30", "1969-10-01 00:30"]),
  ]

  @Test(arguments: changes)
  func `an unusual clock change neither skips nor repeats a fixed time`(change: Change) throws {
    let zone = try #require(ZoneRules(identifier: change.zone))
    let expected = try change.moments.map { try utc($0) }
    let expression = try CronExpression(change.text)
    let (first, last) = (expected[0], expected[expected.count - 1])
    #expect(moments(expression, in: zone, after: first - 1, before: last + 1) == expected)
  }

  /// Zone, expression, a moment near a change, and the next moment after it.
  static let starts = [
    // The clock in Berlin is set back at 01:00 UTC, so the second pass is from 01:00 to 02:00 UTC.
    ("Europe/Berlin", "30 2 * * *", "2026-10-25 00:29:59", "2026-10-25 00:30"),
    ("Europe/Berlin", "30 2 * * *", "2026-10-25 00:45", "2026-10-26 01:30"),
    ("Europe/Berlin", "30 2 * * *", "2026-10-25 00:59:59", "2026-10-26 01:30"),
    ("Europe/Berlin", "30 2 * * *", "2026-10-25 01:00", "2026-10-26 01:30"),
    ("Europe/Berlin", "30 2 * * *", "2026-10-25 01:15", "2026-10-26 01:30"),
    ("Europe/Berlin", "30 2,3 * * *", "2026-10-25 01:15", "2026-10-25 02:30"),
    ("Europe/Berlin", "59 2 * * *", "2026-10-25 01:58", "2026-10-26 01:59"),
    ("Europe/Berlin", "0 3 * * *", "2026-10-25 01:58", "2026-10-25 02:00"),
    ("Europe/Berlin", "30 * * * *", "2026-10-25 01:15", "2026-10-25 01:30"),
    ("Europe/Berlin", "30 2 * * *", "2026-03-29 00:59:59", "2026-03-29 01:00"),
    ("Europe/Berlin", "30 2 * * *", "2026-03-29 01:00", "2026-03-30 00:30"),
    ("America/New_York", "30 1 * * *", "2026-11-01 06:00", "2026-11-02 06:30"),
    ("America/New_York", "30 1 * * *", "2026-11-01 06:29", "2026-11-02 06:30"),
    ("Australia/Lord_Howe", "45 1 * * *", "2026-04-04 15:00", "2026-04-05 15:15"),
    ("Australia/Lord_Howe", "0 2 * * *", "2026-04-04 15:00", "2026-04-04 15:30"),
    ("Pacific/Kwajalein", "30 12 * * *", "1969-10-01 00:00", "1969-10-02 00:30"),
    ("Pacific/Kwajalein", "30 23 * * *", "1969-10-01 11:00", "1969-10-02 11:30"),
  ]

  @Test(arguments: starts)
  func `the next moment is correct near a clock change`(
    identifier: String, text: String, after: String, expected: String
  ) throws {
    let zone = try #require(ZoneRules(identifier: identifier))
    let next = try CronExpression(text).next(after: try utc(after), in: zone)
    #expect(next == (try utc(expected)))
  }

  @Test func `a change back by a whole day repeats no fixed time`() throws {
    // Day 10 occurs twice.
    let clocks = ChangedClocks(
      first: 43_200, changes: [(try utc("2000-01-10 12:00"), -43_200)])
    let fixed = try CronExpression("15 6 * * *")
    let found = moments(
      fixed, in: clocks, after: try utc("2000-01-09 12:00"), before: try utc("2000-01-13 00:00"))
    #expect(
      found == [
        try utc("2000-01-09 18:15"), try utc("2000-01-11 18:15"), try utc("2000-01-12 18:15"),
      ])
    let wild = try CronExpression("15 */23 10 * *")
    let both = moments(
      wild, in: clocks, after: try utc("2000-01-01 00:00"), before: try utc("2000-01-20 00:00"))
    #expect(
      both == [
        try utc("2000-01-09 12:15"), try utc("2000-01-10 11:15"),
        try utc("2000-01-10 12:15"), try utc("2000-01-11 11:15"),
      ])
  }

  @Test func `offsets with odd seconds keep whole minutes on the wall clock`() throws {
    // As in Liberia: -0:44:30 until 7 January 1972, 00:44:30 UTC.
    let change = try utc("1972-01-07 00:44:30")
    let clocks = ChangedClocks(first: -2670, changes: [(change, 0)])
    let found = moments(
      try CronExpression("0 0 * * *"), in: clocks, after: try utc("1972-01-05 12:00"),
      before: try utc("1972-01-09 00:00"))
    #expect(
      found == [try utc("1972-01-06 00:44:30"), change, try utc("1972-01-08 00:00")])
    let wild = moments(
      try CronExpression("* * * * *"), in: clocks, after: change - 90, before: change + 90)
    #expect(wild == [change - 60, change + 30])
  }
}

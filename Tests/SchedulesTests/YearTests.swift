// A year of cron in virtual time, with both clock changes.

import Schedules
import TestSupport
import Testing

struct YearTests {
  @Test(arguments: [ZoneYear.berlin, .newYork, .lordHowe])
  func `the moments of a year agree with hand-computed ones`(year: ZoneYear) throws {
    let zone = try #require(ZoneRules(identifier: year.zone))
    let (begin, end) = (try utc(year.begin), try utc(year.end))
    #expect(end - begin == 365 * 86_400)
    for yearCase in year.cases {
      let expression = try CronExpression(yearCase.text)
      let found = moments(expression, in: zone, after: begin - 1, before: end)
      #expect(found.count == yearCase.count, "\(yearCase.text)")
      for literals in [yearCase.forward, yearCase.back] {
        let expected = try literals.map { try utc($0) }
        let start = try #require(found.firstIndex(of: expected[0]), "\(yearCase.text)")
        #expect(Array(found[start...].prefix(expected.count)) == expected, "\(yearCase.text)")
      }
    }
  }

  @Test(arguments: ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC"])
  func `all moments of a year match, from any start`(
    identifier: String
  ) throws {
    let zone = try #require(ZoneRules(identifier: identifier))
    let (begin, end) = (try utc("2026-01-01 00:00"), try utc("2027-01-01 00:00"))
    for text in ["*/20 */8 1-9 * *", "7 */3 * * 1-5", "0 12 13 * fri", "30 5,17 */2 * *"] {
      let expression = try CronExpression(text)
      let naive = NaiveExpression(text)
      let found = moments(expression, in: zone, after: begin, before: end)
      #expect(found.count > 50)
      for (moment, later) in zip(found, found.dropFirst()) {
        #expect(naive.matches(moment + Int64(zone.offset(at: moment))))
        // From any moment between two of them, the second one is next.
        for start in [moment, moment + 1, (moment + later) / 2, later - 1] {
          #expect(expression.next(after: start, in: zone) == later)
        }
      }
    }
  }

  @Test func `a call is fast`() throws {
    let zone = try #require(ZoneRules(identifier: "Europe/Berlin"))
    for text in ["*/15 * * * *", "30 2 * * *", "0 0 29 2 *"] {
      let expression = try CronExpression(text)
      let callsMax = rounds(30_000, soak: 1_000_000)
      var last = try utc("2026-01-01 00:00")
      let time = processorTime {
        for _ in 0..<callsMax {
          let next = expression.next(after: last, in: zone) ?? Int64.max
          // Rare expressions cycle through the next two centuries.
          last = next > 8_000_000_000 ? 1_767_225_600 : next
        }
      }
      print("\(text): \(time / callsMax) per call")
      #expect(time / callsMax < promised(.microseconds(200)))
    }
  }
}

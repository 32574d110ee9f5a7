import Testing

@testable import Schedules

/// Ranges of days and minutes as people write them.
struct LocalRangeTests {
  private static let day: Int64 = 86_400

  @Test func `the last day and the last minute belong to a range`() throws {
    let start = Int64(20_000) * Self.day  // 2024-10-04
    #expect(
      LocalRange("2024-10-04")?.seconds(in: FixedOffset.utc) == start...(start + Self.day - 1))
    #expect(
      LocalRange("2024-10-04..2024-10-05")?.seconds(in: FixedOffset.utc)
        == start...(start + 2 * Self.day - 1))
    #expect(
      LocalRange("2024-10-04T06:00..2024-10-04T06:01")?.seconds(in: FixedOffset.utc)
        == (start + 21_600)...(start + 21_719))
  }

  @Test func `a range is in local time, also across a change of the clocks`() throws {
    let berlin = try #require(ZoneRules(identifier: "Europe/Berlin"))
    // The day of the change has 25 hours.
    let range = try #require(LocalRange("2026-10-25")).seconds(in: berlin)
    #expect(range.upperBound - range.lowerBound + 1 == 25 * 3600)
    #expect(berlin.offset(at: range.lowerBound) == 7200)
    #expect(berlin.offset(at: range.upperBound) == 3600)
  }

  @Test(arguments: [
    "", "..", "2024-10-04..", "2024-2-04", "2024-02-30", "2024-13-01", "2024-10-05..2024-10-04",
    "2024-10-04T24:00", "2024-10-04T6:00", "2024-10-04 06:00", "+024-10-04", "today",
  ])
  func `what is no range is refused`(_ text: String) {
    #expect(LocalRange(text) == nil)
  }
}

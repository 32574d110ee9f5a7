import Reprise
import Testing

/// Timestamps, including out-of-range values from damaged records.
struct TimestampTests {
  @Test func `a timestamp outside of the years 0 to 9999 is clamped`() throws {
    let (first, last) = (Timestamp(microseconds: .min), Timestamp(microseconds: .max))
    try #require(last.description == "9999-12-31T23:59:59.999999Z")
    try #require(first.microseconds == -62_167_219_200_000_000)
    #expect(first.description == "0000-01-01T00:00:00.000000Z")
    #expect(last - first > .seconds(9_999 * 365 * 86_400))
    #expect(first - last < .zero)
    #expect(last.advanced(by: .seconds(Int64.max)) == last)
    #expect(first.advanced(by: .seconds(Int64.min)) == first)
    #expect(first.advanced(by: last - first) == last)
  }
}

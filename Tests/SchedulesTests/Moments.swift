// Parsing of moments in tests, and clocks with configurable changes. Shares no code with the tested
// module.

import Schedules
import Testing

/// Returns the seconds since 1970 of a moment in UTC such as "2026-03-29 01:00".
func utc(_ text: String) throws -> Int64 {
  let numbers = text.split { "- :".contains($0) }.compactMap { Int64($0) }
  try #require(numbers.count == 5 || numbers.count == 6)
  let lengths: [Int64] = [31, isLeapYear(numbers[0]) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30]
  var days = numbers[2] - 1 + lengths.prefix(Int(numbers[1]) - 1).reduce(0, +)
  if numbers[0] >= 1970 {
    for year in 1970..<numbers[0] { days += isLeapYear(year) ? 366 : 365 }
  } else {
    for year in numbers[0]..<1970 { days -= isLeapYear(year) ? 366 : 365 }
  }
  return days * 86_400 + numbers[3] * 3600 + numbers[4] * 60 + (numbers.count == 6 ? numbers[5] : 0)
}

private func isLeapYear(_ year: Int64) -> Bool {
  year.isMultiple(of: 400) || (year.isMultiple(of: 4) && !year.isMultiple(of: 100))
}

/// Returns all moments of an expression after the first bound and before the second one.
///
/// Records an issue and stops if they do not increase.
func moments(
  _ expression: CronExpression, in zone: some ZoneOffsets, after start: Int64, before end: Int64
) -> [Int64] {
  var moments: [Int64] = []
  var last = start
  while let next = expression.next(after: last, in: zone), next < end {
    guard next > last else {
      Issue.record("\(expression.text): \(next) after \(last)")
      break
    }
    moments.append(next)
    last = next
  }
  return moments
}

/// Clocks with changes at the given moments.
struct ChangedClocks: ZoneOffsets {
  let first: Int
  /// The moments in ascending order, with the offsets from then on.
  let changes: [(moment: Int64, offset: Int)]

  func offset(at seconds: Int64) -> Int {
    changes.last { $0.moment <= seconds }?.offset ?? first
  }
}

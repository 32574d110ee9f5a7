// A naive parser and matcher of cron expressions. Shares no code with the tested module.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A numeric expression as five lists of allowed values.
struct NaiveExpression {
  private let allowed: [[Bool]]
  private let anyDay: Bool
  /// Whether minute and hour do not start with a star.
  let isFixedTime: Bool

  init(_ text: String) {
    let fields = text.split(separator: " ").map(String.init)
    let lasts = [59, 23, 31, 12, 7]
    allowed = zip(fields, lasts).enumerated().map { index, field in
      (0...field.1).map { value in
        field.0.split(separator: ",").contains { item in
          Self.item(String(item), allows: value, first: index == 2 || index == 3 ? 1 : 0)
        }
      }
    }
    anyDay = !fields[2].hasPrefix("*") && !fields[4].hasPrefix("*")
    isFixedTime = !fields[0].hasPrefix("*") && !fields[1].hasPrefix("*")
  }

  private static func item(_ item: String, allows value: Int, first: Int) -> Bool {
    let parts = item.split(separator: "/").map(String.init)
    let step = parts.count == 2 ? Int(parts[1]) ?? 0 : 1
    if parts[0] == "*" { return value >= first && (value - first) % step == 0 }
    if parts[0] == "fri" { return value == 5 }
    let ends = parts[0].split(separator: "-").compactMap { Int($0) }
    return value >= ends[0] && value <= ends[ends.count - 1] && (value - ends[0]) % step == 0
  }

  /// Returns whether a wall time, in seconds since 1970 on the wall clock, matches.
  func matches(_ wallTime: Int64) -> Bool {
    var seconds = time_t(wallTime)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    guard parts.tm_sec == 0, allowed[0][Int(parts.tm_min)], allowed[1][Int(parts.tm_hour)],
      allowed[3][Int(parts.tm_mon) + 1]
    else { return false }
    let weekday = Int(parts.tm_wday)
    let isWeekday = allowed[4][weekday] || (weekday == 0 && allowed[4][7])
    let isDay = allowed[2][Int(parts.tm_mday)]
    return anyDay ? isDay || isWeekday : isDay && isWeekday
  }
}

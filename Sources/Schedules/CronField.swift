// The five fields of a cron expression: their words and their bounds. Pure.

/// One of the five fields, in the order in which they are written.
enum CronField: CaseIterable {
  case minute
  case hour
  case dayOfMonth
  case month
  case dayOfWeek

  /// How all five are called, in their order.
  static let order = "minute hour day-of-month month day-of-week"

  /// How one of its values is called.
  var name: String {
    switch self {
    case .minute: "minute"
    case .hour: "hour"
    case .dayOfMonth: "day of the month"
    case .month: "month"
    case .dayOfWeek: "day of the week"
    }
  }

  /// How several of its values are called.
  var plural: String {
    switch self {
    case .minute: "minutes"
    case .hour: "hours"
    case .dayOfMonth: "days of the month"
    case .month: "months"
    case .dayOfWeek: "days of the week"
    }
  }

  /// The numbers that may be written; of the days of the week, both 0 and 7 are Sunday.
  var values: ClosedRange<Int> {
    switch self {
    case .minute: 0...59
    case .hour: 0...23
    case .dayOfMonth: 1...31
    case .month: 1...12
    case .dayOfWeek: 0...7
    }
  }

  /// The names that may stand for numbers, in lower case, from the first of ``values`` on.
  var names: [String] {
    switch self {
    case .minute, .hour, .dayOfMonth: []
    case .month:
      ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    case .dayOfWeek: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    }
  }

  /// What may be written, as a hint.
  var hint: String {
    let numbers = "\(plural) are \(values.lowerBound) to \(values.upperBound)"
    guard let first = names.first, let last = names.last else { return numbers }
    return "\(numbers), or \(first) to \(last)"
  }
}

// The five fields of a cron expression, with their names and bounds.

/// A field of a cron expression, in the order of the text.
enum CronField: CaseIterable {
  case minute
  case hour
  case dayOfMonth
  case month
  case dayOfWeek

  /// The names of all fields, in order.
  static let order = "minute hour day-of-month month day-of-week"

  /// The name of a value, for messages.
  var name: String {
    switch self {
    case .minute: "minute"
    case .hour: "hour"
    case .dayOfMonth: "day of the month"
    case .month: "month"
    case .dayOfWeek: "day of the week"
    }
  }

  /// The name of several values, for messages.
  var plural: String {
    switch self {
    case .minute: "minutes"
    case .hour: "hours"
    case .dayOfMonth: "days of the month"
    case .month: "months"
    case .dayOfWeek: "days of the week"
    }
  }

  /// The permitted numbers.
  ///
  /// For days of the week, both 0 and 7 are Sunday.
  var values: ClosedRange<Int> {
    switch self {
    case .minute: 0...59
    case .hour: 0...23
    case .dayOfMonth: 1...31
    case .month: 1...12
    case .dayOfWeek: 0...7
    }
  }

  /// The names of the values in lower case, starting with the first of ``values``.
  var names: [String] {
    switch self {
    case .minute, .hour, .dayOfMonth: []
    case .month:
      ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    case .dayOfWeek: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    }
  }

  /// The permitted values, as a hint.
  var hint: String {
    let numbers = "\(plural) are \(values.lowerBound) to \(values.upperBound)"
    guard let first = names.first, let last = names.last else { return numbers }
    return "\(numbers), or \(first) to \(last)"
  }
}

// The figures of a measurement, and how they are printed.

/// A kind of number, such as wall time in milliseconds.
public struct Figure: Sendable, Hashable {
  /// The name in tables.
  public let title: String
  /// The unit, such as `ms`.
  public let unit: String

  /// Creates a figure.
  ///
  /// - Parameters:
  ///   - title: The name in tables.
  ///   - unit: The unit.
  public init(_ title: String, _ unit: String) {
    self.title = title
    self.unit = unit
  }

  /// Formats a value with three significant digits and its unit.
  ///
  /// - Parameter value: The measured value.
  /// - Returns: A text such as `12.3 ms`.
  public func text(_ value: Double) -> String {
    unit.isEmpty ? significant(value) : "\(significant(value)) \(unit)"
  }

  /// The time from just before the process is started to its end.
  public static let wall = Figure("wall time", "ms")
  /// User and system time of the process and of the descendants that were waited for.
  public static let processor = Figure("processor time", "ms")
  /// The largest resident memory of the process and of the descendants that were waited for.
  public static let resident = Figure("resident", "MiB")
}

/// The result of one measurement of one contestant.
public typealias Sample = [Figure: Double]

/// Formats a number with three significant digits and without an exponent.
///
/// - Parameter value: The number.
/// - Returns: A text such as `0.00123`, `1.23`, `123` or `12345`.
func significant(_ value: Double) -> String {
  guard value.isFinite else { return "∞" }
  guard value != 0 else { return "0" }
  var digits = 2
  var scale = abs(value)
  while scale >= 10, digits > 0 {
    scale /= 10
    digits -= 1
  }
  while scale < 1, digits < 6 {
    scale *= 10
    digits += 1
  }
  return fixed(value, digits)
}

/// Formats a number with the given number of decimal places.
func fixed(_ value: Double, _ digits: Int) -> String {
  let factor = (0..<digits).reduce(1.0) { factor, _ in factor * 10 }
  let scaled = (abs(value) * factor).rounded()
  guard scaled < 1e15 else { return "\(value)" }
  let whole = Int(scaled / factor)
  let rest = Int(scaled) - whole * Int(factor)
  let sign = value < 0 && scaled > 0 ? "-" : ""
  guard digits > 0 else { return "\(sign)\(whole)" }
  let text = String(rest)
  return "\(sign)\(whole)." + String(repeating: "0", count: digits - text.count) + text
}

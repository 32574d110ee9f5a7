// Parses and formats durations such as `1m30s`.

extension Duration {
  /// Parses `500ms`, `10s`, `1m30s`, `2h`, or a bare number of seconds such as `90` or `1.5`.
  ///
  /// Returns nil if the text is not a duration or exceeds about 100 years.
  ///
  /// - Parameter text: The text to parse.
  package init?(workflowText text: String) {
    var milliseconds = 0.0
    var rest = text.utf8[...]
    var lastUnit = Double.infinity
    guard !rest.isEmpty else { return nil }
    while !rest.isEmpty {
      let digits = rest.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
      guard let number = Double(Substring(digits)) else { return nil }
      rest = rest[digits.endIndex...]
      let letters = rest.prefix { (0x61...0x7A).contains($0) }
      rest = rest[letters.endIndex...]
      let unit: Double
      if letters.isEmpty, rest.isEmpty, lastUnit == .infinity {
        unit = 1000
      } else if let known = Self.milliseconds(inUnit: Substring(letters)), known < lastUnit {
        unit = known
      } else {
        return nil
      }
      lastUnit = unit
      milliseconds += number * unit
    }
    guard milliseconds <= 3.2e12 else { return nil }
    self = .nanoseconds(Int64((milliseconds * 1e6).rounded()))
  }

  /// The duration in workflow syntax: `10s`, `250ms`, or `0.25ms` below one millisecond.
  ///
  /// Exact to a nanosecond. A negative duration, or one of more than about 100 years, produces text
  /// that a workflow file does not accept.
  package var workflowText: String {
    let (seconds, attoseconds) = components
    let nanoseconds = attoseconds / 1_000_000_000
    guard nanoseconds != 0, (0...3_200_000_000).contains(seconds) else { return "\(seconds)s" }
    let milliseconds = seconds * 1000 + nanoseconds / 1_000_000
    let rest = nanoseconds % 1_000_000
    guard rest != 0 else { return "\(milliseconds)ms" }
    let digits = String(rest)
    var fraction = String(repeating: "0", count: 6 - digits.count) + digits
    while fraction.last == "0" { fraction.removeLast() }
    return "\(milliseconds).\(fraction)ms"
  }

  private static func milliseconds(inUnit name: Substring) -> Double? {
    switch name {
    case "ms": 1
    case "s": 1000
    case "m": 60_000
    case "h": 3_600_000
    case "d": 86_400_000
    default: nil
    }
  }
}

// Durations as people write them. Pure.

extension Duration {
  /// Reads `500ms`, `10s`, `1m30s`, `2h`, or a bare number of seconds such as `90` or `1.5`.
  ///
  /// It is nil where the text is no duration, or one of more than a century.
  ///
  /// - Parameter text: What was written.
  package init?(workflowText text: String) {
    var milliseconds = 0.0
    var rest = text[...]
    var lastUnit = Double.infinity
    guard !rest.isEmpty else { return nil }
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
      guard let number = Double(digits) else { return nil }
      rest = rest.dropFirst(digits.count)
      let letters = rest.prefix { $0.isLetter }
      rest = rest.dropFirst(letters.count)
      let units = ["ms": 1.0, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
      let unit: Double
      if letters.isEmpty, rest.isEmpty, lastUnit == .infinity {
        unit = 1000
      } else if let known = units[String(letters)], known < lastUnit {
        unit = known
      } else {
        return nil
      }
      lastUnit = unit
      milliseconds += number * unit
    }
    guard milliseconds <= 3.2e12 else { return nil }
    self = .milliseconds(Int64(milliseconds.rounded()))
  }
}

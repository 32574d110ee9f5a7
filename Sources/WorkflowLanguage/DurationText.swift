// Durations as people write them. Pure.

extension Duration {
  /// Reads `500ms`, `10s`, `1m30s`, `2h`, or a bare number of seconds such as `90` or `1.5`.
  ///
  /// It is nil where the text is no duration, or one of more than a century.
  ///
  /// - Parameter text: What was written.
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
    self = .milliseconds(Int64(milliseconds.rounded()))
  }

  /// The duration as a workflow file has it, in whole milliseconds: `10s` or `250ms`.
  package var workflowText: String {
    let milliseconds = Int64((self / .milliseconds(1)).rounded())
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
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

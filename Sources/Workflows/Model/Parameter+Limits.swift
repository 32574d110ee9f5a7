// The limits of the values of a parameter.

extension Parameter {
  /// Limits of the values of a parameter; none by default.
  public struct Limits: Sendable, Equatable {
    /// The least number; for texts, lists and maps, the least length.
    public var minimum: Double?
    /// The greatest number; for texts, lists and maps, the greatest length.
    public var maximum: Double?
    /// A regular expression that must match a part of a text, as for `matches` in expressions.
    public var pattern: String?

    /// Creates limits.
    public init(minimum: Double? = nil, maximum: Double? = nil, pattern: String? = nil) {
      self.minimum = minimum
      self.maximum = maximum
      self.pattern = pattern
    }
  }

  /// The maximum work for the pattern of a value, so that a large text cannot take long.
  private static let patternStepsMax = 1 << 28

  /// Returns a value of the parameter's type if it is within the limits.
  ///
  /// - Throws: ``ParameterError`` if it is not.
  package func checked(_ value: Value) throws(ParameterError) -> Value {
    let size: Double?
    let unit: String?
    switch value {
    case .number, .digits: (size, unit) = (value.asNumber, nil)
    case .text(let text): (size, unit) = (Double(text.count), "character")
    case .list(let values): (size, unit) = (Double(values.count), "element")
    case .map(let values): (size, unit) = (Double(values.count), "key")
    case .null, .boolean: (size, unit) = (nil, nil)
    }
    if let size {
      if let minimum = limits.minimum, size < minimum {
        throw outside("at least", minimum, unit, value)
      }
      if let maximum = limits.maximum, size > maximum {
        throw outside("at most", maximum, unit, value)
      }
    }
    if let pattern = limits.pattern, case .text(let text) = value {
      let parsed = try? TextPattern(pattern)
      let (steps, isLarge) = text.utf8.count.multipliedReportingOverflow(by: parsed?.cost ?? 0)
      guard let parsed, !isLarge, steps <= Self.patternStepsMax, parsed.matches(text) else {
        throw ParameterError(.parameterPattern(name, pattern, text))
      }
    }
    return value
  }

  private func outside(
    _ side: String, _ limit: Double, _ unit: String?, _ value: Value
  ) -> ParameterError {
    let limit = Value.number(limit).asText
    let expected =
      unit.map { "have \(side) \(limit) \($0)\(limit == "1" ? "" : "s")" } ?? "be \(side) \(limit)"
    return ParameterError(.parameterLimit(name, expected: expected, value.asText))
  }
}

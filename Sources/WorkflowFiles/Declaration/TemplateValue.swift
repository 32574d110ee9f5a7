// Values of settings declared in Swift: literals are templates, as in a file; interpolated values
// are data.

/// A value of a setting, equivalent to a value in a workflow file.
///
/// A literal may contain expressions, as in a file: `"v${{ params.version }}"`. A value
/// interpolated with `\(…)` or passed to ``data(_:)`` is data: expressions in it are not evaluated,
/// so an untrusted name cannot read a secret. Interpolated into an expression, a value becomes a
/// string literal: `"${{ params.target == \(name) }}"` compares the parameter with the contents of
/// `name`.
public struct TemplateValue: Sendable, Equatable {
  // Qualified because the literal protocols declare a type of the same name.
  let value: WorkflowFiles.Value

  init(_ value: WorkflowFiles.Value) {
    self.value = value
  }

  /// A literal text.
  ///
  /// Expressions in it are not evaluated.
  ///
  /// - Parameter text: The text.
  /// - Returns: The value.
  public static func data(_ text: String) -> TemplateValue {
    TemplateValue(.text(template(of: text)))
  }

  /// Any encodable value.
  ///
  /// Expressions in its texts are not evaluated.
  ///
  /// - Parameter value: The value.
  /// - Returns: The encoded value.
  /// - Throws: The error that the value's `encode(to:)` throws.
  public static func encoding(_ value: some Encodable) throws -> TemplateValue {
    TemplateValue(escaped(try WorkflowFiles.Value(encoding: value)))
  }

  private static func escaped(_ value: WorkflowFiles.Value) -> WorkflowFiles.Value {
    switch value {
    case .text(let text): .text(template(of: text))
    case .list(let values): .list(values.map(escaped))
    case .map(let values): .map(values.mapValues(escaped))
    case .null, .boolean, .number, .digits: value
    }
  }

  /// Returns a template that evaluates to `text`.
  private static func template(of text: String) -> String {
    text.hasExpression ? "${{ '\(doublingQuotes(text))' }}" : text
  }

  /// Doubles the quotes of `text`, for use in a quoted string of an expression.
  ///
  /// Works on scalars, as the expression parser does: as a `Character`, a quote may be combined
  /// with its neighbor.
  fileprivate static func doublingQuotes(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar == "'" { result.append(scalar) }
      result.append(scalar)
    }
    return String(result)
  }
}

/// The syntactic context at the end of an unfinished template.
private enum TemplatePlace {
  /// In literal text.
  case text
  /// Between `${{` and `}}`.
  case expression
  /// In a quoted string of an expression.
  case quoted

  /// Scans `source` by the rules of the template parser.
  ///
  /// Linear in its length.
  init(atEndOf source: String) {
    var place = TemplatePlace.text
    var dollarAndBrackets = 0
    var last: Unicode.Scalar?
    for scalar in source.unicodeScalars {
      switch (place, scalar) {
      case (.text, "$"): dollarAndBrackets = 1
      case (.text, "{") where dollarAndBrackets > 0:
        dollarAndBrackets += 1
        guard dollarAndBrackets == 3 else { break }
        place = .expression
        dollarAndBrackets = 0
        last = nil
        continue
      case (.text, _): dollarAndBrackets = 0
      case (.expression, "'"): place = .quoted
      case (.quoted, "'"): place = .expression
      case (.expression, "}") where last == "}":
        place = .text
        last = nil
        continue
      case (.expression, _), (.quoted, _): break
      }
      last = scalar
    }
    self = place
  }
}

extension TemplateValue: ExpressibleByStringInterpolation {
  /// Collects the parts of an interpolated literal.
  public struct StringInterpolation: StringInterpolationProtocol, Sendable {
    fileprivate var source = ""

    /// Starts an empty literal.
    public init(literalCapacity: Int, interpolationCount: Int) {
      source.reserveCapacity(literalCapacity)
    }

    /// Appends a literal segment, which is a template.
    public mutating func appendLiteral(_ literal: String) { source += literal }

    /// Appends an interpolated value as data.
    public mutating func appendInterpolation(_ value: some Any) {
      let text = String(describing: value)
      let quoted = TemplateValue.doublingQuotes(text)
      switch TemplatePlace(atEndOf: source) {
      case .text:
        // Quote the whole value: a `$` at its end could join a `{` in the next literal segment.
        let needsQuotes = text.utf8.contains {
          $0 == UInt8(ascii: "$") || $0 == UInt8(ascii: "{")
        }
        source += needsQuotes ? "${{ '\(quoted)' }}" : text
      case .expression: source += value is Int || value is Bool ? text : "'\(quoted)'"
      case .quoted: source += quoted
      }
    }

    /// Appends an expression, which is evaluated with the template.
    ///
    /// - Parameters:
    ///   - text: The expression.
    ///   - isText: Whether its value is used as a text; else as what the text is in JSON.
    package mutating func appendExpression(_ text: String, isText: Bool) {
      switch TemplatePlace(atEndOf: source) {
      case .text: source += "${{ \(text) }}"
      case .expression: source += isText ? text : "fromJSON(\(text))"
      // Inside of quotes it would be a text; so that it is not mistaken for one, this is an error.
      case .quoted: source += "' \(text) '"
      }
    }
  }

  /// A template.
  public init(stringLiteral text: String) {
    self.init(.text(text))
  }

  /// A template with interpolated data.
  public init(stringInterpolation interpolation: StringInterpolation) {
    self.init(.text(interpolation.source))
  }
}

extension TemplateValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// An integer.
  public init(integerLiteral number: Int) {
    self.init(.number(Double(number)))
  }

  /// A number.
  public init(floatLiteral number: Double) {
    self.init(.number(number))
  }

  /// A boolean.
  public init(booleanLiteral boolean: Bool) {
    self.init(.boolean(boolean))
  }

  /// A list.
  public init(arrayLiteral values: TemplateValue...) {
    self.init(.list(values.map(\.value)))
  }

  /// A map.
  ///
  /// The last value wins when a key is repeated.
  public init(dictionaryLiteral pairs: (String, TemplateValue)...) {
    self.init(.map(Dictionary(pairs.map { ($0, $1.value) }) { $1 }))
  }
}

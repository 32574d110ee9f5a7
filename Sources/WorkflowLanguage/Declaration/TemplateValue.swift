// What a workflow that is declared in Swift gives to its settings: literals are templates, as in a file; what is
// pasted into them is data. Knows neither steps nor files.

/// A value of a setting, as a file would have it.
///
/// What stands in a literal may hold expressions, as in a file: `"v${{ params.version }}"`. What is put into a
/// literal with `\(…)`, or handed over with ``data(_:)``, is data: an expression in it is not computed, and so
/// nobody who gives a name to something can read a secret with it. Put into the middle of an expression it is a
/// text of that: `"${{ params.target == \(name) }}"` compares with what `name` says.
public struct TemplateValue: Sendable, Equatable {
  // Named in full: the protocols of literals call something else a value.
  let value: WorkflowLanguage.Value

  init(_ value: WorkflowLanguage.Value) {
    self.value = value
  }

  /// A text that stands for itself, whatever is in it.
  ///
  /// - Parameter text: The text.
  /// - Returns: The value.
  public static func data(_ text: String) -> TemplateValue {
    TemplateValue(.text(template(of: text)))
  }

  /// Any value that can be encoded; the texts in it stand for themselves.
  ///
  /// - Parameter value: The value.
  /// - Returns: It, as a file would have it.
  /// - Throws: What the value throws.
  public static func encoding(_ value: some Encodable) throws -> TemplateValue {
    TemplateValue(escaped(try WorkflowLanguage.Value(encoding: value)))
  }

  private static func escaped(_ value: WorkflowLanguage.Value) -> WorkflowLanguage.Value {
    switch value {
    case .text(let text): .text(template(of: text))
    case .list(let values): .list(values.map(escaped))
    case .map(let values): .map(values.mapValues(escaped))
    case .null, .boolean, .number: value
    }
  }

  /// A text as a template of itself.
  private static func template(of text: String) -> String {
    text.hasExpression ? "${{ '\(doublingQuotes(text))' }}" : text
  }

  /// A text as what may stand inside of quotes.
  ///
  /// Quotes are scalars to those who read an expression; as a character one may be joined with its neighbour.
  fileprivate static func doublingQuotes(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar == "'" { result.append(scalar) }
      result.append(scalar)
    }
    return String(result)
  }
}

/// Where the end of an unfinished template is.
private enum TemplatePlace {
  /// In what stands for itself.
  case text
  /// Between `${{` and `}}`.
  case expression
  /// Between the quotes of a text in an expression.
  case quoted

  /// Reads what there is of a template as templates are read; linear in its length.
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
  /// Puts a literal together.
  public struct StringInterpolation: StringInterpolationProtocol, Sendable {
    fileprivate var source = ""

    /// Begins a literal.
    public init(literalCapacity: Int, interpolationCount: Int) {
      source.reserveCapacity(literalCapacity)
    }

    /// Adds what stands in the literal: a template.
    public mutating func appendLiteral(_ literal: String) { source += literal }

    /// Adds what is put into the literal: data.
    public mutating func appendInterpolation(_ value: some Any) {
      let text = String(describing: value)
      let quoted = TemplateValue.doublingQuotes(text)
      switch TemplatePlace(atEndOf: source) {
      case .text:
        // The whole of it: a $ at one end could meet a bracket that stands beside it.
        let meansSomething = text.utf8.contains {
          $0 == UInt8(ascii: "$") || $0 == UInt8(ascii: "{")
        }
        source += meansSomething ? "${{ '\(quoted)' }}" : text
      case .expression: source += value is Int || value is Bool ? text : "'\(quoted)'"
      case .quoted: source += quoted
      }
    }
  }

  /// A template.
  public init(stringLiteral text: String) {
    self.init(.text(text))
  }

  /// A template with data in it.
  public init(stringInterpolation interpolation: StringInterpolation) {
    self.init(.text(interpolation.source))
  }
}

extension TemplateValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// A whole number.
  public init(integerLiteral number: Int) {
    self.init(.number(Double(number)))
  }

  /// A number.
  public init(floatLiteral number: Double) {
    self.init(.number(number))
  }

  /// True or false.
  public init(booleanLiteral boolean: Bool) {
    self.init(.boolean(boolean))
  }

  /// A list.
  public init(arrayLiteral values: TemplateValue...) {
    self.init(.list(values.map(\.value)))
  }

  /// Values by name; of two with one name the later counts.
  public init(dictionaryLiteral pairs: (String, TemplateValue)...) {
    self.init(.map(Dictionary(pairs.map { ($0, $1.value) }) { $1 }))
  }
}

// What a workflow that is declared in Swift gives to its settings: literals are templates, as in a file; what is
// pasted into them is data. Knows neither steps nor files.

/// A value of a setting, as a file would have it.
///
/// What stands in a literal may hold expressions, as in a file: `"v${{ params.version }}"`. What is put into a
/// literal with `\(…)`, or handed over with ``data(_:)``, is data: an expression in it is not computed, and so
/// nobody who gives a name to something can read a secret with it.
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
    TemplateValue(.text(escaped(text)))
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
    case .text(let text): .text(escaped(text))
    case .list(let values): .list(values.map(escaped))
    case .map(let values): .map(values.mapValues(escaped))
    case .null, .boolean, .number: value
    }
  }

  /// A text as a template of itself.
  fileprivate static func escaped(_ text: String) -> String {
    // The whole of it: a $ at one end could meet a bracket that stands beside it.
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "$") || $0 == UInt8(ascii: "{") }) else {
      return text
    }
    let quoted = text.split(separator: "'", omittingEmptySubsequences: false).joined(
      separator: "''")
    return "${{ '\(quoted)' }}"
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
      source += TemplateValue.escaped(String(describing: value))
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

// The values of expressions and their types.

/// A value of the expression language.
public enum Value: Sendable, Hashable {
  /// Null: for example, an output of a skipped step.
  case null
  /// True or false.
  case boolean(Bool)
  /// A number; written without a decimal point if whole.
  case number(Double)
  /// A text.
  case text(String)
  /// A list.
  case list([Value])
  /// A map.
  case map([String: Value])

  /// Whether the value counts as true, by the rules of GitHub Actions: everything except null,
  /// `false`, 0 and the empty text.
  public var isTruthy: Bool {
    switch self {
    case .null: false
    case .boolean(let boolean): boolean
    case .number(let number): number != 0 && !number.isNaN
    case .text(let text): !text.isEmpty
    case .list, .map: true
    }
  }

  /// The value as text: null becomes the empty text, lists and maps become JSON.
  public var asText: String {
    switch self {
    case .null: ""
    case .boolean(let boolean): boolean ? "true" : "false"
    case .number(let number): Self.text(of: number)
    case .text(let text): text
    case .list, .map: json
    }
  }

  /// The type of the value.
  var types: ValueTypes {
    switch self {
    case .null: .null
    case .boolean: .boolean
    case .number: .number
    case .text: .text
    case .list: .list
    case .map: .map
    }
  }

  /// Compares two values of comparable types; null equals the empty text.
  func equals(_ other: Value) -> Bool {
    switch (self, other) {
    case (.null, .text(let text)), (.text(let text), .null): text.isEmpty
    default: self == other
    }
  }

  private static func text(of number: Double) -> String {
    // From 2^53 on, a double cannot represent every integer.
    if number == number.rounded(), abs(number) < 9_007_199_254_740_992 { return "\(Int64(number))" }
    return "\(number)"
  }
}

/// A set of types that a value may have.
struct ValueTypes: OptionSet, Sendable {
  let rawValue: UInt8

  static let null = ValueTypes(rawValue: 1)
  static let boolean = ValueTypes(rawValue: 2)
  static let number = ValueTypes(rawValue: 4)
  static let text = ValueTypes(rawValue: 8)
  static let list = ValueTypes(rawValue: 16)
  static let map = ValueTypes(rawValue: 32)
  static let any: ValueTypes = [.null, .boolean, .number, .text, .list, .map]

  /// Whether values of these types can be compared with values of the others.
  ///
  /// Only values of the same type are comparable, except null and text.
  func isComparable(with other: ValueTypes) -> Bool {
    !isDisjoint(with: other) || contains(.null) && other.contains(.text)
      || contains(.text) && other.contains(.null)
  }

  /// The types as a phrase for messages, such as `text or a number`.
  var name: String {
    if self == .any { return "any value" }
    let names: [(ValueTypes, String)] = [
      (.null, "null"), (.boolean, "a boolean"), (.number, "a number"), (.text, "text"),
      (.list, "a list"), (.map, "a map"),
    ]
    let phrases = names.filter { contains($0.0) }.map(\.1)
    return phrases.dropLast(2).map { $0 + ", " }.joined()
      + phrases.suffix(2).joined(separator: " or ")
  }
}

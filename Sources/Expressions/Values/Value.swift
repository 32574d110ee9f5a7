// The values of expressions and their types.

/// A value of the expression language.
public enum Value: Sendable, Hashable {
  /// Null: for example, an output of a skipped step.
  case null
  /// True or false.
  case boolean(Bool)
  /// A number; written without a decimal point if whole.
  case number(Double)
  /// A whole number of 2^53 or more, which a double cannot hold exactly, in decimal digits: often an
  /// id of another system.
  case digits(String)
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
    case .digits: true
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
    case .digits(let digits): digits
    case .text(let text): text
    case .list, .map: json
    }
  }

  /// The type of the value.
  package var types: ValueTypes {
    switch self {
    case .null: .null
    case .boolean: .boolean
    case .number, .digits: .number
    case .text: .text
    case .list: .list
    case .map: .map
    }
  }

  /// Compares two values of comparable types; null equals the empty text.
  package func equals(_ other: Value) -> Bool {
    switch (self, other) {
    case (.null, .text(let text)), (.text(let text), .null): text.isEmpty
    case (.number(let number), .digits(let digits)), (.digits(let digits), .number(let number)):
      Int128(exactly: number).map { "\($0)" } == digits
    default: self == other
    }
  }

  private static func text(of number: Double) -> String {
    // From 2^53 on, a double cannot represent every integer.
    if number == number.rounded(), abs(number) < Self.exactEnd { return "\(Int64(number))" }
    return "\(number)"
  }

  /// The first whole number after which a double cannot represent the next one.
  private static let exactEnd = 9_007_199_254_740_992.0

  /// Returns a number as it is written, exact if it is whole.
  ///
  /// - Parameters:
  ///   - text: A number in decimal notation, such as `12`, `-0.5` or `1e3`.
  ///   - number: Its value.
  /// - Returns: The number.
  package static func number(_ text: some StringProtocol, _ number: Double) -> Value {
    let isWhole = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2D }
    guard abs(number) >= exactEnd, isWhole else { return .number(number) }
    return .digits(String(text))
  }

  /// The number, perhaps rounded; nil if it is none.
  package var asNumber: Double? {
    switch self {
    case .number(let number): number
    case .digits(let digits): Double(digits)
    case .null, .boolean, .text, .list, .map: nil
    }
  }

  /// Whether a number is less than another one; nil if one of them is none.
  package func isLess(than other: Value) -> Bool? {
    guard let first = asNumber, let second = other.asNumber else { return nil }
    // Rounded values are in the same order, unless they are equal.
    guard first == second, case .digits(let digits) = self, case .digits(let others) = other else {
      return first < second
    }
    // Of equal length, since they are rounded to the same number, and of the same sign.
    let isNegative = digits.hasPrefix("-")
    if digits.utf8.count != others.utf8.count {
      return (digits.utf8.count < others.utf8.count) != isNegative
    }
    return digits != others && (digits < others) != isNegative
  }
}

/// A set of types that a value may have.
package struct ValueTypes: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let null = ValueTypes(rawValue: 1)
  package static let boolean = ValueTypes(rawValue: 2)
  package static let number = ValueTypes(rawValue: 4)
  package static let text = ValueTypes(rawValue: 8)
  package static let list = ValueTypes(rawValue: 16)
  package static let map = ValueTypes(rawValue: 32)
  package static let any: ValueTypes = [.null, .boolean, .number, .text, .list, .map]

  /// Whether values of these types can be compared with values of the others.
  ///
  /// Only values of the same type are comparable, except null and text.
  package func isComparable(with other: ValueTypes) -> Bool {
    !isDisjoint(with: other) || contains(.null) && other.contains(.text)
      || contains(.text) && other.contains(.null)
  }

  /// The types as a phrase for messages, such as `text or a number`.
  package var name: String {
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

extension Value {
  /// Parses a number by the core schema of YAML 1.2; returns nil for any other text.
  package static func number(written text: String) -> Double? {
    guard let first = text.utf8.first, (0x30...0x39).contains(first) || "-+.".utf8.contains(first),
      text.utf8.contains(where: { (0x30...0x39).contains($0) }),
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) || "-+.eE".utf8.contains($0) }),
      let number = Double(text), number.isFinite
    else { return nil }
    // 012 and 1.2.3 are text.
    let digits = text.drop { $0 == "-" || $0 == "+" }
    return digits.hasPrefix("0") && digits.dropFirst().first?.isNumber == true ? nil : number
  }
}

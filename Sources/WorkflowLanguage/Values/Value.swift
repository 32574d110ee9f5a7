// What an expression comes to. Plain values: they know neither where they come from nor where they go.

/// A value of the language of expressions.
public enum Value: Sendable, Hashable {
  /// Nothing: the output of a step that was skipped, say.
  case null
  /// True or false.
  case boolean(Bool)
  /// A number; whole ones are written without a point.
  case number(Double)
  /// A text.
  case text(String)
  /// A list.
  case list([Value])
  /// Values by name.
  case map([String: Value])

  /// Whether it counts as true where GitHub Actions would say so: not for nothing, `false`, 0 and
  /// the empty text.
  public var isTruthy: Bool {
    switch self {
    case .null: false
    case .boolean(let boolean): boolean
    case .number(let number): number != 0 && !number.isNaN
    case .text(let text): !text.isEmpty
    case .list, .map: true
    }
  }

  /// The value where a text is wanted: nothing becomes the empty text, lists and maps become JSON.
  public var asText: String {
    switch self {
    case .null: ""
    case .boolean(let boolean): boolean ? "true" : "false"
    case .number(let number): Self.text(of: number)
    case .text(let text): text
    case .list, .map: json
    }
  }

  /// What kind of value it is.
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

  /// Compares two values of kinds that can be compared: nothing equals the empty text.
  func equals(_ other: Value) -> Bool {
    switch (self, other) {
    case (.null, .text(let text)), (.text(let text), .null): text.isEmpty
    default: self == other
    }
  }

  private static func text(of number: Double) -> String {
    // From 2^53 on not every whole number is a number of its own.
    if number == number.rounded(), abs(number) < 9_007_199_254_740_992 { return "\(Int64(number))" }
    return "\(number)"
  }
}

/// The kinds of value that something may come to.
struct ValueTypes: OptionSet, Sendable {
  let rawValue: UInt8

  static let null = ValueTypes(rawValue: 1)
  static let boolean = ValueTypes(rawValue: 2)
  static let number = ValueTypes(rawValue: 4)
  static let text = ValueTypes(rawValue: 8)
  static let list = ValueTypes(rawValue: 16)
  static let map = ValueTypes(rawValue: 32)
  static let any: ValueTypes = [.null, .boolean, .number, .text, .list, .map]

  /// Whether some value of these can equal one of the others: kinds differ from one another, except that
  /// nothing can be compared with a text.
  func isComparable(with other: ValueTypes) -> Bool {
    !isDisjoint(with: other) || contains(.null) && other.contains(.text)
      || contains(.text) && other.contains(.null)
  }

  /// What they are called in messages, such as `a text or a number`.
  var name: String {
    if self == .any { return "any value" }
    let names: [(ValueTypes, String)] = [
      (.null, "nothing"), (.boolean, "true or false"), (.number, "a number"), (.text, "a text"),
      (.list, "a list"), (.map, "a map"),
    ]
    return names.filter { contains($0.0) }.map(\.1).joined(separator: " or ")
  }
}

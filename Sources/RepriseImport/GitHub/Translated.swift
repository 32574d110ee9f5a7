// An expression of this language that was made from one of GitHub Actions.

/// An expression of this language, with what is known about its value.
struct Translated {
  /// The type of the value.
  enum Kind {
    case text, number, boolean, null
    /// A list, a map, or a value whose type is not known.
    case unknown
  }

  /// The text of the expression.
  var text: String
  var kind: Kind
  /// The precedence of its outermost operator; 9 if it has none.
  var precedence = 9
  /// The value if it is constant: a text, number or boolean as text.
  var constant: String?
  /// The script that computes the text, in any case: `True` of PowerShell is `true` in a comparison.
  var source: String?

  /// The text and a constant that it is compared with, in one case unless its script has this text.
  func withoutCase(_ other: Translated) -> (Translated, Translated)? {
    guard let source, kind == .text, other.kind == .text, let constant = other.constant,
      constant.contains(where: \.isLetter), !source.contains(constant)
    else { return nil }
    return (
      // A missing output is no text.
      Translated(text: "lower(\(text.hasSuffix("|| ''") ? text : text + " || ''"))", kind: .text),
      .literal(text: constant.lowercased())
    )
  }

  static func literal(text: String) -> Translated {
    Translated(text: "'\(text.replacing("'", with: "''"))'", kind: .text, constant: text)
  }

  static func literal(_ boolean: Bool) -> Translated {
    Translated(text: "\(boolean)", kind: .boolean, constant: "\(boolean)")
  }

  /// The value of a constant as a condition.
  var truth: Bool? {
    guard let constant else { return kind == .null ? false : nil }
    switch kind {
    case .text: return !constant.isEmpty
    case .number: return Double(constant) != 0
    case .boolean: return constant == "true"
    case .null, .unknown: return nil
    }
  }

  /// The text as an operand of an operator.
  func operand(_ precedence: Int) -> String {
    self.precedence < precedence ? "(\(text))" : text
  }

  /// Combines two expressions with an operator.
  static func binary(
    _ name: String, _ precedence: Int, _ left: Translated, _ right: Translated, kind: Kind
  ) -> Translated {
    Translated(
      text: "\(left.operand(precedence)) \(name) \(right.operand(precedence + 1))", kind: kind,
      precedence: precedence)
  }

  /// The value as text.
  var asText: Translated {
    switch kind {
    case .text: self
    case .null: .literal(text: "")
    case .number, .boolean, .unknown:
      constant.map { .literal(text: $0) } ?? Translated(text: "format('{0}', \(text))", kind: .text)
    }
  }

  /// The value as a condition.
  var asCondition: Translated {
    if let truth { return .literal(truth) }
    switch kind {
    case .boolean: return self
    case .text: return .binary("!=", 3, self, .literal(text: ""), kind: .boolean)
    case .number:
      return .binary("!=", 3, self, Translated(text: "0", kind: .number), kind: .boolean)
    case .null: return .literal(false)
    case .unknown: return Translated(text: "!!" + operand(8), kind: .boolean, precedence: 8)
    }
  }

  /// The negation of a condition.
  var negated: Translated {
    if let truth { return .literal(!truth) }
    return Translated(text: "!" + operand(8), kind: .boolean, precedence: 8)
  }

  /// Both conditions.
  func and(_ other: Translated) -> Translated {
    if truth == true { return other }
    if other.truth == true || truth == false { return self }
    if other.truth == false { return other }
    return .binary("&&", 2, self, other, kind: .boolean)
  }

  /// Either condition.
  func or(_ other: Translated) -> Translated {
    if truth == false { return other }
    if other.truth == false || truth == true { return self }
    if other.truth == true { return other }
    return .binary("||", 1, self, other, kind: .boolean)
  }
}

/// The reason why a part has no equivalent.
struct Untranslatable: Error {
  let reason: String
  /// Where it is, if it is not the part that is translated as a whole.
  let place: SourcePlace?

  init(_ reason: String, at node: SourceNode? = nil) {
    self.init(reason, at: node?.place)
  }

  init(_ reason: String, at place: SourcePlace?) {
    self.reason = reason
    self.place = place
  }
}

// Splits the text of an expression into tokens.

/// A token of an expression.
package struct Token: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    case name(String)
    case number(Double)
    /// A whole number that a double cannot hold exactly.
    case digits(String)
    case text(String)
    /// An operator, a bracket, a comma, a dot or a star.
    case symbol(String)
    case end
  }

  package let kind: Kind
  package let range: Range<Int>

  /// Whether a value ends with this token, so that an operator follows.
  package var endsValue: Bool {
    switch kind {
    case .name, .number, .digits, .text, .symbol(")"), .symbol("]"): true
    case .symbol, .end: false
    }
  }

  /// The text of a name or symbol; nil for other tokens.
  package var word: String? {
    switch kind {
    case .name(let word), .symbol(let word): word
    case .number, .digits, .text, .end: nil
    }
  }
}

/// Produces the tokens of a text.
package struct Lexer {
  private let scalars: [Unicode.Scalar]
  private var position = 0
  /// Whether the last token ends a value, so that a minus after it is an operator.
  private var followsValue = false

  package init(_ text: ArraySlice<Unicode.Scalar>) {
    scalars = Array(text)
  }

  package mutating func next() throws(ExpressionError) -> Token {
    let token = try read()
    followsValue = token.endsValue
    return token
  }

  private mutating func read() throws(ExpressionError) -> Token {
    while position < scalars.count, isBlank(scalars[position]) { position += 1 }
    guard position < scalars.count else {
      return Token(kind: .end, range: position..<position + 1)
    }
    let start = position
    let scalar = scalars[position]
    if isLetter(scalar) { return name() }
    let isSign = scalar == "-" && !followsValue
    if isDigit(scalar) || (isSign && scalars[(position + 1)...].first.map(isDigit) == true) {
      return try number()
    }
    if scalar == "'" { return try text() }
    if let symbol = symbol(from: scalar, scalars[(position + 1)...].first) {
      position += symbol.utf8.count
      return Token(kind: .symbol(symbol), range: start..<position)
    }
    throw ExpressionError(.unexpectedCharacter(String(scalar)), start..<start + 1)
  }

  /// Returns the symbol that starts with a character, preferring the longer of two; nil if there is
  /// none.
  private func symbol(from first: Unicode.Scalar, _ second: Unicode.Scalar?) -> String? {
    switch (first, second) {
    case ("&", "&"): "&&"
    case ("|", "|"): "||"
    case ("=", "="): "=="
    case ("!", "="): "!="
    case ("<", "="): "<="
    case (">", "="): ">="
    case ("<", _): "<"
    case (">", _): ">"
    case ("!", _): "!"
    case ("(", _): "("
    case (")", _): ")"
    case ("[", _): "["
    case ("]", _): "]"
    case (",", _): ","
    case (".", _): "."
    case ("*", _): "*"
    case ("+", _): "+"
    case ("-", _): "-"
    case ("/", _): "/"
    case ("%", _): "%"
    default: nil
    }
  }

  private mutating func name() -> Token {
    let start = position
    while position < scalars.count,
      isLetter(scalars[position]) || isDigit(scalars[position]) || scalars[position] == "-"
    {
      position += 1
    }
    return Token(kind: .name(String(scalars[start..<position])), range: start..<position)
  }

  private mutating func number() throws(ExpressionError) -> Token {
    let start = position
    position += 1
    let isHexadecimal = scalars[start...].starts(with: ["0", "x"])
    while position < scalars.count,
      isDigit(scalars[position]) || isLetter(scalars[position]) || scalars[position] == "."
        || (!isHexadecimal && ["+", "-"].contains(scalars[position])
          && ["e", "E"].contains(scalars[position - 1]))
    {
      position += 1
    }
    let written = String(scalars[start..<position])
    let number =
      written.hasPrefix("0x")
      ? UInt64(written.dropFirst(2), radix: 16).map { Double($0) } : Double(written)
    guard let number, number.isFinite else {
      throw ExpressionError(.notANumber(written), start..<position)
    }
    if case .digits(let digits) = Value.number(written, number) {
      return Token(kind: .digits(digits), range: start..<position)
    }
    return Token(kind: .number(number), range: start..<position)
  }

  /// Reads a single-quoted string, in which `''` is an escaped quote.
  private mutating func text() throws(ExpressionError) -> Token {
    let start = position
    var result = String.UnicodeScalarView()
    position += 1
    while position < scalars.count {
      let scalar = scalars[position]
      position += 1
      guard scalar == "'" else {
        result.append(scalar)
        continue
      }
      guard position < scalars.count, scalars[position] == "'" else {
        return Token(kind: .text(String(result)), range: start..<position)
      }
      result.append("'")
      position += 1
    }
    throw ExpressionError(.unclosedText(isInTemplate: false), start..<start + 1)
  }

  private func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII
      ? scalar == " " || (0x09...0x0D).contains(scalar.value) : scalar.properties.isWhitespace
  }

  private func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == "_"
  }

  private func isDigit(_ scalar: Unicode.Scalar) -> Bool {
    ("0"..."9").contains(scalar)
  }
}

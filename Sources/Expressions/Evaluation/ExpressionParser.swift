// Parses the tokens of an expression into a tree by precedence climbing.

/// Parses one expression.
package struct ExpressionParser {
  private var lexer: Lexer
  private var token: Token

  /// Parses a text.
  package static func expression(in text: String) throws(ExpressionError) -> Expression {
    try expression(in: Array(text.unicodeScalars)[...])
  }

  /// Parses a text.
  ///
  /// - Parameter text: The text between `${{` and `}}`.
  /// - Returns: The expression.
  /// - Throws: ``ExpressionError`` for the first error.
  package static func expression(
    in text: ArraySlice<Unicode.Scalar>
  ) throws(ExpressionError) -> Expression {
    var parser = try ExpressionParser(text)
    if case .end = parser.token.kind {
      throw ExpressionError(.emptyExpression, parser.token.range)
    }
    let expression = try parser.expression(above: 0, depth: 0)
    guard case .end = parser.token.kind else {
      throw ExpressionError(
        .operatorExpected(before: parser.token.word ?? ""), parser.token.range)
    }
    return expression
  }

  private init(_ text: ArraySlice<Unicode.Scalar>) throws(ExpressionError) {
    lexer = Lexer(text)
    token = try lexer.next()
  }

  private mutating func advance() throws(ExpressionError) {
    token = try lexer.next()
  }

  /// Consumes a closing bracket.
  ///
  /// In a function call, the message also mentions a comma.
  private mutating func expect(
    _ symbol: String, of function: Expression.Function? = nil
  ) throws(ExpressionError) {
    guard token.kind == .symbol(symbol) else {
      throw ExpressionError(
        .expected((function == nil ? "" : "comma or ") + symbol, function), token.range)
    }
    try advance()
  }

  /// Parses operators above a precedence, with their operands.
  private mutating func expression(
    above precedence: Int, depth: Int
  ) throws(ExpressionError) -> Expression {
    guard depth < Expression.depthMax else {
      throw ExpressionError(.deepExpression(isNegation: false), token.range)
    }
    var left = try operand(depth: depth)
    // A chain of n operators produces a tree of depth n.
    var length = depth
    while case .symbol(let symbol) = token.kind,
      let binary = Expression.Operator(rawValue: symbol), binary.precedence > precedence
    {
      length += 1
      guard length < Expression.depthMax else {
        throw ExpressionError(.longExpression, token.range)
      }
      try advance()
      let right = try expression(above: binary.precedence, depth: length)
      left = Expression(
        kind: .binary(binary, left, right), range: left.range.lowerBound..<right.range.upperBound)
    }
    return left
  }

  private mutating func operand(depth: Int) throws(ExpressionError) -> Expression {
    let start = token.range.lowerBound
    switch token.kind {
    case .symbol("!"):
      try advance()
      guard depth < Expression.depthMax else {
        throw ExpressionError(.deepExpression(isNegation: true), token.range)
      }
      let negated = try operand(depth: depth + 1)
      return Expression(kind: .not(negated), range: start..<negated.range.upperBound)
    case .symbol("-"):
      try advance()
      guard depth < Expression.depthMax else {
        throw ExpressionError(.deepExpression(isNegation: false), token.range)
      }
      let negated = try operand(depth: depth + 1)
      let zero = Expression(kind: .literal(.number(0)), range: start..<start + 1)
      return Expression(
        kind: .binary(.subtract, zero, negated), range: start..<negated.range.upperBound)
    case .symbol("("):
      try advance()
      let inner = try expression(above: 0, depth: depth + 1)
      let end = token.range.upperBound
      try expect(")")
      return try postfix(of: Expression(kind: inner.kind, range: start..<end), depth: depth)
    case .number(let number): return try literal(.number(number))
    case .digits(let digits): return try literal(.digits(digits))
    case .text(let text): return try literal(.text(text))
    case .name("true"): return try literal(.boolean(true))
    case .name("false"): return try literal(.boolean(false))
    case .name("null"): return try literal(.null)
    case .name(let name): return try named(name, depth: depth)
    case .end:
      throw ExpressionError(.valueExpected(before: nil), token.range)
    case .symbol(let symbol):
      throw ExpressionError(.valueExpected(before: symbol), token.range)
    }
  }

  private mutating func literal(_ value: Value) throws(ExpressionError) -> Expression {
    let range = token.range
    try advance()
    return Expression(kind: .literal(value), range: range)
  }

  /// Parses a name: a call if a parenthesis follows, otherwise a top-level name.
  private mutating func named(_ name: String, depth: Int) throws(ExpressionError) -> Expression {
    let range = token.range
    try advance()
    if token.kind == .symbol("(") { return try call(name, range, depth: depth) }
    guard let root = Expression.Root(rawValue: name) else {
      throw ExpressionError(.unknownName(name), range)
    }
    return try postfix(of: Expression(kind: .root(root), range: range), depth: depth)
  }

  private mutating func call(
    _ name: String, _ range: Range<Int>, depth: Int
  ) throws(ExpressionError) -> Expression {
    let functions = Expression.Function.allCases
    guard
      let function = functions.first(where: { $0.rawValue.lowercased() == name.lowercased() })
    else {
      throw ExpressionError(.unknownFunction(name), range)
    }
    try advance()
    var arguments: [Expression] = []
    if token.kind != .symbol(")") {
      arguments.append(try expression(above: 0, depth: depth + 1))
      while token.kind == .symbol(",") {
        try advance()
        arguments.append(try expression(above: 0, depth: depth + 1))
      }
    }
    let end = token.range.upperBound
    try expect(")", of: function)
    let whole = range.lowerBound..<end
    guard function.argumentCounts.contains(arguments.count) else {
      throw ExpressionError(.argumentCount(function, arguments.count), whole)
    }
    return try postfix(of: Expression(kind: .call(function, arguments), range: whole), depth: depth)
  }

  /// Parses the members and elements that follow an expression.
  private mutating func postfix(
    of base: Expression, depth: Int
  ) throws(ExpressionError) -> Expression {
    var result = base
    var length = depth
    while true {
      length += 1
      guard length < Expression.depthMax * 2 else {
        throw ExpressionError(.deepExpression(isNegation: false), token.range)
      }
      let start = result.range.lowerBound
      if token.kind == .symbol(".") {
        try advance()
        let range = start..<token.range.upperBound
        switch token.kind {
        case .name(let name): result = Expression(kind: .member(result, name), range: range)
        case .symbol("*"): result = Expression(kind: .each(result), range: range)
        default:
          throw ExpressionError(.memberExpected, token.range)
        }
        try advance()
      } else if token.kind == .symbol("[") {
        try advance()
        let index = try expression(above: 0, depth: depth + 1)
        let end = token.range.upperBound
        try expect("]")
        if case .literal(.text(let name)) = index.kind {
          result = Expression(kind: .member(result, name), range: start..<end)
        } else {
          result = Expression(kind: .element(result, index), range: start..<end)
        }
      } else {
        return result
      }
    }
  }
}

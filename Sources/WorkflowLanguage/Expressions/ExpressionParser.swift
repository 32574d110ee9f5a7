// Makes a tree of the tokens of an expression: precedence climbing. Knows no values' meaning.

/// Reads one expression.
struct ExpressionParser {
  private var lexer: Lexer
  private var token: Token

  /// Reads a text.
  static func expression(in text: String) throws(ExpressionMistake) -> Expression {
    try expression(in: Array(text.unicodeScalars)[...])
  }

  /// Reads a text.
  ///
  /// - Parameter text: What stands between `${{` and `}}`.
  /// - Returns: The expression.
  /// - Throws: ``ExpressionMistake`` for the first thing that is wrong.
  static func expression(
    in text: ArraySlice<Unicode.Scalar>
  ) throws(ExpressionMistake) -> Expression {
    var parser = try ExpressionParser(text)
    if case .end = parser.token.kind {
      throw ExpressionMistake(
        message: "the expression is empty", hint: "write one, such as: params.name",
        range: parser.token.range)
    }
    let expression = try parser.expression(above: 0, depth: 0)
    guard case .end = parser.token.kind else {
      throw ExpressionMistake(
        message: "an operator is expected before this", hint: parser.hintForOperator,
        range: parser.token.range)
    }
    return expression
  }

  private init(_ text: ArraySlice<Unicode.Scalar>) throws(ExpressionMistake) {
    lexer = Lexer(text)
    token = try lexer.next()
  }

  private var hintForOperator: String? {
    switch token.kind {
    case .name("and"): "write &&"
    case .name("or"): "write ||"
    case .name("is"), .name("eq"): "write =="
    case .symbol(")"): "remove it, or open it before"
    default: nil
    }
  }

  private mutating func advance() throws(ExpressionMistake) {
    token = try lexer.next()
  }

  private mutating func expect(
    _ symbol: String, _ message: String, _ hint: String? = nil
  ) throws(ExpressionMistake) {
    guard token.kind == .symbol(symbol) else {
      throw ExpressionMistake(message: message, hint: hint, range: token.range)
    }
    try advance()
  }

  /// Reads operators that bind tighter than a precedence, with their operands.
  private mutating func expression(
    above precedence: Int, depth: Int
  ) throws(ExpressionMistake) -> Expression {
    guard depth < Expression.depthMax else {
      throw ExpressionMistake(
        message: "the expression is nested deeper than \(Expression.depthMax)",
        hint: "bind a part of it in env first", range: token.range)
    }
    var left = try operand(depth: depth)
    // A chain of operators makes a tree as deep as it is long.
    var length = depth
    while case .symbol(let symbol) = token.kind,
      let binary = Expression.Operator(rawValue: symbol), binary.precedence > precedence
    {
      length += 1
      guard length < Expression.depthMax else {
        throw ExpressionMistake(
          message: "more than \(Expression.depthMax) operators stand in one expression",
          hint: "bind a part of it in env first", range: token.range)
      }
      try advance()
      let right = try expression(above: binary.precedence, depth: length)
      left = Expression(
        kind: .binary(binary, left, right), range: left.range.lowerBound..<right.range.upperBound)
    }
    return left
  }

  private mutating func operand(depth: Int) throws(ExpressionMistake) -> Expression {
    let start = token.range.lowerBound
    switch token.kind {
    case .symbol("!"):
      try advance()
      guard depth < Expression.depthMax else {
        throw ExpressionMistake(
          message: "the expression is nested deeper than \(Expression.depthMax)",
          hint: "one ! is enough", range: token.range)
      }
      let negated = try operand(depth: depth + 1)
      return Expression(kind: .not(negated), range: start..<negated.range.upperBound)
    case .symbol("("):
      try advance()
      let inner = try expression(above: 0, depth: depth + 1)
      let end = token.range.upperBound
      try expect(")", "a ) is expected here")
      return try postfix(of: Expression(kind: inner.kind, range: start..<end), depth: depth)
    case .number(let number): return try literal(.number(number))
    case .text(let text): return try literal(.text(text))
    case .name("true"): return try literal(.boolean(true))
    case .name("false"): return try literal(.boolean(false))
    case .name("null"): return try literal(.null)
    case .name(let name): return try named(name, depth: depth)
    case .end:
      throw ExpressionMistake(message: "a value is expected at the end", range: token.range)
    case .symbol(let symbol):
      throw ExpressionMistake(
        message: "a value is expected before \"\(symbol)\"", range: token.range)
    }
  }

  private mutating func literal(_ value: Value) throws(ExpressionMistake) -> Expression {
    let range = token.range
    try advance()
    return Expression(kind: .literal(value), range: range)
  }

  /// A name: a call if a bracket follows, or else something to be looked up.
  private mutating func named(_ name: String, depth: Int) throws(ExpressionMistake) -> Expression {
    let range = token.range
    try advance()
    if token.kind == .symbol("(") { return try call(name, range, depth: depth) }
    guard let root = Expression.Root(rawValue: name) else {
      throw ExpressionMistake(
        message: "there is no \"\(name)\"", hint: Self.hint(forRoot: name), range: range)
    }
    return try postfix(of: Expression(kind: .root(root), range: range), depth: depth)
  }

  private static func hint(forRoot name: String) -> String {
    let foreign = [
      "inputs": "params", "needs": "steps", "github": "run", "vars": "params", "job": "run",
      "jobs": "steps", "strategy": "matrix", "parameters": "params", "input": "params",
      "secret": "secrets", "step": "steps", "environment": "env",
    ]
    let roots = Expression.Root.allCases.map(\.rawValue)
    switch name {
    case "yes", "no", "on", "off": return "there are only true and false"
    case "not": return "write !"
    case "and": return "write &&"
    case "or": return "write ||"
    default: break
    }
    if let function = Expression.Function(rawValue: name) { return "call it: \(function.usage)" }
    if let meant = foreign[name] ?? nearest(to: name, among: roots) {
      return "did you mean \"\(meant)\"?"
    }
    return "texts stand in single quotes; there are: " + roots.joined(separator: ", ")
  }

  private mutating func call(
    _ name: String, _ range: Range<Int>, depth: Int
  ) throws(ExpressionMistake) -> Expression {
    let functions = Expression.Function.allCases
    guard
      let function = functions.first(where: { $0.rawValue.lowercased() == name.lowercased() })
    else {
      throw ExpressionMistake(
        message: "there is no function \"\(name)\"",
        hint: nearest(to: name, among: functions.map(\.rawValue)).map { "did you mean \"\($0)\"?" }
          ?? "there are: " + functions.map(\.rawValue).joined(separator: ", "), range: range)
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
    try expect(")", "a comma or ) is expected here", "call it like: " + function.usage)
    let whole = range.lowerBound..<end
    guard function.argumentCounts.contains(arguments.count) else {
      let counts = function.argumentCounts
      let expected =
        counts.upperBound == 0
        ? "no argument"
        : (counts.lowerBound == counts.upperBound
          ? "\(counts.lowerBound)" : "\(counts.lowerBound) to \(counts.upperBound)")
          + (counts.upperBound == 1 ? " argument" : " arguments")
      throw ExpressionMistake(
        message: "\(function.rawValue) takes \(expected), not \(arguments.count)",
        hint: "call it like: " + function.usage, range: whole)
    }
    return try postfix(of: Expression(kind: .call(function, arguments), range: whole), depth: depth)
  }

  /// Members and elements of what has been read.
  private mutating func postfix(
    of base: Expression, depth: Int
  ) throws(ExpressionMistake) -> Expression {
    var result = base
    var length = depth
    while true {
      length += 1
      guard length < Expression.depthMax * 2 else {
        throw ExpressionMistake(
          message: "the expression is nested deeper than \(Expression.depthMax)",
          range: token.range)
      }
      let start = result.range.lowerBound
      if token.kind == .symbol(".") {
        try advance()
        let range = start..<token.range.upperBound
        switch token.kind {
        case .name(let name): result = Expression(kind: .member(result, name), range: range)
        case .symbol("*"): result = Expression(kind: .each(result), range: range)
        default:
          throw ExpressionMistake(
            message: "a name or * is expected behind the point", range: token.range)
        }
        try advance()
      } else if token.kind == .symbol("[") {
        try advance()
        let index = try expression(above: 0, depth: depth + 1)
        let end = token.range.upperBound
        try expect("]", "a ] is expected here")
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

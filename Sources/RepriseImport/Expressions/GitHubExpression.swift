// The expressions of GitHub Actions, as a tree.

/// An expression of GitHub Actions: the text between `${{` and `}}`.
indirect enum GitHubExpression: Equatable {
  case null
  case boolean(Bool)
  case number(String)
  case text(String)
  /// A name with what follows it, such as `steps.build.outputs.version`.
  case path(String, [Access])
  /// A function with its arguments, and what follows it.
  case call(String, [GitHubExpression], [Access])
  case not(GitHubExpression)
  case binary(String, GitHubExpression, GitHubExpression)

  /// A part of a path.
  enum Access: Equatable {
    case name(String)
    case all
    case index(GitHubExpression)
  }

  /// Whether it tests the status of earlier steps.
  var testsStatus: Bool {
    switch self {
    case .null, .boolean, .number, .text, .path: false
    case .call(let name, let arguments, _):
      ["success", "failure", "always", "cancelled"].contains(name.lowercased())
        || arguments.contains(where: \.testsStatus)
    case .not(let value): value.testsStatus
    case .binary(_, let left, let right): left.testsStatus || right.testsStatus
    }
  }
}

/// An expression that cannot be read.
struct GitHubExpressionError: Error {}

/// Parses expressions by precedence climbing.
struct GitHubExpressionParser {
  private static let depthMax = 40
  private static let precedences = [
    "||": 1, "&&": 2, "==": 3, "!=": 3, "<": 4, "<=": 4, ">": 4, ">=": 4,
  ]

  private enum Token: Equatable {
    case name(String)
    case number(String)
    case text(String)
    case symbol(String)
    case end
  }

  private let scalars: [Unicode.Scalar]
  private var position = 0
  private var token = Token.end

  /// Parses the text of an expression.
  static func expression(in text: String) throws(GitHubExpressionError) -> GitHubExpression {
    var parser = GitHubExpressionParser(scalars: Array(text.unicodeScalars))
    try parser.advance()
    let expression = try parser.expression(above: 0, depth: 0)
    guard parser.token == .end else { throw GitHubExpressionError() }
    return expression
  }

  private init(scalars: [Unicode.Scalar]) { self.scalars = scalars }

  private mutating func advance() throws(GitHubExpressionError) {
    while position < scalars.count, scalars[position].properties.isWhitespace { position += 1 }
    guard position < scalars.count else {
      token = .end
      return
    }
    let start = position
    let scalar = scalars[position]
    switch scalar {
    case "'": token = .text(try quoted())
    case "0"..."9", "-", "+":
      position += 1
      while position < scalars.count, Self.isWord(scalars[position]) || scalars[position] == "." {
        position += 1
      }
      token = .number(word(from: start))
    case _ where Self.isWord(scalar):
      while position < scalars.count, Self.isWord(scalars[position]) || scalars[position] == "-" {
        position += 1
      }
      token = .name(word(from: start))
    default:
      let two = word(from: start, count: 2)
      let symbol = Self.precedences[two] != nil ? two : String(Character(scalar))
      guard symbol.count == 2 || "()[].,!<>*".contains(symbol) else {
        throw GitHubExpressionError()
      }
      position += symbol.count
      token = .symbol(symbol)
    }
  }

  /// Reads a text up to its closing quote; two quotes are one of the text.
  private mutating func quoted() throws(GitHubExpressionError) -> String {
    var text = String.UnicodeScalarView()
    position += 1
    while true {
      guard position < scalars.count else { throw GitHubExpressionError() }
      if scalars[position] == "'" {
        position += 1
        guard position < scalars.count, scalars[position] == "'" else { break }
      }
      text.append(scalars[position])
      position += 1
    }
    return String(text)
  }

  private func word(from start: Int, count: Int? = nil) -> String {
    let end = count.map { min(start + $0, scalars.count) } ?? position
    return String(String.UnicodeScalarView(scalars[start..<end]))
  }

  private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar.isASCII && scalar.properties.isAlphabetic
      || ("0"..."9").contains(scalar)
  }

  private mutating func expect(_ symbol: String) throws(GitHubExpressionError) {
    guard token == .symbol(symbol) else { throw GitHubExpressionError() }
    try advance()
  }

  private mutating func expression(
    above precedence: Int, depth: Int
  ) throws(GitHubExpressionError) -> GitHubExpression {
    guard depth < Self.depthMax else { throw GitHubExpressionError() }
    var left = try operand(depth: depth)
    while case .symbol(let symbol) = token, let own = Self.precedences[symbol], own > precedence {
      try advance()
      left = .binary(symbol, left, try expression(above: own, depth: depth + 1))
    }
    return left
  }

  private mutating func operand(depth: Int) throws(GitHubExpressionError) -> GitHubExpression {
    guard depth < Self.depthMax else { throw GitHubExpressionError() }
    let current = token
    try advance()
    switch current {
    case .text(let text): return .text(text)
    case .number(let number): return .number(number)
    case .symbol("!"): return .not(try operand(depth: depth + 1))
    case .symbol("("):
      let inner = try expression(above: 0, depth: depth + 1)
      try expect(")")
      return inner
    case .name(let name):
      switch name {
      case "true": return .boolean(true)
      case "false": return .boolean(false)
      case "null": return .null
      default: break
      }
      guard token == .symbol("(") else { return .path(name, try accesses(depth: depth)) }
      try advance()
      var arguments: [GitHubExpression] = []
      while token != .symbol(")") {
        if !arguments.isEmpty { try expect(",") }
        arguments.append(try expression(above: 0, depth: depth + 1))
      }
      try advance()
      return .call(name, arguments, try accesses(depth: depth))
    case .symbol, .end: throw GitHubExpressionError()
    }
  }

  private mutating func accesses(
    depth: Int
  ) throws(GitHubExpressionError) -> [GitHubExpression.Access] {
    var accesses: [GitHubExpression.Access] = []
    while true {
      if token == .symbol(".") {
        try advance()
        switch token {
        case .name(let name): accesses.append(.name(name))
        case .symbol("*"): accesses.append(.all)
        case .number, .text, .symbol, .end: throw GitHubExpressionError()
        }
        try advance()
      } else if token == .symbol("[") {
        try advance()
        if token == .symbol("*") {
          try advance()
          accesses.append(.all)
        } else {
          let index = try expression(above: 0, depth: depth + 1)
          if case .text(let name) = index {
            accesses.append(.name(name))
          } else {
            accesses.append(.index(index))
          }
        }
        try expect("]")
      } else {
        return accesses
      }
    }
  }
}

/// A text with expressions of GitHub Actions.
struct GitHubTemplate {
  enum Part {
    case text(String)
    case expression(GitHubExpression)
  }

  private(set) var parts: [Part] = []

  /// The only part if it is an expression.
  var single: GitHubExpression? {
    if parts.count == 1, case .expression(let expression) = parts[0] { expression } else { nil }
  }

  /// Parses a text.
  init(_ text: String) throws(GitHubExpressionError) {
    var rest = text[...]
    while let start = rest.firstRange(of: "${{") {
      if start.lowerBound > rest.startIndex {
        parts.append(.text(String(rest[..<start.lowerBound])))
      }
      guard let end = Self.end(of: rest, from: start.upperBound) else {
        throw GitHubExpressionError()
      }
      parts.append(
        .expression(
          try GitHubExpressionParser.expression(in: String(rest[start.upperBound..<end]))))
      rest = rest[rest.index(end, offsetBy: 2)...]
    }
    if !rest.isEmpty { parts.append(.text(String(rest))) }
  }

  /// Returns the position of the first `}}` outside quotes.
  private static func end(of text: Substring, from start: String.Index) -> String.Index? {
    var isInText = false
    var position = start
    while position < text.endIndex {
      if text[position] == "'" { isInText.toggle() }
      if !isInText, text[position...].hasPrefix("}}") { return position }
      position = text.index(after: position)
    }
    return nil
  }
}

extension String {
  /// Whether it names an action or a workflow of the repository itself.
  var isOfRepository: Bool { hasPrefix("./") || hasPrefix("$/") }

  /// The text without the expressions of GitHub Actions.
  var withoutExpressions: String {
    var result = ""
    var rest = self[...]
    while let start = rest.firstRange(of: "${{") {
      result += rest[..<start.lowerBound]
      guard let end = rest[start.upperBound...].firstRange(of: "}}") else { return result }
      rest = rest[end.upperBound...]
    }
    return result + rest
  }
}

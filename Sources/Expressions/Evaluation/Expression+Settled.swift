// Expressions of which only one name is still open.

extension Expression {
  /// Returns the expression with all parts replaced by their values that do not refer to a name.
  ///
  /// - Parameters:
  ///   - source: The values of the other names.
  ///   - root: The name that is left.
  /// - Returns: The expression.
  /// - Throws: ``EvaluationError`` for a part that has no value.
  func settled(
    from source: some ValueSource, leaving root: Root
  ) throws(EvaluationError) -> Expression {
    func part(_ part: Expression) throws(EvaluationError) -> Expression {
      try part.settled(from: source, leaving: root)
    }
    guard refers(to: root) else {
      return Expression(kind: .literal(try value(from: source)), range: range)
    }
    let settled: Kind
    switch kind {
    case .literal, .root: settled = kind
    case .member(let base, let name): settled = .member(try part(base), name)
    case .each(let base): settled = .each(try part(base))
    case .not(let base): settled = .not(try part(base))
    case .element(let base, let index): settled = .element(try part(base), try part(index))
    case .binary(let symbol, let left, let right):
      settled = .binary(symbol, try part(left), try part(right))
    case .call(let function, let arguments):
      var parts: [Expression] = []
      for argument in arguments { parts.append(try part(argument)) }
      settled = .call(function, parts)
    }
    return Expression(kind: settled, range: range)
  }
}

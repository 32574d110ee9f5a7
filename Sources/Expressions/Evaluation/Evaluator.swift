// Evaluates expressions.

/// Provides the values of the names in an expression.
package protocol ValueSource {
  /// The remaining budget for computed values.
  var budget: EvaluationBudget { get }
  /// Returns the value of a top-level name, or of one of its members.
  ///
  /// - Throws: ``ValueProblem`` if there is no value.
  func value(of root: Expression.Root, member: String?) throws(ValueProblem) -> Value
  /// Returns the status of the previous steps.
  func status() throws(ValueProblem) -> RunEnding
  /// Returns a hash of the contents of the matching files, or the empty text if none matches.
  func hash(ofFiles patterns: [String]) throws(ValueProblem) -> String
  /// Returns the paths of the matching files, in byte order.
  func files(matching patterns: [String]) throws(ValueProblem) -> [String]
  /// Returns the path of a file of the run with a text.
  func file(with text: String) throws(ValueProblem) -> String
  /// Returns the value of an output that the step did not write.
  ///
  /// - Returns: The value, such as an empty list for a `foreach` without items; nil if there is
  ///   none.
  /// - Throws: ``ValueProblem`` with a more specific reason for the missing output.
  func absentOutput(_ output: String, of step: String) throws(ValueProblem) -> Value?
}

extension ValueSource {
  package func file(with text: String) throws(ValueProblem) -> String { throw .unknown }

  package func absentOutput(_ output: String, of step: String) throws(ValueProblem) -> Value? {
    nil
  }
}

/// The combined result of a run's steps, or of the steps that a step needs.
public enum RunEnding: String, Sendable, CaseIterable {
  /// Every step succeeded or was skipped.
  case success
  /// A step failed, or the run timed out.
  case failure
  /// The run was cancelled.
  case cancelled
}

extension RunEnding {
  /// The words of earlier versions, with those of today.
  package static let formerWords = ["cancel": "cancelled"]

  /// Creates the ending that a word is for, also one of an earlier version.
  package init?(word: String) {
    self.init(rawValue: Self.formerWords[word] ?? word)
  }
}

/// The reason why a value is not available.
package enum ValueProblem: Error, Sendable, Equatable {
  /// The value does not exist.
  case missing(Diagnostic.Cause)
  /// The value depends on an output that was not written; `||` can provide a fallback.
  case missingOutput(Diagnostic.Cause)
  /// The value will be known later: when the run starts, or when a step has ended.
  case unknown
}

/// The reason why an expression cannot be evaluated.
package enum EvaluationError: Error, Equatable {
  case invalid(ExpressionError)
  /// It reads an output that a step did not write; `||` can provide a fallback.
  case missingOutput(ExpressionError)
  /// It depends on a value that is not known yet.
  case unknown

  /// Returns the problem of an expression that reads the value of this one.
  ///
  /// - Parameter place: The location of this expression, such as `env.NAME`.
  /// - Returns: The reason why the value is not available.
  package func problem(in place: String) -> ValueProblem {
    switch self {
    case .invalid(let error): .missing(error.cause.inside(place))
    case .missingOutput(let error): .missingOutput(error.cause.inside(place))
    case .unknown: .unknown
    }
  }
}

extension Expression {
  /// Evaluates the expression.
  ///
  /// - Parameter source: Provides the values of names.
  /// - Returns: The value.
  /// - Throws: ``EvaluationError``.
  package func value(from source: some ValueSource) throws(EvaluationError) -> Value {
    switch kind {
    case .literal(let value):
      return value
    case .root(let root):
      return try looking { () throws(ValueProblem) in try source.value(of: root, member: nil) }
    case .member(let base, let name):
      try spend(1, source)
      if case .root(let root) = base.kind {
        return try looking { () throws(ValueProblem) in try source.value(of: root, member: name) }
      }
      let value = try base.value(from: source)
      if let absent = try absentOutput(name, in: value, of: base, source) { return absent }
      return try member(name, of: value, base)
    case .element(let base, let index):
      let key = try index.value(from: source)
      if case .root(let root) = base.kind, case .text(let name) = key {
        return try looking { () throws(ValueProblem) in try source.value(of: root, member: name) }
      }
      let value = try base.value(from: source)
      if case .text(let name) = key,
        let absent = try absentOutput(name, in: value, of: base, source)
      {
        return absent
      }
      return try element(key, of: value, base)
    case .each(let base):
      return try each(of: try base.value(from: source), base)
    case .not(let operand):
      return .boolean(!(try operand.value(from: source).isTruthy))
    case .binary(let symbol, let left, let right):
      return try binary(symbol, left, right, source)
    case .call(let function, let arguments):
      return try call(function, arguments, source)
    }
  }

  /// Performs a lookup and reports a missing value at the range of this expression.
  package func looking<Result>(
    _ look: () throws(ValueProblem) -> Result
  ) throws(EvaluationError) -> Result {
    do throws(ValueProblem) {
      return try look()
    } catch {
      switch error {
      case .unknown: throw .unknown
      case .missing(let cause): throw self.error(cause)
      case .missingOutput(let cause): throw .missingOutput(ExpressionError(cause, range))
      }
    }
  }

  /// Spends part of the budget; called before the value is created.
  package func spend(_ bytes: Int, _ source: some ValueSource) throws(EvaluationError) {
    guard source.budget.spend(bytes) else { throw error(.largeValue) }
  }

  package func error(_ cause: Diagnostic.Cause) -> EvaluationError {
    .invalid(ExpressionError(cause, range))
  }

  // MARK: Parts of values

  /// Whether this is `base.*`, or a member or element of such an expression.
  private var isEach: Bool {
    switch kind {
    case .each: true
    case .member(let base, _), .element(let base, _): base.isEach
    default: false
    }
  }

  /// Returns the value of a missing output; nil if this is not a missing output.
  ///
  /// Throws an error, instead of returning an empty text, unless the step was expanded to a group.
  private func absentOutput(
    _ name: String, in outputs: Value, of base: Expression, _ source: some ValueSource
  ) throws(EvaluationError) -> Value? {
    guard case .member(let step, "outputs") = base.kind,
      case .member(let steps, let id) = step.kind,
      case .root(.steps) = steps.kind, case .map(let left) = outputs, left[name] == nil,
      case .map(let values) = try step.value(from: source)
    else { return nil }
    let absent = try looking { () throws(ValueProblem) in
      try source.absentOutput(name, of: id)
    }
    if let absent { return absent }
    let result = values["result"]?.asText ?? ""
    throw .missingOutput(
      ExpressionError(
        .noOutput(name, of: id, result: result, left: left.keys.sorted()), range))
  }

  private func member(
    _ name: String, of value: Value, _ base: Expression
  ) throws(EvaluationError) -> Value {
    switch value {
    case .map(let values): return values[name] ?? .null
    case .null: return .null
    case .list(let values) where base.isEach:
      return .list(
        values.compactMap { value in
          guard case .map(let inner) = value else { return nil }
          return inner[name]
        })
    case .boolean, .number, .digits, .text, .list:
      throw error(.noMember(name, of: value.types))
    }
  }

  private func element(
    _ key: Value, of value: Value, _ base: Expression
  ) throws(EvaluationError) -> Value {
    switch (value, key) {
    case (.list(let values), .number(let number)):
      guard let index = Int(exactly: number), values.indices.contains(index) else { return .null }
      return values[index]
    case (.map, .text(let name)): return try member(name, of: value, base)
    case (.null, _): return .null
    case (.list, _): throw error(.elementNumber)
    case (.map, _): throw error(.memberName(nil))
    default: throw error(.noElements(value.types))
    }
  }

  private func each(of value: Value, _ base: Expression) throws(EvaluationError) -> Value {
    switch value {
    case .list: return value
    case .map(let values): return .list(values.sorted { $0.key < $1.key }.map(\.value))
    case .null: return .list([])
    case .boolean, .number, .digits, .text: throw error(.noElements(value.types))
    }
  }

  // MARK: Operators

  private func binary(
    _ symbol: Operator, _ left: Expression, _ right: Expression, _ source: some ValueSource
  ) throws(EvaluationError) -> Value {
    if symbol == .or { return try either(left, right, source) }
    let first = try left.value(from: source)
    switch symbol {
    case .and: return first.isTruthy ? try right.value(from: source) : first
    case .or: preconditionFailure("BUG: || is evaluated by either(_:_:_:)")
    case .equal: return .boolean(try equals(first, try right.value(from: source)))
    case .notEqual: return .boolean(!(try equals(first, try right.value(from: source))))
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      let second = try right.value(from: source)
      guard let isLess = first.isLess(than: second), let isGreater = second.isLess(than: first)
      else { throw error(.notComparable(symbol, first.types, second.types)) }
      switch symbol {
      case .less: return .boolean(isLess)
      case .lessOrEqual: return .boolean(isLess || first.equals(second))
      case .greater: return .boolean(isGreater)
      default: return .boolean(isGreater || first.equals(second))
      }
    case .add, .subtract, .multiply, .divide, .remainder:
      return .number(try number(symbol, first, try right.value(from: source)))
    }
  }

  private func number(
    _ symbol: Operator, _ first: Value, _ second: Value
  ) throws(EvaluationError) -> Double {
    guard case .number(let left) = first, case .number(let right) = second else {
      for case .digits(let digits) in [first, second] { throw error(.inexact(symbol, digits)) }
      throw error(.notNumbers(symbol, first.types, second.types))
    }
    if right == 0, symbol == .divide || symbol == .remainder {
      throw error(.divisionByZero(symbol))
    }
    let result =
      switch symbol {
      case .add: left + right
      case .subtract: left - right
      case .multiply: left * right
      case .divide: left / right
      default: left.truncatingRemainder(dividingBy: right)
      }
    guard result.isFinite else { throw error(.infinite(symbol)) }
    return result
  }

  /// Evaluates `||`: the first value if it counts as true, otherwise the second.
  private func either(
    _ left: Expression, _ right: Expression, _ source: some ValueSource
  ) throws(EvaluationError) -> Value {
    do throws(EvaluationError) {
      let first = try left.value(from: source)
      if first.isTruthy { return first }
    } catch {
      guard case .missingOutput = error else { throw error }
    }
    return try right.value(from: source)
  }

  private func equals(_ first: Value, _ second: Value) throws(EvaluationError) -> Bool {
    guard first.types.isComparable(with: second.types) else {
      throw error(.notComparable(.equal, first.types, second.types))
    }
    return first.equals(second)
  }
}

// `AttemptSetting`: a setting of a runner that may depend on the number of the attempt.

package import Expressions

/// A setting of a runner, such as `memory: "${{ attempt * 4 }}g"`.
package indirect enum AttemptSetting: Sendable, Equatable {
  case value(Value)
  /// It refers to `attempt`, and to nothing else.
  case template(Template)
  case list([AttemptSetting])
  case map([String: AttemptSetting])

  /// Whether it depends on the number of the attempt.
  package var isOpen: Bool {
    switch self {
    case .value: false
    case .template: true
    case .list(let parts): parts.contains(where: \.isOpen)
    case .map(let parts): parts.values.contains(where: \.isOpen)
    }
  }

  /// Returns the value for an attempt.
  ///
  /// - Throws: ``EvaluationError`` if it has none.
  package func value(for attempt: Int) throws(EvaluationError) -> Value {
    switch self {
    case .value(let value): return value
    case .template(let template):
      let value = try template.value(from: AttemptNumber(number: attempt))
      // As if the text were written in the file.
      guard case .text(let text) = value, let number = Value.number(written: text) else {
        return value
      }
      return .number(number)
    case .list(let parts):
      var values: [Value] = []
      for part in parts { values.append(try part.value(for: attempt)) }
      return .list(values)
    case .map(let parts):
      var values: [String: Value] = [:]
      for (name, part) in parts { values[name] = try part.value(for: attempt) }
      return .map(values)
    }
  }
}

/// The number of an attempt as the only name.
private struct AttemptNumber: ValueSource {
  let number: Int
  let budget = EvaluationBudget()

  func value(of root: Expression.Root, member: String?) throws(ValueProblem) -> Value {
    guard root == .attempt else { throw .unknown }
    return .number(Double(number))
  }

  func status() throws(ValueProblem) -> RunEnding { throw .unknown }
  func hash(ofFiles patterns: [String]) throws(ValueProblem) -> String { throw .unknown }
  func files(matching patterns: [String]) throws(ValueProblem) -> [String] { throw .unknown }
}

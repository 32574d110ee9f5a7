// The settings of an approval: values that are asked for, a time limit, and when it is asked.

/// The settings of an approval, except for its question.
package struct ApprovalRule: Sendable, Equatable {
  /// What happens if no one answers in time.
  package enum Answer: String, Sendable, CaseIterable {
    case approve, reject
  }

  /// The values that are given with the approval, which become outputs of the step.
  package var values: [Parameter] = []
  /// The maximum duration of the wait; unlimited if nil.
  package var timeout: Duration?
  /// The answer after that time.
  package var answer = Answer.reject
  /// Whether it is asked after the work of the step instead of before.
  package var isAfter = false

  package init() {}

  /// The settings as text, to detect changes.
  package var settings: String {
    let limit = timeout.map { "\($0.workflowText), then \(answer.rawValue)" } ?? "none"
    let names = values.map { "\($0.name) \($0.kind.name)" }.joined(separator: ", ")
    return "timeout \(limit); after \(isAfter); values \(names)"
  }

  /// Returns a question with the values that it asks for: `Go? [values: reason, channel=beta]`.
  package func shown(_ question: String) -> String {
    guard !values.isEmpty else { return question }
    let names = values.map { value in
      value.name + (value.defaultValue.map { "=" + $0.asText } ?? "")
    }
    return "\(question) [values: \(names.joined(separator: ", "))]"
  }

  /// Returns the outputs of a step that was approved.
  ///
  /// - Parameter texts: The given values by name.
  /// - Returns: The values as outputs, with the defaults of those that were not given.
  /// - Throws: ``ParameterError`` for the first error.
  package func outputs(_ texts: [String: String] = [:]) throws(ParameterError) -> [String: String] {
    try Arguments(texts).values(for: values).mapValues(\.asText)
  }
}

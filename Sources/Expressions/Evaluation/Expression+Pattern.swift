// Evaluates expressions as path patterns, in which inserted values match themselves.

import Paths

extension Expression {
  /// Evaluates the expression as a path pattern or a part of one.
  ///
  /// Text that is written in the expression is a pattern. A value that it reads is a name or a path,
  /// in which no character has a meaning: the item `app/[id]/page.ts` matches only that file.
  ///
  /// - Parameter source: Provides the values of names.
  /// - Returns: The pattern.
  /// - Throws: ``EvaluationError``.
  package func pattern(from source: some ValueSource) throws(EvaluationError) -> String {
    switch kind {
    case .literal(.text(let text)): return text
    case .binary(.or, let left, let right):
      do throws(EvaluationError) {
        if try left.value(from: source).isTruthy { return try left.pattern(from: source) }
      } catch {
        guard case .missingOutput = error else { throw error }
      }
      return try right.pattern(from: source)
    case .binary(.and, let left, let right) where try left.value(from: source).isTruthy:
      return try right.pattern(from: source)
    case .call(.format, let arguments):
      guard case .literal(.text(let form))? = arguments.first?.kind else { break }
      var values: [Value] = []
      for argument in arguments { values.append(.text(try argument.pattern(from: source))) }
      return try formatted(form, values.dropFirst(), source)
    default: break
    }
    let value = try value(from: source)
    switch value {
    case .list, .map: throw error(.textExpected(value.types))
    case .null, .boolean, .number, .digits, .text: return GlobParser.escaping(value.asText)
    }
  }
}

// An error in an expression, with its source range.

/// An error in an expression.
package struct ExpressionError: Error, Equatable {
  package let cause: Diagnostic.Cause
  /// The range in the text of the expression, in Unicode scalars.
  package let range: Range<Int>

  package init(_ cause: Diagnostic.Cause, _ range: Range<Int>) {
    self.cause = cause
    self.range = range
  }

  package var message: String { cause.message }
  package var hint: String? { cause.hint }
}

// An error in an expression, with its source range.

/// An error in an expression.
struct ExpressionError: Error, Equatable {
  let cause: Diagnostic.Cause
  /// The range in the text of the expression, in Unicode scalars.
  let range: Range<Int>

  init(_ cause: Diagnostic.Cause, _ range: Range<Int>) {
    self.cause = cause
    self.range = range
  }

  var message: String { cause.message }
  var hint: String? { cause.hint }
}

// An error in an expression, with its source range.

/// An error in an expression.
struct ExpressionError: Error, Equatable {
  let kind: DiagnosticKind
  /// The range in the text of the expression, in Unicode scalars.
  let range: Range<Int>

  init(_ kind: DiagnosticKind, _ range: Range<Int>) {
    self.kind = kind
    self.range = range
  }

  var message: String { kind.text }
  var hint: String? { kind.hint }
}

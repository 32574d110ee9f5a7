// What is wrong with an expression, and where.

/// What is wrong with an expression, and where.
struct ExpressionMistake: Error, Equatable {
  let kind: DiagnosticKind
  /// Where in the text of the expression, in characters.
  let range: Range<Int>

  init(_ kind: DiagnosticKind, _ range: Range<Int>) {
    self.kind = kind
    self.range = range
  }

  var message: String { kind.text }
  var hint: String? { kind.hint }
}

// The error for an invalid path pattern.

/// An error in a path pattern.
package struct GlobError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The source text of the pattern.
  package let pattern: String
  /// The error and a suggestion for fixing it.
  package let message: String

  /// Creates an error.
  package init(pattern: String, message: String) {
    self.pattern = pattern
    self.message = message
  }

  /// The pattern, the error and the suggestion.
  package var description: String {
    let shown = pattern.prefix(80)
    let rest = shown.endIndex == pattern.endIndex ? "" : "…"
    return "the pattern \"\(shown)\(rest)\" cannot be used: \(message)"
  }
}

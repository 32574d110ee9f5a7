// Why a pattern for paths makes no sense, in words that say how to mend it. Knows no files.

/// A pattern that cannot be used.
package struct GlobError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The pattern as it was written.
  package let pattern: String
  /// What is wrong and how to mend it.
  package let message: String

  /// Says what is wrong with a pattern.
  package init(pattern: String, message: String) {
    self.pattern = pattern
    self.message = message
  }

  /// The pattern and what is wrong with it.
  package var description: String {
    let shown = pattern.prefix(80)
    let rest = shown.endIndex == pattern.endIndex ? "" : "…"
    return "the pattern \"\(shown)\(rest)\" cannot be used: \(message)"
  }
}

// A single pattern, for the tests of the pattern language.

@testable import Paths

/// A pattern that matches whole paths, not paths below a matched folder.
struct GlobPattern {
  /// The components of each expansion of the braces.
  let alternatives: [[GlobComponent]]
  private let automaton: GlobAutomaton

  /// Parses a pattern.
  init(_ text: String) throws(GlobError) {
    alternatives = try GlobParser.alternatives(of: text)
    var automaton = GlobAutomaton()
    for components in alternatives { automaton.add(components, pattern: 0) }
    self.automaton = automaton
  }

  /// Returns whether the whole path is matched.
  func matches(_ path: String) -> Bool {
    automaton.positions(after: path).contains { automaton.positions[$0].component == nil }
  }
}

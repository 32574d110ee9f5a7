// One pattern by itself, as the tests of the language of patterns want it.

@testable import Paths

/// Says which paths a pattern means, without those below a folder that it means.
struct GlobPattern {
  /// The components for each way through its braces.
  let alternatives: [[GlobComponent]]
  private let automaton: GlobAutomaton

  /// Reads a pattern.
  init(_ text: String) throws(GlobError) {
    alternatives = try GlobParser.alternatives(of: text)
    var automaton = GlobAutomaton()
    for components in alternatives { automaton.add(components, pattern: 0) }
    self.automaton = automaton
  }

  /// Whether all of a path is matched.
  func matches(_ path: String) -> Bool {
    automaton.positions(after: path).contains { automaton.positions[$0].component == nil }
  }
}

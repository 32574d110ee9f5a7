// A pattern for relative paths, such as `src/**/*.swift`. Knows no files.

/// Says which paths are meant.
///
/// A path is relative, its names are separated by `/`. Names are compared byte by byte.
///
/// | Written | Matches |
/// | --- | --- |
/// | `*` | any text in a name, also at the beginning of one with a dot |
/// | `?` | any character of a name |
/// | `[abc]` `[a-z]` `[!a]` | a character that is, or is not, among these |
/// | `{a,b/c}` | each of these |
/// | `**` | in the place of a name: any number of names, also none |
/// | `\` | the character behind it stands for itself |
///
/// What does not matter is left out: a name that is `.`, and a `/` at the end or after another.
struct GlobPattern: Sendable, Equatable {
  /// The pattern as it was written.
  let text: String
  /// The components for each way through its braces.
  let alternatives: [[GlobComponent]]
  private let automaton: GlobAutomaton

  /// Reads a pattern.
  ///
  /// - Parameter text: The text of the pattern.
  /// - Throws: ``GlobError`` when it makes no sense.
  init(_ text: String) throws(GlobError) {
    self.text = text
    alternatives = try GlobParser.alternatives(of: text)
    var automaton = GlobAutomaton()
    for components in alternatives { automaton.add(components, pattern: 0) }
    self.automaton = automaton
  }

  /// Whether a path is meant.
  ///
  /// The time is at worst that of comparing each character of the pattern, with its braces written
  /// out, with each of the path.
  ///
  /// - Parameter path: A relative path.
  /// - Returns: Whether all of it is matched.
  func matches(_ path: String) -> Bool {
    automaton.matches(path)
  }
}

// Which files of a folder a list of patterns means. Knows not what they are wanted for.

/// Finds files by patterns.
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
///
/// A pattern that begins with `!` takes away what the ones before it have found; so the last
/// pattern that matches a file decides. A folder that is matched stands for all files below it:
/// `src/*` means all files in `src`, however deep.
///
/// What a wildcard finds is not entered when it is a symbolic link to a folder, or a folder named
/// `.git` or `.reprise`. What a pattern names without wildcards is.
package struct FileSearch: Sendable {
  let automaton: GlobAutomaton
  /// Whether the pattern of a number takes files away.
  package let takesAway: [Bool]

  /// Reads patterns.
  ///
  /// - Parameter patterns: The texts of the patterns.
  /// - Throws: ``GlobError`` for the first that makes no sense.
  package init(_ patterns: [String]) throws(GlobError) {
    var automaton = GlobAutomaton()
    for (number, text) in patterns.enumerated() {
      for components in try Self.alternatives(of: text) {
        // A folder stands for what is below it, and no folders below it are the file itself.
        let isOpenEnded = components.last == .anyFolders
        automaton.add(isOpenEnded ? components : components + [.anyFolders], pattern: number)
      }
    }
    self.automaton = automaton
    takesAway = patterns.map { $0.hasPrefix("!") }
  }

  private static func alternatives(of text: String) throws(GlobError) -> [[GlobComponent]] {
    guard text.hasPrefix("!") else { return try GlobParser.alternatives(of: text) }
    do throws(GlobError) {
      return try GlobParser.alternatives(of: String(text.dropFirst()))
    } catch {
      throw GlobError(pattern: text, message: error.message)
    }
  }

  /// Finds the files.
  ///
  /// That a pattern matches nothing is no error, nor that a folder vanishes meanwhile or has never
  /// been.
  ///
  /// - Parameter folder: The path of the folder.
  /// - Returns: The relative paths of regular files and of symbolic links to such, in the order of
  ///   their bytes.
  /// - Throws: ``FileError`` when a folder cannot be read that may contain a match, or a name is
  ///   no text.
  package func files(in folder: String) throws(FileError) -> [String] {
    var walk = SearchWalk(search: self, folder: folder)
    return try walk.files()
  }
}

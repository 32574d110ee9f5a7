// Which files of a folder a list of patterns means. Knows not what they are wanted for.

/// Finds files by patterns.
///
/// A pattern that begins with `!` takes away what the ones before it have found; so the last
/// pattern that matches a file decides. A folder that is matched stands for all files below it:
/// `src/*` means all files in `src`, however deep.
///
/// What a wildcard finds is not entered when it is a symbolic link to a folder, or a folder named
/// `.git` or `.reprise`. What a pattern names without wildcards is.
struct FileSearch: Sendable {
  let automaton: GlobAutomaton
  /// Whether the pattern of a number takes files away.
  let takesAway: [Bool]

  /// Reads patterns.
  ///
  /// - Parameter patterns: The texts of the patterns.
  /// - Throws: ``GlobError`` for the first that makes no sense.
  init(_ patterns: [String]) throws(GlobError) {
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
  func files(in folder: String) throws(FileError) -> [String] {
    var walk = FolderWalk(search: self, folder: folder)
    return try walk.files()
  }
}

// Finds the files in a folder that match a list of patterns.

/// A search for files that match patterns.
///
/// Paths are relative and separated by `/`. Names are compared byte by byte.
///
/// | Pattern | Matches |
/// | --- | --- |
/// | `*` | any text in a name, including a leading dot |
/// | `?` | any character of a name |
/// | `[abc]` `[a-z]` `[!a]` | a character in the set, or not in the set |
/// | `{a,b/c}` | each of the alternatives |
/// | `**` | as a whole name: any number of names, including none |
/// | `\` | the next character, literally |
///
/// A name `.`, repeated slashes and a trailing slash are ignored.
///
/// A pattern that begins with `!` excludes files that earlier patterns matched, so the last
/// matching pattern decides. A matching folder includes all files below it: `src/*` matches all
/// files in `src` at any depth.
///
/// A wildcard does not enter symbolic links to folders, or folders named `.git` or `.reprise`. A
/// literal name does.
package struct FileSearch: Sendable {
  let automaton: GlobAutomaton
  /// Whether each pattern excludes files, by its number.
  package let isExclusion: [Bool]

  /// Parses patterns.
  ///
  /// - Parameter patterns: The texts of the patterns.
  /// - Throws: ``GlobError`` for the first invalid pattern.
  package init(_ patterns: [String]) throws(GlobError) {
    var automaton = GlobAutomaton()
    for (number, text) in patterns.enumerated() {
      for components in try Self.alternatives(of: text) {
        // A folder includes everything below it, and `**` at the end also matches the file itself.
        let isOpenEnded = components.last == .anyFolders
        automaton.add(isOpenEnded ? components : components + [.anyFolders], pattern: number)
      }
    }
    self.automaton = automaton
    isExclusion = patterns.map { $0.hasPrefix("!") }
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
  /// It is not an error if a pattern matches nothing, or if a folder does not exist or is deleted
  /// during the search.
  ///
  /// - Parameter folder: The path of the folder.
  /// - Returns: The relative paths of regular files and of symbolic links to regular files, in byte
  ///   order.
  /// - Throws: ``FileError`` if a folder that may contain a match cannot be read, or a name is not
  ///   UTF-8.
  package func files(in folder: String) throws(FileError) -> [String] {
    var walk = SearchWalk(search: self, folder: folder)
    return try walk.files()
  }
}

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
/// files in `src` at any depth; see ``Scope`` for lists.
///
/// A wildcard does not enter folders named `.git` or `.reprise`, and symbolic links to folders only
/// in ``contents(in:)``. A literal name does.
package struct FileSearch: Sendable {
  /// What a pattern selects.
  package enum Scope: Sendable {
    /// A matching folder includes everything in it.
    case trees
    /// A wildcard as the last name selects files only, and a slash at the end selects folders.
    ///
    /// For lists of paths, as in shells: `inbox/*` are the files in `inbox`, and `inbox/*/` its
    /// folders.
    case entries
  }

  let automaton: GlobAutomaton
  /// Whether each pattern excludes files, by its number.
  package let isExclusion: [Bool]
  /// Whether each pattern selects folders themselves, by its number.
  let selectsFolders: [Bool]

  /// Parses patterns.
  ///
  /// - Parameters:
  ///   - patterns: The texts of the patterns.
  ///   - scope: What a pattern selects.
  /// - Throws: ``GlobError`` for the first invalid pattern.
  package init(_ patterns: [String], _ scope: Scope = .trees) throws(GlobError) {
    isExclusion = patterns.map { $0.hasPrefix("!") }
    selectsFolders = zip(patterns, isExclusion).map { text, isExclusion in
      scope == .entries && !isExclusion && text.hasSuffix("/")
    }
    var automaton = GlobAutomaton()
    for (number, text) in patterns.enumerated() {
      for components in try Self.alternatives(of: text) {
        // A folder includes everything below it, and `**` at the end also matches the file itself.
        let isClosed =
          switch components.last {
          case .anyFolders: true
          case .wildcard: scope == .entries && !isExclusion[number]
          case .name, nil: selectsFolders[number]
          }
        automaton.add(isClosed ? components : components + [.anyFolders], pattern: number)
      }
    }
    self.automaton = automaton
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
  ///   order; of folders, too, for patterns that select them.
  /// - Throws: ``FileError`` if a folder that may contain a match cannot be read, or a name is not
  ///   UTF-8.
  package func files(in folder: String) throws(FileError) -> [String] {
    var walk = SearchWalk(search: self, folder: folder, isOfContents: false)
    return try walk.found().map(\.path)
  }

  /// Finds everything that counts as contents of the matching folders.
  ///
  /// In addition to the files of ``files(in:)``: all symbolic links, the files behind links to
  /// folders, and folders without entries. A folder that several links lead to, or that contains a
  /// link to itself, is searched once for the same rest of the patterns, so the cost is linear in
  /// the size of the folders.
  ///
  /// - Parameter folder: The path of the folder.
  /// - Returns: What was found, in byte order of the paths.
  /// - Throws: ``FileError`` if a folder that may contain a match cannot be read, or a name is not
  ///   UTF-8.
  package func contents(in folder: String) throws(FileError) -> [FoundFile] {
    var walk = SearchWalk(search: self, folder: folder, isOfContents: true)
    return try walk.found()
  }
}

// A pattern of a .gitignore file.

/// A pattern with the semantics of `gitignore(5)` and of `dir.c` and `wildmatch.c` in git.
///
/// The worst-case time of a match is the number of tokens times the number of bytes.
struct GitignorePattern: Sendable, Equatable {
  /// Whether it re-includes paths that earlier patterns exclude.
  let isNegative: Bool
  /// Whether it matches only folders.
  let isForFolders: Bool
  /// Whether it is compared with the whole path instead of the last name.
  let isAnchored: Bool
  /// The matcher; nil if the pattern is malformed and matches nothing.
  private let match: GlobMatch?

  /// Parses a line without its line break.
  ///
  /// - Returns: nil for a comment or an empty line.
  init?(line: some Sequence<UInt8>) {
    var text = Self.withoutTrailingSpaces(Array(line))[...]
    guard let first = text.first, first != UInt8(ascii: "#") else { return nil }
    isNegative = first == UInt8(ascii: "!")
    if isNegative { text.removeFirst() }
    isForFolders = text.last == UInt8(ascii: "/")
    if isForFolders { text.removeLast() }
    isAnchored = text.contains(UInt8(ascii: "/"))
    // The text before the first special character is literal, and the rest is parsed as a separate
    // pattern: `a**/b` is `a` followed by `**/b`.
    let special = Set("*?[\\".utf8)
    let literal = text.prefix { !special.contains($0) }
    let rest = GitignoreTokens(Array(text.dropFirst(literal.count)), honoursSlashes: isAnchored)
    let prefix = isAnchored && literal.first == UInt8(ascii: "/") ? literal.dropFirst() : literal
    match = rest.tokens().map { GlobMatch(prefix.map(GlobToken.byte) + $0, of: .bytes) }
  }

  /// Removes trailing spaces unless they are escaped.
  private static func withoutTrailingSpaces(_ line: [UInt8]) -> [UInt8] {
    var firstSpace: Int?
    var index = 0
    while index < line.count {
      switch line[index] {
      case UInt8(ascii: " "): firstSpace = firstSpace ?? index
      case UInt8(ascii: "\\"):
        index += 1
        if index == line.count { return line }
        firstSpace = nil
      default: firstSpace = nil
      }
      index += 1
    }
    return firstSpace.map { Array(line[..<$0]) } ?? line
  }

  /// Returns whether the pattern matches a path itself.
  ///
  /// - Parameters:
  ///   - path: The path relative to the folder of the `.gitignore` file.
  ///   - isFolder: Whether the path is a folder.
  /// - Returns: Whether the pattern matches. Paths below a matching folder do not match.
  func matches(_ path: [UInt8], isFolder: Bool) -> Bool {
    guard let match, isFolder || !isForFolders else { return false }
    if isAnchored { return match.matches(path[...]) }
    let name = path.lastIndex(of: UInt8(ascii: "/")).map { path[($0 + 1)...] } ?? path[...]
    return match.matches(name)
  }
}

// One pattern of a .gitignore file. Pure.

/// A pattern as `gitignore(5)` describes it and as `dir.c` and `wildmatch.c` of git read it.
///
/// The time of a match is at most that of comparing each token with each byte.
struct GitignorePattern: Sendable, Equatable {
  /// Whether it takes back what patterns before it ignore.
  let isNegative: Bool
  /// Whether it matches folders only.
  let isForFolders: Bool
  /// Whether it is compared with the whole path and not with the last name.
  let isAnchored: Bool
  /// What is compared; nil where the pattern is malformed and matches nothing.
  private let match: GlobMatch?

  /// Reads a line without its end.
  ///
  /// - Returns: nil for a comment and for an empty line.
  init?(line: some Sequence<UInt8>) {
    var text = Self.withoutTrailingSpaces(Array(line))[...]
    guard let first = text.first, first != UInt8(ascii: "#") else { return nil }
    isNegative = first == UInt8(ascii: "!")
    if isNegative { text.removeFirst() }
    isForFolders = text.last == UInt8(ascii: "/")
    if isForFolders { text.removeLast() }
    isAnchored = text.contains(UInt8(ascii: "/"))
    // What stands before the first special character is compared as it is, and what follows is read
    // as a pattern of its own: `a**/b` is `a` and `**/b`.
    let special = Set("*?[\\".utf8)
    let literal = text.prefix { !special.contains($0) }
    let rest = GitignoreTokens(Array(text.dropFirst(literal.count)), honoursSlashes: isAnchored)
    let prefix = isAnchored && literal.first == UInt8(ascii: "/") ? literal.dropFirst() : literal
    match = rest.tokens().map { GlobMatch(prefix.map(GlobToken.byte) + $0, of: .bytes) }
  }

  /// Spaces at the end count only if they are escaped.
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

  /// Whether the pattern matches.
  ///
  /// - Parameters:
  ///   - path: The path from the folder of the `.gitignore` file.
  ///   - isFolder: Whether it is that of a folder.
  /// - Returns: Whether the path is what the pattern means; not what lies below such a folder.
  func matches(_ path: [UInt8], isFolder: Bool) -> Bool {
    guard let match, isFolder || !isForFolders else { return false }
    if isAnchored { return match.matches(path[...]) }
    let name = path.lastIndex(of: UInt8(ascii: "/")).map { path[($0 + 1)...] } ?? path[...]
    return match.matches(name)
  }
}

// One pattern of a .gitignore file. Pure.

/// A pattern as `gitignore(5)` describes it and as `dir.c` and `wildmatch.c` of git read it.
///
/// Matching never goes back: its time is at most that of comparing each token with each byte.
struct GitignorePattern: Sendable, Equatable {
  /// A part of a pattern.
  enum Token: Sendable, Equatable {
    case byte(UInt8)
    /// `?`
    case any
    /// `[…]`, which never matches a slash.
    case oneOf(Set<UInt8>, negated: Bool)
    /// `*`: any text without a slash.
    case star
    /// `**` next to slashes: any text.
    case anything
    /// `**/`: nothing, or any text that ends with a slash.
    case anyFolders
  }

  /// Whether it takes back what patterns before it ignore.
  let isNegative: Bool
  /// Whether it matches folders only.
  let isForFolders: Bool
  /// Whether it is compared with the whole path and not with the last name.
  let isAnchored: Bool
  /// What is compared; nil where the pattern is malformed and matches nothing.
  let tokens: [Token]?

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
    tokens = rest.tokens().map { prefix.map(Token.byte) + $0 }
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
    guard let tokens, isFolder || !isForFolders else { return false }
    if isAnchored { return Self.matches(tokens, path[...]) }
    let name = path.lastIndex(of: UInt8(ascii: "/")).map { path[($0 + 1)...] } ?? path[...]
    return Self.matches(tokens, name)
  }

  /// Reads the text byte by byte and keeps the set of all positions that the pattern may be at.
  private static func matches(_ tokens: [Token], _ text: ArraySlice<UInt8>) -> Bool {
    var states = [Bool](repeating: false, count: tokens.count + 1)
    enter(0, tokens, &states)
    var next = states
    for byte in text {
      for index in next.indices { next[index] = false }
      for index in tokens.indices where states[index] {
        switch tokens[index] {
        case .byte(let wanted): if wanted == byte { enter(index + 1, tokens, &next) }
        case .any: if byte != UInt8(ascii: "/") { enter(index + 1, tokens, &next) }
        case .oneOf(let set, let negated):
          if byte != UInt8(ascii: "/") && set.contains(byte) != negated {
            enter(index + 1, tokens, &next)
          }
        case .star: if byte != UInt8(ascii: "/") { enter(index, tokens, &next) }
        case .anything: enter(index, tokens, &next)
        case .anyFolders:
          next[index] = true
          if byte == UInt8(ascii: "/") { enter(index + 1, tokens, &next) }
        }
      }
      guard next.contains(true) else { return false }
      swap(&states, &next)
    }
    return states[tokens.count]
  }

  /// Adds a position, and those behind it that need no byte.
  private static func enter(_ position: Int, _ tokens: [Token], _ states: inout [Bool]) {
    var position = position
    while !states[position] {
      states[position] = true
      guard position < tokens.count else { return }
      switch tokens[position] {
      case .star, .anything, .anyFolders: position += 1
      case .byte, .any, .oneOf: return
      }
    }
  }
}

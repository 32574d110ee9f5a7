// Parses path patterns: escapes, character sets and alternatives.

/// Parses a pattern into components, one list for each expansion of its braces.
///
/// Not recursive, so braces can be nested to any depth.
package struct GlobParser {
  /// The maximum length of a pattern, which is also the maximum length of a path.
  package static let bytesMax = 4096
  /// The maximum number of brace expansions of a pattern.
  package static let expansionsMax = 1000
  /// The maximum number of characters of a pattern after brace expansion.
  package static let sizeMax = 1 << 20

  /// The contents of an open pair of braces; the outermost group is the whole text.
  private struct Group {
    /// The position of the opening brace, counted from 1.
    let start: Int
    /// The alternatives before the last comma.
    var finished: [[GlobToken]] = []
    /// The expansions of the current alternative.
    var current: [[GlobToken]] = [[]]
  }

  /// The syntax that is literal text in a reading of a pattern.
  private struct Literals: Equatable {
    var sets = false
    var braces = false
  }

  private let text: String
  private let characters: [Unicode.Scalar]
  private let literals: Literals
  /// The syntax that was read as such.
  private var found = Literals()
  private var position = 0
  private var group = Group(start: 0)
  private var enclosing: [Group] = []
  /// The number of tokens added to all expansions: the cost of the pattern.
  private var size = 0

  private init(_ text: String, _ literals: Literals) {
    self.text = text
    self.literals = literals
    characters = Array(text.unicodeScalars)
  }

  /// Parses a pattern.
  ///
  /// A pattern also matches the path that is written like it, as in shells: `app/[id]/*.ts` matches
  /// files in the folder `[id]`. So its brackets and braces are read as literal text, too.
  ///
  /// - Parameter text: The text of the pattern.
  /// - Returns: Its expansions as components, at least one. ``GlobComponent/anyFolders`` never
  ///   occurs twice in a row.
  /// - Throws: ``GlobError`` if the pattern is invalid.
  package static func alternatives(of text: String) throws(GlobError) -> [[GlobComponent]] {
    var (all, found, _) = try read(text, Literals())
    for literals in [
      Literals(sets: true), Literals(braces: true), Literals(sets: true, braces: true),
    ] {
      guard !literals.sets || found.sets else { continue }
      // A brace in a set is read as one only if the set is literal text.
      let hasBraces =
        found.braces || literals.sets && text.utf8.contains(where: "{}".utf8.contains)
      guard !literals.braces || hasBraces else { continue }
      // As literal text, it may have no meaning, such as ** within a name.
      if let others = try? read(text, literals).alternatives { all += others }
    }
    return all
  }

  /// Returns the pattern that matches a path itself.
  ///
  /// - Parameter path: A path or a part of one.
  /// - Returns: The path with a backslash before each character that has a meaning in patterns.
  package static func escaping(_ path: String) -> String {
    var pattern = String.UnicodeScalarView()
    for character in path.unicodeScalars {
      if "\\*?[]{},!".unicodeScalars.contains(character) { pattern.append("\\") }
      pattern.append(character)
    }
    return String(pattern)
  }

  /// Validates a pattern and returns its size.
  ///
  /// - Parameter text: The text of the pattern.
  /// - Returns: The approximate number of characters after brace expansion.
  /// - Throws: ``GlobError`` if the pattern is invalid.
  package static func size(of text: String) throws(GlobError) -> Int {
    try read(text, Literals()).size
  }

  private static func read(
    _ text: String, _ literals: Literals
  ) throws(GlobError) -> (alternatives: [[GlobComponent]], found: Literals, size: Int) {
    var parser = GlobParser(text, literals)
    guard text.utf8.count <= bytesMax else {
      throw parser.error("it is longer than \(bytesMax) bytes; write several patterns")
    }
    while let character = parser.next() { try parser.read(character) }
    guard parser.enclosing.isEmpty else {
      throw parser.error(
        "the { at character \(parser.group.start) is not closed; add a }, or write \\{ for a"
          + " literal {")
    }
    var alternatives: [[GlobComponent]] = []
    alternatives.reserveCapacity(parser.group.current.count)
    for tokens in parser.group.current {
      alternatives.append(try parser.components(of: tokens))
    }
    return (alternatives, parser.found, parser.size)
  }

  private func error(_ message: String) -> GlobError {
    GlobError(pattern: text, message: message)
  }

  private mutating func next() -> Unicode.Scalar? {
    guard position < characters.count else { return nil }
    defer { position += 1 }
    return characters[position]
  }

  private mutating func read(_ character: Unicode.Scalar) throws(GlobError) {
    switch character {
    case "*" where position < characters.count && characters[position] == "*":
      position += 1
      try append(.anyFolders)
    case "*": try append(.anyText)
    case "?": try append(.anyCharacter)
    case "/": try append(.separator)
    case "[" where !literals.sets:
      found.sets = true
      try append(.oneOf(try characterSet()))
    case "{" where !literals.braces:
      found.braces = true
      enclosing.append(group)
      group = Group(start: position)
    case "," where !enclosing.isEmpty:
      group.finished += group.current
      group.current = [[]]
      try checkCount(group.finished.count + 1)
    case "}" where !literals.braces: try closeGroup()
    default:
      let meant = try unescaped(character)
      guard meant != "/" else { return try append(.separator) }
      for byte in meant.utf8 { try append(.byte(byte)) }
    }
  }

  /// Appends a token to all expansions of the current alternative.
  private mutating func append(_ token: GlobToken) throws(GlobError) {
    try spend(group.current.count)
    for index in group.current.indices { group.current[index].append(token) }
  }

  /// Counts tokens about to be added, up to the limit.
  private mutating func spend(_ count: Int) throws(GlobError) {
    size += count
    guard size <= Self.sizeMax else {
      throw error(
        "its braces expand to more than \(Self.sizeMax) characters; use * or several "
          + "patterns")
    }
  }

  private mutating func closeGroup() throws(GlobError) {
    guard let outer = enclosing.popLast() else {
      throw error(
        "the } at character \(position) is unmatched; write \\} for a literal }")
    }
    let choices = group.finished + group.current
    group = outer
    try checkCount(choices.count * group.current.count)
    // Fast path: nested braces mostly begin a group, so there is no prefix to copy.
    guard group.current.count > 1 || group.current.first?.isEmpty == false else {
      group.current = choices
      return
    }
    let sizes = (group.current.reduce(0) { $0 + $1.count }, choices.reduce(0) { $0 + $1.count })
    try spend(sizes.0 * choices.count + sizes.1 * group.current.count)
    group.current = group.current.flatMap { before in choices.map { before + $0 } }
  }

  private func checkCount(_ count: Int) throws(GlobError) {
    guard count <= Self.expansionsMax else {
      throw error(
        "its braces expand to more than \(Self.expansionsMax) patterns; use * or several patterns")
    }
  }

  /// Returns the literal character for a character that may be a backslash.
  private mutating func unescaped(_ character: Unicode.Scalar) throws(GlobError) -> Unicode.Scalar {
    guard character != "\0" else {
      throw error("character \(position) is NUL, which cannot occur in a path; remove it")
    }
    guard character == "\\" else { return character }
    guard let escaped = next() else {
      throw error("it ends with an incomplete escape; write \\\\ for a literal \\")
    }
    return escaped
  }

  /// Parses a character set after its `[`.
  private mutating func characterSet() throws(GlobError) -> GlobCharacterSet {
    let start = position
    var isNegated = false
    if position < characters.count {
      guard characters[position] != "^" else {
        throw error("write [!…] for all but these characters, or [\\^…] for the character ^")
      }
      isNegated = characters[position] == "!"
      position += isNegated ? 1 : 0
    }
    var ranges: [ClosedRange<UInt32>] = []
    while let character = next() {
      // As in shells, a leading ] is literal.
      if character == "]" && !ranges.isEmpty {
        return GlobCharacterSet(isNegated: isNegated, ranges: ranges)
      }
      ranges.append(try range(from: character))
    }
    throw error(
      "the [ at character \(start) is not closed; add a ], or write \\[ for a literal [")
  }

  /// Parses a member of a character set: a character, or a range if a `-` and a character follow.
  private mutating func range(from character: Unicode.Scalar) throws(GlobError)
    -> ClosedRange<UInt32>
  {
    let lower = try unescaped(character)
    var upper = lower
    if position + 1 < characters.count, characters[position] == "-",
      characters[position + 1] != "]"
    {
      position += 2
      upper = try unescaped(characters[position - 1])
    }
    guard lower != "/" && upper != "/" else {
      throw error("a / is not allowed between [ and ]; write {…,…} with the folders in it")
    }
    guard lower.value <= upper.value else {
      throw error("the range [\(lower)-\(upper)] is empty; write [\(upper)-\(lower)]")
    }
    return lower.value...upper.value
  }

  private func components(of tokens: [GlobToken]) throws(GlobError) -> [GlobComponent] {
    guard let first = tokens.first else {
      throw error("it or one of its alternatives is empty; write ** for all files")
    }
    guard !first.isSeparator else {
      throw error("it begins with /; write it relative to the folder that is searched")
    }
    var components: [GlobComponent] = []
    var start = 0
    for end in 0...tokens.count where end == tokens.count || tokens[end].isSeparator {
      defer { start = end + 1 }
      guard start < end else { continue }
      let component = try component(of: tokens[start..<end])
      let isDot = component == .name([UInt8(ascii: ".")])
      let isRepeated = component == .anyFolders && components.last == .anyFolders
      if !isDot && !isRepeated { components.append(component) }
    }
    // The pattern is `.`: it matches everything in the folder.
    return components.isEmpty ? [.anyFolders] : components
  }

  private func component(of all: ArraySlice<GlobToken>) throws(GlobError) -> GlobComponent {
    var tokens = all
    if literals != Literals(), all.count > 1 {
      // Within a name that is read as literal text, ** has no meaning.
      let star = GlobToken.byte(UInt8(ascii: "*"))
      tokens = all.flatMap { if case .anyFolders = $0 { [star, star] } else { [$0] } }[...]
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(tokens.count)
    for token in tokens {
      switch token {
      case .byte(let byte): bytes.append(byte)
      case .anyFolders:
        if tokens.count == 1 { return .anyFolders }
        throw error(
          "** must be a whole name between slashes; write **/ before the name, as in **/*.c")
      case .anyCharacter, .anyText, .oneOf, .anything: break
      }
    }
    guard bytes.count == tokens.count else { return .wildcard(Array(tokens)) }
    guard bytes != Array("..".utf8) else {
      throw error(
        "its .. could lead outside the folder that is searched; write the path without it, or hash "
          + "files elsewhere in cache.key, where paths begin at the folder of the run: "
          + "${{ hashFiles('shared/**') }}")
    }
    return .name(bytes)
  }
}

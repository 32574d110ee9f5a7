// Reads the text of a pattern: escapes, character sets, alternatives. Knows not what it will match.

/// Turns the text of a pattern into components, once for each way through its braces.
///
/// There is no recursion, so no nesting of braces is too deep.
package struct GlobParser {
  /// The longest text; no path can be longer.
  package static let bytesMax = 4096
  /// The most ways through the braces of one pattern.
  package static let expansionsMax = 1000
  /// How many characters one pattern may have, with its braces written out.
  package static let sizeMax = 1 << 20

  /// What stands in a pair of braces whose end has not been read; or, outside of all, the text.
  private struct Group {
    /// The number of the character that opened it.
    let start: Int
    /// What was read before the last comma.
    var finished: [[GlobToken]] = []
    /// What was read since.
    var current: [[GlobToken]] = [[]]
  }

  private let text: String
  private let characters: [Unicode.Scalar]
  private var position = 0
  private var group = Group(start: 0)
  private var enclosing: [Group] = []
  /// How many tokens were added to any way through the braces: what the pattern costs.
  private var size = 0

  private init(_ text: String) {
    self.text = text
    characters = Array(text.unicodeScalars)
  }

  /// Reads a pattern.
  ///
  /// - Parameter text: The text of the pattern.
  /// - Returns: Its alternatives as components, of which no two ``GlobComponent/anyFolders`` are
  ///   neighbours; at least one.
  /// - Throws: ``GlobError`` when it makes no sense.
  package static func alternatives(of text: String) throws(GlobError) -> [[GlobComponent]] {
    try read(text).alternatives
  }

  /// Checks a pattern.
  ///
  /// - Parameter text: The text of the pattern.
  /// - Returns: About how many characters it has with its braces written out.
  /// - Throws: ``GlobError`` when it makes no sense.
  package static func size(of text: String) throws(GlobError) -> Int { try read(text).size }

  private static func read(
    _ text: String
  ) throws(GlobError) -> (alternatives: [[GlobComponent]], size: Int) {
    var parser = GlobParser(text)
    guard text.utf8.count <= bytesMax else {
      throw parser.error("it is longer than \(bytesMax) bytes; write several patterns")
    }
    while let character = parser.next() { try parser.read(character) }
    guard parser.enclosing.isEmpty else {
      throw parser.error(
        "the { at character \(parser.group.start) is never closed; add a }, or write \\{ for the"
          + " character itself")
    }
    var alternatives: [[GlobComponent]] = []
    alternatives.reserveCapacity(parser.group.current.count)
    for tokens in parser.group.current {
      alternatives.append(try parser.components(of: tokens))
    }
    return (alternatives, parser.size)
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
    case "[": try append(.oneOf(try characterSet()))
    case "{":
      enclosing.append(group)
      group = Group(start: position)
    case "," where !enclosing.isEmpty:
      group.finished += group.current
      group.current = [[]]
      try checkCount(group.finished.count + 1)
    case "}": try closeGroup()
    default:
      let meant = try unescaped(character)
      guard meant != "/" else { return try append(.separator) }
      for byte in meant.utf8 { try append(.byte(byte)) }
    }
  }

  /// Adds to every way through the braces so far.
  private mutating func append(_ token: GlobToken) throws(GlobError) {
    try spend(group.current.count)
    for index in group.current.indices { group.current[index].append(token) }
  }

  /// Counts tokens that are about to be added.
  private mutating func spend(_ count: Int) throws(GlobError) {
    size += count
    guard size <= Self.sizeMax else {
      throw error(
        "with its braces written out it has more than \(Self.sizeMax) characters; use * or several "
          + "patterns")
    }
  }

  private mutating func closeGroup() throws(GlobError) {
    guard let outer = enclosing.popLast() else {
      throw error(
        "the } at character \(position) closes nothing; write \\} for the character itself")
    }
    let choices = group.finished + group.current
    group = outer
    try checkCount(choices.count * group.current.count)
    // Most braces in braces begin with them: nothing has to be copied then.
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
        "its braces stand for more than \(Self.expansionsMax) patterns; use * or several patterns")
    }
  }

  /// The character that is meant by one that was read, which may be a backslash.
  private mutating func unescaped(_ character: Unicode.Scalar) throws(GlobError) -> Unicode.Scalar {
    guard character != "\0" else {
      throw error("character \(position) is NUL, which no path contains; leave it out")
    }
    guard character == "\\" else { return character }
    guard let escaped = next() else {
      throw error("nothing follows the \\ at its end; write \\\\ for the character itself")
    }
    return escaped
  }

  /// Reads on behind a `[`.
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
      // As in shells, a ] that comes first stands for itself.
      if character == "]" && !ranges.isEmpty {
        return GlobCharacterSet(isNegated: isNegated, ranges: ranges)
      }
      ranges.append(try range(from: character))
    }
    throw error(
      "the [ at character \(start) is never closed; add a ], or write \\[ for the character itself")
  }

  /// Reads a member of a character set, which is a range when a `-` and another character follow.
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
      throw error("a / cannot stand between [ and ]; write {…,…} with the folders in it")
    }
    guard lower.value <= upper.value else {
      throw error("[\(lower)-\(upper)] contains nothing; write [\(upper)-\(lower)]")
    }
    return lower.value...upper.value
  }

  private func components(of tokens: [GlobToken]) throws(GlobError) -> [GlobComponent] {
    guard let first = tokens.first else {
      throw error("it or one of its alternatives is empty; write ** for all files")
    }
    guard !first.isSeparator else {
      throw error("it begins with /; write it relative to the folder in which files are looked for")
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
    // The folder itself, with all that is in it.
    return components.isEmpty ? [.anyFolders] : components
  }

  private func component(of tokens: ArraySlice<GlobToken>) throws(GlobError) -> GlobComponent {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(tokens.count)
    for token in tokens {
      switch token {
      case .byte(let byte): bytes.append(byte)
      case .anyFolders:
        if tokens.count == 1 { return .anyFolders }
        throw error(
          "** must stand alone between slashes; write **/ and then the name, such as **/*.c")
      case .anyCharacter, .anyText, .oneOf, .anything: break
      }
    }
    guard bytes.count == tokens.count else { return .wildcard(Array(tokens)) }
    guard bytes != Array("..".utf8) else {
      throw error(
        "its .. may leave the folder in which files are looked for; write where the files are")
    }
    return .name(bytes)
  }
}

// Reads the text of a pattern: escapes, character sets, alternatives. Knows not what it will match.

/// Turns the text of a pattern into components, once for each way through its braces.
///
/// There is no recursion, so no nesting of braces is too deep.
package struct GlobParser {
  /// The longest text; no path can be longer.
  package static let bytesMax = 4096
  /// The most ways through the braces of one pattern.
  package static let expansionsMax = 1000

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
    for tokens in parser.group.current {
      alternatives.append(try parser.components(of: tokens))
    }
    return alternatives
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
      append([.anyFolders])
    case "*": append([.anyText])
    case "?": append([.anyCharacter])
    case "/": append([.separator])
    case "[": append([.oneOf(try characterSet())])
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
      append(meant == "/" ? [.separator] : meant.utf8.map { .byte($0) })
    }
  }

  /// Adds to every way through the braces so far.
  private mutating func append(_ tokens: [GlobToken]) {
    for index in group.current.indices { group.current[index] += tokens }
  }

  private mutating func closeGroup() throws(GlobError) {
    guard let outer = enclosing.popLast() else {
      throw error(
        "the } at character \(position) closes nothing; write \\} for the character itself")
    }
    let choices = group.finished + group.current
    group = outer
    try checkCount(choices.count * group.current.count)
    if choices.count == 1 {
      append(choices[0])
    } else {
      group.current = group.current.flatMap { before in choices.map { before + $0 } }
    }
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
    guard !tokens.isEmpty else {
      throw error("it or one of its alternatives is empty; write ** for all files")
    }
    guard tokens.first != .separator else {
      throw error("it begins with /; write it relative to the folder in which files are looked for")
    }
    var components: [GlobComponent] = []
    for piece in tokens.split(separator: .separator) {
      let component = try component(of: piece)
      let isDot = component == .name([UInt8(ascii: ".")])
      let isRepeated = component == .anyFolders && components.last == .anyFolders
      if !isDot && !isRepeated { components.append(component) }
    }
    // The folder itself, with all that is in it.
    return components.isEmpty ? [.anyFolders] : components
  }

  private func component(of tokens: ArraySlice<GlobToken>) throws(GlobError) -> GlobComponent {
    if tokens.elementsEqual([.anyFolders]) { return .anyFolders }
    guard !tokens.contains(.anyFolders) else {
      throw error(
        "** must stand alone between slashes; write **/ and then the name, such as **/*.c")
    }
    let bytes = tokens.compactMap { if case .byte(let byte) = $0 { byte } else { nil } }
    guard bytes.count == tokens.count else { return .wildcard(Array(tokens)) }
    guard bytes != Array("..".utf8) else {
      throw error(
        "its .. may leave the folder in which files are looked for; write where the files are")
    }
    return .name(bytes)
  }
}

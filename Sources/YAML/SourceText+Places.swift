// Maps ranges in scalars to locations in the file, and refines error locations.

extension SourceText {
  /// Returns the location of a range of a scalar's text in the file.
  ///
  /// If the range cannot be located, as in an alias, returns the start of the scalar.
  ///
  /// - Parameters:
  ///   - range: The range in the scalar's text, in Unicode scalars.
  ///   - node: The scalar.
  ///   - lineStart: The byte offset of the line on which the node starts, if known.
  /// - Returns: The location and the number of characters on its line.
  package func place(
    of range: Range<Int>, in node: Node, lineStart: Int? = nil
  ) -> (Mark, length: Int) {
    let text = Array((node.text ?? "").unicodeScalars)
    let raw = Array(
      scalars(
        from: node.mark, count: text.count * 6 + 4096,
        start: lineStart ?? offset(ofLine: node.mark.line)))
    guard let start = Alignment(text, raw).position(of: range.lowerBound) else {
      return (node.mark, node.length)
    }
    var mark = node.mark
    for scalar in raw[..<start] {
      mark.column += 1
      if scalar == "\n" { mark = Mark(line: mark.line + 1, column: 1) }
    }
    let rest = raw[start...].prefix(range.count)
    return (mark, max(1, rest.prefix { $0 != "\n" && $0 != "\r" }.count))
  }

  /// Returns a problem if an unquoted expression in `{ }` or `[ ]` explains an error at `mark`.
  func unquotedExpression(before mark: Mark) -> Problem? {
    let line = Array(line(mark.line).unicodeScalars.prefix(mark.column))
    let bracket = Array("${{".unicodeScalars)
    guard
      let start = line.indices.last(where: { line[$0...].starts(with: bracket.prefix(2)) }),
      start == 0 || !["\"", "'"].contains(line[start - 1]),
      line[..<start].contains("{") || line[..<start].contains("[")
    else { return nil }
    return Problem(
      kind: .unquotedExpression, mark: Mark(line: mark.line, column: start + 1),
      length: bracket.count)
  }

  private func scalars(
    from mark: Mark, count: Int, start: Int
  ) -> Substring.UnicodeScalarView {
    let text = String(decoding: bytes[start...].prefix(mark.column * 4 + count * 4), as: UTF8.self)
    return text.unicodeScalars.dropFirst(mark.column - 1).prefix(count)
  }
}

/// Matches the text of a scalar with its source text, character by character.
private struct Alignment {
  private let text: [Unicode.Scalar]
  private let raw: [Unicode.Scalar]
  private var place = 0
  /// The indentation of a block scalar; nil for other scalars.
  private var indentation: Int?
  private var isDoubleQuoted = false

  init(_ text: [Unicode.Scalar], _ raw: [Unicode.Scalar]) {
    self.text = text
    self.raw = raw
  }

  /// Returns the source position of a character, or nil if it cannot be determined.
  func position(of offset: Int) -> Int? {
    var walk = self
    guard walk.begin() else { return nil }
    for scalar in text.prefix(offset) where !walk.step(scalar) { return nil }
    walk.skipToNext(text.dropFirst(offset).first)
    return walk.place <= raw.count ? min(walk.place, max(0, raw.count - 1)) : nil
  }

  private mutating func begin() -> Bool {
    switch raw.first {
    case "*": return false
    case "\"", "'":
      isDoubleQuoted = raw.first == "\""
      place = 1
    case "|", ">":
      guard let lineFeed = raw.firstIndex(of: "\n") else { return false }
      place = lineFeed + 1
      var blanks = 0
      var position = place
      while position < raw.count, raw[position] == " " || raw[position] == "\n" {
        blanks = raw[position] == "\n" ? 0 : blanks + 1
        position += 1
      }
      indentation = blanks
      skipIndentation()
    default: break
    }
    return true
  }

  private mutating func skipIndentation() {
    guard let indentation else { return }
    var count = 0
    while count < indentation, place < raw.count, raw[place] == " " {
      place += 1
      count += 1
    }
  }

  private mutating func skipBlanks() {
    while place < raw.count, [" ", "\n", "\t", "\r"].contains(raw[place]) { place += 1 }
  }

  /// Skips line breaks and indentation before a character that are not part of the text.
  private mutating func skipToNext(_ next: Unicode.Scalar?) {
    guard let next, place < raw.count, raw[place] == "\n", next != "\n" else { return }
    skipBlanks()
  }

  /// Skips one character of the text and its source form.
  private mutating func step(_ scalar: Unicode.Scalar) -> Bool {
    guard place < raw.count else { return false }
    if raw[place] == "\r", scalar == "\n" { place += 1 }
    guard place < raw.count else { return false }
    if indentation != nil {
      let isBreak = raw[place] == "\n" && (scalar == "\n" || scalar == " ")
      guard raw[place] == scalar || isBreak else { return false }
      place += 1
      if isBreak { skipIndentation() }
      return true
    }
    if raw[place] == "\n" || (raw[place] == " " && scalar == "\n") {
      guard scalar == " " || scalar == "\n" else { return false }
      skipBlanks()
      return true
    }
    if isDoubleQuoted, raw[place] == "\\" {
      let letter = raw.dropFirst(place + 1).first
      place += letter == "x" ? 4 : letter == "u" ? 6 : letter == "U" ? 10 : 2
      return true
    }
    guard raw[place] == scalar else { return false }
    place += !isDoubleQuoted && raw.first == "'" && scalar == "'" ? 2 : 1
    return true
  }
}

extension Problem {
  /// Returns a more specific error, based on the text at the error's location.
  func refined(by source: SourceText) -> Problem {
    var problem = self
    let line = Array(source.line(mark.line).unicodeScalars)
    let before = line.prefix(mark.column - 1).reversed().drop { $0 == " " }.first
    let here = line.dropFirst(mark.column - 1).first
    switch kind {
    case .keyExpected where here == "-": problem.kind = .itemNotAligned
    case .keyExpected:
      if let before, ["\"", "'", "]", "}"].contains(before), mark.column > 1 {
        problem.kind = .afterValue
      }
    case .unclosed(let bracket, let since, _) where here == ":":
      problem.kind = .unclosed(bracket, since: since, found: .colon)
    case .unclosed(let bracket, let since, _) where here == "[" || here == "{":
      problem.kind = .unclosed(bracket, since: since, found: .bracket)
    case .unclosed(_, let since, _)
    where since.line == mark.line && before.map(Self.quotes.contains) == true:
      problem.kind = .afterValue
    case .unclosed(let bracket, let since, _):
      guard let comment = bracketInComment(since, bracket, in: source) else { break }
      problem.kind = .unclosed(bracket, since: since, found: .comment)
      problem.mark = comment
    case .unclosedQuote:
      guard let (bracket, since, place) = bracketInText(before: mark, line) else { break }
      problem.kind = .unclosed(bracket, since: since, found: .bracket)
      problem.mark = place
    case .colon:
      if let (key, above) = keysToAlign(in: source) {
        problem.kind = .colon(key: key, above: above)
      } else if line.prefix(mark.column - 1).contains(where: Self.quotes.contains) {
        problem.kind = .colonInScript
      }
    case .itemExpected where line.contains(":") && here != "-":
      let above = Array(source.line(mark.line - 1).unicodeScalars)
      guard let dash = above.firstIndex(where: { $0 != " " }), above[dash] == "-",
        let key = above[(dash + 1)...].firstIndex(where: { $0 != " " }), key > mark.column - 1
      else { break }
      problem.kind = .keyNotAligned(column: key + 1)
    case .secondDocument where source.line(1).hasPrefix("%"): problem.kind = .missingDashes
    default: break
    }
    return problem
  }

  private static let quotes: Set<Unicode.Scalar> = ["\"", "'"]

  /// Returns the start of the comment that hides the end of a map or list; nil if there is none.
  private func bracketInComment(
    _ since: Mark, _ bracket: Bracket, in source: SourceText
  ) -> Mark? {
    let end: Unicode.Scalar = bracket == .list ? "]" : "}"
    return source.first(inLines: since.line..<max(since.line, mark.line)) { number, text in
      let line = Array(text.unicodeScalars)
      let start = line.indices.dropFirst().first { line[$0] == "#" && line[$0 - 1] == " " }
      guard let start, line[start...].contains(end) else { return nil }
      return Mark(line: number, column: start + 1)
    }
  }

  /// Returns the bracket in an unquoted text with quotes in it, the second of which seems to begin a
  /// quoted text, as in `{ run: echo 'a[0]' }`, and the map or list around it.
  private func bracketInText(
    before mark: Mark, _ line: [Unicode.Scalar]
  ) -> (Bracket, since: Mark, place: Mark)? {
    let before = line.prefix(mark.column - 1)
    guard let quote = line.dropFirst(mark.column - 1).first,
      let first = before.lastIndex(of: quote),
      let place = before[first...].firstIndex(where: { ["[", "{"].contains($0) }),
      let outer = before[..<first].firstIndex(where: { ["[", "{"].contains($0) })
    else { return nil }
    func at(_ index: Int) -> Mark { Mark(line: mark.line, column: index + 1) }
    return (before[outer] == "[" ? .list : .map, at(outer), at(place))
  }

  /// Returns a key that is indented deeper than the key above it, and the key above, which already
  /// has a value.
  private func keysToAlign(in source: SourceText) -> (key: String, above: String)? {
    guard mark.line > 1 else { return nil }
    let line = Array(source.line(mark.line).unicodeScalars)
    let above = Array(source.line(mark.line - 1).unicodeScalars)
    let indentation = line.prefix { $0 == " " }.count
    // The key is all text before the colon; the key above may follow the dash of a list item.
    let key = line[indentation..<min(line.count, mark.column - 1)]
    let column = above.prefix { $0 == " " || $0 == "-" }.count
    let other = above.dropFirst(column).prefix { $0 != ":" && $0 != " " }
    guard indentation > column, !key.isEmpty, !key.contains(" "), !other.isEmpty,
      above.dropFirst(column + other.count).starts(with: ": ".unicodeScalars)
    else { return nil }
    func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
      String(String.UnicodeScalarView(scalars))
    }
    return (text(key), text(other))
  }
}

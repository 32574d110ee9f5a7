// Finds the place of a part of a scalar in the text of a file. Knows nothing of what the part means.

extension SourceText {
  /// Where a part of what a scalar says stands in the file.
  ///
  /// Where that cannot be told, as of an alias, it is the scalar's beginning.
  ///
  /// - Parameters:
  ///   - range: The part, in characters (Unicode scalars) of the scalar's text.
  ///   - node: The scalar.
  ///   - lineStart: Where its line begins, in bytes, if that is known.
  /// - Returns: The place, and how many characters of its line are meant.
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

  /// What is wrong when an expression stands without quotes in `{ }` or `[ ]`, which end at its brackets.
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

/// Walks along what a scalar says and how it stands in the file, side by side.
private struct Alignment {
  private let text: [Unicode.Scalar]
  private let raw: [Unicode.Scalar]
  private var place = 0
  /// How far the lines of a block are indented; nil for other scalars.
  private var indentation: Int?
  private var isDoubleQuoted = false

  init(_ text: [Unicode.Scalar], _ raw: [Unicode.Scalar]) {
    self.text = text
    self.raw = raw
  }

  /// Where a character of the text stands; nil where that cannot be told.
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

  /// Goes past line breaks and indentation that stand before a character and are no part of the text.
  private mutating func skipToNext(_ next: Unicode.Scalar?) {
    guard let next, place < raw.count, raw[place] == "\n", next != "\n" else { return }
    skipBlanks()
  }

  /// Goes past one character of the text.
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
  /// Says more of what libyaml found missing, by what stands there instead.
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
    case .colon:
      if let (key, above) = keysToAlign(in: source) {
        problem.kind = .colon(key: key, above: above)
      }
    case .secondDocument where source.line(1).hasPrefix("%"): problem.kind = .missingDashes
    default: break
    }
    return problem
  }

  /// A key that is indented deeper than the one above it, whose value is on its line; and that one.
  private func keysToAlign(in source: SourceText) -> (key: String, above: String)? {
    guard mark.line > 1 else { return nil }
    let line = Array(source.line(mark.line).unicodeScalars)
    let above = Array(source.line(mark.line - 1).unicodeScalars)
    let indentation = line.prefix { $0 == " " }.count
    // A key alone is before the colon, and the one above begins after the dash of its item.
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

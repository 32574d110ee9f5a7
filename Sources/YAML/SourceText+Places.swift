// Finds the place of a part of a scalar in the text of a file. Knows nothing of what the part means.

extension SourceText {
  /// Where a part of what a scalar says stands in the file.
  ///
  /// Exact where the scalar stands in the file as it is read. Where escapes or line folding come between,
  /// it is found by the bracket `${{` that stands before it; failing that, it is the scalar's beginning.
  ///
  /// - Parameters:
  ///   - range: The part, in characters (Unicode scalars) of the scalar's text.
  ///   - node: The scalar.
  /// - Returns: The place, and how many characters of its line are meant.
  public func place(of range: Range<Int>, in node: Node) -> (Mark, length: Int) {
    let text = Array((node.text ?? "").unicodeScalars)
    let raw = Array(scalars(from: node.mark, count: text.count * 6 + 4096))
    guard let start = position(of: range.lowerBound, text, raw) else {
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

  /// Where a character of a scalar stands in the text from which it was read.
  private func position(
    of offset: Int, _ text: [Unicode.Scalar], _ raw: [Unicode.Scalar]
  ) -> Int? {
    let before = text[..<min(offset, text.count)]
    // As it is, behind a quote at most.
    for skipped in 0...1 where raw.dropFirst(skipped).starts(with: before) {
      return offset + skipped
    }
    let bracket = Array("${{".unicodeScalars)
    let upToBracket = text[..<min(offset + bracket.count, text.count)]
    guard let (number, inText) = lastOccurrence(of: bracket, in: upToBracket),
      let inRaw = occurrence(number, of: bracket, in: raw)
    else { return nil }
    let between = text[inText..<max(inText, min(offset, text.count))]
    return raw[inRaw...].starts(with: between) ? inRaw + between.count : inRaw
  }

  private func lastOccurrence(
    of pattern: [Unicode.Scalar], in text: ArraySlice<Unicode.Scalar>
  ) -> (number: Int, position: Int)? {
    var found: (number: Int, position: Int)?
    for position in text.indices where text[position...].starts(with: pattern) {
      found = ((found?.number ?? -1) + 1, position)
    }
    return found
  }

  private func occurrence(
    _ number: Int, of pattern: [Unicode.Scalar], in text: [Unicode.Scalar]
  ) -> Int? {
    var left = number
    for position in text.indices where text[position...].starts(with: pattern) {
      if left == 0 { return position }
      left -= 1
    }
    return nil
  }

  private func scalars(from mark: Mark, count: Int) -> Substring.UnicodeScalarView {
    let start = offset(ofLine: mark.line)
    let text = String(decoding: bytes[start...].prefix(mark.column * 4 + count * 4), as: UTF8.self)
    return text.unicodeScalars.dropFirst(mark.column - 1).prefix(count)
  }
}

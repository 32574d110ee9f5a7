// A line of output with its own colours, in rows of a window. Pure.

/// A line of output of a step, which may set colours.
struct ColouredText {
  /// A piece of text, or what sets the colours of those that follow.
  private enum Piece {
    case text(Substring)
    case colours(Substring)
  }

  private let plain: TerminalSafe
  /// Empty if the line has no colours.
  private let pieces: [Piece]

  /// Filters a line.
  ///
  /// - Parameters:
  ///   - line: The line.
  ///   - keepsColours: Whether its colours are kept.
  init(_ line: String, keepsColours: Bool) {
    plain = TerminalSafe(line)
    pieces = keepsColours ? Self.pieces(TerminalSafe(line, keepsColours: true).string) : []
  }

  /// Returns the rows of the line: wrapped at any character, or cut to one.
  ///
  /// Colours go on in the next row, and end with the line.
  ///
  /// - Parameters:
  ///   - columns: The number of columns.
  ///   - rowsMax: The maximum number of rows; the last one is cut.
  /// - Returns: At least one row.
  func rows(columns: Int, rowsMax: Int) -> [TerminalSafe] {
    let rows =
      rowsMax == 1 ? [plain.cut(to: columns)] : plain.wrapped(to: columns, linesMax: rowsMax)
    guard !pieces.isEmpty, !rows.isEmpty else { return rows.isEmpty ? [""] : rows }
    var rest = pieces[...]
    var colours = ""
    return rows.map { row in
      // What was cut has a sign in place of its rest, and no row follows.
      var left = row.string.count
      var text = colours
      while left > 0, let piece = rest.popFirst() {
        switch piece {
        case .colours(let code):
          colours = code == "\u{1B}[0m" || code == "\u{1B}[m" ? "" : colours + code
          text += code
        case .text(let part):
          text += part.prefix(left)
          if part.count > left { rest.insert(.text(part.dropFirst(left)), at: rest.startIndex) }
          left -= min(left, part.count)
        }
      }
      return TerminalSafe(text, keepsColours: true)
    }
  }

  private static func pieces(_ text: String) -> [Piece] {
    guard text.unicodeScalars.contains("\u{1B}") else { return [] }
    var pieces: [Piece] = []
    var rest = text.unicodeScalars[...]
    while let start = rest.firstIndex(of: "\u{1B}") {
      if start > rest.startIndex { pieces.append(.text(Substring(rest[..<start]))) }
      let end = rest[start...].firstIndex(of: "m").map { rest.index(after: $0) } ?? rest.endIndex
      pieces.append(.colours(Substring(rest[start..<end])))
      rest = rest[end...]
    }
    if !rest.isEmpty { pieces.append(.text(Substring(rest))) }
    return pieces
  }
}

// Keeps a block of rows at the bottom of the terminal up to date. Knows the rows that it wrote, not
// what they mean, and does no I/O: it makes the text to be written.

/// The rows that stand on a terminal, and how to turn them into others.
///
/// No alternate screen, no clearing: rows are rewritten in place, only those that changed, and what
/// was printed before stays above.
struct Screen {
  private var rows: [TerminalSafe] = []

  /// The codes that turn the rows that stand there into others; empty when they are the same.
  ///
  /// - Parameter newRows: The rows, none wider than the window and no more than fit it.
  /// - Returns: What is to be written.
  mutating func update(to newRows: [TerminalSafe]) -> TerminalSafe {
    guard newRows != rows else { return "" }
    var text: TerminalSafe = "\u{1B}[?25l"
    // The cursor stands in the row below them.
    var cursor = rows.count
    for (number, row) in newRows.enumerated() where number >= rows.count || rows[number] != row {
      text += Self.move(from: cursor, to: number) + "\r" + row + "\u{1B}[K\n"
      cursor = number + 1
    }
    text += Self.move(from: cursor, to: newRows.count)
    if newRows.count < rows.count { text += "\r\u{1B}[J" }
    rows = newRows
    return text
  }

  /// The code that moves the cursor between rows that are there, and leaves its column.
  private static func move(from row: Int, to newRow: Int) -> TerminalSafe {
    switch newRow - row {
    case 0: ""
    case ..<0: "\u{1B}[\(row - newRow)A"
    default: "\u{1B}[\(newRow - row)B"
    }
  }

  /// The codes that take the rows away, to draw them anew, as after a change of the window.
  mutating func clear() -> TerminalSafe {
    guard !rows.isEmpty else { return "" }
    defer { rows = [] }
    return "\u{1B}[\(rows.count)A\r\u{1B}[J"
  }

  /// Forgets the rows without touching them: what comes next is written below.
  mutating func leave() -> TerminalSafe {
    rows = []
    return "\u{1B}[?25h"
  }
}

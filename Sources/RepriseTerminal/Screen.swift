// Keeps a block of rows at the bottom of the terminal up to date. Knows the rows that it wrote, not
// what they mean, and does no I/O: it makes the text to be written.

/// The rows that stand on a terminal, and how to turn them into others.
///
/// No alternate screen, no clearing: rows are rewritten in place, only those that changed, and what
/// was printed before stays above.
struct Screen {
  private var rows: [String] = []

  /// The codes that turn the rows that stand there into others; empty when they are the same.
  ///
  /// - Parameter newRows: The rows, none wider than the window and no more than fit it.
  /// - Returns: What is to be written.
  mutating func update(to newRows: [String]) -> String {
    guard newRows != rows else { return "" }
    var text = "\u{1B}[?25l"
    if !rows.isEmpty { text += "\u{1B}[\(rows.count)A" }
    for (number, row) in newRows.enumerated() {
      if number < rows.count && rows[number] == row {
        text += "\n"
      } else {
        text += "\r" + row + "\u{1B}[K\n"
      }
    }
    if newRows.count < rows.count { text += "\u{1B}[J" }
    rows = newRows
    return text
  }

  /// The codes that take the rows away, to draw them anew, as after a change of the window.
  mutating func clear() -> String {
    guard !rows.isEmpty else { return "" }
    defer { rows = [] }
    return "\u{1B}[\(rows.count)A\r\u{1B}[J"
  }

  /// Forgets the rows without touching them: what comes next is written below.
  mutating func leave() -> String {
    rows = []
    return "\u{1B}[?25h"
  }
}

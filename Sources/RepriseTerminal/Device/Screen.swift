// Keeps a block of rows at the bottom of the terminal up to date. Does no I/O: it returns the text
// to write.

/// The rows currently on the terminal, and the codes that update them.
///
/// Uses neither the alternate screen nor clearing: only changed rows are rewritten, in place, and
/// earlier output stays above.
struct Screen {
  private var rows: [TerminalSafe] = []

  /// Returns the codes that replace the current rows; empty if nothing changed.
  ///
  /// - Parameter newRows: The new rows, which must fit the window.
  /// - Returns: The text to write.
  mutating func update(to newRows: [TerminalSafe]) -> TerminalSafe {
    guard newRows != rows else { return "" }
    var text: TerminalSafe = "\u{1B}[?25l"
    // The cursor is in the row below the block.
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

  /// Returns the code that moves the cursor between existing rows, keeping its column.
  private static func move(from row: Int, to newRow: Int) -> TerminalSafe {
    switch newRow - row {
    case 0: ""
    case ..<0: "\u{1B}[\(row - newRow)A"
    default: "\u{1B}[\(newRow - row)B"
    }
  }

  /// Returns the codes that remove the rows, so that they can be redrawn.
  ///
  /// - Parameter columns: The new width of the window after a resize: terminals wrap rows that have
  ///   become too long. Nil if the width is the same.
  /// - Returns: The text to write.
  mutating func clear(columns: Int? = nil) -> TerminalSafe {
    guard !rows.isEmpty else { return "" }
    defer { rows = [] }
    let height = columns.map { columns in
      rows.reduce(0) { height, row in
        // Without its colours, a row is as wide as it looks.
        height + max(1, (TerminalSafe(row.string).width + columns - 1) / max(1, columns))
      }
    }
    return "\u{1B}[\(height ?? rows.count)A\r\u{1B}[J"
  }

  /// Leaves the rows on the terminal and returns the codes to continue below them.
  mutating func leave() -> TerminalSafe {
    rows = []
    return "\u{1B}[?25h"
  }
}

// Keeps a window full of rows up to date in the alternate screen of the terminal. Does no I/O: it
// returns the text to write.

/// The alternate screen: a window without scrollback, which leaves no trace.
struct FullScreen {
  /// The rows on the screen; nil if it is not shown.
  private var rows: [TerminalSafe]?

  /// Whether the alternate screen is shown.
  var isShown: Bool { rows != nil }

  /// Returns the codes that replace the rows; switches to the alternate screen first if needed.
  ///
  /// - Parameters:
  ///   - newRows: The rows of the window, from the top.
  ///   - redraws: Whether to draw all rows, as after a resize.
  /// - Returns: The text to write.
  mutating func update(to newRows: [TerminalSafe], redraws: Bool) -> TerminalSafe {
    var text: TerminalSafe = ""
    var old = rows ?? []
    if rows == nil || redraws {
      // In the alternate screen, terminals send the wheel as cursor keys, so that text can still be
      // selected with the mouse.
      text += rows == nil ? "\u{1B}[?1049h\u{1B}[?1007h\u{1B}[?25l" : ""
      text += "\u{1B}[2J"
      old = []
    }
    for (number, row) in newRows.enumerated() where number >= old.count || old[number] != row {
      text += "\u{1B}[\(number + 1);1H" + row + "\u{1B}[K"
    }
    if newRows.count < old.count { text += "\u{1B}[\(newRows.count + 1);1H\u{1B}[J" }
    rows = newRows
    return text
  }

  /// Returns the codes that bring back what was on the terminal before.
  mutating func leave() -> TerminalSafe {
    guard rows != nil else { return "" }
    rows = nil
    return "\u{1B}[?1007l\u{1B}[?1049l"
  }
}

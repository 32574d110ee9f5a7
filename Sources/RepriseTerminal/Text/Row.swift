// A row of a window before colouring, and the size of a window. Pure.

/// The size of a window in characters.
struct WindowSize: Sendable, Equatable {
  var columns: Int
  var rows: Int
}

/// Returns items in a row; those before the last ones are left out, from the end, until the rest fits.
func fitting(
  _ items: [TerminalSafe], last: [TerminalSafe], separator: TerminalSafe, columns: Int
) -> TerminalSafe {
  var items = items
  while let text = Optional((items + last).joined(separator: separator)), text.width > columns,
    !items.isEmpty
  {
    items.removeLast()
  }
  return (items + last).joined(separator: separator).cut(to: columns)
}

/// A row before colouring: its parts, the last of which may be cut.
struct Row {
  var parts: [(text: TerminalSafe, colour: Style.Colour?)]

  /// Creates a row.
  init(parts: [(text: TerminalSafe, colour: Style.Colour?)]) {
    self.parts = parts
  }

  /// Creates a row of one part.
  init(_ text: TerminalSafe, _ colour: Style.Colour? = nil) {
    parts = [(text, colour)]
  }

  /// Returns the row cut to a number of columns, with the codes of its colours.
  func rendered(_ style: Style, columns: Int) -> TerminalSafe {
    var room = max(1, columns)
    var result: TerminalSafe = ""
    for part in parts where room > 0 {
      let text = part.text.cut(to: room)
      room -= text.width
      result += part.colour.map { style.coloured(text, $0) } ?? text
    }
    return result
  }
}

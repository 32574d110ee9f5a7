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

/// Returns a page of the help, and the number of pages.
///
/// - Parameters:
///   - help: The rows of the whole help.
///   - number: The number of the page, from 1; the last one if there are fewer.
///   - room: The maximum number of rows.
///   - style: The capabilities of the terminal.
/// - Returns: The rows of the page, and the number of pages.
func helpPage(
  _ help: [TerminalSafe], number: Int, room: Int, _ style: Style
) -> (rows: [Row], pages: Int) {
  let help = help.map { Row($0, .dim) }
  // A window of a row or two has no room at all.
  let room = max(0, room)
  guard help.count > room else { return (help, 1) }
  let size = max(1, room - 1)
  let pages = (help.count + size - 1) / size
  let page = min(number, pages)
  let dot: TerminalSafe = style.hasUnicode ? " · " : ", "
  let more: TerminalSafe = page < pages ? "\(dot)? more keys" : "\(dot)? close"
  let foot = Row("page \(page) of \(pages)\(more)", .dim)
  return ((help.dropFirst((page - 1) * size).prefix(size) + [foot]).suffix(room), pages)
}

import TestSupport
import Testing

@testable import RepriseTerminal

struct ScreenTests {
  @Test func `nothing is written when nothing has changed`() {
    var screen = Screen()
    #expect(screen.update(to: ["a", "b"]) != "")
    #expect(screen.update(to: ["a", "b"]) == "")
  }

  @Test func `only the changed row is written`() {
    for position in 0..<5 {
      var screen = Screen()
      var terminal = FakeTerminal()
      var rows = (0..<5).map { "row \($0)" as TerminalSafe }
      terminal.write(screen.update(to: rows).string)
      rows[position] = "new"
      let text = screen.update(to: rows).string
      #expect(text.contains("new"))
      #expect(!text.contains("row"))
      #expect(text.filter { $0 == "\n" }.count == 1)
      terminal.write(text)
      #expect(terminal.rows == rows.map(\.string))
    }
  }

  @Test func `the terminal shows the rows that were drawn last`() {
    var generator = SeededGenerator.announced()
    var screen = Screen()
    var terminal = FakeTerminal()
    for _ in 0..<300 {
      let rows = (0..<Int.random(in: 0...8, using: &generator)).map { _ in
        TerminalSafe(String(repeating: "x", count: Int.random(in: 0...5, using: &generator)))
      }
      if Int.random(in: 0..<20, using: &generator) == 0 { terminal.write(screen.clear().string) }
      terminal.write(screen.update(to: rows).string)
      #expect(terminal.rows == rows.map(\.string))
      #expect(terminal.rest.allSatisfy { $0.isEmpty }, "rows of an earlier update are left over")
    }
    terminal.write(screen.leave().string)
    #expect(terminal.showsCursor)
  }
}

/// A terminal that understands only the codes that `Screen` writes.
private struct FakeTerminal {
  private var lines: [String] = [""]
  private var row = 0
  private var column = 0
  private(set) var showsCursor = true

  /// The rows above the cursor.
  var rows: [String] { Array(lines[..<row]) }
  /// The row of the cursor and those below.
  var rest: [String] { Array(lines[row...]) }

  mutating func write(_ text: String) {
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\r": column = 0
      case "\n":
        row += 1
        column = 0
        if row == lines.count { lines.append("") }
      case "\u{1B}":
        let code = String(rest.prefix { !($0.properties.isAlphabetic) })
        rest = rest.dropFirst(code.unicodeScalars.count)
        obey(code, rest.popFirst() ?? " ")
      default:
        lines[row] = String(lines[row].prefix(column)) + String(scalar)
        column += 1
      }
    }
  }

  private mutating func obey(_ code: String, _ final: Unicode.Scalar) {
    switch final {
    case "A": row -= Int(code.dropFirst()) ?? 1
    case "B":
      row += Int(code.dropFirst()) ?? 1
      #expect(row < lines.count, "the cursor is moved below the last row")
    case "K": lines[row] = String(lines[row].prefix(column))
    case "J":
      lines[row] = String(lines[row].prefix(column))
      lines.removeSubrange((row + 1)...)
    case "h": showsCursor = true
    case "l": showsCursor = false
    default: Issue.record("unknown code \(code)\(final)")
    }
  }
}

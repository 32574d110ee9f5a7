// Text as a terminal shows it: how wide it is, where to cut it, what must not reach it. Pure.

/// What a terminal makes of texts.
package enum TerminalText {
  /// A text of several lines without control characters but line feeds, one behind each line.
  static func sanitizedLines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { sanitized(String($0)) + "\n" }.joined()
  }

  /// A text without anything that a terminal would obey.
  ///
  /// Escape sequences (colours, cursor moves, titles) go away as a whole, tabs become spaces, other
  /// control characters and those that turn the direction of writing become `�`.
  package static func sanitized(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard scalars.contains(where: isUnsafe) else { return text }
    var result = String.UnicodeScalarView()
    var rest = scalars[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\u{1B}": dropSequence(&rest)
      case "\t": result.append(contentsOf: "    ".unicodeScalars)
      case _ where isUnsafe(scalar): result.append("\u{FFFD}")
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// Drops what follows an escape character, by ECMA-48: a control sequence up to its final byte, a
  /// string up to its terminator, or one character.
  private static func dropSequence(_ rest: inout Substring.UnicodeScalarView) {
    switch rest.popFirst() {
    case "[":
      while let scalar = rest.popFirst(), !(0x40...0x7E).contains(scalar.value) {}
    case "]", "P", "X", "^", "_":
      while let scalar = rest.popFirst(), scalar != "\u{07}" {
        if scalar == "\u{1B}" {
          _ = rest.popFirst()
          break
        }
      }
    case .some, nil:
      break
    }
  }

  /// How many columns a text takes.
  static func width(_ text: some StringProtocol) -> Int {
    text.reduce(0) { $0 + width($1) }
  }

  /// The text cut to a number of columns, with `…` where something is missing.
  static func cut(_ text: String, to columns: Int) -> String {
    guard columns > 0 else { return "" }
    // Every column takes at least a byte, so short texts need no counting.
    guard text.utf8.count > columns, width(text) > columns else { return text }
    var result = ""
    var room = columns - 1
    for character in text {
      room -= width(character)
      guard room >= 0 else { break }
      result.append(character)
    }
    return result + "…"
  }

  /// The text in lines of at most a number of columns, broken anywhere; what is left over is cut.
  static func wrapped(_ text: String, to columns: Int, linesMax: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    var rest = text[...]
    while lines.count < linesMax - 1, let character = rest.first {
      if !line.isEmpty, width(line) + width(character) > columns {
        lines.append(line)
        line = ""
        continue
      }
      line.append(character)
      rest = rest.dropFirst()
    }
    return lines + [cut(line + rest, to: max(1, columns))].filter { !$0.isEmpty }
  }

  /// The text filled up with spaces to a number of columns.
  static func padded(_ text: String, to columns: Int) -> String {
    text + String(repeating: " ", count: max(0, columns - width(text)))
  }

  /// Characters of East Asia and pictures take two columns (Unicode standard annex 11, the ranges
  /// that terminals agree on).
  private static func width(_ character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    switch scalar.value {
    case 0x20..<0x300: return character.unicodeScalars.contains("\u{FE0F}") ? 2 : 1
    case 0x300..<0x370, 0x200B...0x200D, 0x20D0...0x20FF, 0xFE00...0xFE0F: return 0
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
      0xA000...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x1FA70...0x1FAFF,
      0x20000...0x3FFFD:
      return 2
    default:
      return character.unicodeScalars.contains("\u{FE0F}") ? 2 : 1
    }
  }
}

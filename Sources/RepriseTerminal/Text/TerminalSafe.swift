// The type of text that is safe to write to a terminal: text from files, values and errors cannot
// contain control sequences. Pure.

import Reprise

/// Text that is safe to write to a terminal.
///
/// All functions that write to a terminal take this type, so that the compiler rejects raw text.
/// Literals are trusted, since they are part of this program; values interpolated into literals are
/// filtered:
///
/// - Escape sequences (colours, cursor moves, titles) are removed.
/// - Tabs become spaces.
/// - Other control characters, and those that change the writing direction, become `�`.
package struct TerminalSafe: Sendable, Hashable {
  /// The text.
  package private(set) var string: String

  private init(trusted text: String) {
    string = text
  }

  /// Filters text for a single line; line feeds become `�` too.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - keepsColours: Whether its colours and styles are kept; they end with the line.
  package init(_ text: String, keepsColours: Bool = false) {
    string = Self.filtered(text, keeping: nil, keepsColours: keepsColours)
  }

  /// Filters text of several lines, keeping line feeds and tabs.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - keepsColours: Whether its colours and styles are kept; they end with their lines.
  package init(lines text: String, keepsColours: Bool = false) {
    guard text.unicodeScalars.contains(where: Self.isUnsafeInLines) else {
      string = text
      return
    }
    // Filter line by line, so that an unterminated escape sequence hides at most its own line.
    string = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { Self.filtered(String($0), keeping: "\t", keepsColours: keepsColours) }
      .joined(separator: "\n")
  }

  /// Replaces unsafe characters in JSON by `\u` escapes, which preserves its meaning.
  package init(json text: String) {
    guard text.unicodeScalars.contains(where: Self.isUnsafeInLines) else {
      string = text
      return
    }
    string = text.unicodeScalars.reduce(into: "") { result, scalar in
      if Self.isUnsafeInLines(scalar) {
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
  }

  private static func isUnsafeInLines(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isTerminalControl && scalar != "\n" && scalar != "\t"
  }

  private static func filtered(
    _ text: String, keeping kept: Unicode.Scalar?, keepsColours: Bool
  ) -> String {
    let scalars = text.unicodeScalars
    guard scalars.contains(where: \.isTerminalControl) else { return text }
    var result = String.UnicodeScalarView()
    var rest = scalars[...]
    var hasColours = false
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\u{1B}":
        if keepsColours, let colours = colourSequence(rest) {
          result.append(contentsOf: [scalar] + colours)
          hasColours = true
        }
        dropSequence(&rest)
      case _ where scalar == kept: result.append(scalar)
      case "\t": result.append(contentsOf: "    ".unicodeScalars)
      case _ where scalar.isTerminalControl: result.append("\u{FFFD}")
      default: result.append(scalar)
      }
    }
    return hasColours ? String(result) + "\u{1B}[0m" : String(result)
  }

  /// Returns the rest of a control sequence that sets colours and styles (SGR of ECMA-48); nil if it
  /// does anything else.
  private static func colourSequence(
    _ rest: Substring.UnicodeScalarView
  ) -> Substring.UnicodeScalarView? {
    guard rest.first == "[" else { return nil }
    let parameters = rest.dropFirst().prefix { ("0"..."9").contains($0) || $0 == ";" || $0 == ":" }
    guard parameters.endIndex < rest.endIndex, rest[parameters.endIndex] == "m" else { return nil }
    return rest[...parameters.endIndex]
  }

  /// Drops the rest of an escape sequence (ECMA-48).
  ///
  /// Drops a control sequence up to its final byte, a string up to its terminator, the choice of a
  /// character set, else one character.
  private static func dropSequence(_ rest: inout Substring.UnicodeScalarView) {
    while rest.first == "\u{1B}" { rest.removeFirst() }
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
    // The choice of a character set has one more, such as that of `tput sgr0`.
    case "(", ")", "*", "+", "#", "%", " ": _ = rest.popFirst()
    case .some, nil:
      break
    }
  }
}

extension TerminalSafe: ExpressibleByStringInterpolation {
  // `StaticString` ensures that only literals are trusted, not text created at run time.
  package init(stringLiteral literal: StaticString) {
    string = literal.description
  }

  package init(stringInterpolation: StringInterpolation) {
    string = stringInterpolation.text
  }

  /// Trusts the literal segments and filters the interpolated values.
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    package mutating func appendLiteral(_ literal: StaticString) {
      text += literal.description
    }

    package mutating func appendInterpolation(_ value: TerminalSafe) {
      text += value.string
    }

    /// Appends a value, filtered for a single line.
    package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      text += TerminalSafe(value.description).string
    }

    /// Appends an error, whose description may have several lines.
    package mutating func appendInterpolation(_ error: some Error) {
      text += TerminalSafe(lines: "\(error)").string
    }

    /// Appends an error, whose description may have several lines.
    package mutating func appendInterpolation(_ error: some Error & CustomStringConvertible) {
      text += TerminalSafe(lines: error.description).string
    }
  }
}

extension TerminalSafe: CustomStringConvertible {
  package var description: String { string }
}

extension TerminalSafe {
  package var isEmpty: Bool { string.isEmpty }

  package static func + (left: TerminalSafe, right: TerminalSafe) -> TerminalSafe {
    TerminalSafe(trusted: left.string + right.string)
  }

  package static func += (left: inout TerminalSafe, right: TerminalSafe) {
    left.string += right.string
  }

  /// The lines of the text.
  var lines: [TerminalSafe] {
    string.split(separator: "\n").map { TerminalSafe(trusted: String($0)) }
  }

  /// The text with the middle of very long lines removed, since it may quote a value of any size.
  package var abridged: TerminalSafe {
    guard string.utf8.count > 1000 else { return self }
    return TerminalSafe(
      trusted: string.split(separator: "\n", omittingEmptySubsequences: false)
        .map { Reprise.abridged(String($0)) }.joined(separator: "\n"))
  }

  package static func spaces(_ count: Int) -> TerminalSafe {
    TerminalSafe(trusted: String(repeating: " ", count: max(0, count)))
  }

  /// Prefixes each line of printable ASCII text and appends a line feed, without filtering.
  ///
  /// Returns nil if the text contains other characters and must be filtered.
  init?(printableASCII text: String, prefixingLinesWith prefix: TerminalSafe) {
    let bytes = Array(text.utf8)
    let lineFeed = UInt8(ascii: "\n")
    guard bytes.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == lineFeed }) else { return nil }
    let prefix = Array(prefix.string.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count * 2)
    var rest = bytes[...]
    while true {
      let end = rest.firstIndex(of: lineFeed) ?? rest.endIndex
      result += prefix
      result += rest[..<end]
      result.append(lineFeed)
      guard end < rest.endIndex else { break }
      rest = rest[(end + 1)...]
    }
    string = String(decoding: result, as: UTF8.self)
  }
}

extension Sequence<TerminalSafe> {
  /// Returns the concatenated texts.
  package func joined(separator: TerminalSafe = "") -> TerminalSafe {
    var iterator = makeIterator()
    guard var result = iterator.next() else { return "" }
    while let next = iterator.next() { result += separator + next }
    return result
  }
}

// MARK: Columns

extension TerminalSafe {
  /// The number of columns of the text.
  package var width: Int { string.reduce(0) { $0 + Self.width($1) } }

  /// Returns the text truncated to a number of columns, with `…` at the end if truncated.
  func cut(to columns: Int) -> TerminalSafe {
    guard columns > 0 else { return "" }
    // Each column takes at least one byte, so do not measure short texts.
    guard string.utf8.count > columns, width > columns else { return self }
    var result = ""
    var room = columns - 1
    for character in string {
      room -= Self.width(character)
      guard room >= 0 else { break }
      result.append(character)
    }
    return TerminalSafe(trusted: result + "…")
  }

  /// Returns the text shortened to a number of columns, with `…` in place of its middle.
  ///
  /// The ends of ids say more than their middles: `deploy-…-europe`.
  func cutInTheMiddle(to columns: Int) -> TerminalSafe {
    guard string.utf8.count > columns, width > columns, columns > 4 else { return cut(to: columns) }
    let room = max(1, columns) - 1
    var (start, end) = ("", "")
    var left = room - room / 2
    for character in string {
      left -= Self.width(character)
      guard left >= 0 else { break }
      start.append(character)
    }
    left = room / 2
    for character in string.reversed() {
      left -= Self.width(character)
      guard left >= 0 else { break }
      end.append(character)
    }
    return TerminalSafe(trusted: start + "…" + String(end.reversed()))
  }

  /// Returns the text wrapped at any character; the last line is truncated.
  func wrapped(to columns: Int, linesMax: Int) -> [TerminalSafe] {
    var lines: [TerminalSafe] = []
    var line = ""
    var room = columns
    var rest = string[...]
    while lines.count < linesMax - 1, let character = rest.first {
      let width = Self.width(character)
      if !line.isEmpty, width > room {
        lines.append(TerminalSafe(trusted: line))
        (line, room) = ("", columns)
        continue
      }
      line.append(character)
      room -= width
      rest = rest.dropFirst()
    }
    let last = TerminalSafe(trusted: line + rest).cut(to: max(1, columns))
    return lines + [last].filter { !$0.isEmpty }
  }

  /// Returns the text padded with spaces to a number of columns.
  package func padded(to columns: Int) -> TerminalSafe {
    self + .spaces(columns - width)
  }

  /// Returns the number of columns that a character takes at most.
  ///
  /// Some terminals draw the parts of a character such as 👨‍👩‍👧 side by side.
  private static func width(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    let own = width(first)
    guard scalars.index(after: scalars.startIndex) < scalars.endIndex else { return own }
    let sum = scalars.dropFirst().reduce(own) { $0 + width($1) }
    // The variation selector requests the wide form.
    return sum == 1 && scalars.contains("\u{FE0F}") ? 2 : sum
  }

  /// Returns the number of columns of a Unicode scalar.
  ///
  /// Wide East Asian characters and emoji take two columns (Unicode Standard Annex 11).
  private static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0x20..<0x300: return 1
    case 0x300..<0x370, 0x1160...0x11FF, 0x200B...0x200D, 0x20D0...0x20FF, 0xFE00...0xFE0F: return 0
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
      0xA000...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x1FA70...0x1FAFF,
      0x20000...0x3FFFD:
      return 2
    case 0x1F1E6...0x1F1FF:
      return 1
    default:
      let properties = scalar.properties
      switch properties.generalCategory {
      case .nonspacingMark, .enclosingMark, .format: return 0
      default: return properties.isEmojiPresentation ? 2 : 1
      }
    }
  }
}

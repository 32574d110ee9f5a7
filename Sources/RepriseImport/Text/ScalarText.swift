// How texts are written in YAML: plain, quoted, or as a block.

import WorkflowFiles

/// Writes texts as YAML scalars.
enum ScalarText {
  /// Words that YAML or a reader takes for another type.
  private static let reserved: Set = [
    "true", "false", "null", "yes", "no", "on", "off", "y", "n", "~",
  ]
  private static let inner: Set<Character> = Set(" _-./@+=$*()|&<>!?,;%^~'\"{}[]:#\\")

  /// Returns a text of one line for a place in block style.
  static func inline(_ text: String) -> String {
    guard isPlain(text), !text.contains(": "), !text.contains(" #"), text.last != ":" else {
      return quoted(text)
    }
    return text
  }

  /// Returns a text for an element of a list on one line.
  static func flow(_ text: String) -> String {
    let isOption = text.first == "-" && text.dropFirst().first?.isLetter == true
    guard isOption ? text.allSatisfy(isInner) : isPlain(text),
      text.allSatisfy({ !",[]{}:#".contains($0) })
    else { return quoted(text) }
    return text
  }

  /// Returns a key.
  static func key(_ text: String) -> String {
    let isSimple = text.allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || "_-".contains($0))
    }
    return isSimple && (isPlain(text) || text == "on") ? text : quoted(text)
  }

  private static func quoted(_ text: String) -> String {
    let isSingle = text.contains("\"") || text.contains("\\")
    guard isSingle, text.unicodeScalars.allSatisfy(Draft.isSafe) else {
      return YAMLValue.quoted(text)
    }
    return "'\(text.replacing("'", with: "''"))'"
  }

  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.first, text.last != " ", !reserved.contains(text.lowercased()) else {
      return false
    }
    // A digit, a sign or a point at the start could be a number; a duration is none.
    if first.isASCII, first.isNumber {
      return "smhd".contains(text.last ?? " ") && text.dropLast().allSatisfy { "0"..."9" ~= $0 }
    }
    if first == "." {
      let next = text.dropFirst().first ?? " "
      return (next == "/" || next.isLetter) && text.allSatisfy(isInner)
    }
    guard first.isASCII, first.isLetter || "_/$(".contains(first) else { return false }
    return text.allSatisfy(isInner)
  }

  private static func isInner(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || inner.contains(character))
  }

  /// Returns a text of several lines as a block.
  ///
  /// - Returns: Nil for a text of one line, or if a block could not contain the text exactly.
  static func block(_ text: String) -> (header: String, lines: [String])? {
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String(String.UnicodeScalarView($0)) }
    let endsWithLineFeed = lines.last == ""
    if endsWithLineFeed { lines.removeLast() }
    guard lines.count > 1, let first = lines.first?.first, first != " ", first != "\t",
      lines.last != "", lines.last?.first != " " || lines.count > 1,
      lines.allSatisfy({ line in
        line.unicodeScalars.allSatisfy { $0 == "\t" || Draft.isSafe($0) } && line.last != " "
          && line.last != "\t"
      })
    else { return nil }
    return (endsWithLineFeed ? "|" : "|-", lines)
  }

  /// Returns a script without blanks that a block could not contain.
  ///
  /// - Parameter script: The script.
  /// - Returns: The script without blank lines around it, and without blanks at the ends of lines,
  ///   except in texts of the script.
  static func tidied(_ script: String) -> String {
    var lines = script.split(omittingEmptySubsequences: false) { $0.isNewline }.map(String.init)
    var quotes = ShellQuotes()
    for position in lines.indices {
      quotes.read(lines[position])
      let isText = quotes.place != .outside
      quotes.read("\n")
      var stripped = lines[position][...]
      while let last = stripped.last, last == " " || last == "\t" { stripped.removeLast() }
      // In a text they are part of it, and after a backslash they are no end of a line.
      if !isText, stripped.last != "\\" || stripped.count == lines[position].count {
        lines[position] = String(stripped)
      }
    }
    while lines.first?.isEmpty == true { lines.removeFirst() }
    while lines.last?.isEmpty == true { lines.removeLast() }
    guard lines.count > 1 else {
      return lines.first.map { String($0.drop { $0 == " " || $0 == "\t" }) } ?? ""
    }
    let margin = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    lines = lines.map { String($0.dropFirst(margin)) }
    lines[0] = String(lines[0].drop { $0 == " " || $0 == "\t" })
    return lines.joined(separator: "\n") + "\n"
  }
}

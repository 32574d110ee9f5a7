// Writes values as YAML text.

/// A value that can be written as YAML.
package indirect enum YAMLValue {
  /// A number, a boolean or another word that needs no quotes.
  case word(String)
  case text(String)
  case list([YAMLValue])
  /// A map with its keys in the order of the text; keys need no quotes.
  case map([(String, YAMLValue)])

  /// A list of texts.
  package static func texts(_ texts: [String]) -> YAMLValue { .list(texts.map(YAMLValue.text)) }

  /// The lines of the value in block style.
  package var lines: [String] {
    switch self {
    case .word(let word): return [word]
    case .text(let text): return Self.block(text) ?? [Self.quoted(text)]
    case .list(let values):
      guard !values.isEmpty else { return ["[]"] }
      return values.flatMap { value in
        let lines = value.lines
        return ["- " + lines[0]] + lines.dropFirst().map(Self.indented)
      }
    case .map(let pairs):
      guard !pairs.isEmpty else { return ["{}"] }
      return pairs.flatMap { key, value in
        let lines = value.lines
        guard value.startsOnNextLine else {
          return ["\(key): \(lines[0])"] + lines.dropFirst().map(Self.indented)
        }
        return ["\(key):"] + lines.map(Self.indented)
      }
    }
  }

  private var startsOnNextLine: Bool {
    switch self {
    case .word, .text: false
    case .list(let values): !values.isEmpty
    case .map(let pairs): !pairs.isEmpty
    }
  }

  private static func indented(_ line: String) -> String { line.isEmpty ? "" : "  " + line }

  /// Returns a text of several lines as a block, which keeps scripts readable.
  ///
  /// - Returns: Nil if a block could not contain the text exactly.
  private static func block(_ text: String) -> [String]? {
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
    let endsWithLineFeed = lines.last == ""
    if endsWithLineFeed { lines.removeLast() }
    // The first line determines the indentation; trailing blanks and blank lines are easily lost.
    guard lines.count > 1, let first = lines.first?.first, first != " ", lines.last != "",
      lines.allSatisfy({ !$0.unicodeScalars.contains(where: needsEscape) && $0.last != " " })
    else { return nil }
    return [endsWithLineFeed ? "|" : "|-"] + lines
  }

  /// Returns a text in double quotes, which YAML and JSON read alike.
  package static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case _ where needsEscape(scalar):
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return "\"\(escaped)\""
  }

  /// Whether YAML, or a terminal, would not take a character literally; all are below U+10000.
  private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: true
    default: scalar.isTerminalControl
    }
  }
}

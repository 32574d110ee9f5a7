// Text that becomes a part of a shell script: what is known now, and what only a shell knows.

/// A text that other tools put into a script before a shell reads it.
struct ShellText: Equatable {
  /// A part of the text.
  enum Part: Equatable {
    /// Text that is known.
    case literal(String)
    /// An expansion of a shell, such as `${HOME}` or `$(uname)`.
    case shell(String)
    /// The value of a parameter, which the script has as a variable.
    case parameter(String)
  }

  private(set) var parts: [Part] = []

  init(_ text: String = "") { append(.literal(text)) }

  init(part: Part) { append(part) }

  /// The text if all of it is known.
  var known: String? {
    switch parts.count {
    case 0: ""
    case 1: if case .literal(let text) = parts[0] { text } else { nil }
    default: nil
    }
  }

  /// The number of bytes of all parts.
  var length: Int {
    parts.reduce(0) { length, part in
      switch part {
      case .literal(let text), .shell(let text), .parameter(let text): length + text.utf8.count
      }
    }
  }

  /// Whether there is neither a text nor an expansion.
  var isEmpty: Bool { parts.isEmpty }

  mutating func append(_ part: Part) {
    guard part != .literal("") else { return }
    if case .literal(let text) = part, case .literal(let last)? = parts.last {
      parts[parts.count - 1] = .literal(last + text)
    } else {
      parts.append(part)
    }
  }

  mutating func append(_ text: ShellText) {
    for part in text.parts { append(part) }
  }

  /// Returns the text with its parameters as expansions of a shell.
  ///
  /// An expansion within single quotes gets double quotes of its own, so that it is expanded.
  ///
  /// - Throws: ``Untranslatable`` if a shell would not expand a part.
  func script() throws(Untranslatable) -> String {
    var quotes = ShellPlace()
    var result = ""
    for part in parts {
      let expansion: String
      switch part {
      case .literal(let text):
        result += try Self.script(text, &quotes)
        continue
      case .shell(let text): expansion = Self.expansion(text, isQuoted: !quotes.isPlain)
      case .parameter(let name): expansion = "${\(name)}"
      }
      guard !quotes.isUnclear else {
        throw Untranslatable("a value in a here-document")
      }
      result += quotes.isSingle ? "'\"\(expansion)\"'" : expansion
    }
    return result
  }

  /// Returns a known text, in which the place of the folder is not within single quotes.
  private static func script(
    _ text: String, _ quotes: inout ShellPlace
  ) throws(Untranslatable) -> String {
    var result = ""
    let here = Character(MakeVariables.here)
    for (position, part) in text.split(separator: here, omittingEmptySubsequences: false)
      .enumerated()
    {
      if position > 0 {
        guard !quotes.isUnclear else { throw Untranslatable("the folder in a here-document") }
        result += quotes.isSingle ? "'\"\(here)\"'" : "\(here)"
      }
      quotes.read(String(part))
      result += part
    }
    return result
  }

  /// The end of the output of a command whose line feeds another tool replaces by blanks.
  static let joined = "\u{E001})"

  /// Returns an expansion for a place within quotes, or outside, where a line feed is a blank, too.
  static func expansion(_ text: String, isQuoted: Bool) -> String {
    guard text.hasSuffix(joined) else { return text }
    let command = text.dropFirst(2).dropLast(joined.count)
    guard isQuoted else { return "$(\(command))" }
    // The script around it may end with the first command that fails; the command itself does not.
    let start = command.contains { ";&|\n".contains($0) } ? "set +e; " : ""
    return "$({ \(start)\(command); } | paste -s -d ' ' -)"
  }

  /// The text in double quotes of a shell.
  var doubleQuoted: String {
    let text = parts.map { part in
      switch part {
      case .literal(let text):
        text.map { "\"\\$`".contains($0) ? "\\\($0)" : "\($0)" }.joined()
      case .shell(let text): Self.expansion(text, isQuoted: true)
      case .parameter(let name): "${\(name)}"
      }
    }.joined()
    return "\"\(text)\""
  }

  /// Whether it has the output of a command, or a variable that must be set.
  var canFail: Bool {
    parts.contains { part in
      if case .shell(let text) = part {
        text.hasPrefix("$(") || text.hasSuffix("?}")
      } else {
        false
      }
    }
  }

  /// The commands whose output is in the text, such as `$(uname)`.
  var commands: [String] {
    parts.compactMap {
      if case .shell(let text) = $0, text.hasPrefix("$(") { text } else { nil }
    }
  }

  /// Returns the text with variables in place of the output of commands.
  ///
  /// - Parameter lines: The lines that set the variables, which are added to.
  /// - Returns: The text.
  func naming(_ lines: inout [String]) -> ShellText {
    var result = ShellText()
    for part in parts {
      guard case .shell(let text) = part, text.hasPrefix("$(") else {
        result.append(part)
        continue
      }
      let known = lines.firstIndex { $0.hasSuffix("=\(text)") }
      let name = "OUTPUT_\((known ?? lines.count) + 1)"
      if known == nil { lines.append("\(name)=\(text)") }
      result.append(.shell("${\(name)}"))
    }
    return result
  }

  /// The parameters in the text.
  var parameters: [String] {
    parts.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
  }
}

/// Where a shell is within quotes, at the end of what has been read.
struct ShellPlace {
  private enum Place { case plain, single, double, comment }

  private var places: [Place] = [.plain]
  private var isEscaped = false
  private var previous: Character = " "
  /// The characters of operators outside of quotes: `;`, `&`, `|` and the like.
  private(set) var operators = ""
  private(set) var hasComment = false
  /// How many `${` are open.
  private var references = 0
  /// Whether a here-document is open, in which quotes are no quotes.
  private(set) var isUnclear = false

  /// Whether the next character is within single quotes.
  var isSingle: Bool { places.last == .single }
  /// Whether the next character is outside of all quotes.
  var isPlain: Bool { places.last == .plain }

  mutating func read(_ text: String) {
    for character in text {
      step(character)
      previous = character
    }
  }

  private mutating func step(_ character: Character) {
    if isEscaped {
      isEscaped = false
      return
    }
    switch places.last ?? .plain {
    case .single: if character == "'" { places.removeLast() }
    case .comment: if character == "\n" { places.removeLast() }
    case .double: inDouble(character)
    case .plain: inPlain(character)
    }
  }

  private mutating func inDouble(_ character: Character) {
    switch character {
    case "\\": isEscaped = true
    case "\"": places.removeLast()
    case "(" where previous == "$":
      places.append(.plain)
      operators += "$("
    case "`": operators += "`"
    default: break
    }
  }

  private mutating func inPlain(_ character: Character) {
    switch character {
    case "\\": isEscaped = true
    case "'": places.append(.single)
    case "\"": places.append(.double)
    case "#" where previous.isWhitespace || ";(&|".contains(previous):
      places.append(.comment)
      hasComment = true
    case "(":
      places.append(.plain)
      operators += previous == "$" ? "$(" : "("
    case ")":
      if places.count > 1 { places.removeLast() }
      operators += ")"
    case "<" where previous == "<": isUnclear = true
    case "&" where previous == ">" || previous == "<", ">" where previous == "&": break
    case "{" where previous == "$": references += 1
    case "}" where references > 0: references -= 1
    case ";", "&", "|", "`", "{", "}", "!", "\n": operators.append(character)
    default: break
    }
  }
}

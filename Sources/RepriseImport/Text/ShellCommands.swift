// The commands of a shell script with their words, as far as they can be read without running it.

/// Splits a shell script into commands.
struct ShellCommands {
  /// A part of a script.
  enum Part: Equatable {
    /// A command with its words, without quotes; whether it reads what the one before it prints.
    case command([String], isPiped: Bool)
    /// The start and the end of commands in parentheses.
    case open, close
  }

  private(set) var parts: [Part] = []
  private var rest: Substring
  private var words: [String] = []
  private var word: String?
  private var isPiped = false
  private var delimiter: String?

  /// Reads a script.
  init(_ script: String) {
    rest = script[...]
    while let character = rest.popFirst() { read(character) }
    endCommand()
  }

  private mutating func read(_ character: Character) {
    switch character {
    case "\\":
      guard let next = rest.popFirst(), !next.isNewline else { return }
      add(String(next))
    case "'":
      add(String(rest.prefix { $0 != "'" }))
      rest = rest.drop { $0 != "'" }.dropFirst()
    case "\"": readText()
    case "$" where rest.first == "(": readSubstitution()
    case "$" where rest.first == "{":
      add("$" + rest.prefix { $0 != "}" } + "}")
      rest = rest.drop { $0 != "}" }.dropFirst()
    case "#" where word == nil: rest = rest.drop { !$0.isNewline }
    case "<" where rest.hasPrefix("<") && !rest.hasPrefix("<<"): readDelimiter()
    case "(", ")":
      endCommand()
      parts.append(character == "(" ? .open : .close)
    case "|", ";", "&":
      endCommand()
      isPiped = character == "|" && rest.first != "|"
      if let next = rest.first, "|&;".contains(next) { rest.removeFirst() }
    case _ where character.isNewline:
      endCommand()
      skipDocument()
    case _ where character.isWhitespace: endWord()
    default: add(String(character))
    }
  }

  private mutating func add(_ text: String) { word = (word ?? "") + text }

  private mutating func endWord() {
    if let word { words.append(word) }
    word = nil
  }

  private mutating func endCommand() {
    endWord()
    guard !words.isEmpty else { return }
    parts.append(.command(words, isPiped: isPiped))
    (words, isPiped) = ([], false)
  }

  /// Reads a text in double quotes.
  private mutating func readText() {
    add("")
    while let character = rest.popFirst(), character != "\"" {
      if character == "\\" {
        rest.popFirst().map { add(String($0)) }
      } else if character == "$", rest.first == "(" {
        readSubstitution()
      } else {
        add(String(character))
      }
    }
  }

  /// Reads the text of a command whose output is a part of a word.
  private mutating func readSubstitution() {
    var (depth, text) = (0, "$")
    while let character = rest.popFirst() {
      text.append(character)
      depth += character == "(" ? 1 : character == ")" ? -1 : 0
      if depth == 0 { break }
    }
    add(text)
  }

  /// Reads what ends a here-document, which begins with the next line.
  private mutating func readDelimiter() {
    rest = rest.dropFirst().drop { "- ~'\"\\".contains($0) }
    let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    rest = rest[name.endIndex...].drop { "'\"".contains($0) }
    if !name.isEmpty { delimiter = String(name) }
  }

  private mutating func skipDocument() {
    guard let end = delimiter else { return }
    delimiter = nil
    while !rest.isEmpty {
      let line = rest.prefix { !$0.isNewline }
      rest = rest[line.endIndex...].dropFirst()
      if line.trimmed == end { return }
    }
  }
}

// Evaluates templates of Taskfiles such as `{{.NAME}}`, as far as their values are known.

/// A text of a Taskfile.
struct TaskTemplate {
  private enum Part {
    case text(String)
    case action(String)
  }

  private let parts: [Part]

  /// Splits a text at its templates.
  init(_ source: String) throws(Untranslatable) {
    var parts: [Part] = []
    var rest = source[...]
    while let start = rest.firstRange(of: "{{") {
      var before = String(rest[..<start.lowerBound])
      guard let end = rest[start.upperBound...].firstRange(of: "}}") else {
        throw Untranslatable("a template without an end")
      }
      var action = rest[start.upperBound..<end.lowerBound]
      rest = rest[end.upperBound...]
      if action.hasPrefix("- ") {
        while before.last?.isWhitespace == true { before.removeLast() }
        action = action.dropFirst()
      }
      if action.hasSuffix(" -") {
        rest = rest.drop(while: \.isWhitespace)
        action = action.dropLast()
      }
      if !before.isEmpty { parts.append(.text(before)) }
      parts.append(.action(String(action).trimmed))
    }
    if !rest.isEmpty { parts.append(.text(String(rest))) }
    self.parts = parts
  }

  /// Returns the text with the values of its templates.
  func text(_ names: some TaskNames, known: Bool = false) throws(Untranslatable) -> ShellText {
    var position = 0
    return try block(&position, names, isShown: true, known, depth: 0)
  }

  /// Returns the value of a text that is a single template, or its text.
  func value(_ names: some TaskNames) throws(Untranslatable) -> TaskValue {
    if parts.count == 1, case .action(let action) = parts[0], !action.hasPrefix("if ") {
      return try Pipeline(action, names, mustBeKnown: false).value()
    }
    return .text(try text(names))
  }

  private func block(
    _ position: inout Int, _ names: some TaskNames, isShown: Bool, _ known: Bool, depth: Int
  ) throws(Untranslatable) -> ShellText {
    try Effort.check(depth: depth)
    var result = ShellText()
    while position < parts.count {
      switch parts[position] {
      case .text(let text):
        if isShown { result.append(.literal(text)) }
      case .action(let action):
        let word = action.words.first ?? ""
        if word == "end" || word == "else" {
          guard depth > 0 else { throw Untranslatable("{{\(action)}} without an if") }
          return result
        }
        if word == "if" {
          result.append(try condition(&position, names, isShown, known, depth))
        } else if ["range", "with", "define", "template", "block"].contains(word)
          || action.contains(":=")
        {
          throw Untranslatable("{{\(action)}}")
        } else if isShown, !action.hasPrefix("/*") {
          result.append(try Pipeline(action, names, mustBeKnown: known).value().printed)
        }
      }
      position += 1
    }
    guard depth == 0 else { throw Untranslatable("an {{if}} without an {{end}}") }
    return result
  }

  private func condition(
    _ position: inout Int, _ names: some TaskNames, _ isShown: Bool, _ known: Bool, _ depth: Int
  ) throws(Untranslatable) -> ShellText {
    var result = ShellText()
    var isDone = !isShown
    while position < parts.count, case .action(let action) = parts[position] {
      var test = action
      if test.hasPrefix("else") { test = String(test.dropFirst(4)).trimmed }
      if test == "end" { return result }
      var isTaken = !isDone
      if !isDone, test.hasPrefix("if ") {
        isTaken = try Pipeline(String(test.dropFirst(3)), names, mustBeKnown: true).value().isTrue()
      }
      position += 1
      result.append(
        try block(&position, names, isShown: isTaken, known, depth: depth + 1))
      isDone = isDone || isTaken
    }
    throw Untranslatable("an {{if}} without an {{end}}")
  }
}

/// A pipeline of functions in a template.
struct Pipeline<Names: TaskNames> {
  private let tokens: [String]
  private let names: Names
  private let mustBeKnown: Bool

  init(_ text: String, _ names: Names, mustBeKnown: Bool) throws(Untranslatable) {
    self.names = names
    self.mustBeKnown = mustBeKnown
    tokens = try Self.tokens(of: text)
  }

  func value() throws(Untranslatable) -> TaskValue {
    var position = 0
    let value = try pipeline(&position)
    guard position == tokens.count else {
      throw Untranslatable("{{\(tokens.joined(separator: " "))}}")
    }
    return value
  }

  private static func tokens(of text: String) throws(Untranslatable) -> [String] {
    var tokens: [String] = []
    var depth = 0
    var rest = text[...]
    while let first = rest.first {
      if first.isWhitespace {
        rest = rest.dropFirst()
      } else if "()|".contains(first) {
        depth += first == "(" ? 1 : first == ")" ? -1 : 0
        try Effort.check(depth: depth)
        tokens.append(String(first))
        rest = rest.dropFirst()
      } else if first == "\"" || first == "`" || first == "'" {
        var end = rest.index(after: rest.startIndex)
        while end < rest.endIndex, rest[end] != first {
          if first == "\"", rest[end] == "\\" { end = rest.index(after: end) }
          guard end < rest.endIndex else { break }
          end = rest.index(after: end)
        }
        guard end < rest.endIndex else {
          throw Untranslatable("a text without an end in {{\(text)}}")
        }
        tokens.append(String(rest[...end]))
        rest = rest[rest.index(after: end)...]
      } else {
        let word = rest.prefix { !$0.isWhitespace && !"()|".contains($0) }
        tokens.append(String(word))
        rest = rest.dropFirst(word.count)
      }
    }
    return tokens
  }

  private func pipeline(_ position: inout Int) throws(Untranslatable) -> TaskValue {
    var piped: TaskValue?
    while true {
      var value = try command(&position, piped)
      if position < tokens.count, tokens[position] == "|" {
        position += 1
        piped = value
        continue
      }
      if case .text(let text) = value, text.known == nil, mustBeKnown {
        value = TaskValue(try value.known("a template"))
      }
      return value
    }
  }

  private func command(
    _ position: inout Int, _ piped: TaskValue?
  ) throws(Untranslatable) -> TaskValue {
    guard position < tokens.count else { throw Untranslatable("an empty template") }
    let name = tokens[position]
    let isFunction =
      name.first.map { $0.isLetter } ?? false && !["true", "false", "nil"].contains(name)
    guard isFunction else {
      let value = try operand(&position, name)
      guard piped == nil, position >= tokens.count || "|)".contains(tokens[position]) else {
        throw Untranslatable("{{\(tokens.joined(separator: " "))}}")
      }
      return value
    }
    position += 1
    var arguments: [TaskValue] = []
    while position < tokens.count, tokens[position] != "|", tokens[position] != ")" {
      arguments.append(try operand(&position, name))
    }
    if let piped { arguments.append(piped) }
    return try function(name, arguments)
  }

  /// Functions of which an argument need not be set.
  private static var lenient: Set<String> {
    ["default", "empty", "coalesce", "if", "and", "or", "not", "eq", "ne", "ternary"]
  }

  private func operand(_ position: inout Int, _ function: String) throws(Untranslatable)
    -> TaskValue
  {
    let token = tokens[position]
    position += 1
    if token == "(" {
      let value = try pipeline(&position)
      guard position < tokens.count, tokens[position] == ")" else {
        throw Untranslatable("a parenthesis without an end")
      }
      position += 1
      return value
    }
    if let quote = token.first, "\"`'".contains(quote), token.count > 1 {
      let inner = String(token.dropFirst().dropLast())
      guard quote == "\"", inner.contains("\\") else { return TaskValue(inner) }
      return TaskValue(
        inner.replacing("\\n", with: "\n").replacing("\\t", with: "\t")
          .replacing("\\\"", with: "\"").replacing("\\\\", with: "\\"))
    }
    switch token {
    case "true", "false": return .boolean(token == "true")
    case "nil": return .nothing
    default: break
    }
    if Double(token) != nil { return .number(token) }
    guard token.first == "." else {
      if token.first?.isLetter == true { return try self.function(token, []) }
      throw Untranslatable("{{\(token)}}")
    }
    let next = position < tokens.count ? tokens[position] : ""
    let later = position + 1 < tokens.count ? tokens[position + 1] : ""
    let isOptional =
      Self.lenient.contains(function) || mustBeKnown || next == "|" && Self.lenient.contains(later)
    let isPlain = !isOptional && function == token && next != "|"
    let keys = token.dropFirst().split(separator: ".").map(String.init)
    guard let first = keys.first else { throw Untranslatable("{{\(token)}}") }
    var value = try names.value(
      first, mustBeKnown: mustBeKnown || !isPlain, isOptional: isOptional)
    for key in keys.dropFirst() {
      guard case .map(let values) = value else { throw Untranslatable("{{\(token)}}") }
      value = values[key] ?? .nothing
    }
    return value
  }

  private func function(_ name: String, _ arguments: [TaskValue]) throws(Untranslatable)
    -> TaskValue
  {
    switch name {
    case "OS": TaskValue(names.machine.system)
    case "ARCH": TaskValue(names.machine.architecture)
    case "exeExt": TaskValue("")
    default: try TaskFunctions.value(name, arguments)
    }
  }
}

// Evaluates the expressions of a justfile, as far as their values are known.

/// Evaluates expressions with the variables of a file and the parameters of a recipe.
struct JustExpression {
  let file: Justfile
  let folder: ImportFolder
  /// The parameters of the recipe.
  let values: [String: ShellText]

  /// Returns the value of an expression.
  func value(_ text: String, depth: Int = 0) throws(Untranslatable) -> ShellText {
    var rest = Substring(text.trimmed)
    let value = try sum(&rest, depth)
    guard rest.trimmed.isEmpty else { throw Untranslatable("the expression \(text)") }
    return value
  }

  private func sum(_ rest: inout Substring, _ depth: Int) throws(Untranslatable) -> ShellText {
    try Effort.check(depth: depth)
    if rest.hasPrefix("if ") { return try condition(&rest, depth + 1) }
    var value = try term(&rest, depth)
    while let sign = rest.drop(while: \.isWhitespace).first, sign == "+" || sign == "/" {
      rest = rest.drop(while: \.isWhitespace).dropFirst()
      rest = rest.drop(while: \.isWhitespace)
      if sign == "/" { value.append(.literal("/")) }
      value.append(try term(&rest, depth))
    }
    return value
  }

  private func condition(_ rest: inout Substring, _ depth: Int) throws(Untranslatable) -> ShellText
  {
    try Effort.check(depth: depth)
    let text = String(rest)
    rest = rest.dropFirst(3).drop(while: \.isWhitespace)
    let left = try known(try term(&rest, depth))
    rest = rest.drop(while: \.isWhitespace)
    let sign = rest.prefix(2)
    guard sign == "==" || sign == "!=" else { throw Untranslatable("the expression \(text)") }
    rest = rest.dropFirst(2).drop(while: \.isWhitespace)
    let isTrue = (left == (try known(try term(&rest, depth)))) == (sign == "==")
    let first = try block(&rest, depth, isUsed: isTrue)
    rest = rest.drop(while: \.isWhitespace)
    guard rest.hasPrefix("else") else { throw Untranslatable("an if without else") }
    rest = rest.dropFirst(4).drop(while: \.isWhitespace)
    if rest.hasPrefix("if ") {
      let other = try condition(&rest, depth + 1)
      return isTrue ? first : other
    }
    let second = try block(&rest, depth, isUsed: !isTrue)
    return isTrue ? first : second
  }

  private func block(
    _ rest: inout Substring, _ depth: Int, isUsed: Bool
  ) throws(Untranslatable) -> ShellText {
    rest = rest.drop(while: \.isWhitespace)
    guard rest.first == "{", let end = Justfile.outside("}", in: String(rest)) else {
      throw Untranslatable("a condition without braces")
    }
    let text = String(rest)
    let inner = text[text.index(after: text.startIndex)..<end]
    rest = Substring(text[text.index(after: end)...])
    return isUsed ? try value(String(inner), depth: depth + 1) : ShellText()
  }

  private func known(_ value: ShellText) throws(Untranslatable) -> String {
    guard let known = value.known else {
      throw Untranslatable("a value that is known only when it runs")
    }
    return known
  }

  private func term(_ rest: inout Substring, _ depth: Int) throws(Untranslatable) -> ShellText {
    guard let first = rest.first else { throw Untranslatable("an empty expression") }
    if first == "(" {
      rest = rest.dropFirst().drop(while: \.isWhitespace)
      let value = try sum(&rest, depth + 1)
      rest = rest.drop(while: \.isWhitespace)
      guard rest.first == ")" else { throw Untranslatable("a parenthesis without an end") }
      rest = rest.dropFirst()
      return value
    }
    if "\"'`".contains(first) {
      return try text(&rest, first)
    }
    let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
    guard !name.isEmpty else { throw Untranslatable("the expression \(rest)") }
    rest = rest.dropFirst(name.count)
    if rest.first == "(" { return try function(String(name), &rest, depth) }
    if let quote = rest.first, "\"'`".contains(quote) {
      throw Untranslatable("a text that begins with \(name)\(quote)")
    }
    return try variable(String(name), depth)
  }

  /// Reads a text in quotes, or a command in backquotes.
  private func text(
    _ rest: inout Substring, _ quote: Character
  ) throws(Untranslatable) -> ShellText {
    let fence = String(repeating: quote, count: 3)
    if rest.hasPrefix(fence) { return try block(&rest, fence) }
    rest = rest.dropFirst()
    var inner = ""
    while let character = rest.popFirst(), character != quote {
      guard quote == "\"", character == "\\" else {
        inner.append(character)
        if rest.isEmpty { throw Untranslatable("a text of several lines") }
        continue
      }
      guard let escaped = rest.popFirst(),
        let meant = ["n": "\n", "t": "\t", "r": "\r", "\"": "\"", "\\": "\\"][escaped]
      else { throw Untranslatable("an escape in a text") }
      inner += meant
    }
    return quote == "`" ? ShellText(part: .shell("$(\(inner))")) : ShellText(inner)
  }

  /// Reads a text of several lines, without the blanks that all its lines begin with.
  private func block(
    _ rest: inout Substring, _ fence: String
  ) throws(Untranslatable) -> ShellText {
    guard let end = rest.dropFirst(3).firstRange(of: fence) else {
      throw Untranslatable("a text without an end")
    }
    var inner = rest[rest.index(rest.startIndex, offsetBy: 3)..<end.lowerBound]
    rest = rest[end.upperBound...]
    guard fence != "\"\"\"" || !inner.contains("\\") else {
      throw Untranslatable("an escape in a text")
    }
    if inner.first == "\n" { inner = inner.dropFirst() }
    let lines = inner.split(separator: "\n", omittingEmptySubsequences: false)
    let starts = lines.filter { !$0.trimmed.isEmpty }.map { $0.prefix { $0 == " " || $0 == "\t" } }
    var start = starts.first ?? ""
    for other in starts { while !other.hasPrefix(start) { start = start.dropLast() } }
    let text = lines.map { line in
      line.trimmed.isEmpty ? "" : String(line.dropFirst(start.count))
    }.joined(separator: "\n")
    return fence.first == "`" ? ShellText(part: .shell("$(\(text))")) : ShellText(text)
  }

  private func variable(_ name: String, _ depth: Int) throws(Untranslatable) -> ShellText {
    if let value = values[name] { return value }
    guard let variable = file.variables[name] else {
      throw Untranslatable("the variable \(name) is not defined")
    }
    let value = try JustExpression(file: file, folder: folder, values: [:])
      .value(variable.value, depth: depth + 1)
    try file.effort.spend(value)
    return value
  }

  private func function(
    _ name: String, _ rest: inout Substring, _ depth: Int
  ) throws(Untranslatable) -> ShellText {
    rest = rest.dropFirst()
    var arguments: [ShellText] = []
    while true {
      rest = rest.drop(while: \.isWhitespace)
      if rest.first == ")" { break }
      arguments.append(try sum(&rest, depth + 1))
      rest = rest.drop(while: \.isWhitespace)
      if rest.first == "," { rest = rest.dropFirst() }
      guard !rest.isEmpty else { throw Untranslatable("\(name)() without an end") }
    }
    rest = rest.dropFirst()
    let texts = arguments.map(\.known)
    switch (name, arguments.count) {
    case ("justfile_directory", 0), ("invocation_directory", 0):
      return ShellText(MakeVariables.here)
    case ("os", 0): return ShellText(folder.system == "Darwin" ? "macos" : "linux")
    case ("os_family", 0): return ShellText("unix")
    case ("arch", 0):
      return ShellText(folder.architecture == "arm64" ? "aarch64" : folder.architecture)
    case ("env", 1), ("env_var", 1):
      guard let text = texts[0] else { break }
      return ShellText(part: .shell("${\(text)?}"))
    case ("env", 2), ("env_var_or_default", 2):
      guard let text = texts[0], let other = texts[1],
        other.isEmpty || MakeVariables.isPlain(other)
      else { break }
      return ShellText(part: .shell("${\(text)-\(other)}"))
    case ("file_name", 1): if let text = texts[0] { return ShellText(MakePattern.file(text)) }
    case ("parent_directory", 1), ("parent_dir", 1):
      if let text = texts[0], text.contains("/") { return ShellText(MakePattern.folder(text)) }
    case ("join", 2...):
      let known = texts.compactMap(\.self)
      guard known.count == texts.count, known.dropFirst().allSatisfy({ $0.first != "/" }) else {
        break
      }
      return ShellText(
        known.map { $0.last == "/" ? $0.dropLast() + "" : $0 }.joined(separator: "/"))
    case ("clean", 1), ("absolute_path", 1):
      guard let text = texts[0], text.first == "/", !text.contains("..") else { break }
      let parts = text.split(separator: "/").filter { $0 != "." }
      return ShellText("/" + parts.joined(separator: "/"))
    case ("trim_start_match", 2):
      guard let text = texts[0], let start = texts[1] else { break }
      return ShellText(text.hasPrefix(start) ? String(text.dropFirst(start.count)) : text)
    case ("trim_end_match", 2):
      guard let text = texts[0], let end = texts[1] else { break }
      return ShellText(text.hasSuffix(end) ? String(text.dropLast(end.count)) : text)
    case ("uppercase", 1): if let text = texts[0] { return ShellText(text.uppercased()) }
    case ("lowercase", 1): if let text = texts[0] { return ShellText(text.lowercased()) }
    case ("trim", 1): if let text = texts[0] { return ShellText(text.trimmed) }
    case ("quote", 1):
      if let text = texts[0] { return ShellText("'\(text.replacing("'", with: "'\\''"))'") }
    case ("replace", 3):
      guard let text = texts[0], let from = texts[1], let to = texts[2], !from.isEmpty else {
        break
      }
      return ShellText(text.replacing(from, with: to))
    default: break
    }
    throw Untranslatable("the function \(name)")
  }
}

// Reads the variables and the explicit rules of a makefile.

/// The variables and rules of a makefile.
struct Makefile {
  /// A target with its prerequisites and commands.
  struct Rule {
    var target: String
    var prerequisites: [String]
    var orderOnly: [String]
    var recipe: [String]
    var line: Int
  }

  private(set) var rules: [Rule] = []
  private(set) var variables: [(name: String, value: String)] = []
  private(set) var phony: Set<String> = []
  private(set) var remarks: [ImportRemark] = []

  /// The maximum nesting of variables in the values of others.
  private static let depthMax = 20
  private static let shellNames: Set = ["SHELL", "MAKE", "MAKEFLAGS", "CURDIR", ".SHELLFLAGS"]

  init(_ text: String) {
    var open: [Int] = []
    for (number, line) in Self.joined(text) {
      if line.hasPrefix("\t") {
        for position in open { rules[position].recipe.append(String(line.dropFirst())) }
        continue
      }
      let content = Self.withoutComment(line)
      guard !content.trimmed.isEmpty else { continue }
      open = []
      read(content, number, &open)
    }
  }

  private mutating func missing(_ line: Int, _ text: String) {
    remarks.append(ImportRemark(weight: .missing, line: line, text: text))
  }

  /// Returns the lines, with those joined that end with a backslash.
  private static func joined(_ text: String) -> [(Int, String)] {
    var lines: [(Int, String)] = []
    var isContinued = false
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      let ends = line.last == "\\"
      let isRecipe = isContinued ? lines.last?.1.first == "\t" : line.first == "\t"
      let content = ends && !isRecipe ? String(line.dropLast()) : String(line)
      if isContinued, let last = lines.indices.last {
        lines[last].1 += (isRecipe ? "\n" : " ") + content.trimmed
      } else {
        lines.append((index + 1, content))
      }
      isContinued = ends
    }
    return lines
  }

  private static func withoutComment(_ line: String) -> String {
    guard let position = line.firstIndex(of: "#") else { return line }
    return String(line[..<position])
  }

  private mutating func read(_ line: String, _ number: Int, _ open: inout [Int]) {
    let word = line.trimmed.prefix { !$0.isWhitespace }
    if ["ifeq", "ifneq", "ifdef", "ifndef", "else", "endif"].contains(word) {
      if word.hasPrefix("if") { missing(number, "\(word): both branches are read") }
      return
    }
    if ["include", "-include", "sinclude", "define", "endef", "vpath", "unexport", "override"]
      .contains(word)
    {
      return missing(number, String(line.trimmed.prefix(60)))
    }
    if readVariable(line, number) { return }
    guard let colon = line.firstIndex(of: ":") else {
      return missing(number, String(line.trimmed.prefix(60)))
    }
    readRule(line, colon, number, &open)
  }

  private mutating func readVariable(_ line: String, _ number: Int) -> Bool {
    var text = line.trimmed
    if text.hasPrefix("export ") { text = String(text.dropFirst(7)).trimmed }
    guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
      return line.trimmed.hasPrefix("export")
    }
    let before = text[text.index(before: equals)]
    var name = String(text[..<equals])
    while let last = name.last, "?:+! ".contains(last) { name.removeLast() }
    guard !name.contains(":"), !name.contains(" ") else { return false }
    let value = String(text[text.index(after: equals)...]).trimmed
    guard before != "!" else {
      missing(number, "\(name) is the output of a command")
      return true
    }
    if let position = variables.firstIndex(where: { $0.name == name }) {
      if before == "+" {
        variables[position].value += " " + value
      } else if before != "?" {
        variables[position].value = value
      }
    } else {
      variables.append((name, value))
    }
    return true
  }

  private mutating func readRule(
    _ line: String, _ colon: String.Index, _ number: Int, _ open: inout [Int]
  ) {
    let targets = words(String(line[..<colon]))
    var rest = String(line[line.index(after: colon)...])
    if rest.first == ":" { rest = String(rest.dropFirst()) }
    var commands: [String] = []
    if let semicolon = rest.firstIndex(of: ";") {
      commands = [String(rest[rest.index(after: semicolon)...])]
      rest = String(rest[..<semicolon])
    }
    let parts = rest.split(separator: "|", maxSplits: 1).map(String.init)
    let prerequisites = words(parts.first ?? "")
    let orderOnly = parts.count > 1 ? words(parts[1]) : []
    for target in targets {
      if target == ".PHONY" { phony.formUnion(prerequisites) }
      guard target.first != "." || target.contains("/") else { continue }
      guard !target.contains("%") else {
        missing(number, "the pattern rule \(target)")
        continue
      }
      if let position = rules.firstIndex(where: { $0.target == target }) {
        rules[position].prerequisites += prerequisites
        rules[position].orderOnly += orderOnly
        open.append(position)
      } else {
        rules.append(
          Rule(
            target: target, prerequisites: prerequisites, orderOnly: orderOnly, recipe: commands,
            line: number))
        open.append(rules.count - 1)
      }
    }
  }

  /// Returns the words of a list of files, with the values of variables.
  private mutating func words(_ text: String) -> [String] {
    var used: Set<String> = []
    let value = (try? expanded(text, nil, used: &used, isStatic: true)) ?? text
    return value.split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// Replaces the references of a text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - rule: The rule whose target `$@` is.
  ///   - used: Receives the variables that a shell must know.
  ///   - isStatic: Whether variables are replaced by their values, instead of by those of a shell.
  ///   - depth: The nesting of variables.
  /// - Returns: The text for a shell.
  /// - Throws: ``Untranslatable`` for the first function.
  func expanded(
    _ text: String, _ rule: Rule?, used: inout Set<String>, isStatic: Bool = false, depth: Int = 0
  ) throws(Untranslatable) -> String {
    guard depth < Self.depthMax else { throw Untranslatable("variables that use one another") }
    var result = ""
    var rest = text[...]
    while let dollar = rest.firstIndex(of: "$") {
      result += rest[..<dollar]
      rest = rest[rest.index(after: dollar)...]
      guard let next = rest.first else { break }
      rest = rest.dropFirst()
      guard next == "(" || next == "{" else {
        result += try automatic(next, rule)
        continue
      }
      let close: Character = next == "(" ? ")" : "}"
      guard let end = Self.end(of: rest, next, close) else {
        throw Untranslatable("a reference without an end")
      }
      let name = String(rest[..<end])
      rest = rest[rest.index(after: end)...]
      result += try value(of: name, rule, &used, isStatic, depth)
    }
    return result + rest
  }

  private static func end(of text: Substring, _ open: Character, _ close: Character) -> String
    .Index?
  {
    var depth = 1
    for position in text.indices {
      if text[position] == open { depth += 1 }
      if text[position] == close {
        depth -= 1
        if depth == 0 { return position }
      }
    }
    return nil
  }

  private func automatic(_ name: Character, _ rule: Rule?) throws(Untranslatable) -> String {
    switch name {
    case "$": return "$"
    case "@" where rule != nil: return rule?.target ?? ""
    case "<" where rule != nil: return rule?.prerequisites.first ?? ""
    case "^" where rule != nil, "+" where rule != nil:
      return rule?.prerequisites.joined(separator: " ") ?? ""
    default: throw Untranslatable("$\(name)")
    }
  }

  private func value(
    of name: String, _ rule: Rule?, _ used: inout Set<String>, _ isStatic: Bool, _ depth: Int
  ) throws(Untranslatable) -> String {
    if name.hasPrefix("shell ") {
      return
        "$(\(try expanded(String(name.dropFirst(6)), rule, used: &used, isStatic: isStatic, depth: depth + 1)))"
    }
    guard !name.contains(" "), !name.contains(","), !name.contains("$") else {
      throw Untranslatable("the function $(\(name.prefix(40)))")
    }
    if name == "MAKE" { return "make" }
    if name == "CURDIR" { return "$PWD" }
    if ["@D", "@F", "<D", "<F", "*"].contains(name) { throw Untranslatable("$(\(name))") }
    guard let variable = variables.first(where: { $0.name == name }) else {
      // As in make, a variable of the environment, or nothing.
      return isStatic ? "" : "${\(StepNames.identifier(name))}"
    }
    let isPlain = !variable.value.contains("$") && StepNames.identifier(name) == name
    if isPlain, !isStatic, !Self.shellNames.contains(name) {
      used.insert(name)
      return "${\(name)}"
    }
    return try expanded(variable.value, rule, used: &used, isStatic: isStatic, depth: depth + 1)
  }
}

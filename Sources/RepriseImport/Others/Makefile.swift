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
    /// Why its prerequisites cannot be read; nil if they can.
    var problem: String?
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
    guard let colon = Self.first(":", in: line) else {
      return missing(number, String(line.trimmed.prefix(60)))
    }
    readRule(line, colon, number, &open)
  }

  /// Returns the first position of a character outside of references such as `$(A:b=c)`.
  private static func first(_ character: Character, in line: String) -> String.Index? {
    var depth = 0
    return line.indices.first { position in
      if "({".contains(line[position]) { depth += 1 }
      if ")}".contains(line[position]) { depth -= 1 }
      return depth <= 0 && line[position] == character
    }
  }

  private mutating func readVariable(_ line: String, _ number: Int) -> Bool {
    var text = line.trimmed
    if text.hasPrefix("export ") { text = String(text.dropFirst(7)).trimmed }
    guard let equals = Self.first("=", in: text), equals > text.startIndex else {
      return line.trimmed.hasPrefix("export")
    }
    let before = text[text.index(before: equals)]
    var name = String(text[..<equals])
    while let last = name.last, "?:+! ".contains(last) { name.removeLast() }
    guard !name.contains(" "), Self.first(":", in: name) == nil else { return false }
    guard !name.contains("$") else {
      missing(number, "the variable \(name)")
      return true
    }
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
    let targets: [String]
    do throws(Untranslatable) {
      targets = try words(String(line[..<colon]))
    } catch {
      return missing(number, "the rule for \(line[..<colon].prefix(40)): \(error.reason)")
    }
    var rest = String(line[line.index(after: colon)...])
    if rest.first == ":" { rest = String(rest.dropFirst()) }
    var commands: [String] = []
    if let semicolon = rest.firstIndex(of: ";") {
      commands = [String(rest[rest.index(after: semicolon)...])]
      rest = String(rest[..<semicolon])
    }
    let parts = rest.split(separator: "|", maxSplits: 1).map(String.init)
    var (prerequisites, orderOnly, problem): ([String], [String], String?) = ([], [], nil)
    do throws(Untranslatable) {
      prerequisites = try words(parts.first ?? "")
      if parts.count > 1 { orderOnly = try words(parts[1]) }
      if let setting = prerequisites.first(where: { $0.contains("=") }) {
        throw Untranslatable("\(setting) is for this target only")
      }
    } catch {
      (prerequisites, orderOnly, problem) = ([], [], error.reason)
    }
    for target in targets {
      let rule = Rule(
        target: target, prerequisites: prerequisites, orderOnly: orderOnly, recipe: commands,
        line: number, problem: problem)
      if let position = add(rule) { open.append(position) }
    }
  }

  /// Adds a rule, or the prerequisites of another rule for its target; returns its position.
  private mutating func add(_ rule: Rule) -> Int? {
    if rule.target == ".PHONY" { phony.formUnion(rule.prerequisites) }
    guard rule.target.first != "." || rule.target.contains("/") else { return nil }
    guard !rule.target.contains("%") else {
      missing(rule.line, "the pattern rule \(rule.target)")
      return nil
    }
    guard let position = rules.firstIndex(where: { $0.target == rule.target }) else {
      rules.append(rule)
      return rules.count - 1
    }
    rules[position].prerequisites += rule.prerequisites
    rules[position].orderOnly += rule.orderOnly
    rules[position].problem = rules[position].problem ?? rule.problem
    return position
  }

  /// Returns the words of a list of files, with the values of variables.
  private func words(_ text: String) throws(Untranslatable) -> [String] {
    var used: Set<String> = []
    let value = try expanded(text, nil, used: &used, isStatic: true)
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
      let value = try value(of: name, rule, &used, isStatic, depth)
      if rest.first == "/", rule != nil, isUnknown(name), Self.removesFolders(text) {
        throw Untranslatable("$(\(name)) has no value here, in a path to be removed")
      }
      result += value
    }
    return result + rest
  }

  private func isUnknown(_ name: String) -> Bool {
    !["MAKE", "CURDIR"].contains(name) && !name.contains(" ")
      && (variables.first { $0.name == name }?.value.isEmpty ?? true)
  }

  /// Whether a command removes whole folders, such as `rm -rf $(OUT)/*`.
  private static func removesFolders(_ command: String) -> Bool {
    let words = command.split { !$0.isLetter && !$0.isNumber && $0 != "-" }
    guard let first = words.firstIndex(of: "rm") else { return false }
    return words[first...].contains {
      $0 == "--recursive"
        || $0.first == "-" && $0.dropFirst().first != "-"
          && $0.lowercased().contains("r")
    }
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
    guard !name.contains(where: { " ,$".contains($0) }) else {
      throw Untranslatable("the function $(\(name.prefix(40)))")
    }
    guard !name.contains(where: { ":=%".contains($0) }) else {
      throw Untranslatable("the replacement $(\(name.prefix(40)))")
    }
    if name == "MAKE" { return "make" }
    if name == "CURDIR" { return "$PWD" }
    if ["@D", "@F", "<D", "<F", "*"].contains(name) { throw Untranslatable("$(\(name))") }
    guard let variable = variables.first(where: { $0.name == name }) else {
      // As in make, a variable of the environment, or nothing.
      guard StepNames.identifier(name) == name else {
        throw Untranslatable("the variable $(\(name.prefix(40)))")
      }
      return isStatic ? "" : "${\(name)}"
    }
    let isPlain = !variable.value.contains("$") && StepNames.identifier(name) == name
    if isPlain, !isStatic, !Self.shellNames.contains(name) {
      used.insert(name)
      return "${\(name)}"
    }
    return try expanded(variable.value, rule, used: &used, isStatic: isStatic, depth: depth + 1)
  }
}

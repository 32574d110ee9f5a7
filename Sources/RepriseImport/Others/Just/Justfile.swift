// Reads a justfile: its variables, settings and recipes.

/// A recipe of a justfile.
struct JustRecipe {
  struct Parameter {
    var name: String
    /// The expression of its default value.
    var value: String?
    /// `*` or `+` before a parameter that takes all further arguments.
    var kind: Character?
    var isExported: Bool
  }

  struct Dependency {
    var name: String
    var arguments: [String]
  }

  var name: String
  var line: Int
  var parameters: [Parameter] = []
  var before: [Dependency] = []
  var after: [Dependency] = []
  var body: [(line: Int, text: String)] = []
  var attributes: [String] = []
  var description: String?
  var isQuiet = false

  /// The attributes that say for which systems a recipe is.
  static let systems: Set = ["unix", "linux", "macos", "windows", "openbsd", "freebsd", "android"]

  /// Whether it is for a system, as `uname` prints it.
  func isFor(_ system: String) -> Bool {
    let own = Self.systems.intersection(attributes)
    return own.isEmpty || own.contains("unix")
      || own.contains(system == "Darwin" ? "macos" : system.lowercased())
  }
}

/// The content of a justfile.
struct Justfile {
  private(set) var recipes: [JustRecipe] = []
  private(set) var variables: [String: (value: String, line: Int, isExported: Bool)] = [:]
  private(set) var aliases: [(name: String, recipe: String)] = []
  private(set) var settings: [String: String] = [:]
  /// What cannot be read.
  private(set) var problems: [(line: Int, text: String)] = []
  let effort = Effort()
  private var attributes: [String] = []
  private var comment: String?

  init(_ text: String) {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    var pending: (text: String, line: Int)?
    for (index, part) in lines.enumerated() {
      let line = String(part)
      if let open = pending {
        pending = nil
        let text = open.text + "\n" + line
        if JustQuotes.isOpen(text), index + 1 < lines.count {
          pending = (text, open.line)
        } else {
          read(text.trimmed, open.line)
        }
        continue
      }
      let isBody = line.first == " " || line.first == "\t"
      if isBody || line.isEmpty, !recipes.isEmpty, isOpen {
        recipes[recipes.count - 1].body.append((index + 1, line))
        continue
      }
      guard !line.trimmed.isEmpty else {
        comment = nil
        continue
      }
      isOpen = false
      if line.contains(":="), JustQuotes.isOpen(line) {
        pending = (line, index + 1)
      } else {
        read(line.trimmed, index + 1)
      }
    }
    for position in recipes.indices {
      recipes[position].body = Self.unindented(recipes[position].body)
    }
  }

  private var isOpen = false

  private static func unindented(_ body: [(line: Int, text: String)]) -> [(line: Int, text: String)]
  {
    var body = body
    while body.last?.text.trimmed.isEmpty == true { body.removeLast() }
    let first = body.first?.text.prefix { $0 == " " || $0 == "\t" } ?? ""
    return body.map { entry in
      (
        entry.line,
        entry.text.hasPrefix(first) ? String(entry.text.dropFirst(first.count)) : entry.text.trimmed
      )
    }
  }

  private mutating func read(_ line: String, _ number: Int) {
    if line.hasPrefix("#") {
      comment = line.hasPrefix("#!") ? nil : String(line.dropFirst()).trimmed
      return
    }
    if line.hasPrefix("["), line.hasSuffix("]") {
      attributes += line.dropFirst().dropLast().split(separator: ",").map { String($0).trimmed }
      return
    }
    let words = line.words
    if words[0] == "set" {
      let rest = JustQuotes.withoutComments(String(line.dropFirst(4)))
      let parts = rest.split(separator: ":=", maxSplits: 1).map { String($0).trimmed }
      if let name = parts.first { settings[name] = parts.count == 2 ? parts[1] : "true" }
    } else if words[0] == "alias", words.count >= 4 {
      aliases.append((words[1], words[3]))
    } else if ["import", "import?", "mod", "mod?"].contains(words[0]), !line.contains(":=") {
      problems.append((number, line))
    } else if let range = line.firstRange(of: ":="), !line[..<range.lowerBound].contains(":") {
      var name = String(line[..<range.lowerBound]).trimmed
      let isExported = name.hasPrefix("export ")
      if isExported { name = String(name.dropFirst(7)).trimmed }
      let value = JustQuotes.withoutComments(String(line[range.upperBound...])).trimmed
      variables[name] = (value, number, isExported)
    } else {
      readRecipe(line, number)
    }
    comment = nil
    // Those of an alias, for example, are not of the next recipe.
    attributes = []
  }

  private mutating func readRecipe(_ line: String, _ number: Int) {
    guard let colon = Self.outside(":", in: line) else {
      return problems.append((number, line))
    }
    var head = String(line[..<colon])
    var recipe = JustRecipe(name: "", line: number, attributes: attributes, description: comment)
    if head.hasPrefix("@") {
      recipe.isQuiet = true
      head.removeFirst()
    }
    var words = Self.words(head)
    guard !words.isEmpty else { return problems.append((number, line)) }
    recipe.name = words.removeFirst()
    for word in words {
      let (written, value) = word.assignment
      var name = written
      var kind: Character?
      if let first = name.first, first == "*" || first == "+" {
        kind = first
        name.removeFirst()
      }
      let isExported = name.first == "$"
      if isExported { name.removeFirst() }
      recipe.parameters.append(
        JustRecipe.Parameter(
          name: name, value: value, kind: kind, isExported: isExported))
    }
    let tail = JustQuotes.withoutComments(String(line[line.index(after: colon)...]))
    let parts = tail.split(separator: "&&", maxSplits: 1, omittingEmptySubsequences: false)
    recipe.before = Self.dependencies(String(parts.first ?? ""))
    if parts.count == 2 { recipe.after = Self.dependencies(String(parts[1])) }
    recipes.append(recipe)
    isOpen = true
  }

  private static func dependencies(_ text: String) -> [JustRecipe.Dependency] {
    words(text).compactMap { word in
      guard word.hasPrefix("(") else { return JustRecipe.Dependency(name: word, arguments: []) }
      var inner = words(String(word.dropFirst().dropLast()))
      guard !inner.isEmpty else { return nil }
      let name = inner.removeFirst()
      return JustRecipe.Dependency(name: name, arguments: inner)
    }
  }

  /// Splits at blanks outside of quotes and parentheses.
  private static func words(_ text: String) -> [String] {
    var words = [""]
    var quote: Character?
    var depth = 0
    var isEscaped = false
    for character in text {
      if let current = quote {
        if character == current, !isEscaped { quote = nil }
        isEscaped = character == "\\" && current == "\"" && !isEscaped
      } else if "\"'`".contains(character) {
        quote = character
      } else if character == "(" {
        depth += 1
      } else if character == ")" {
        depth -= 1
      }
      if quote == nil, depth == 0, character.isWhitespace {
        words.append("")
      } else {
        words[words.count - 1].append(character)
      }
    }
    return words.filter { !$0.isEmpty }
  }

  /// Returns the first position of a character outside of quotes.
  static func outside(_ target: Character, in text: String) -> String.Index? {
    var quote: Character?
    var isEscaped = false
    for position in text.indices {
      let character = text[position]
      if let current = quote {
        if character == current, !isEscaped { quote = nil }
        isEscaped = character == "\\" && current == "\"" && !isEscaped
      } else if character == target {
        return position
      } else if "\"'`".contains(character) {
        quote = character
      }
    }
    return nil
  }
}

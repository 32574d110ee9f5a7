// Parses scalars, lists of words and the types of parameters into typed values.

package import Workflows
package import YAML

extension Reader {
  /// Returns text that must not contain expressions.
  package mutating func text(_ node: Node, _ what: String) -> String? {
    guard let text = scalar(node, what) else { return nil }
    guard !text.hasExpression else {
      report(.expressionNotAllowed(what), at: node)
      return nil
    }
    return text
  }

  package mutating func nonEmptyText(_ node: Node, _ what: String) -> String? {
    guard let text = text(node, what) else { return nil }
    return checkedNonEmpty(text, node, what)
  }

  mutating func checkedNonEmpty(_ text: String, _ node: Node, _ what: String) -> String? {
    guard text.utf8.contains(where: { $0 > 0x20 }) else {
      report(.emptyText(what), at: node)
      return nil
    }
    return text
  }

  /// Returns the text of a scalar, which may contain expressions.
  package mutating func scalar(_ node: Node, _ what: @autoclosure () -> String) -> String? {
    switch node.content {
    case .scalar(let text, _) where !node.isNull:
      guard !text.utf8.contains(0) else {
        report(.nul(what()), at: node)
        return nil
      }
      return text
    case .mapping(let pairs) where pairs.count == 1:
      // The value was meant as text, but its colon made it a map.
      let key = pairs[0].key.text ?? ""
      let value = pairs[0].value.text ?? "…"
      report(
        .unquotedColon(what(), key: key, value: value, quoting: quotes(around: pairs[0])), at: node)
    case .scalar:
      // A tag such as !x hides what was meant as an expression. Searching for the line starts at
      // the beginning of the file, so do it only for the first diagnostics.
      let isTag =
        searchesSuggestions
        && source.line(node.mark.line).unicodeScalars.dropFirst(node.mark.column - 1).first == "!"
      report(.textRequired(what(), found: node.kindName, isTag: isTag), at: node)
    case .mapping where expressionInBraces(at: node.mark) != nil:
      report(.braces(what(), meant: expressionInBraces(at: node.mark) ?? ""), at: node)
    case .sequence, .mapping:
      report(.textRequired(what(), found: node.kindName, isTag: false), at: node)
    }
    return nil
  }

  /// Returns the change that puts quotes around a pair that was meant as text; nil if it has quotes.
  private mutating func quotes(around pair: Node.Pair) -> Diagnostic.Edit? {
    guard case .scalar(_, isPlain: true) = pair.key.content,
      case .scalar(_, isPlain: true) = pair.value.content,
      pair.key.mark.line == pair.value.mark.line, !pair.value.isNull
    else { return nil }
    let (mark, end) = (pair.key.mark, pair.value.mark.column + pair.value.length)
    let text = line(from: mark).prefix(end - mark.column)
    return Diagnostic.Edit(
      line: mark.line, column: mark.column, length: text.count,
      text: "'" + String(text).replacing("'", with: "''") + "'")
  }

  /// Returns the text in double braces without a dollar sign at a place, which YAML reads as a map.
  private func expressionInBraces(at mark: Mark) -> String? {
    guard searchesSuggestions else { return nil }
    let line = source.line(mark.line).unicodeScalars.dropFirst(mark.column - 1)
    let parts = String(line).split(separator: "}}", omittingEmptySubsequences: false)
    guard parts.count > 1, parts[0].hasPrefix("{{") else { return nil }
    let words = parts[0].dropFirst(2).split(separator: " ")
    return words.isEmpty ? nil : words.joined(separator: " ")
  }

  package mutating func texts(_ node: Node, _ what: String) -> [String]? {
    guard let nodes = list(node, of: "a list of strings") else { return nil }
    let count = errorCount
    let texts = nodes.compactMap { text($0, what) }
    return errorCount == count ? texts : nil
  }

  /// Parses text that may contain expressions, which are checked later.
  package mutating func template(
    _ node: Node, _ what: @autoclosure () -> String, isExpression: Bool = false
  ) -> Template? {
    guard var text = scalar(node, what()) else { return nil }
    if isExpression {
      // The line feed at the end of a block would turn the expression into text.
      while text.last?.isWhitespace == true { text.removeLast() }
    }
    do throws(ExpressionError) {
      return try template(parsing: text, isExpression: isExpression)
    } catch {
      report(error, in: node)
      return nil
    }
  }

  package mutating func duration(_ text: String, _ node: Node, _ what: String, allowsZero: Bool)
    -> Duration?
  {
    guard let duration = Duration(workflowText: text), allowsZero || duration >= .milliseconds(1)
    else {
      report(.notADuration(what, text), at: node)
      return nil
    }
    return duration
  }

  package mutating func boolean(_ node: Node, _ what: String) -> Bool? {
    switch node.content {
    case .scalar("true", isPlain: true), .scalar("True", isPlain: true),
      .scalar("TRUE", isPlain: true):
      return true
    case .scalar("false", isPlain: true), .scalar("False", isPlain: true),
      .scalar("FALSE", isPlain: true):
      return false
    default:
      let isOther = ["yes", "no", "on", "off", "y", "n", "1", "0"].contains(
        node.text?.lowercased() ?? "")
      report(.notABoolean(what, isOtherWord: isOther), at: node)
      return nil
    }
  }

  package mutating func number(
    _ node: Node, _ what: String, from minimum: Int, upTo maximum: Int = Int(Int32.max)
  ) -> Int? {
    guard case .scalar(let text, isPlain: true) = node.content, let number = Int(text),
      number >= minimum, number <= Int(Int32.max)
    else {
      let isLarge = node.text.flatMap { Double($0) }.map { $0 > Double(Int32.max) } ?? false
      report(
        .notWhole(
          what, from: minimum, isLarge: isLarge, isComputed: node.text?.hasExpression == true),
        at: node)
      return nil
    }
    guard number <= maximum else {
      report(.aboveMaximum(what, maximum), at: node)
      return nil
    }
    return number
  }

  package mutating func decimal(_ node: Node, _ what: String, _ range: ClosedRange<Double>)
    -> Double?
  {
    guard case .scalar(let text, isPlain: true) = node.content, let number = Double(text),
      range.contains(number)
    else {
      report(.notInRange(what, range), at: node)
      return nil
    }
    return number
  }

  /// Returns text that must be one of the options, or a word of earlier versions for one.
  package mutating func choice(
    _ node: Node, _ what: String, of options: [String], former: [String: String] = [:]
  ) -> String? {
    guard let text = text(node, what) else { return nil }
    if options.contains(text) { return text }
    if let now = former[text] {
      warn(.formerWord(text, now: now), at: node)
      return now
    }
    report(.unknownChoice(what, text, Alternatives(to: text, among: options)), at: node)
    return nil
  }
}

extension Value {
  /// Creates the value of a node by the core schema of YAML 1.2.
  package init(_ node: Node) {
    switch node.content {
    case .sequence(let nodes): self = .list(nodes.map(Value.init))
    case .mapping(let pairs):
      self = .map(
        Dictionary(pairs.map { ($0.key.text ?? "", Value($0.value)) }) { first, _ in first })
    case .scalar(let text, let isPlain):
      if node.isNull {
        self = .null
      } else if isPlain, ["true", "True", "TRUE"].contains(text) {
        self = .boolean(true)
      } else if isPlain, ["false", "False", "FALSE"].contains(text) {
        self = .boolean(false)
      } else if isPlain, let number = Value.number(written: text) {
        self = Value.number(text.drop { $0 == "+" }, number)
      } else {
        self = .text(text)
      }
    }
  }
}

extension Reader {
  /// The maximum length of a workflow name in bytes, since each run records and shows it.
  static let nameBytesMax = 256

  /// Parses the name of a workflow.
  package mutating func name(_ node: Node) -> String? {
    guard let name = nonEmptyText(node, "name") else { return nil }
    guard name.utf8.count <= Self.nameBytesMax else {
      report(.longName(bytes: name.utf8.count), at: node)
      return nil
    }
    return name
  }

  /// Parses `shell`.
  package mutating func shell(_ node: Node) -> Shell? {
    if case .sequence = node.content {
      guard let words = texts(node, "a part of shell") else { return nil }
      guard let program = words.first, !program.isEmpty else {
        var place = node
        if case .sequence(let nodes) = node.content, let first = nodes.first { place = first }
        report(.noProgram("shell", example: "[bash, -eu, -c]"), at: place)
        return nil
      }
      return .arguments(words)
    }
    return nonEmptyText(node, "shell").map(Shell.named)
  }
}

extension Reader {
  /// The names of the types of parameters.
  package static let parameterTypes = [
    "string", "number", "integer", "boolean", "choice", "list", "map",
  ]
  /// The range of `min` and `max`.
  package static let limits = -1e15...1e15
  /// The names of types in other languages, with the corresponding type.
  private static let typeSynonyms = [
    "array": "list", "sequence": "list", "object": "map", "dict": "map", "mapping": "map",
    "hash": "map", "int": "integer", "float": "number", "double": "number", "bool": "boolean",
    "str": "string", "text": "string", "enum": "choice",
  ]

  /// Returns the name of the type of a parameter.
  package mutating func typeName(_ node: Node) -> String? {
    if let written = node.text, let meant = Self.typeSynonyms[written.lowercased()] {
      report(.unknownChoice("type", written, .nearest(meant)), at: node)
      return nil
    }
    return choice(node, "type", of: Self.parameterTypes)
  }

  /// Returns a list or map that is written as a value of a parameter.
  package mutating func structure(_ node: Node) -> Value? {
    let value = Value(node)
    guard !value.json.hasExpression else {
      report(.expressionNotAllowed("a list or map"), at: node)
      return nil
    }
    return value
  }

  /// Returns the default of a parameter as an argument is written: lists and maps in JSON.
  package mutating func defaultText(_ node: Node, _ kind: Parameter.Kind) -> String? {
    switch (kind, node.content) {
    case (.list, .sequence), (.map, .mapping): structure(node)?.json
    default: text(node, "default")
    }
  }

  /// Returns the parameter whose declaration is its default.
  package mutating func scalarParameter(_ name: String, _ node: Node) -> Parameter? {
    if node.isNull { return Parameter(name: name) }
    // A scalar is a default value, which also determines the type.
    guard text(node, "the default of \"\(name)\"") != nil else { return nil }
    let value = Value(node)
    let kind: Parameter.Kind =
      switch value {
      case .boolean: .boolean
      case .number, .digits: value.asText == node.text ? .number : .string
      default: .string
      }
    return Parameter(
      name: name, kind: kind, defaultValue: kind == .string ? .text(node.text ?? "") : value)
  }
}

extension Reader {
  /// Reads a script, or a program with its arguments.
  package mutating func endCommand(_ node: Node) -> EndCommand? {
    guard case .sequence(let nodes) = node.content else {
      return nonEmptyText(node, "on-end").map(EndCommand.script)
    }
    guard let words = texts(node, "an argument of on-end") else { return nil }
    guard let program = words.first, !program.isEmpty else {
      report(.noProgram("on-end", example: "[notify-send, done]"), at: nodes.first ?? node)
      return nil
    }
    return .program(words)
  }
}

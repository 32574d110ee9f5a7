// Parses scalars into typed values.

import YAML

extension Reader {
  /// Returns text that must not contain expressions.
  mutating func text(_ node: Node, _ what: String) -> String? {
    guard let text = scalar(node, what) else { return nil }
    guard !text.hasExpression else {
      report(.expressionNotAllowed(what), at: node)
      return nil
    }
    return text
  }

  mutating func nonEmptyText(_ node: Node, _ what: String) -> String? {
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
  mutating func scalar(_ node: Node, _ what: @autoclosure () -> String) -> String? {
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
      report(.unquotedColon(what(), key: key, value: value), at: node)
    case .scalar:
      // A tag such as !x hides what was meant as an expression. Searching for the line starts at
      // the beginning of the file, so do it only for the first diagnostics.
      let isTag =
        searchesSuggestions
        && source.line(node.mark.line).unicodeScalars.dropFirst(node.mark.column - 1).first == "!"
      report(.textRequired(what(), found: node.kindName, isTag: isTag), at: node)
    case .sequence, .mapping:
      report(.textRequired(what(), found: node.kindName, isTag: false), at: node)
    }
    return nil
  }

  mutating func texts(_ node: Node, _ what: String) -> [String]? {
    guard let nodes = list(node, of: "a list of strings") else { return nil }
    let count = errorCount
    let texts = nodes.compactMap { text($0, what) }
    return errorCount == count ? texts : nil
  }

  /// Parses text that may contain expressions, which are checked later.
  mutating func template(
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

  mutating func duration(_ text: String, _ node: Node, _ what: String, allowsZero: Bool)
    -> Duration?
  {
    guard let duration = Duration(workflowText: text), allowsZero || duration >= .milliseconds(1)
    else {
      report(.notADuration(what, text), at: node)
      return nil
    }
    return duration
  }

  mutating func boolean(_ node: Node, _ what: String) -> Bool? {
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

  mutating func number(
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

  mutating func decimal(_ node: Node, _ what: String, _ range: ClosedRange<Double>) -> Double? {
    guard case .scalar(let text, isPlain: true) = node.content, let number = Double(text),
      range.contains(number)
    else {
      report(.notInRange(what, range), at: node)
      return nil
    }
    return number
  }

  /// Returns text that must be one of the options.
  mutating func choice(_ node: Node, _ what: String, of options: [String]) -> String? {
    guard let text = text(node, what) else { return nil }
    if options.contains(text) { return text }
    report(.unknownChoice(what, text, Alternatives(to: text, among: options)), at: node)
    return nil
  }
}

extension Value {
  /// Creates the value of a node by the core schema of YAML 1.2.
  init(_ node: Node) {
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

  /// Parses a number by the core schema; returns nil for any other text.
  static func number(written text: String) -> Double? {
    guard let first = text.utf8.first, (0x30...0x39).contains(first) || "-+.".utf8.contains(first),
      text.utf8.contains(where: { (0x30...0x39).contains($0) }),
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) || "-+.eE".utf8.contains($0) }),
      let number = Double(text), number.isFinite
    else { return nil }
    // 012 and 1.2.3 are text.
    let digits = text.drop { $0 == "-" || $0 == "+" }
    return digits.hasPrefix("0") && digits.dropFirst().first?.isNumber == true ? nil : number
  }
}

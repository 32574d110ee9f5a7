// Reads typed values out of nodes and collects what is wrong. Knows no key of the language.

import YAML

/// Collects mistakes while a file is read, so that all are told at once.
struct Reader {
  let file: String
  let source: SourceText
  private(set) var diagnostics: [Diagnostic] = []

  init(file: String, source: SourceText) {
    self.file = file
    self.source = source
  }

  // MARK: Telling

  mutating func tell(_ message: String, at mark: Mark, length: Int, hint: String? = nil) {
    diagnostics.append(
      Diagnostic(
        severity: .error, file: file, line: mark.line, column: mark.column, length: length,
        message: printable(message), hint: hint.map { printable($0) }, sourceLine: ""))
  }

  mutating func tell(_ message: String, at node: Node, hint: String? = nil) {
    tell(message, at: node.mark, length: node.length, hint: hint)
  }

  /// All mistakes in the order of the file, each with its line.
  func sortedDiagnostics() -> [Diagnostic] {
    diagnostics.enumerated()
      .sorted {
        ($0.element.line, $0.element.column, $0.offset) < (
          $1.element.line, $1.element.column, $1.offset
        )
      }
      .map { _, diagnostic in
        var diagnostic = diagnostic
        diagnostic.sourceLine = source.line(diagnostic.line)
        return diagnostic
      }
  }

  // MARK: Maps and lists

  /// The values of a map by key; keys that do not belong there are told.
  mutating func values(of node: Node, _ table: KeyTable) -> [String: (key: Node, value: Node)]? {
    guard case .mapping(let pairs) = node.content else {
      tell(
        "\(table.place) is a map with keys such as \"\(table.names.first ?? "")\", not \(node.kindName)",
        at: node)
      return nil
    }
    var values: [String: (key: Node, value: Node)] = [:]
    for pair in pairs {
      let name = pair.key.text ?? ""
      guard table.names.contains(name) else {
        let hint = table.suggestion(for: name).map { "did you mean \"\($0)\"?" }
        tell(
          "\(table.place) has no key \"\(name)\"", at: pair.key,
          hint: hint ?? "it may have: " + table.names.joined(separator: ", "))
        continue
      }
      values[name] = pair
    }
    return values
  }

  mutating func list(_ node: Node, of what: String) -> [Node]? {
    guard case .sequence(let nodes) = node.content else {
      tell("\(what) expected here, not \(node.kindName)", at: node, hint: "begin each with \"- \"")
      return nil
    }
    return nodes
  }

  // MARK: Scalars

  mutating func text(_ node: Node, _ what: String) -> String? {
    switch node.content {
    case .scalar(let text, _) where !node.isNull:
      guard !text.contains("${{") else {
        tell(
          "${{ … }} cannot be used yet", at: node,
          hint: "values reach a step through env, as environment variables")
        return nil
      }
      return text
    case .mapping(let pairs) where pairs.count == 1:
      // What stands there was meant as text, but its colon made a map of it.
      let key = pairs[0].key.text ?? ""
      let value = pairs[0].value.text ?? "…"
      tell(
        "\(what) is a text; the colon made a map of it", at: node,
        hint: "quote this: '\(key): \(value)'")
    case .scalar, .sequence, .mapping:
      tell("\(what) is a text, not \(node.kindName)", at: node)
    }
    return nil
  }

  mutating func nonEmptyText(_ node: Node, _ what: String) -> String? {
    guard let text = text(node, what) else { return nil }
    guard text.contains(where: { !$0.isWhitespace }) else {
      tell("\(what) is empty", at: node)
      return nil
    }
    return text
  }

  mutating func texts(_ node: Node, _ what: String) -> [String]? {
    guard let nodes = list(node, of: "a list of texts is") else { return nil }
    let count = diagnostics.count
    let texts = nodes.compactMap { text($0, what) }
    return diagnostics.count == count ? texts : nil
  }

  mutating func duration(_ node: Node, _ what: String, allowsZero: Bool) -> Duration? {
    guard let text = text(node, what) else { return nil }
    guard let duration = Duration(workflowText: text), allowsZero || duration > .zero else {
      tell(
        "\(what) is a duration, not \"\(text)\"", at: node,
        hint: "write it like 500ms, 10s, 1m30s or 2h")
      return nil
    }
    return duration
  }

  mutating func number(_ node: Node, _ what: String, from minimum: Int) -> Int? {
    guard case .scalar(let text, isPlain: true) = node.content, let number = Int(text),
      number >= minimum
    else {
      tell("\(what) is a whole number from \(minimum)", at: node)
      return nil
    }
    return number
  }

  mutating func decimal(_ node: Node, _ what: String, _ range: ClosedRange<Double>) -> Double? {
    guard case .scalar(let text, isPlain: true) = node.content, let number = Double(text),
      range.contains(number)
    else {
      func short(_ bound: Double) -> String {
        bound == bound.rounded() ? String(Int(bound)) : String(bound)
      }
      tell(
        "\(what) is a number from \(short(range.lowerBound)) to \(short(range.upperBound))",
        at: node)
      return nil
    }
    return number
  }

  /// Environment variables; numbers and the like are taken as they are written.
  mutating func environment(_ node: Node) -> [String: String] {
    guard case .mapping(let pairs) = node.content else {
      tell("env is a map of names and texts, not \(node.kindName)", at: node)
      return [:]
    }
    var environment: [String: String] = [:]
    for (key, value) in pairs {
      let name = key.text ?? ""
      if !isVariableName(name) {
        tell(
          "\"\(name)\" cannot be the name of an environment variable", at: key,
          hint: "use letters, digits and _, not beginning with a digit")
      } else if name.hasPrefix("REPRISE_") {
        tell("names that begin with REPRISE_ are set by Reprise itself", at: key)
      } else if value.isNull {
        tell(
          "the variable \"\(name)\" has no value", at: value, hint: "write \"\" for an empty one")
      } else if let text = text(value, "the value of \"\(name)\"") {
        environment[name] = text
      }
    }
    return environment
  }

  private func isVariableName(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return name.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || byte == 0x5F
    }
  }
}

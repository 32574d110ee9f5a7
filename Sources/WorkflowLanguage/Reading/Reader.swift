// Collects what is wrong with a file, and finds the places of mistakes inside of its texts. Knows no key
// of the language.

import YAML

/// Collects mistakes while a file is read, so that all are told at once.
struct Reader {
  /// How many mistakes of a file are told.
  static let mistakesMax = WorkflowError.shownMax

  /// How many mistakes with the same message are reported at their places; the others are counted.
  static let alikeMax = 20

  /// What mistakes have in common that differ in their places.
  private struct Alike: Hashable {
    let message: String
    let hint: String?

    init(_ diagnostic: Diagnostic) {
      message = diagnostic.message
      hint = diagnostic.hint
    }
  }

  let file: String
  let source: SourceText
  private(set) var diagnostics: [Diagnostic] = []
  private(set) var mistakeCount = 0
  /// Where the lines of the text are in Swift, if it was declared there.
  var adjust: ((DiagnosticKind) -> DiagnosticKind)?
  /// How often the same was reported, at any place.
  private var alikeCounts: [Alike: Int] = [:]
  /// Where a tag has swallowed what was meant.
  private var tagMarks: [Mark] = []
  /// Where lines begin, once somebody has asked.
  private var lineStarts: [Int] = []
  /// Texts with expressions that were read already, by themselves.
  private var templates: [String: Template] = [:]

  init(file: String, source: SourceText) {
    self.file = file
    self.source = source
  }

  // MARK: Reporting

  mutating func report(
    _ kind: DiagnosticKind, at mark: Mark, length: Int, severity: Diagnostic.Severity = .error
  ) {
    // What comes after so many is hardly read, and each takes room and time.
    guard !isFull else {
      if severity == .error { mistakeCount += 1 }
      return
    }
    let diagnostic = Diagnostic(
      adjust?(kind) ?? kind, severity: severity, file: file, line: mark.line,
      column: mark.column, length: length)
    let alike = Alike(diagnostic)
    if let count = alikeCounts[alike], count >= Self.alikeMax {
      alikeCounts[alike] = count + 1
      if severity == .error { mistakeCount += 1 }
      return
    }
    // A step that becomes many is read as often, with the same mistakes.
    guard !diagnostics.suffix(20).contains(diagnostic) else { return }
    // Of what a tag has swallowed nothing more is reported.
    if tagMarks.contains(mark) { return }
    if kind == .yaml(.foreignTag) { tagMarks.append(mark) }
    if severity == .error { mistakeCount += 1 }
    alikeCounts[alike, default: 0] += 1
    diagnostics.append(diagnostic)
  }

  mutating func report(_ kind: DiagnosticKind, at node: Node) {
    report(kind, at: node.mark, length: node.length)
  }

  mutating func warn(_ kind: DiagnosticKind, at node: Node) {
    report(kind, at: node.mark, length: node.length, severity: .warning)
  }

  mutating func report(_ problems: [Problem]) {
    for problem in problems {
      report(.yaml(problem.kind), at: problem.mark, length: problem.length)
    }
  }

  /// Whether enough has been told: what comes now is only counted.
  private var isFull: Bool { diagnostics.count >= Self.mistakesMax * 2 }

  /// Whether it is worth looking through many names for one that was meant.
  var givesHints: Bool { diagnostics.count < 20 }

  /// Reports what is wrong with an expression at its place in a scalar.
  mutating func report(
    _ mistake: ExpressionMistake, in node: Node, severity: Diagnostic.Severity = .error
  ) {
    guard !isFull else {
      if severity == .error { mistakeCount += 1 }
      return
    }
    if lineStarts.isEmpty { lineStarts = source.lineStarts() }
    let start =
      lineStarts.indices.contains(node.mark.line - 1) ? lineStarts[node.mark.line - 1] : nil
    let (mark, length) = source.place(of: mistake.range, in: node, lineStart: start)
    report(mistake.kind, at: mark, length: length, severity: severity)
  }

  /// All that was told in the order of the file, each with its line.
  func sortedDiagnostics() -> [Diagnostic] {
    let lines = source.lines(Set(diagnostics.map(\.line)))
    let last = Dictionary(diagnostics.enumerated().map { (Alike($1), $0) }) { max($0, $1) }
    return diagnostics.enumerated()
      .sorted {
        ($0.element.line, $0.element.column, $0.offset) < (
          $1.element.line, $1.element.column, $1.offset
        )
      }
      .map { position, diagnostic in
        var diagnostic = diagnostic
        let alike = Alike(diagnostic)
        let rest = (alikeCounts[alike] ?? 0) - Self.alikeMax
        if rest > 0, last[alike] == position { diagnostic.message += " (and \(rest) more like it)" }
        diagnostic.sourceLine = lines[diagnostic.line] ?? ""
        return diagnostic
      }
  }

  // MARK: Expressions

  /// How many texts with expressions are remembered: those of a file that repeats itself.
  private static let templatesMax = 1000

  /// Reads a text with expressions, or remembers what it was read as before.
  ///
  /// What is wrong is found each time anew, so it is told at each place where it stands. Texts are the same
  /// when their bytes are: two that Swift calls equal may spell a letter differently.
  mutating func template(
    parsing text: String, isExpression: Bool
  ) throws(ExpressionMistake) -> Template {
    guard text.hasExpression else { return try Template(parsing: text, isExpression: isExpression) }
    if let known = templates[text], known.source.hasSameBytes(as: text) { return known }
    let template = try Template(parsing: text)
    if templates.count < Self.templatesMax { templates[text] = template }
    return template
  }

  // MARK: Maps and lists

  /// The values of a map by key; keys that do not belong there are told.
  mutating func fields(of node: Node, _ table: KeyTable) -> Fields? {
    guard case .mapping(let pairs) = node.content else {
      report(
        .notAMap(
          table.place, firstKey: table.keys.first?.name ?? "", found: node.kindName,
          hint: table.hint(insteadOf: node.text)), at: node)
      return nil
    }
    var fields = Fields(node: node, pairs: pairs)
    var unknown: [Int] = []
    let names = table.names
    for number in pairs.indices {
      if let name = pairs[number].key.text, let position = names.firstIndex(of: name) {
        fields.bits |= 1 << UInt64(position)
      } else {
        unknown.append(number)
      }
    }
    for number in unknown {
      // What was meant is searched for as long as it is reported.
      guard !isFull else {
        mistakeCount += 1
        continue
      }
      let pair = pairs[number]
      let near = table.suggestion(for: pair.key.text ?? "")
      report(unknown: pair, after: pairs[..<number].last, near?.name, table)
      // One error for one misspelt key: it is read as the key that was meant, where the value allows that.
      guard let near, fields[near.name] == nil, let position = table.position(of: near.name) else {
        continue
      }
      if near.hasValue(like: pair.value) {
        fields.rename(number, to: near.name)
        fields.bits |= 1 << UInt64(position)
      } else {
        fields.meant.append(near.name)
      }
    }
    return fields
  }

  private mutating func report(
    unknown pair: Node.Pair, after last: Node.Pair?, _ near: String?, _ table: KeyTable
  ) {
    let name = pair.key.text ?? ""
    let advice = table.advice[name]
    // In { description: one, two } the comma was meant to be part of the text.
    let isRest = advice == nil && near == nil && pair.value.isNull && last?.value.text != nil
    report(
      isRest
        ? .keyAfterComma(name, in: table.place)
        : .unknownKey(
          name, in: table.place, advice: advice,
          near.map(Alternatives.nearest) ?? .names(table.names)), at: pair.key)
  }

  mutating func list(_ node: Node, of what: String) -> [Node]? {
    guard case .sequence(let nodes) = node.content else {
      report(.notAList(what, found: node.kindName), at: node)
      return nil
    }
    return nodes
  }

  /// The pairs of a map whose keys are names of the file's own.
  mutating func named(
    _ node: Node, _ what: String, _ names: Shape.Names
  ) -> [(name: String, key: Node, value: Node)] {
    guard case .mapping(let pairs) = node.content else {
      var first = node.text
      if case .sequence(let nodes) = node.content { first = nodes.first?.text }
      report(.notNamedValues(what, found: node.kindName, text: first), at: node)
      return []
    }
    return pairs.compactMap { pair in
      let (key, value) = (pair.key, pair.value)
      let name = key.text ?? ""
      switch names {
      case .variable:
        if !isVariableName(name) {
          report(.variableName(name), at: key)
          return nil
        } else if name.hasPrefix("REPRISE_") {
          report(.reservedName, at: key)
          return nil
        }
      case .identifier:
        if !isIdentifier(name) {
          report(.identifier(name), at: key)
          return nil
        }
      }
      return (name, key, value)
    }
  }

  private func isVariableName(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
    var name = name
    return name.withUTF8 { $0.allSatisfy(isNameByte) }
  }

  private func isIdentifier(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(0x30...0x39).contains(first), first != 0x2D else {
      return false
    }
    return name.utf8.count <= 64 && name.utf8.allSatisfy { isNameByte($0) || $0 == 0x2D }
  }

  private func isNameByte(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      || byte == 0x5F
  }
}

/// The keys of a map, with their values.
struct Fields {
  let node: Node
  // Few enough for looking through them to be faster than hashing.
  private var pairs: [Node.Pair]
  /// The keys that were probably meant by misspelt ones whose values are not read.
  fileprivate(set) var meant: [String] = []
  /// The keys that are there as bits, in the order of their table.
  fileprivate(set) var bits: UInt64 = 0

  fileprivate init(node: Node, pairs: [Node.Pair]) {
    self.node = node
    self.pairs = pairs
  }

  /// The value of a key.
  subscript(name: String) -> Node? {
    Node.position(of: name, in: pairs).map { pairs[$0].value }
  }

  /// Whether a key is missing, also under a misspelt name.
  func lacks(_ name: String) -> Bool { self[name] == nil && !meant.contains(name) }

  /// Reads a misspelt key as the one that was meant.
  fileprivate mutating func rename(_ position: Int, to name: String) {
    pairs[position].key.content = .scalar(name, isPlain: true)
  }

  /// The key itself, as it stands in the file.
  func key(_ name: String) -> Node? {
    Node.position(of: name, in: pairs).map { pairs[$0].key }
  }
}

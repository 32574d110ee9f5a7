// Collects the diagnostics of a file with their places, and parses maps and lists.

package import Workflows
package import YAML

/// Collects errors and warnings while a file is read, so that all are reported at once.
package struct Reader {
  /// The maximum number of reported errors of a file.
  static let errorsMax = WorkflowError.shownMax

  /// The maximum number of diagnostics with the same message; further ones are only counted.
  static let duplicatesMax = 20

  /// The key of diagnostics that differ only in their places.
  private struct DuplicateKey: Hashable {
    let message: String
    let hint: String?

    init(_ diagnostic: Diagnostic) {
      message = diagnostic.message
      hint = diagnostic.hint
    }
  }

  package let file: String
  package let source: SourceText
  package private(set) var diagnostics: [Diagnostic] = []
  package private(set) var errorCount = 0
  /// Returns the line of the Swift declaration for a line of its generated text, if this is one.
  package var lineInDeclaration: ((Int) -> Int)?
  /// The number of reported diagnostics with the same message, at any place.
  private var duplicateCounts: [DuplicateKey: Int] = [:]
  /// The places of invalid tags, which hide the intended value.
  private var tagMarks: [Mark] = []
  /// The offsets at which lines begin; computed when first needed.
  private var lineStarts: [Int] = []
  /// The parsed templates, by their text.
  private var templates: [String: Template] = [:]

  package init(file: String, source: SourceText) {
    self.file = file
    self.source = source
  }

  // MARK: Reporting

  package mutating func report(
    _ cause: Diagnostic.Cause, at mark: Mark, length: Int, severity: Diagnostic.Severity = .error
  ) {
    // Users do not read that many diagnostics, and each takes memory and time.
    guard !isFull else {
      if severity == .error { errorCount += 1 }
      return
    }
    let diagnostic = Diagnostic(
      cause, severity: severity, file: file, line: mark.line,
      column: mark.column, length: length)
    let alike = DuplicateKey(diagnostic)
    if let count = duplicateCounts[alike], count >= Self.duplicatesMax {
      duplicateCounts[alike] = count + 1
      if severity == .error { errorCount += 1 }
      // The last one that is shown says that there are more, and corrects them, too.
      if !diagnostic.edits.isEmpty,
        let last = diagnostics.lastIndex(where: { DuplicateKey($0) == alike })
      {
        diagnostics[last].edits += diagnostic.edits
      }
      return
    }
    // An expanded step is read once per item, with the same errors.
    guard !diagnostics.suffix(20).contains(diagnostic) else { return }
    // Do not report follow-up errors of an invalid tag.
    if tagMarks.contains(mark) { return }
    if cause == .yaml(.foreignTag) { tagMarks.append(mark) }
    if severity == .error { errorCount += 1 }
    duplicateCounts[alike, default: 0] += 1
    diagnostics.append(diagnostic)
  }

  package mutating func report(_ cause: Diagnostic.Cause, at node: Node) {
    report(cause, at: node.mark, length: node.length)
  }

  package mutating func warn(_ cause: Diagnostic.Cause, at node: Node) {
    report(cause, at: node.mark, length: node.length, severity: .warning)
  }

  package mutating func report(_ problems: [Problem]) {
    for problem in problems {
      var kind = problem.kind
      if case .duplicateKey(let name, let first) = kind, let lineInDeclaration {
        kind = .duplicateKey(name, first: Mark(line: lineInDeclaration(first.line), column: 0))
      }
      report(.yaml(kind), at: problem.mark, length: problem.length)
    }
  }

  /// Returns the number of a line for a message.
  package func shownLine(_ line: Int) -> Int { lineInDeclaration?(line) ?? line }

  /// Whether the limit is reached, so that further errors are only counted.
  private var isFull: Bool { diagnostics.count >= Self.errorsMax * 2 }

  /// Whether to search many names for a suggestion: only for the first diagnostics.
  package var searchesSuggestions: Bool { diagnostics.count < 20 }

  /// Reports an error in an expression at its place in a scalar.
  package mutating func report(
    _ error: ExpressionError, in node: Node, severity: Diagnostic.Severity = .error
  ) {
    guard !isFull else {
      if severity == .error { errorCount += 1 }
      return
    }
    let (mark, length) = place(of: error.range, in: node)
    report(error.cause, at: mark, length: length, severity: severity)
  }

  /// Returns the place of a range in the text of a scalar.
  package mutating func place(of range: Range<Int>, in node: Node) -> (Mark, length: Int) {
    source.place(of: range, in: node, lineStart: start(ofLine: node.mark.line))
  }

  /// Returns a line from a column, with its line break.
  package mutating func line(from mark: Mark) -> Substring.UnicodeScalarView {
    guard let start = start(ofLine: mark.line) else { return Substring().unicodeScalars }
    let end = lineStarts.indices.contains(mark.line) ? lineStarts[mark.line] : source.bytes.count
    let line = String(decoding: source.bytes[start..<end], as: UTF8.self)
    return line.unicodeScalars.dropFirst(mark.column - 1)
  }

  private mutating func start(ofLine number: Int) -> Int? {
    // Searching for a line would begin at the beginning of the file each time.
    if lineStarts.isEmpty { lineStarts = source.lineStarts() }
    return lineStarts.indices.contains(number - 1) ? lineStarts[number - 1] : nil
  }

  /// Returns the diagnostics in the order of the file, each with the text of its line.
  package func sortedDiagnostics() -> [Diagnostic] {
    let lines = source.lines(Set(diagnostics.map(\.line)))
    let last = Dictionary(diagnostics.enumerated().map { (DuplicateKey($1), $0) }) { max($0, $1) }
    return diagnostics.enumerated()
      .sorted {
        ($0.element.line, $0.element.column, $0.offset) < (
          $1.element.line, $1.element.column, $1.offset
        )
      }
      .map { position, diagnostic in
        var diagnostic = diagnostic
        let alike = DuplicateKey(diagnostic)
        let rest = (duplicateCounts[alike] ?? 0) - Self.duplicatesMax
        if rest > 0, last[alike] == position { diagnostic.message += " (and \(rest) more like it)" }
        diagnostic.sourceLine = lines[diagnostic.line] ?? ""
        return diagnostic
      }
  }

  // MARK: Expressions

  /// The maximum number of cached templates.
  private static let templatesMax = 1000

  /// Parses text with expressions, or returns the cached template.
  ///
  /// Errors are not cached, so they are reported at each place. Texts are the same only if their
  /// bytes are equal: equal Swift strings may differ in Unicode normalization.
  package mutating func template(
    parsing text: String, isExpression: Bool
  ) throws(ExpressionError) -> Template {
    guard text.hasExpression else { return try Template(parsing: text, isExpression: isExpression) }
    if let known = templates[text], known.source.hasSameBytes(as: text) { return known }
    let template = try Template(parsing: text)
    if templates.count < Self.templatesMax { templates[text] = template }
    return template
  }

  // MARK: Maps and lists

  /// Returns the values of a map by key, and reports unknown keys.
  package mutating func fields(of node: Node, _ table: KeyTable) -> Fields? {
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
      // Search for suggestions only as long as errors are reported.
      guard !isFull else {
        errorCount += 1
        continue
      }
      let pair = pairs[number]
      if let name = pair.key.text, let key = table.key(formerly: name) {
        read(number, as: key, formerly: name, table, &fields)
        continue
      }
      let near = table.suggestion(for: pair.key.text ?? "")
      report(unknown: pair, after: pairs[..<number].last, near?.name, table)
      // Read the value as that of the suggested key if possible, so that a misspelled key causes
      // only one error.
      guard let near, fields[near.name] == nil, let position = table.position(of: near.name)
      else { continue }
      if near.hasValue(like: pair.value) {
        fields.rename(number, to: near.name)
        fields.bits |= 1 << UInt64(position)
      } else {
        fields.meant.append(near.name)
      }
    }
    return fields
  }

  /// Reads a key that has the name of earlier versions.
  private mutating func read(
    _ number: Int, as key: Key, formerly name: String, _ table: KeyTable, _ fields: inout Fields
  ) {
    let node = fields.pairs[number].key
    guard fields[key.name] == nil else {
      return report(.exclusive(key.name, name, in: table.place), at: node)
    }
    warn(.formerKey(name, now: key.name, in: table.place), at: node)
    fields.rename(number, to: key.name)
    fields.former.append(key.name)
    if let position = table.position(of: key.name) { fields.bits |= 1 << UInt64(position) }
  }

  private mutating func report(
    unknown pair: Node.Pair, after last: Node.Pair?, _ near: String?, _ table: KeyTable
  ) {
    let name = pair.key.text ?? ""
    let advice = table.advice[name]
    // In { description: one, two }, the comma was probably meant as part of the text.
    let isRest = advice == nil && near == nil && pair.value.isNull && last?.value.text != nil
    report(
      isRest
        ? .keyAfterComma(name, in: table.place)
        : .unknownKey(
          name, in: table.place, advice: advice,
          near.map(Alternatives.nearest) ?? .names(table.names)), at: pair.key)
  }

  package mutating func list(_ node: Node, of what: String) -> [Node]? {
    guard case .sequence(let nodes) = node.content else {
      report(.notAList(what, found: node.kindName), at: node)
      return nil
    }
    return nodes
  }

  /// Returns the pairs of a map whose keys are user-defined names.
  package mutating func named(
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
      case .step:
        break
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

/// The keys and values of a map.
package struct Fields {
  package let node: Node
  // Few enough that a linear search is faster than hashing.
  fileprivate var pairs: [Node.Pair]
  /// The suggested keys for misspelled keys whose values are not read.
  package fileprivate(set) var meant: [String] = []
  /// The keys that have the names of earlier versions in the file.
  package fileprivate(set) var former: [String] = []
  /// The present keys as bits, in the order of their table.
  package fileprivate(set) var bits: UInt64 = 0

  fileprivate init(node: Node, pairs: [Node.Pair]) {
    self.node = node
    self.pairs = pairs
  }

  /// The value of a key, if present.
  package subscript(name: String) -> Node? {
    Node.position(of: name, in: pairs).map { pairs[$0].value }
  }

  /// Whether the step is a group.
  package var isGroup: Bool { ["uses", "steps", "parallel"].contains { self[$0] != nil } }

  /// Returns the keys of a list that are present, with their values.
  package func pairs(_ names: [String]) -> [Node.Pair] {
    names.compactMap { name in Node.position(of: name, in: pairs).map { pairs[$0] } }
  }

  /// Returns whether a key is missing, even under a misspelled name.
  package func lacks(_ name: String) -> Bool { self[name] == nil && !meant.contains(name) }

  /// Replaces a misspelled key by the suggested key.
  fileprivate mutating func rename(_ position: Int, to name: String) {
    pairs[position].key.content = .scalar(name, isPlain: true)
  }

  /// Returns the node of the key itself.
  package func key(_ name: String) -> Node? {
    Node.position(of: name, in: pairs).map { pairs[$0].key }
  }
}

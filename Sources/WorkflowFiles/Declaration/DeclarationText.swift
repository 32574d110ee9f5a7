// Writes a workflow declared in Swift as a document and as the text of a workflow file, and maps
// each line to its Swift source location.

import YAML

/// A workflow as a document and as the equivalent file text, with the Swift source location of each
/// line.
struct DeclarationText {
  private(set) var text = ""
  /// The closures of the steps.
  ///
  /// The document refers to them by index, as `#0`.
  private(set) var works: [InProcessWork] = []
  /// The ids of the steps with closures.
  private(set) var closureStepIDs: [String] = []
  private var places: [DeclarationPlace] = []
  private var builder = DocumentBuilder()
  /// The number of characters written to the current line.
  private var column = 0

  /// Writes a workflow; linear in its size.
  init(
    name: String, _ settings: [WorkflowSetting], steps: [WorkflowItem], finally: [WorkflowItem],
    _ place: DeclarationPlace
  ) {
    builder.beginMap(at: mark)
    key("name")
    write(" ")
    value(.text(name))
    endLine(place)
    var written: Set<String> = []
    let settings = settings.flatMap(\.each)
    for setting in settings {
      guard setting.name != nil else {
        entry(setting.key, setting.value, margin: "", place)
        continue
      }
      guard written.insert(setting.key).inserted else { continue }
      key(setting.key)
      endLine(place)
      write("  ")
      builder.beginMap(at: mark)
      for (number, other) in settings.filter({ $0.key == setting.key }).enumerated() {
        if number > 0 { write("  ") }
        value(.text(other.name ?? ""))
        write(": ")
        value(other.value)
        endLine(place)
      }
      builder.end(isMap: true, before: mark)
    }
    list("steps", steps, margin: "", place)
    if !finally.isEmpty { list("finally", finally, margin: "", place) }
    builder.end(isMap: true, before: mark)
  }

  /// The document.
  var document: Document { builder.document }

  /// Returns the Swift source location of a line, counted from 1.
  func place(ofLine line: Int) -> DeclarationPlace? {
    places.indices.contains(line - 1) ? places[line - 1] : places.last
  }

  // MARK: Lines

  private var mark: Mark { Mark(line: places.count + 1, column: column + 1) }

  private mutating func write(_ piece: some StringProtocol) {
    text += piece
    column += piece.unicodeScalars.count
  }

  private mutating func endLine(_ place: DeclarationPlace) {
    text += "\n"
    places.append(place)
    column = 0
  }

  // MARK: Steps

  /// Writes a key with a list of items.
  private mutating func list(
    _ name: String, _ items: [WorkflowItem], margin: String, _ place: DeclarationPlace
  ) {
    key(name)
    guard !items.isEmpty else {
      write(" ")
      value(.list([]))
      return endLine(place)
    }
    endLine(place)
    builder.beginList(at: Mark(line: places.count + 1, column: margin.utf8.count + 3))
    for item in items { write(item, margin: margin + "  ", place) }
    builder.end(isMap: false, before: mark)
  }

  private mutating func write(_ item: WorkflowItem, margin: String, _ place: DeclarationPlace) {
    write(margin + "- ")
    builder.beginMap(at: mark)
    switch item.content {
    case .step(let step): write(step, margin: margin + "  ")
    case .parallel(let group): write(group, "parallel", margin: margin + "  ", place)
    case .sequence(let group): write(group, "steps", margin: margin + "  ", place)
    }
    builder.end(isMap: true, before: mark)
  }

  private mutating func write(
    _ group: DeclaredGroup, _ name: String, margin: String, _ place: DeclarationPlace
  ) {
    let place = group.place ?? place
    for (key, value) in group.entries {
      entry(key, value, margin: margin, place)
      write(margin)
    }
    list(name, group.items, margin: margin, place)
  }

  private mutating func write(_ step: Step, margin: String) {
    var entries = step.entries
    if let work = step.work {
      entries.insert(("call", .text("#\(works.count)")), at: 1)
      works.append(work)
      closureStepIDs.append(entries[0].value.asText)
    }
    for (number, (key, value)) in entries.enumerated() {
      if number > 0 { write(margin) }
      entry(key, value, margin: margin, step.place)
    }
  }

  // MARK: Values

  private mutating func key(_ name: String) {
    let start = mark
    write(name)
    builder.add(name, isPlain: true, from: start, to: mark)
    write(":")
  }

  /// Writes a key with its value; the caller has already written the margin.
  private mutating func entry(
    _ name: String, _ value: Value, margin: String, _ place: DeclarationPlace
  ) {
    key(name)
    write(" ")
    guard case .text(let text) = value, let block = text.blockLines else {
      self.value(value)
      return endLine(place)
    }
    let start = mark
    write(text.hasSuffix("\n") ? "|" : "|-")
    endLine(place)
    for line in block {
      if !line.isEmpty { write(margin + "  " + line) }
      endLine(place)
    }
    builder.add(text, isPlain: false, from: start, to: mark)
  }

  /// Writes a value on one line.
  private mutating func value(_ value: Value) {
    let start = mark
    switch value {
    case .null, .boolean, .number, .digits:
      write(value.json)
      builder.add(value.json, isPlain: true, from: start, to: mark)
    case .text(let text):
      let isPlain = text.isPlainScalar
      write(isPlain ? text : text.quotedScalar)
      builder.add(text, isPlain: isPlain, from: start, to: mark)
    case .list(let values):
      builder.beginList(at: start)
      write("[")
      for (number, element) in values.enumerated() {
        if number > 0 { write(", ") }
        self.value(element)
      }
      write("]")
      builder.end(isMap: false, before: mark)
    case .map(let values):
      builder.beginMap(at: start)
      write(values.isEmpty ? "{" : "{ ")
      for (number, pair) in values.sorted(by: { $0.key < $1.key }).enumerated() {
        if number > 0 { write(", ") }
        self.value(.text(pair.key))
        write(": ")
        self.value(pair.value)
      }
      write(values.isEmpty ? "}" : " }")
      builder.end(isMap: true, before: mark)
    }
  }
}

extension String {
  /// Whether the text can be written unquoted in any position.
  fileprivate var isPlainScalar: Bool {
    guard let first = utf8.first, (0x41...0x5A).contains(first) || (0x61...0x7A).contains(first)
    else { return false }
    let isSafe = utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        || "_-./ ".utf8.contains($0)
    }
    // Words that some version of YAML reads as booleans or null.
    let words = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
    return isSafe && utf8.last != UInt8(ascii: " ") && !words.contains(lowercased())
  }

  /// The text in double quotes, with characters escaped where YAML requires it.
  fileprivate var quotedScalar: String {
    let escaped = unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case _ where scalar.isPrintableInYAML: result.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16)
        result += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
      }
    }
    return "\"\(escaped)\""
  }

  /// The lines for a block scalar; nil if a block is impossible or harder to read.
  fileprivate var blockLines: [Substring]? {
    guard let first = utf8.first, first != UInt8(ascii: " "), first != UInt8(ascii: "\n"),
      utf8.contains(UInt8(ascii: "\n")), !hasSuffix("\n\n"),
      unicodeScalars.allSatisfy({ $0 == "\n" || $0.isPrintableInYAML })
    else { return nil }
    let lines = split(separator: "\n", omittingEmptySubsequences: false)
    // A line of spaces alone would set the indentation of the block.
    guard !lines.contains(where: { !$0.isEmpty && $0.allSatisfy { $0 == " " } }) else { return nil }
    return hasSuffix("\n") ? lines.dropLast() : lines
  }
}

extension Unicode.Scalar {
  /// Whether YAML permits the character unescaped in any scalar; false for line breaks and tabs.
  fileprivate var isPrintableInYAML: Bool {
    switch value {
    case 0x20...0x7E, 0xA0...0x2027, 0x202A...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD,
      0x10000...0x10FFFF:
      true
    default: false
    }
  }
}

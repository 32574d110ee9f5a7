// Writes a workflow that is declared in Swift as the text of a workflow file, and knows which line comes from
// where. What the text means is the reader's business.

/// The text of a workflow file, with the places in Swift that its lines come from.
struct DeclarationText {
  private(set) var text = ""
  /// The closures that its steps carry out: the text calls them by number, as `#0`.
  private(set) var works: [InProcessWork] = []
  /// The ids of the steps with closures.
  private(set) var idsOfWorks: [String] = []
  private var places: [DeclarationPlace] = []

  /// Writes a workflow.
  ///
  /// Linear in its size.
  init(
    name: String, _ settings: [WorkflowSetting], steps: [WorkflowItem], finally: [WorkflowItem],
    _ place: DeclarationPlace
  ) {
    write("name: \(Value.text(name).yaml)", place)
    var written: Set<String> = []
    for setting in settings {
      guard setting.name != nil else {
        write(key: setting.key, setting.value, margin: "", place)
        continue
      }
      guard written.insert(setting.key).inserted else { continue }
      write("\(setting.key):", place)
      for other in settings where other.key == setting.key {
        write("  \(Value.text(other.name ?? "").yaml): \(other.value.yaml)", place)
      }
    }
    write(steps.isEmpty ? "steps: []" : "steps:", place)
    for item in steps { write(item, margin: "  ", place) }
    guard !finally.isEmpty else { return }
    write("finally:", place)
    for item in finally { write(item, margin: "  ", place) }
  }

  /// Where a line comes from, by its number from 1.
  func place(ofLine line: Int) -> DeclarationPlace? {
    places.indices.contains(line - 1) ? places[line - 1] : places.last
  }

  private mutating func write(_ line: String, _ place: DeclarationPlace) {
    text += line + "\n"
    places.append(place)
  }

  private mutating func write(_ item: WorkflowItem, margin: String, _ place: DeclarationPlace) {
    let inner: [WorkflowItem]
    switch item.content {
    case .step(let step): return write(step, margin: margin)
    case .parallel(let branches):
      write("\(margin)- parallel:" + (branches.isEmpty ? " []" : ""), place)
      inner = branches
    case .sequence(let items):
      write("\(margin)- steps:" + (items.isEmpty ? " []" : ""), place)
      inner = items
    }
    for item in inner { write(item, margin: margin + "    ", place) }
  }

  private mutating func write(_ step: Step, margin: String) {
    var entries = step.entries
    if let work = step.work {
      entries.insert(("call", .text("#\(works.count)")), at: 1)
      works.append(work)
      idsOfWorks.append(entries[0].value.asText)
    }
    var begin = "\(margin)- "
    for (key, value) in entries {
      write(key: key, value, margin: begin, step.place)
      begin = margin + "  "
    }
  }

  private mutating func write(
    key: String, _ value: Value, margin: String, _ place: DeclarationPlace
  ) {
    guard case .text(let text) = value, let block = text.blockLines else {
      return write("\(margin)\(key): \(value.yaml)", place)
    }
    write("\(margin)\(key): \(text.hasSuffix("\n") ? "|" : "|-")", place)
    let inner = String(repeating: " ", count: margin.utf8.count + 2)
    for line in block { write(line.isEmpty ? "" : inner + line, place) }
  }
}

extension Value {
  /// The value as YAML in one line.
  fileprivate var yaml: String {
    switch self {
    case .null, .boolean, .number: json
    case .text(let text): text.isPlainScalar ? text : text.quotedScalar
    case .list(let values): "[" + values.map(\.yaml).joined(separator: ", ") + "]"
    case .map(let values):
      values.isEmpty
        ? "{}"
        : "{ "
          + values.sorted { $0.key < $1.key }
          .map { "\(Value.text($0.key).yaml): \($0.value.yaml)" }.joined(separator: ", ") + " }"
    }
  }
}

extension String {
  /// Whether it means itself without quotes, wherever it stands.
  fileprivate var isPlainScalar: Bool {
    guard let first = utf8.first, (0x41...0x5A).contains(first) || (0x61...0x7A).contains(first)
    else { return false }
    let isSafe = utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        || "_-./ ".utf8.contains($0)
    }
    // Words that some version of YAML takes for something else.
    let words = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
    return isSafe && utf8.last != UInt8(ascii: " ") && !words.contains(lowercased())
  }

  /// It in double quotes, with everything escaped that YAML does not take as it is.
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

  /// Its lines, where it is best read as a block; nil where it is not, or cannot be one.
  fileprivate var blockLines: [Substring]? {
    guard let first = utf8.first, first != UInt8(ascii: " "), first != UInt8(ascii: "\n"),
      utf8.contains(UInt8(ascii: "\n")), !hasSuffix("\n\n"),
      unicodeScalars.allSatisfy({ $0 == "\n" || $0.isPrintableInYAML })
    else { return nil }
    let lines = split(separator: "\n", omittingEmptySubsequences: false)
    // A line of blanks alone would say how far the others are indented.
    guard !lines.contains(where: { !$0.isEmpty && $0.allSatisfy { $0 == " " } }) else { return nil }
    return hasSuffix("\n") ? lines.dropLast() : lines
  }
}

extension Unicode.Scalar {
  /// Whether YAML takes it as it is in any kind of scalar; line breaks and tabs apart.
  fileprivate var isPrintableInYAML: Bool {
    switch value {
    case 0x20...0x7E, 0xA0...0x2027, 0x202A...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD,
      0x10000...0x10FFFF:
      true
    default: false
    }
  }
}

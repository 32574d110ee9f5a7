// Parses cron expressions.

/// The values of a field.
struct CronFieldValues {
  /// The values as bits; Sunday is bit 0.
  var mask: UInt64
  /// Whether the field begins with `*`, which crontab(5) treats as unrestricted.
  let beginsWithStar: Bool
  /// The range in the text, in UTF-8 offsets.
  let range: Range<Int>
}

/// A parser of cron expressions; see ``CronExpression`` for the grammar.
struct CronParser {
  /// The predefined schedules.
  private static let macros = [
    (name: "@hourly", expression: "0 * * * *"),
    (name: "@daily", expression: "0 0 * * *"),
    (name: "@midnight", expression: "0 0 * * *"),
    (name: "@weekly", expression: "0 0 * * 0"),
    (name: "@monthly", expression: "0 0 1 * *"),
    (name: "@yearly", expression: "0 0 1 1 *"),
    (name: "@annually", expression: "0 0 1 1 *"),
  ]

  private let bytes: [UInt8]

  /// Creates a parser.
  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// Parses the text.
  ///
  /// - Returns: The five fields in order. The ranges of a macro's fields refer to its expression.
  /// - Throws: ``CronError`` for the first error.
  func fields() throws(CronError) -> [CronFieldValues] {
    let words = words()
    guard let first = words.first, let last = words.last else {
      throw CronError(
        message: "the schedule is empty",
        hint: "write five fields: \(CronField.order)", range: 0..<bytes.count)
    }
    if bytes[first.lowerBound] == UInt8(ascii: "@") { return try macro(words) }
    guard words.count == CronField.allCases.count else {
      throw CronError(
        message: "expected 5 fields, found \(words.count)",
        hint: "the fields are: \(CronField.order) (no seconds, no year)",
        range: first.lowerBound..<last.upperBound)
    }
    var fields: [CronFieldValues] = []
    for (field, range) in zip(CronField.allCases, words) {
      fields.append(try values(of: field, range))
    }
    return fields
  }

  private func macro(_ words: [Range<Int>]) throws(CronError) -> [CronFieldValues] {
    let name = text(words[0])
    guard let macro = Self.macros.first(where: { $0.name == name }) else {
      let names = Self.macros.map(\.name)
      let lowercased = name.lowercased()
      throw CronError(
        message: "\"\(name)\" is not a valid schedule",
        hint: names.contains(lowercased)
          ? "write \"\(lowercased)\"" : "valid names: \(names.joined(separator: ", "))",
        range: words[0])
    }
    guard words.count == 1 else {
      throw CronError(
        message: "\"\(name)\" is a complete schedule", hint: "remove the text after it",
        range: words[1].lowerBound..<words[words.count - 1].upperBound)
    }
    return try CronParser(macro.expression).fields()
  }

  private func values(
    of field: CronField, _ range: Range<Int>
  ) throws(CronError) -> CronFieldValues {
    var mask: UInt64 = 0
    for item in split(range, at: UInt8(ascii: ",")) {
      guard !item.isEmpty else {
        let comma = max(item.lowerBound - 1, range.lowerBound)
        throw CronError(
          message: "missing value next to a comma",
          hint: "write a list as in \"1,2\"", range: comma..<comma + 1)
      }
      mask |= try values(ofItem: item, in: field)
    }
    if field == .dayOfWeek, mask & 1 << 7 != 0 { mask = mask & ~(1 << 7) | 1 }
    return CronFieldValues(
      mask: mask, beginsWithStar: bytes[range.lowerBound] == UInt8(ascii: "*"), range: range)
  }

  /// Parses an item of a list: `*`, a value or a range, with an optional step.
  private func values(ofItem item: Range<Int>, in field: CronField) throws(CronError) -> UInt64 {
    let slash = bytes[item].firstIndex(of: UInt8(ascii: "/"))
    let base = item.lowerBound..<(slash ?? item.upperBound)
    guard !base.isEmpty else {
      throw CronError(
        message: "missing value before \"/\"", hint: "write \"*\(text(item))\"", range: item)
    }
    let isAll = text(base) == "*"
    let ends = split(base, at: UInt8(ascii: "-"))
    let bounds = isAll ? field.values : try values(between: ends, base, in: field)
    var step = 1
    if let slash {
      step = try self.step(slash + 1..<item.upperBound, after: slash, in: field)
      guard isAll || ends.count == 2 else {
        let last = field == .dayOfWeek && bounds.upperBound < 7 ? 6 : field.values.upperBound
        throw CronError(
          message: "\"\(text(item))\" has a step but no range",
          hint: "write \"\(text(base))-\(last)/\(step)\"", range: item)
      }
    }
    return stride(from: bounds.lowerBound, through: bounds.upperBound, by: step)
      .reduce(0) { $0 | 1 << UInt64($1) }
  }

  private func values(
    between ends: [Range<Int>], _ range: Range<Int>, in field: CronField
  ) throws(CronError) -> ClosedRange<Int> {
    if ends.count == 1 {
      let value = try value(range, in: field)
      return value...value
    }
    guard ends.count == 2, !ends[0].isEmpty, !ends[1].isEmpty else {
      throw CronError(
        message: "\"\(text(range))\" is not a valid range",
        hint: "write a range as in \"1-5\"", range: range)
    }
    let low = try value(ends[0], in: field)
    let high = try value(ends[1], in: field)
    guard low <= high else {
      throw CronError(
        message: "\"\(text(range))\" runs backwards",
        hint: "write \"\(forwards(ends, low, high, in: field))\"", range: range)
    }
    return low...high
  }

  /// Returns the likely meaning of a backward range: a range that wraps around.
  private func forwards(
    _ ends: [Range<Int>], _ low: Int, _ high: Int, in field: CronField
  ) -> String {
    let (first, last) = (text(ends[0]), text(ends[1]))
    guard field == .dayOfWeek else {
      return "\(first)-\(field.values.upperBound),\(field.values.lowerBound)-\(last)"
    }
    // Sunday is both the first and the last day of the week.
    if high == 0 { return "\(first)-7" }
    return low == 7 ? "0-\(last)" : "\(first)-6,0-\(last)"
  }

  private func value(_ range: Range<Int>, in field: CronField) throws(CronError) -> Int {
    let word = text(range)
    if let value = number(range), field.values.contains(value) { return value }
    if let index = field.names.firstIndex(of: word.lowercased()) {
      return field.values.lowerBound + index
    }
    let hint =
      usesQuartzSyntax(word, field)
      ? "L, W, # and ? are not supported; \"*\" is every \(field.name)" : field.hint
    throw CronError(message: "\"\(word)\" is not a valid \(field.name)", hint: hint, range: range)
  }

  private func step(
    _ range: Range<Int>, after slash: Int, in field: CronField
  ) throws(CronError) -> Int {
    let hint = "steps in \(field.plural) are 1 to \(field.values.upperBound)"
    guard !range.isEmpty else {
      throw CronError(
        message: "missing step after \"/\"", hint: hint, range: slash..<slash + 1)
    }
    guard let step = number(range), (1...field.values.upperBound).contains(step) else {
      throw CronError(message: "\"\(text(range))\" is not a valid step", hint: hint, range: range)
    }
    return step
  }

  /// Returns whether a word uses the day syntax of Quartz and other schedulers.
  private func usesQuartzSyntax(_ word: String, _ field: CronField) -> Bool {
    if word.contains("?") || word.contains("#") { return true }
    guard field == .dayOfMonth || field == .dayOfWeek else { return false }
    guard let last = word.lowercased().last, last == "l" || last == "w" else { return false }
    let rest = word.lowercased().dropLast()
    return rest.isEmpty || rest == "l" || Int(rest) != nil || field.names.contains(String(rest))
  }

  /// Parses a decimal number; nil for anything else, and on overflow.
  private func number(_ range: Range<Int>) -> Int? {
    let isNumber = !range.isEmpty && bytes[range].allSatisfy { (0x30...0x39).contains($0) }
    return isNumber ? Int(text(range)) : nil
  }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  /// Returns the parts between blanks: spaces, tabs and line breaks.
  private func words() -> [Range<Int>] {
    let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    return bytes.indices.split { blanks.contains(bytes[$0]) }
      .map { $0.startIndex..<$0.endIndex }
  }

  /// Returns the parts between separators, including empty ones.
  private func split(_ range: Range<Int>, at separator: UInt8) -> [Range<Int>] {
    bytes[range].split(separator: separator, omittingEmptySubsequences: false)
      .map { $0.startIndex..<$0.endIndex }
  }
}

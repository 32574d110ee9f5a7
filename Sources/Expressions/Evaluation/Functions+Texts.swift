// Functions that take texts and lists apart and change them.

extension Expression {
  /// The memory of an element of a list, for the budget.
  package static let elementBytes = 32
  /// The steps of a pattern that cost as much of the budget as one byte of a value.
  private static let patternStepsPerByte = 64

  /// Calls one of the functions of texts and lists.
  package func transformed(
    _ function: Function, _ values: [Value], _ arguments: [Expression], _ source: some ValueSource
  ) throws(EvaluationError) -> Value {
    switch function {
    case .length: return .number(Double(try length(of: values[0], arguments)))
    case .sort: return .list(try sorted(try list(values, arguments, function), source))
    case .filter: return .list(try filtered(values, arguments, source))
    default: break
    }
    let subject = try text(values, 0, arguments)
    try spend(subject.utf8.count, source)
    switch function {
    case .matches:
      return .boolean(try matches(subject, try pattern(values, arguments), arguments, source))
    case .split: return .list(try parts(of: subject, values, arguments, source))
    case .replace: return .text(try replaced(subject, values, arguments, source))
    case .lower: return .text(subject.lowercased())
    case .upper: return .text(subject.uppercased())
    default: return .text(Self.trimmed(subject))
    }
  }

  private func length(of value: Value, _ arguments: [Expression]) throws(EvaluationError) -> Int {
    switch value {
    case .text(let text): return text.count
    case .list(let values): return values.count
    case .map(let values): return values.count
    case .null, .boolean, .number, .digits:
      throw arguments[0].error(
        .argumentType(.length, expected: [.text, .list, .map], value.types))
    }
  }

  private func list(
    _ values: [Value], _ arguments: [Expression], _ function: Function
  ) throws(EvaluationError) -> [Value] {
    guard case .list(let items) = values[0] else {
      throw arguments[0].error(.argumentType(function, expected: .list, values[0].types))
    }
    return items
  }

  private static func trimmed(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return "" }
    return String(scalars[first...last])
  }

  // MARK: Patterns

  private func pattern(
    _ values: [Value], _ arguments: [Expression]
  ) throws(EvaluationError) -> TextPattern {
    let text = try text(values, 1, arguments)
    do throws(PatternError) {
      return try TextPattern(text)
    } catch {
      throw arguments[1].error(.textPattern(error.message))
    }
  }

  private func matches(
    _ text: String, _ pattern: TextPattern, _ arguments: [Expression], _ source: some ValueSource
  ) throws(EvaluationError) -> Bool {
    let (steps, isLarge) = text.utf8.count.multipliedReportingOverflow(by: pattern.cost)
    guard !isLarge, source.budget.spend(steps / Self.patternStepsPerByte) else {
      throw arguments[1].error(.textPattern("the pattern is too large for a text of this size"))
    }
    return pattern.matches(text)
  }

  private func filtered(
    _ values: [Value], _ arguments: [Expression], _ source: some ValueSource
  ) throws(EvaluationError) -> [Value] {
    let items = try list(values, arguments, .filter)
    let pattern = try pattern(values, arguments)
    try spend(items.count * Self.elementBytes, source)
    var found: [Value] = []
    for item in items {
      switch item {
      case .list, .map: throw arguments[0].error(.textExpected(item.types))
      case .null, .boolean, .number, .digits, .text:
        if try matches(item.asText, pattern, arguments, source) { found.append(item) }
      }
    }
    return found
  }

  // MARK: Lists

  private func sorted(
    _ items: [Value], _ source: some ValueSource
  ) throws(EvaluationError) -> [Value] {
    try spend(items.count * Self.elementBytes, source)
    var texts: [String] = []
    var numbers: [Value] = []
    for item in items {
      switch item {
      case .text(let text): texts.append(text)
      case .number, .digits: numbers.append(item)
      case .null, .boolean, .list, .map: throw error(.notSortable(item.types))
      }
    }
    guard texts.isEmpty || numbers.isEmpty else { throw error(.notSortable([.number, .text])) }
    // By bytes, which is the order of code points, and so the same in every locale.
    return texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map(Value.text)
      + numbers.sorted { $0.isLess(than: $1) ?? false }
  }

  private func parts(
    of text: String, _ values: [Value], _ arguments: [Expression], _ source: some ValueSource
  ) throws(EvaluationError) -> [Value] {
    let separator = try part(of: .split, values, arguments)
    guard !text.isEmpty else { return [] }
    let bytes = Array(text.utf8)
    let places = Self.places(of: separator, in: bytes)
    try spend(places.count * Self.elementBytes, source)
    var parts: [Value] = []
    var start = 0
    for place in places + [bytes.count] {
      parts.append(.text(String(decoding: bytes[start..<place], as: UTF8.self)))
      start = place + separator.count
    }
    return parts
  }

  private func replaced(
    _ text: String, _ values: [Value], _ arguments: [Expression], _ source: some ValueSource
  ) throws(EvaluationError) -> String {
    let old = try part(of: .replace, values, arguments)
    let new = Array(try self.text(values, 2, arguments).utf8)
    let bytes = Array(text.utf8)
    let places = Self.places(of: old, in: bytes)
    try spend(bytes.count + places.count * new.count, source)
    var result: [UInt8] = []
    var start = 0
    for place in places {
      result += bytes[start..<place]
      result += new
      start = place + old.count
    }
    return String(decoding: result + bytes[start...], as: UTF8.self)
  }

  /// Returns the bytes of the second argument, which must not be empty.
  private func part(
    of function: Function, _ values: [Value], _ arguments: [Expression]
  ) throws(EvaluationError) -> [UInt8] {
    let part = Array(try text(values, 1, arguments).utf8)
    guard !part.isEmpty else { throw arguments[1].error(.emptyPart(function)) }
    return part
  }

  /// Returns where a part occurs in a text, from left to right without overlaps, in linear time.
  ///
  /// The algorithm of Knuth, Morris and Pratt.
  private static func places(of part: [UInt8], in bytes: [UInt8]) -> [Int] {
    // The length of the longest proper prefix of the part that is a suffix of its first n bytes.
    var borders = [0]
    var length = 0
    for byte in part.dropFirst() {
      while length > 0, part[length] != byte { length = borders[length - 1] }
      if part[length] == byte { length += 1 }
      borders.append(length)
    }
    var places: [Int] = []
    length = 0
    for (position, byte) in bytes.enumerated() {
      while length > 0, part[length] != byte { length = borders[length - 1] }
      if part[length] == byte { length += 1 }
      guard length == part.count else { continue }
      places.append(position + 1 - part.count)
      length = 0
    }
    return places
  }
}

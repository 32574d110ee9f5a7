// The functions of expressions. `Expression.Function` declares their arguments.

extension Expression {
  /// Calls a function with evaluated arguments.
  package func call(
    _ function: Function, _ arguments: [Expression], _ source: some ValueSource
  ) throws(EvaluationError) -> Value {
    var values: [Value] = []
    if !function.takesPatterns {
      for argument in arguments { values.append(try argument.value(from: source)) }
    }
    switch function {
    case .contains: return .boolean(try contains(values[0], values[1], arguments))
    case .startsWith:
      return .boolean(try text(values, 0, arguments).hasPrefix(try text(values, 1, arguments)))
    case .endsWith:
      return .boolean(try text(values, 0, arguments).hasSuffix(try text(values, 1, arguments)))
    case .format:
      return .text(try formatted(try text(values, 0, arguments), values.dropFirst(), source))
    case .join:
      let separator = values.count > 1 ? try text(values, 1, arguments) : ","
      if case .map = values[0] { throw arguments[0].error(.mapArgument(.join)) }
      guard case .list(let items) = values[0] else { return .text(values[0].asText) }
      return .text(try joined(items, separator, source))
    case .toJSON: return .text(try json(of: values[0], source))
    case .fromJSON:
      let written = try text(values, 0, arguments)
      try spend(written.utf8.count, source)
      do throws(JSONError) {
        return try Value(json: written)
      } catch {
        throw arguments[0].error(.notJSON("\(error)"))
      }
    case .hashFiles, .glob: return try files(function, arguments, source)
    case .toFile:
      let text = try asText(values[0], source)
      return .text(try looking { () throws(ValueProblem) in try source.file(with: text) })
    case .matches, .split, .replace, .trim, .lower, .upper, .length, .sort, .filter:
      return try transformed(function, values, arguments, source)
    case .success, .failure, .always, .cancelled:
      return .boolean(try isTrue(function, source))
    }
  }

  /// Returns whether a function of the status is true.
  private func isTrue(
    _ function: Function, _ source: some ValueSource
  ) throws(EvaluationError) -> Bool {
    let status = try looking { () throws(ValueProblem) in try source.status() }
    return switch function {
    case .success: status == .success
    case .failure: status == .failure
    case .cancelled: status == .cancelled
    default: true
    }
  }

  /// Calls `hashFiles` or `glob`.
  private func files(
    _ function: Function, _ arguments: [Expression], _ source: some ValueSource
  ) throws(EvaluationError) -> Value {
    var patterns: [String] = []
    for argument in arguments { patterns.append(try argument.pattern(from: source)) }
    guard function == .glob else {
      return .text(try looking { () throws(ValueProblem) in try source.hash(ofFiles: patterns) })
    }
    let paths = try looking { () throws(ValueProblem) in try source.files(matching: patterns) }
    try spend(paths.reduce(0) { $0 + $1.utf8.count + Self.elementBytes }, source)
    return .list(paths.map(Value.text))
  }

  private func joined(
    _ items: [Value], _ separator: String, _ source: some ValueSource
  ) throws(EvaluationError) -> String {
    var result = ""
    for (position, item) in items.enumerated() {
      let text = try asText(item, source)
      try spend(text.utf8.count + separator.utf8.count, source)
      if position > 0 { result += separator }
      result += text
      try expectSize(result)
    }
    return result
  }

  /// Returns a value as JSON.
  ///
  /// Spends the budget before writing: a small value may contain the same part many times.
  private func json(of value: Value, _ source: some ValueSource) throws(EvaluationError) -> String {
    try spend(value.jsonBytes(atMost: EvaluationBudget.valueBytesMax), source)
    return value.json
  }

  private func asText(_ value: Value, _ source: some ValueSource) throws(EvaluationError) -> String
  {
    switch value {
    case .list, .map: try json(of: value, source)
    case .null, .boolean, .number, .digits, .text: value.asText
    }
  }

  private func expectSize(_ text: String) throws(EvaluationError) {
    guard text.utf8.count <= EvaluationBudget.valueBytesMax else {
      throw error(.largeValue)
    }
  }

  package func text(
    _ values: [Value], _ position: Int, _ arguments: [Expression]
  ) throws(EvaluationError) -> String {
    switch values[position] {
    case .list, .map:
      throw arguments[position].error(.textExpected(values[position].types))
    case .null, .boolean, .number, .digits, .text: return values[position].asText
    }
  }

  private func contains(
    _ value: Value, _ what: Value, _ arguments: [Expression]
  ) throws(EvaluationError) -> Bool {
    switch value {
    case .list(let items):
      if items.contains(where: { $0.types.isComparable(with: what.types) && $0.equals(what) }) {
        return true
      }
      // Report an error where `==` would.
      if let other = items.first(where: { !$0.types.isComparable(with: what.types) }) {
        throw error(.notComparable(.equal, other.types, what.types))
      }
      return false
    case .map:
      throw arguments[0].error(.mapArgument(.contains))
    default:
      let part = try text([value, what], 1, arguments)
      return part.isEmpty || value.asText.contains(part)
    }
  }

  /// Replaces `{0}`, `{1}` … with values; `{{` and `}}` are escaped braces.
  package func formatted(
    _ pattern: String, _ values: ArraySlice<Value>, _ source: some ValueSource
  ) throws(EvaluationError) -> String {
    try spend(pattern.utf8.count, source)
    var result = ""
    var rest = pattern[...]
    while let letter = rest.first {
      rest = rest.dropFirst()
      if letter == "{" || letter == "}", rest.first == letter {
        result.append(letter)
        rest = rest.dropFirst()
      } else if letter == "{" {
        guard let end = rest.firstIndex(of: "}"), let number = Int(rest[..<end]), number >= 0 else {
          throw error(.formatPlace)
        }
        guard number < values.count else {
          throw error(.formatValue(number))
        }
        let text = try asText(values[values.startIndex + number], source)
        try spend(text.utf8.count, source)
        result += text
        try expectSize(result)
        rest = rest[rest.index(after: end)...]
      } else if letter == "}" {
        throw error(.formatBracket)
      } else {
        result.append(letter)
      }
    }
    return result
  }
}

// The values of templates of a Taskfile.

/// A value of a template.
indirect enum TaskValue: Equatable {
  case text(ShellText)
  case number(String)
  case boolean(Bool)
  case list([TaskValue])
  case map([String: TaskValue])
  /// The value of a variable that is not set.
  case nothing

  init(_ text: String) { self = .text(ShellText(text)) }

  /// The value of a node that is no map with `sh` or the like.
  init(_ node: SourceNode) {
    if node.isNull {
      self = .nothing
    } else if node.isList {
      self = .list(node.elements.map { TaskValue($0) })
    } else if node.isMap {
      self = .map(
        Dictionary(
          node.pairs.map { ($0.key.text ?? "", TaskValue($0.value)) }, uniquingKeysWith: { $1 }))
    } else if let flag = node.boolean {
      self = .boolean(flag)
    } else if case .scalar(let text, isPlain: true) = node.content, let number = Self.number(text) {
      self = .number(number)
    } else {
      self = TaskValue(node.text ?? "")
    }
  }

  /// How go-task prints a number of YAML: `1.50` is 1.5, and `010` is 8.
  private static func number(_ text: String) -> String? {
    guard text.first.map({ "+-.0123456789".contains($0) }) == true else { return nil }
    let digits = text.filter { $0 != "_" }
    let isNegative = digits.first == "-"
    let plain = digits.drop { "+-".contains($0) }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2), ("0", 8)]
    where plain.hasPrefix(prefix) && plain.count > prefix.count {
      guard let value = Int(plain.dropFirst(prefix.count), radix: radix) else { continue }
      return String(isNegative ? -value : value)
    }
    if let value = Int(digits) { return String(value) }
    guard let value = Double(digits), abs(value) < 1e15, abs(value) >= 1e-4 else {
      return Double(digits) == 0 ? "0" : nil
    }
    let printed = String(value)
    return printed.hasSuffix(".0") ? String(printed.dropLast(2)) : printed
  }

  /// What a template prints for it.
  var printed: ShellText {
    switch self {
    case .text(let text): return text
    case .number(let text): return ShellText(text)
    case .boolean(let flag): return ShellText(flag ? "true" : "false")
    case .nothing: return ShellText()
    case .list(let values):
      var text = ShellText("[")
      for (position, value) in values.enumerated() {
        if position > 0 { text.append(.literal(" ")) }
        text.append(value.printed)
      }
      text.append(.literal("]"))
      return text
    case .map(let values):
      return ShellText("map[\(values.keys.sorted().joined(separator: " "))]")
    }
  }

  /// What it prints, if that is known now.
  func known(_ what: String) throws(Untranslatable) -> String {
    guard let text = printed.known else {
      throw Untranslatable("\(what) depends on a value that is known only when it runs")
    }
    return text
  }

  /// Whether a condition takes it for true.
  func isTrue() throws(Untranslatable) -> Bool {
    switch self {
    case .nothing: false
    case .boolean(let flag): flag
    case .list(let values): !values.isEmpty
    case .map(let values): !values.isEmpty
    case .number(let text): Double(text) != 0
    case .text: !(try known("a condition")).isEmpty
    }
  }
}

/// Where a template finds its variables.
protocol TaskNames {
  /// Returns the value of a variable.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - mustBeKnown: Whether the value decides about more than the text of a command.
  ///   - isOptional: Whether the variable need not be set.
  /// - Returns: The value.
  /// - Throws: ``Untranslatable`` if it is not set, or not known now although it must be.
  func value(
    _ name: String, mustBeKnown: Bool, isOptional: Bool
  ) throws(Untranslatable) -> TaskValue
  /// What `OS` and `ARCH` are.
  var machine: (system: String, architecture: String) { get }
}

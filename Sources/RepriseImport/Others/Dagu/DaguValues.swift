// The variables of a file of dagu, and its conditions.

/// The variables of a file, a step, or a handler of dagu.
struct DaguValues {
  /// The variables with their values as expressions, in order.
  private(set) var items: [(name: String, value: String)] = []
  private static let roots = ["params.", "env.", "consts.", "secrets."]

  /// The environment of what is written.
  var environment: [Draft.Item] { items.map { Draft.Item($0.name, .text($0.value)) } }

  mutating func set(_ name: String, _ value: String) {
    items.removeAll { $0.name == name }
    items.append((name, value))
  }

  /// Adds the variables of a map, or of a list of maps and of texts such as `A=1`.
  ///
  /// - Throws: ``Untranslatable`` if one is the output of a command.
  mutating func add(_ node: SourceNode?) throws(Untranslatable) {
    guard let node else { return }
    for pair in node.pairs + node.elements.flatMap(\.pairs) {
      try add(pair.key.text ?? "", pair.value.text)
    }
    for text in node.elements.filter({ !$0.isMap }).compactMap(\.text) {
      let (name, value) = text.assignment
      try add(name, value?.trimmingQuotes)
    }
  }

  private mutating func add(_ name: String, _ text: String?) throws(Untranslatable) {
    guard StepNames.identifier(name) == name, let text else {
      throw Untranslatable("the variable \(name)")
    }
    guard !text.contains("`"), !text.contains("$(") else {
      throw Untranslatable("the variable \(name) is the output of a command")
    }
    set(name, expression(text))
  }

  /// Returns a text with expressions instead of its variables.
  func expression(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let dollar = rest.firstIndex(of: "$") {
      result += rest[..<dollar]
      rest = rest[rest.index(after: dollar)...]
      let isBraced = rest.first == "{"
      var name = String(
        (isBraced ? rest.dropFirst() : rest).prefix {
          $0.isLetter || $0.isNumber || $0 == "_" || isBraced && $0 == "."
        })
      guard !name.isEmpty, !isBraced || rest.dropFirst(name.count + 1).first == "}" else {
        result += "$"
        continue
      }
      rest = rest.dropFirst(name.count + (isBraced ? 2 : 0))
      for root in Self.roots where name.hasPrefix(root) {
        name = String(name.dropFirst(root.count))
      }
      result += items.first { $0.name == name }?.value ?? "${{ env.\(name) }}"
    }
    return result + rest
  }
}

/// The preconditions of a file or step of dagu as a script.
struct DaguConditions {
  /// The script, which succeeds if they are met; nil if there are none.
  let script: String?
  /// What has no equivalent.
  private(set) var problem: String?

  init(_ node: SourceNode?, _ values: DaguValues) {
    let conditions = node.map { $0.isList ? $0.elements : [$0] } ?? []
    var lines: [String] = []
    for condition in conditions {
      guard var text = condition.text ?? condition["condition"]?.text else { continue }
      if text.hasPrefix("`"), text.hasSuffix("`"), text.count > 2 {
        text = "$(\(text.dropFirst().dropLast()))"
      }
      for root in ["params.", "env.", "consts."] {
        text = text.replacing("${\(root)", with: "${")
      }
      if text.contains("${steps.") { problem = "a precondition on \(text)" }
      let isNegated = condition["negate"]?.boolean == true
      let end = isNegated ? "&& exit 1" : "|| exit 1"
      guard let expected = condition.isMap ? condition["expected"]?.text : nil else {
        lines.append("( \(text) ) \(end)")
        continue
      }
      let test =
        expected.hasPrefix("re:")
        ? "grep -Eq \(String(expected.dropFirst(3)).shellQuoted)"
        : "grep -Fxq \(expected.shellQuoted)"
      lines.append("printf '%s\\n' \"\(text)\" | \(test) \(end)")
    }
    script = lines.isEmpty ? nil : (lines + ["exit 0"]).joined(separator: "\n")
  }
}

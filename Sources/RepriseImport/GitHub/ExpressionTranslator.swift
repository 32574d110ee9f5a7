// Translates expressions of GitHub Actions: operators, functions and types.

/// Translates expressions in one place of a workflow of GitHub Actions.
struct ExpressionTranslator {
  /// The names in that place.
  let names: GitHubNames
  /// Whether the value is compared with another, so that it can be empty.
  var isCompared = false

  /// Returns the value of an expression.
  ///
  /// - Parameters:
  ///   - expression: The expression.
  ///   - isOptional: Whether the caller handles a missing output.
  /// - Returns: The value as an expression of this language.
  /// - Throws: ``Untranslatable`` for the first part without an equivalent.
  func value(
    of expression: GitHubExpression, isOptional: Bool = false
  ) throws(Untranslatable) -> Translated {
    switch expression {
    case .null: return Translated(text: "null", kind: .null)
    case .boolean(let boolean): return .literal(boolean)
    case .number(let number): return Translated(text: number, kind: .number, constant: number)
    case .text(let text): return .literal(text: text)
    case .path(let root, let accesses):
      return try names.value(root.lowercased(), accesses, self, isOptional: isOptional)
    case .not: return try condition(expression)
    case .call(let name, let arguments, let accesses):
      let call = try call(name, arguments)
      return accesses.isEmpty ? call : try member(of: call, accesses)
    case .binary(let name, let left, let right):
      switch name {
      case "==", "!=": return try equality(name, left, right)
      case "<", "<=", ">", ">=": return try order(name, left, right)
      case "&&":
        // A condition before a value decides whether there is a value.
        let first = try value(of: left)
        let second = try value(of: right)
        if let truth = first.truth { return truth ? second : first }
        return .binary("&&", 2, first, second, kind: second.kind)
      default:
        let first = try value(of: left, isOptional: true)
        let second = try value(of: right)
        if let truth = first.truth { return truth ? first : second }
        return .binary(
          "||", 1, first, second, kind: first.kind == second.kind ? first.kind : .unknown)
      }
    }
  }

  /// Returns an expression as a condition, which must be true or false.
  func condition(_ expression: GitHubExpression) throws(Untranslatable) -> Translated {
    switch expression {
    case .not(.call("cancelled", _, _)): return Translated(text: "always()", kind: .boolean)
    case .not(let inner): return try condition(inner).negated
    case .binary("&&", let left, let right):
      return try condition(left).and(try condition(right))
    case .binary("||", let left, let right):
      return try condition(left).or(try condition(right))
    case .path(let root, let accesses) where names.isEvent(root, accesses):
      return names.isAlwaysThere(accesses) ? .literal(true) : names.eventFlag(root, accesses)
    default:
      return try ExpressionTranslator(names: names, isCompared: true).value(of: expression)
        .asCondition
    }
  }

  /// Returns the parts of a path that follow a value.
  func member(
    of base: Translated, _ accesses: some Sequence<GitHubExpression.Access>
  ) throws(Untranslatable) -> Translated {
    var text = base.operand(9)
    for access in accesses {
      switch access {
      case .name(let name):
        let isPlain = name.allSatisfy {
          $0.isASCII && ($0.isLetter || $0.isNumber || "_-".contains($0))
        }
        text += isPlain ? ".\(name)" : "['\(name.replacing("'", with: "''"))']"
      case .all: text += ".*"
      case .index(let index): text += "[\(try value(of: index).text)]"
      }
    }
    return Translated(text: text, kind: .unknown)
  }

  private func equality(
    _ name: String, _ left: GitHubExpression, _ right: GitHubExpression
  ) throws(Untranslatable) -> Translated {
    let isEqual = name == "=="
    for (path, other) in [(left, right), (right, left)] {
      if case .path("runner", [.name("os")]) = path, case .text(let system) = other {
        // The machine is never one with Windows.
        guard system.lowercased() != "windows" else { return .literal(!isEqual) }
        return .binary(
          name, 3, Translated(text: "machine.os", kind: .text),
          .literal(text: system.lowercased()), kind: .boolean)
      }
      // Whether an event has a property: its parameter is a boolean.
      if case .path(let root, let accesses) = path, case .boolean(let boolean) = other,
        names.isEvent(root, accesses)
      {
        let flag = names.eventFlag(root, accesses)
        return boolean == isEqual ? flag : flag.negated
      }
      if case .path("job", [.name("status")]) = path, case .text(let status) = other {
        let function = status == "success" ? "success()" : status == "failure" ? "failure()" : ""
        guard !function.isEmpty else { return .literal(!isEqual) }
        let call = Translated(text: function, kind: .boolean)
        return isEqual ? call : call.negated
      }
    }
    let compared = ExpressionTranslator(names: names, isCompared: true)
    var first = try compared.value(of: left)
    var second = try compared.value(of: right)
    if first.constant == nil, second.constant == nil {
      // Two texts that are both empty here would be equal, and one of them never is there.
      let needed = ExpressionTranslator(names: names)
      first = try needed.value(of: left)
      second = try needed.value(of: right)
    }
    if let one = first.constant, let other = second.constant {
      let same =
        first.kind == second.kind
        ? one.lowercased() == other.lowercased() : first.number == second.number
      return .literal(same == isEqual)
    }
    for (text, other) in [(first, second), (second, first)] where text.kind == .text {
      if let same = text.asNumber(other) {
        if other.kind == .boolean {
          names.remark(
            .note, "a text is compared with \(other.text): 'true' and 'false' are neither")
        }
        return isEqual ? same : same.negated
      }
    }
    if first.kind != second.kind || first.kind == .unknown {
      first = first.matching(second)
      second = second.matching(first)
      if first.kind != second.kind { (first, second) = (first.asText, second.asText) }
    }
    (first, second) = first.withoutCase(second) ?? second.withoutCase(first) ?? (first, second)
    return .binary(name, 3, first, second, kind: .boolean)
  }

  private func order(
    _ name: String, _ left: GitHubExpression, _ right: GitHubExpression
  ) throws(Untranslatable) -> Translated {
    var operands: [Translated] = []
    for side in [left, right] {
      var operand = try value(of: side)
      if let constant = operand.constant, Double(constant) != nil {
        operand = Translated(text: constant, kind: .number, constant: constant)
      } else if operand.kind == .text {
        operand = Translated(text: "fromJSON(\(operand.text))", kind: .number)
      }
      operands.append(operand)
    }
    return .binary(name, 4, operands[0], operands[1], kind: .boolean)
  }

  private func call(
    _ name: String, _ arguments: [GitHubExpression]
  ) throws(Untranslatable) -> Translated {
    func texts() throws(Untranslatable) -> String {
      var texts: [String] = []
      let isTest = name.lowercased().hasSuffix("with")
      let translator = ExpressionTranslator(names: names, isCompared: isCompared || isTest)
      for argument in arguments { texts.append(try translator.value(of: argument).asText.text) }
      return texts.joined(separator: ", ")
    }
    switch name.lowercased() {
    case "success", "failure", "always", "cancelled": return status(name.lowercased())
    case "contains" where arguments.count == 2:
      let compared = ExpressionTranslator(names: names, isCompared: true)
      var list = try compared.value(of: arguments[0])
      let what = try compared.value(of: arguments[1]).asText
      if case .path(let root, let accesses) = arguments[0], names.isEvent(root, accesses),
        accesses.contains(.all), list.constant == nil
      {
        // One of several values, not a part of one.
        names.remark(.note, "\(list.text): several values have commas between them")
        list = Translated(text: "split(\(list.text), ',')", kind: .unknown)
      }
      if let text = list.constant, let part = what.constant {
        return .literal(text.lowercased().contains(part.lowercased()))
      }
      let operand = list.kind == .unknown ? list : list.asText
      return Translated(text: "contains(\(operand.text), \(what.text))", kind: .boolean)
    case "startswith" where arguments.count == 2:
      return Translated(text: "startsWith(\(try texts()))", kind: .boolean)
    case "endswith" where arguments.count == 2:
      return Translated(text: "endsWith(\(try texts()))", kind: .boolean)
    case "format" where !arguments.isEmpty:
      return Translated(text: "format(\(try texts()))", kind: .text)
    case "hashfiles" where !arguments.isEmpty:
      return Translated(text: "hashFiles(\(try texts()))", kind: .text)
    case "join" where !arguments.isEmpty:
      let list = try value(of: arguments[0])
      let separator = arguments.count > 1 ? try value(of: arguments[1]).text : "','"
      return Translated(text: "join(\(list.text), \(separator))", kind: .text)
    case "tojson" where arguments.count == 1:
      return Translated(text: "toJSON(\(try value(of: arguments[0]).text))", kind: .text)
    case "fromjson" where arguments.count == 1:
      let text = try value(of: arguments[0])
      if let constant = text.constant, let boolean = Bool(constant) { return .literal(boolean) }
      return Translated(text: "fromJSON(\(text.asText.text))", kind: .unknown)
    default: throw Untranslatable("there is no function \(name)()")
    }
  }

  private func status(_ name: String) -> Translated {
    let remarks = [
      "always": "always(): after a cancellation, only steps under \"finally\" run",
      "cancelled": "cancelled(): steps that run after a cancellation belong under \"finally\"",
    ]
    let others = "success() and failure() look at the steps that a step needs, not at all before it"
    names.remark(.note, remarks[name] ?? others)
    return name == "cancelled" ? .literal(false) : Translated(text: "\(name)()", kind: .boolean)
  }
}

extension Translated {
  /// The number that GitHub makes of a constant to compare it with one of another type.
  fileprivate var number: Double {
    guard let constant, kind != .boolean else { return constant == "true" ? 1 : 0 }
    return constant.isEmpty ? 0 : Double(constant) ?? .nan
  }

  /// Returns whether this text is the number of a constant, as which GitHub reads it; nil if that
  /// needs no test of its own.
  ///
  /// The empty text is 0 and false, `1` is true, and other words are no number.
  fileprivate func asNumber(_ other: Translated) -> Translated? {
    guard constant == nil, let value = other.constant else { return nil }
    let number: String
    switch other.kind {
    case .boolean: number = value == "true" ? "1" : "0"
    case .number where Double(value) == 0: number = "0"
    case .text, .number, .null, .unknown: return nil
    }
    guard number == "0" else {
      return .binary("==", 3, self, .literal(text: number), kind: .boolean)
    }
    let filled = Translated.binary("||", 1, self, .literal(text: "0"), kind: .text)
    return .binary("==", 3, filled, .literal(text: "0"), kind: .boolean)
  }

  /// Returns a constant as a value of the type of another value.
  func matching(_ other: Translated) -> Translated {
    guard let constant else { return self }
    switch (kind, other.kind) {
    case (.boolean, .text), (.number, .text): return .literal(text: constant)
    case (.text, .boolean) where ["true", "false"].contains(constant):
      return .literal(constant == "true")
    case (.text, .number) where Double(constant) != nil && !constant.isEmpty:
      return Translated(text: constant, kind: .number, constant: constant)
    case (.text, _), (.number, _), (.boolean, _), (.null, _), (.unknown, _): return self
    }
  }
}

extension ExpressionTranslator {
  /// Returns a text with expressions.
  func template(_ text: String) throws(Untranslatable) -> String {
    guard text.contains("${{") else { return text }
    var result = ""
    for part in try parts(of: text) {
      switch part {
      case .text(let text): result += text
      case .expression(let expression):
        let value = try value(of: expression)
        result += value.constant ?? (value.kind == .null ? "" : "${{ \(value.text) }}")
      }
    }
    return result
  }

  /// Returns a text with expressions as one expression.
  func expression(_ text: String) throws(Untranslatable) -> Translated {
    guard text.contains("${{") else { return .literal(text: text) }
    let parts = try parts(of: text)
    if parts.count == 1, case .expression(let expression) = parts[0] {
      return try value(of: expression)
    }
    var format = ""
    var arguments: [String] = []
    for part in parts {
      switch part {
      case .text(let text):
        format += text.replacing("{", with: "{{").replacing("}", with: "}}")
      case .expression(let expression):
        format += "{\(arguments.count)}"
        arguments.append(try value(of: expression).text)
      }
    }
    let pattern = Translated.literal(text: format).text
    return Translated(
      text: "format(\(([pattern] + arguments).joined(separator: ", ")))", kind: .text)
  }

  /// Returns a condition, with or without `${{ }}`.
  func condition(_ text: String) throws(Untranslatable) -> (Translated, testsStatus: Bool) {
    var text = text
    while text.last?.isWhitespace == true { text.removeLast() }
    let template = text.contains("${{") ? text : "${{ \(text) }}"
    let parts = try parts(of: template)
    if parts.count == 1, case .expression(let expression) = parts[0] {
      return try conditionWithStatus(expression)
    }
    // Text around an expression is part of the condition only if it is one when put together.
    let whole = text.replacing("${{", with: "(").replacing("}}", with: ")")
    guard let expression = try? GitHubExpressionParser.expression(in: whole) else {
      throw Untranslatable("this condition is always true")
    }
    return try conditionWithStatus(expression)
  }

  /// Returns a whole condition, which tests the status also if only constants are left of that.
  private func conditionWithStatus(
    _ expression: GitHubExpression
  ) throws(Untranslatable) -> (Translated, testsStatus: Bool) {
    let value = try condition(expression)
    let isTold = ["always()", "failure()", "success()"].contains { value.text.contains($0) }
    guard expression.testsStatus, value.truth != false, !isTold else {
      return (value, expression.testsStatus)
    }
    return (Translated(text: "always()", kind: .boolean).and(value), true)
  }

  /// Returns the texts and expressions of a text.
  func parts(of text: String) throws(Untranslatable) -> [GitHubTemplate.Part] {
    do throws(GitHubExpressionError) {
      return names.file.withWorkspace(try GitHubTemplate(text).parts)
    } catch {
      throw Untranslatable("the expression cannot be read")
    }
  }
}

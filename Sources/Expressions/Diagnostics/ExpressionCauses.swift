// R05: expressions: their syntax, functions, types and names.

extension Diagnostic.Cause {
  package static let emptyExpression = Self("R0501", "the expression is empty")
    .hint("write an expression, such as: params.name")
  package static func operatorExpected(before word: String) -> Self {
    let hints = [
      "and": "write &&", "or": "write ||", "is": "write ==", "eq": "write ==",
      ")": "remove it, or add the opening bracket",
    ]
    return Self("R0501", "expected an operator before this").hint(hints[word])
  }
  package static func expected(_ symbol: String, _ function: Expression.Function?) -> Self {
    Self("R0501", "expected a \(symbol) here").hint(function.map { "call it like: \($0.usage)" })
  }
  package static func valueExpected(before symbol: String?) -> Self {
    Self("R0501", "expected a value " + (symbol.map { "before \"\($0)\"" } ?? "at the end"))
  }
  package static let memberExpected = Self("R0501", "expected a name or * after the dot")

  package static func unclosedText(isInTemplate: Bool) -> Self {
    Self("R0502", "this quoted text is not closed")
      .hint(
        "close it with a single quote"
          + (isInTemplate ? "" : "; write '' for a single quote inside"))
  }
  package static let unclosedExpression = Self("R0502", "this expression is not closed")
    .hint("close it with }}")

  package static func unexpectedCharacter(_ character: String) -> Self {
    // Symbols of other languages that have no meaning here.
    let hints = [
      "=": "compare with ==", "&": "write &&", "|": "write ||",
      "\"": "put text in single quotes", "?": "write: condition && 'then' || 'else'",
      "$": "write only the name, as in params.name",
      "{": "write only the name, as in params.name",
    ]
    return Self("R0503", "unexpected \"\(character)\"").hint(hints[character])
  }
  package static func notANumber(_ text: String) -> Self {
    Self("R0503", "\"\(text)\" is not a number").hint("put text in single quotes")
  }

  package static func deepExpression(isNegation: Bool) -> Self {
    Self("R0504", "the expression is nested more than \(Expression.depthMax) levels deep")
      .hint(isNegation ? "one ! is enough" : longExpression.hint)
  }
  package static let longExpression = Self(
    "R0504", "the expression has more than \(Expression.depthMax) operators"
  )
  .hint("bind a part of it in env first")

  package static func unknownName(_ name: String) -> Self {
    Self("R0505", "unknown name \"\(name)\"").hint(hint(forUnknown: name))
  }

  package static func unknownFunction(_ name: String) -> Self {
    Self("R0506", "there is no function \"\(name)\"")
      .hint(
        foreignFunctions[name.lowercased()]
          ?? Alternatives(to: name, among: Expression.Function.allCases.map(\.rawValue)).hint())
  }

  package static func argumentCount(_ function: Expression.Function, _ count: Int) -> Self {
    Self("R0507", "\(function.rawValue) takes \(function.argumentCountName), not \(count)")
      .hint("call it like: \(function.usage)")
  }

  package static func argumentType(
    _ function: Expression.Function, expected: ValueTypes, _ found: ValueTypes
  ) -> Self {
    Self("R0508", "\(function.rawValue) takes \(expected.name) here, not \(found.name)")
      .hint("call it like: \(function.usage)")
  }
  package static func mapArgument(_ function: Expression.Function) -> Self {
    let expected = function == .contains ? "a list or text" : "a list"
    return Self("R0508", "\(function.rawValue) takes \(expected), not a map")
      .hint(function == .join ? "add .* to take the values of the map" : nil)
  }

  package static func notComparable(
    _ symbol: Expression.Operator, _ left: ValueTypes, _ right: ValueTypes,
    quoted: String? = nil
  ) -> Self {
    Self(
      "R0509",
      symbol.isOrder
        ? "\(symbol.rawValue) compares two numbers, not \(left.name) and \(right.name)"
        : "\(left.name) and \(right.name) are never equal"
    )
    .hint(
      quoted.map { "remove the quotes: \(symbol.rawValue) \($0)" }
        ?? hintForComparison(symbol, left.union(right)))
  }
  package static func notSortable(_ types: ValueTypes) -> Self {
    Self(
      "R0509",
      types == [.number, .text]
        ? "sort takes numbers or texts, not both in one list"
        : "sort takes a list of numbers or texts, not \(types.name)")
  }

  package static func nameNotHere(
    _ root: Expression.Root, in place: String, allowed: Set<Expression.Root>
  ) -> Self {
    Self("R0510", "\"\(root.rawValue)\" cannot be used in \(place)")
      .hint(root.hintWhereNot(in: allowed))
  }
  package static func statusNotHere(_ function: Expression.Function, in place: String) -> Self {
    Self("R0510", "\(function.rawValue)() cannot be used in \(place)")
      .hint("use it in \"if\", or in \"env\" of a step under \"finally\"")
  }
  package static func filesNotHere(_ function: Expression.Function, in place: String) -> Self {
    switch function {
    case .toFile:
      Self("R0510", "a file cannot be written for \(place)").hint("write it in the env of a step")
    case .hashFiles:
      Self("R0510", "files cannot be hashed in \(place)").hint("hash them in the env of a step")
    default:
      Self("R0510", "files cannot be listed in \(place)")
        .hint("in foreach, write: { files: '*.csv' }; elsewhere, list them in the env of a step")
    }
  }
  package static func onlyInFinally(_ name: String) -> Self {
    Self("R0510", "\"\(name)\" is not known before the other steps have ended")
      .hint("read it in a step under \"finally\"")
  }

  package static func unknownMember(_ what: String, _ name: String, _ others: Alternatives) -> Self
  {
    let isDeclarable =
      switch others {
      case .names, .unsearched: what == "secret"
      case .nearest, .minus: false
      }
    return Self("R0511", "there is no \(what) \"\(name)\"")
      .hint(
        isDeclarable
          ? "declare it: secrets: { \(name): { env: \(name.uppercased()) } }"
          : others.hint(atMost: 10))
  }

  package static func secrets(_ root: Expression.Root, _ name: String, in place: String) -> Self {
    Self(
      "R0512", "\"\(root.rawValue)\" contains a secret (\(name)), which cannot be used in \(place)"
    )
    .hint("name single members, as in \(root.rawValue).NAME")
  }
  package static func secret(_ root: Expression.Root, _ name: String, in place: String) -> Self {
    Self(
      "R0512", "\"\(root.rawValue).\(name)\" contains a secret, which cannot be used in \(place)"
    )
    .hint("bind it in env of the step, and use the variable")
  }

  package static func noMember(_ name: String, of types: ValueTypes?) -> Self {
    Self("R0513", "\(types?.name ?? "the value") has no \"\(name)\"")
      .hint(types.map(hintForParts) ?? jsonHint)
  }
  package static func noElements(_ types: ValueTypes) -> Self {
    Self("R0513", "\(types.name) has no elements").hint(hintForParts(of: types))
  }
  package static func noStepMember(_ name: String, of id: String) -> Self {
    Self("R0513", "a step has no \"\(name)\"")
      .hint("write steps.\(id).outputs.\(name) for an output, or steps.\(id).result")
  }
  package static func memberName(_ types: ValueTypes?) -> Self {
    Self("R0513", "the index of a map must be text" + (types.map { ", not \($0.name)" } ?? ""))
  }
  package static let elementNumber = Self(
    "R0513", "the index of a list must be a number, counted from 0")

  package static func computedName(_ root: Expression.Root) -> Self {
    Self("R0514", "a member of \(root.rawValue) must be a name, not an expression")
      .hint("write it like: \(root.rawValue).name")
  }
  package static func notAValue(_ root: Expression.Root) -> Self {
    let example = root == .steps ? "steps.build.outputs.version" : "secrets.token"
    return Self("R0514", "\(root.rawValue) cannot be used as a value")
      .hint("name a member, as in \(example)")
  }

  package static func textExpected(_ types: ValueTypes) -> Self {
    Self("R0515", "expected text here, not \(types.name)")
      .hint("convert it to text with toJSON(…) or join(…)")
  }
  package static func notPartOfText(_ types: ValueTypes) -> Self {
    Self("R0515", "\(types.name) cannot be part of text")
      .hint("convert it to text with toJSON(…) or join(…)")
  }

  package static let severalExpressions = Self("R0516", "a condition must be a single expression")
    .hint("write one ${{ … }} around the whole condition, or none")
  package static func condition(_ types: ValueTypes) -> Self {
    Self("R0516", "if must be true or false, not \(types.name)")
      .hint(
        types.subtracting(.null) == .text
          ? "compare it, as in: … == 'true'" : "compare it with a value")
  }
  package static func conditionValue(_ types: ValueTypes) -> Self {
    Self("R0516", "the condition must be true or false, not \(types.name)")
      .hint("compare it, as in: … == 'true'")
  }

  package static func ownOutputs(isInOutputs: Bool) -> Self {
    isInOutputs
      ? Self("R0517", "a step cannot refer to itself by its id").hint("write outputs.name")
      : Self("R0517", "a step cannot use its own outputs")
        .hint("only its \"outputs\" can, as outputs.name")
  }

  package static func notFinished(_ name: String, needsThis: Bool) -> Self {
    Self("R0518", "\"\(name)\" might not be finished when this step starts")
      .hint(
        needsThis
          ? "\"\(name)\" itself needs this step"
          : "add \"\(name)\" to its needs, directly or through others")
  }

  package static func notJSON(_ reason: String) -> Self { Self("R0519", "invalid JSON: \(reason)") }

  package static let formatPlace = Self(
    "R0520", "a placeholder in the pattern of format must be {0}, {1}, …"
  )
  .hint("write {{ for a literal {")
  package static func formatValue(_ number: Int) -> Self {
    Self("R0520", "format has no value for {\(number)}").hint("the first value is {0}")
  }
  package static let formatBracket = Self("R0520", "unmatched } in the pattern of format")
    .hint("write }} for a literal }")

  package static let largeValue = Self(
    "R0521",
    "the value is too large: the maximum is \(EvaluationBudget.valueBytesMax >> 20) MiB for one "
      + "value and \(EvaluationBudget.bytesMax >> 20) MiB for all values together")

  package static func notNumbers(
    _ symbol: Expression.Operator, _ left: ValueTypes, _ right: ValueTypes
  ) -> Self {
    let other = left.isDisjoint(with: .number) ? left : right
    return Self("R0523", "\(symbol.rawValue) takes two numbers, not \(other.name)")
      .hint(hintForNumbers(symbol, left.union(right)))
  }

  package static func divisionByZero(_ symbol: Expression.Operator) -> Self {
    Self("R0524", "\(symbol.rawValue) by zero has no value")
      .hint("test the divisor first, as in: n != 0 && 10 / n || 0")
  }
  package static func inexact(_ symbol: Expression.Operator, _ digits: String) -> Self {
    Self(
      "R0524", "\(symbol.rawValue) would not be exact: \(abridged(digits)) has more than 53 bits"
    )
    .hint("use it as it is, or calculate in a step")
  }
  package static func infinite(_ symbol: Expression.Operator) -> Self {
    Self("R0524", "the result of \(symbol.rawValue) is too large for a number")
  }

  package static func textPattern(_ message: String) -> Self {
    Self("R0525", "invalid pattern: \(message)")
  }
  package static func emptyPart(_ function: Expression.Function) -> Self {
    Self("R0525", "\(function.rawValue) needs a text of at least one character here")
      .hint(
        function == .split
          ? "write the separator, such as ',' or ' '" : "write the text that is replaced")
  }

  package static func impossibleWord(
    _ word: String, of what: String, meant: String?, words: [String]
  ) -> Self {
    Self("R0526", "\(what) is never '\(word)'")
      .hint(
        meant.map { "did you mean '\($0)'?" } ?? "it is one of \(words.joined(separator: ", "))")
  }

  package static func noOutput(
    _ name: String, of step: String, result: String, left: [String]
  ) -> Self {
    let others = "; for a default, write: … || 'something else'"
    let hint =
      switch result {
      case "failure": "it failed" + others
      case "cancelled": "it was cancelled" + others
      case "skipped": "it was skipped" + others
      default: left.isEmpty ? "it has no outputs" : "it has: " + left.joined(separator: ", ")
      }
    return Self("R0522", "the step \"\(step)\" has no output \"\(name)\"").hint(hint)
  }
}

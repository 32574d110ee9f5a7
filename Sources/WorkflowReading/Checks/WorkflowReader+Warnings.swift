// Warnings about constructs that are valid but probably not intended.

import Platform
package import Workflows
package import YAML

extension WorkflowReader {
  /// Reports all warnings about a valid workflow.
  package mutating func warn(about graph: Graph) {
    warnOfImpliedNeeds(graph)
    warnOfUnusedOutputs()
    warnOfConstantConditions()
    warnOfCancelled()
    warnOfUnsetVariables()
  }

  /// Warns of a need that another need already implies.
  private mutating func warnOfImpliedNeeds(_ graph: Graph) {
    for (position, draft) in drafts.enumerated() where draft.needs.count > 1 {
      let needs = graph.needs(of: StepIndex(position))
      // In a wide fan-in, redundant needs are rare, and the search takes quadratic time.
      guard needs.count <= 100 else { continue }
      // Check only direct needs: a deeper search would take more than linear time.
      func other(_ index: StepIndex) -> StepIndex? {
        needs.first {
          $0 != index && graph.needs(of: $0).contains(index)
            && steps[$0.position].extrasIfAny?.needRules == nil
        }
      }
      // That a need is over does not imply that what it needs has succeeded.
      guard steps[position].extrasIfAny?.needRules == nil else { continue }
      guard needs.contains(where: { other($0) != nil }) else { continue }
      for need in draft.needs {
        guard case .name(let number) = need else { continue }
        let (name, scope) = (needNames[number].text, needNames[number].scope)
        guard scopes[scope].groups.isEmpty || scopes[scope].groups[name] == nil,
          let index = needs.first(where: { isNamed(graph.id(of: $0), name, scope) }),
          let other = other(index)
        else { continue }
        readers[needNames[number].file].report(
          .redundantNeed(name, by: graph.id(of: other)), at: needNames[number].mark,
          length: needNames[number].length, severity: .warning)
      }
    }
  }

  /// The id of the step that a run has which stays up, and that no one has written.
  package static let idOfStayingUp = "until-stopped"

  /// Warns of `cancelled()` outside `finally`, where it is never true, and of `always()`.
  ///
  /// A cancelled run starts only the steps under `finally`.
  private mutating func warnOfCancelled() {
    for check in checks where check.place == .condition {
      guard let position = check.draft, position < steps.count,
        steps[position].extrasIfAny?.finally == nil, steps[position].id != Self.idOfStayingUp
      else { continue }
      for (expression, offset) in check.template.expressions {
        let causes: [(Expression.Function, Diagnostic.Cause)] = [
          (.cancelled, .neverCancelled), (.always, .alwaysIsNotOnCancel),
        ]
        for (function, cause) in causes {
          guard let range = expression.range(of: function) else { continue }
          readers[check.file].report(
            ExpressionError(cause, range).moved(by: offset), in: check.node, severity: .warning)
        }
      }
    }
  }

  /// Warns of a variable that is not set and has no default after `||`.
  private mutating func warnOfUnsetVariables() {
    // A step that writes to this file sets variables that are only known during the run.
    var setsVariables: [String: Bool] = [:]
    for check in checks {
      for (expression, offset) in check.template.expressions {
        for (name, range) in expression.expectedVariables {
          let path = readers[check.file].file
          let isSetLater =
            setsVariables[path] ?? readers[check.file].source.contains("REPRISE_ENV")
          setsVariables[path] = isSetLater
          guard !isSetLater else { continue }
          let isSearched = readers[check.file].searchesSuggestions
          let scope = scopes[check.scope]
          let isOfFile = scope.environment[name] != nil
          let isSeen = isOfFile && check.place != .workflowEnvironment
          guard !isSeen, scope.dotenv[name] == nil, environmentVariable(name) == nil else {
            continue
          }
          let step = check.draft.flatMap { $0 < steps.count ? steps[$0] : nil }
          let cause: Diagnostic.Cause =
            isOfFile
            ? .variableOfSameFile(name)
            : step?.sets(name) == true
              ? .variableOfStep(name)
              : .unsetVariable(
                name,
                nearest: isSearched
                  ? nearest(to: name, among: Array(scope.environment.keys) + scope.dotenv.keys)
                  : nil)
          readers[check.file].report(
            ExpressionError(cause, range).moved(by: offset),
            in: check.node, severity: .warning)
        }
      }
    }
  }

  /// Warns of an output that is never used.
  private mutating func warnOfUnusedOutputs() {
    guard checks.contains(where: { $0.place == .outputs }) else { return }
    var used: Set<String> = []
    for check in checks {
      for (expression, _) in check.template.expressions {
        expression.visit { part in
          guard case .member(let outputs, let name) = part.kind,
            case .member(let step, "outputs") = outputs.kind,
            case .member(let steps, let id) = step.kind, case .root(.steps) = steps.kind
          else { return }
          used.insert("\(check.scope) \(id) \(name)")
        }
      }
    }
    for check in checks where check.place == .outputs {
      guard let position = check.draft else { continue }
      let extras = steps[position].extras
      let id = steps[position].id.dropFirst(scopes[extras.scope].prefix.count)
        .prefix { $0 != "[" }
      guard let name = extras.outputs.first(where: { $0.value == check.template })?.key,
        !used.contains("\(check.scope) \(id) \(name)")
      else { continue }
      readers[check.file].warn(.unusedOutput(name, of: String(id)), at: check.node)
    }
  }
}

extension WorkflowReader {
  /// Warns of anchors that no alias refers to, at the anchor.
  package mutating func warn(ofAnchorsIn document: Document, _ file: Int) {
    for anchor in document.unusedAnchors.prefix(100) {
      let mark = readers[file].source.mark(of: anchor)
      readers[file].report(
        .unusedAnchor(anchor.name), at: mark, length: anchor.name.unicodeScalars.count + 1,
        severity: .warning)
    }
  }

  /// Warns of conditions that are always true or always false.
  mutating func warnOfConstantConditions() {
    for check in checks {
      let isRound = check.place == .repetition
      guard isRound || check.place == .condition || check.place == .workflowCondition else {
        continue
      }
      guard let value = constantValue(of: check) else { continue }
      if !isRound {
        readers[check.file].warn(value ? .alwaysTrue : .neverTrue, at: check.node)
      } else if let position = check.draft, position < steps.count,
        let rule = steps[position].extrasIfAny?.repetition, rule.condition == check.template,
        rule.isWhile != value
      {
        // `while: true` and `until: false` are deliberate: it repeats up to its limit.
        readers[check.file].warn(.oneRound(isWhile: rule.isWhile), at: check.node)
      }
    }
  }

  /// Returns the value of a condition that depends on nothing; nil for any other.
  private mutating func constantValue(of check: Check) -> Bool? {
    guard !check.template.testsStatus else {
      return nil
    }
    do throws(EvaluationError) {
      return try check.template.value(from: NothingKnown(budget: budget)).isTruthy
    } catch {
      if case .invalid(let error) = error, error.cause == .largeValue {
        readers[check.file].warn(.largeValue, at: check.node)
      }
      return nil
    }
  }
}

extension SourceText {
  /// Returns the place of an anchor, which may be after the tag of its value.
  fileprivate func mark(of anchor: Document.Anchor) -> Mark {
    let name = Array("&\(anchor.name)".unicodeScalars)
    let line = Array(line(anchor.mark.line).unicodeScalars)
    let last = line.count - name.count
    guard anchor.mark.column - 1 <= last,
      let start = (anchor.mark.column - 1...last).first(where: {
        line[$0..<$0 + name.count].elementsEqual(name)
      })
    else { return anchor.mark }
    return Mark(line: anchor.mark.line, column: start + 1)
  }
}

/// A source without values, which makes only constant expressions computable.
private struct NothingKnown: ValueSource {
  let budget: EvaluationBudget

  func value(of root: Expression.Root, member: String?) throws(ValueProblem) -> Value {
    throw .unknown
  }

  func status() throws(ValueProblem) -> RunEnding { throw .unknown }

  func hash(ofFiles patterns: [String]) throws(ValueProblem) -> String { throw .unknown }
  func files(matching patterns: [String]) throws(ValueProblem) -> [String] { throw .unknown }
}

extension WorkflowReader {
  /// Reports comparisons of a result with a word that no result has, and warns of former names.
  mutating func checkComparisons(_ check: Check) {
    for (expression, offset) in check.template.expressions {
      for (error, severity) in expression.mistakenWords {
        readers[check.file].report(error.moved(by: offset), in: check.node, severity: severity)
      }
    }
  }

  /// Warns of `$NAME`, `${NAME}` and `~` in a value that no shell reads.
  ///
  /// Texts with blanks are left out: some variables are command lines, which a shell reads later.
  package mutating func warnOfVariables(in node: Node, _ context: Context) {
    guard let text = node.text, !text.contains(where: \.isWhitespace) else { return }
    if text == "~" || text.hasPrefix("~/") {
      readers[context.file].warn(.notExpanded(text, meant: "env.HOME"), at: node)
    } else if let name = Self.variable(in: text) {
      readers[context.file].warn(.notExpanded(text, meant: "env.\(name)"), at: node)
    }
  }

  /// Returns the first name of a variable in a text, as shells write it.
  private static func variable(in text: String) -> String? {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    for (before, part) in zip(parts, parts.dropFirst()) where before.last != "\\" {
      let inner = part.first == "{" ? part.dropFirst() : part
      let name = inner.prefix { "A"..."Z" ~= $0 || "0"..."9" ~= $0 || $0 == "_" }
      guard let first = name.first, !first.isNumber else { continue }
      if part.first == "{" ? inner[name.endIndex...].first == "}" : true { return String(name) }
    }
    return nil
  }

  /// The programs that read their arguments as a shell does, or run a shell that does.
  private static let shells: Set = [
    "sh", "bash", "dash", "zsh", "ksh", "fish", "env", "ssh", "su", "sudo",
  ]

  /// The programs whose option `-c` or `-e` takes code.
  private static let interpreters: Set = [
    "sh", "bash", "dash", "zsh", "ksh", "fish", "python", "python3", "perl", "ruby", "node", "php",
    "lua", "Rscript",
  ]

  /// Warns of expressions in the code that a command gives to an interpreter.
  package mutating func warnOfCode(in words: [Template], _ nodes: [Node], _ context: Context) {
    let names = words.map { $0.source.split(separator: "/").last.map(String.init) ?? "" }
    guard let program = names.firstIndex(where: Self.interpreters.contains) else { return }
    for (position, word) in words.enumerated().dropFirst(program + 2) where !word.isPlain {
      let option = words[position - 1].source
      guard option.hasPrefix("-"), !option.hasPrefix("--"), option.last == "c" || option.last == "e"
      else { continue }
      readers[context.file].warn(.expressionInCode(program: names[program]), at: nodes[position])
    }
  }

  /// Warns of variables in the words of a command that no shell reads.
  package mutating func warnOfVariables(inWords nodes: [Node], _ context: Context) {
    let program = nodes.first?.text?.split(separator: "/").last.map(String.init) ?? ""
    guard !Self.shells.contains(program),
      !nodes.contains(where: { ["-c", "-e", "--command"].contains($0.text) })
    else { return }
    for node in nodes { warnOfVariables(in: node, context) }
  }
}

extension Expression {
  /// The words of earlier versions for the result of a run, with those of today.
  private static let formerOutcomes = ["succeeded": "success", "failed": "failure"]

  /// The words that no result has, and the former name of the result of the run.
  fileprivate var mistakenWords: [(ExpressionError, Diagnostic.Severity)] {
    var found: [(ExpressionError, Diagnostic.Severity)] = []
    var compared: Set<Int> = []
    visit { part in
      if part.isFormerOutcome, !compared.contains(part.range.lowerBound) {
        found.append((ExpressionError(.formerOutcome, part.range), .warning))
      }
      guard case .binary(let symbol, let left, let right) = part.kind,
        symbol == .equal || symbol == .notEqual
      else { return }
      for (result, word) in [(left, right), (right, left)] {
        guard case .literal(.text(let text)) = word.kind, !text.isEmpty else { continue }
        if result.isFormerOutcome, ["cancelled", "succeeded", "failed"].contains(text) {
          compared.insert(result.range.lowerBound)
          found.append((ExpressionError(.comparedOutcome, result.range), .warning))
          guard let now = Self.formerOutcomes[text] else { continue }
          found.append((ExpressionError(.formerResult(text, now: now), word.range), .warning))
        } else if let (name, words) = result.closedWords, !words.contains(text) {
          // The same stem, as in succeeded and success.
          let meant = words.first { $0.prefix(4) == text.lowercased().prefix(4) }
          found.append(
            (
              ExpressionError(
                .impossibleWord(text, of: name, meant: meant, words: words), word.range), .error
            ))
        }
      }
    }
    return found
  }

  private var isFormerOutcome: Bool {
    if case .member(let base, "outcome") = kind, case .root(.run) = base.kind {
      true
    } else {
      false
    }
  }

  /// The name of a result and all words that it can be; nil for any other expression.
  private var closedWords: (name: String, words: [String])? {
    guard case .member(let base, let name) = kind else { return nil }
    if case .root(.run) = base.kind {
      switch name {
      case "result": return ("run.result", RunEnding.allCases.map(\.rawValue))
      case "outcome": return ("run.outcome", ["succeeded", "failed", "cancelled", "timed-out"])
      default: return nil
      }
    }
    guard name == "result", case .member(let steps, let id) = base.kind,
      case .root(.steps) = steps.kind
    else { return nil }
    return ("steps.\(id).result", NeedRules.results)
  }
}

extension WorkflowReader {
  /// Warns of `{{ params.x }}`, `{{item}}` and `{{.NAME}}` in a text, where it names something that
  /// the file could mean.
  ///
  /// Other text in braces is for another program, such as `docker ps --format '{{.Names}}'`.
  package mutating func warnOfBraces(in text: String, _ node: Node, _ context: Context) {
    guard text.utf8.contains(UInt8(ascii: "{")) else { return }
    if let start = text.firstRange(of: "${ "),
      let end = text[start.upperBound...].firstIndex(of: "}"),
      let meant = meant(by: text[start.upperBound..<end], context)
    {
      readers[context.file].warn(
        .plainBraces(String(text[start.lowerBound...end]), meant: meant), at: node)
    }
    guard text.utf8.count(where: { $0 == UInt8(ascii: "{") }) > 1 else { return }
    let pieces = text.split(separator: "{{", omittingEmptySubsequences: false)
    for (before, piece) in zip(pieces, pieces.dropFirst()) where before.last != "$" {
      guard let name = piece.split(separator: "}}", omittingEmptySubsequences: false).first,
        name.endIndex < piece.endIndex, let meant = meant(by: name, context)
      else { continue }
      readers[context.file].warn(.plainBraces("{{\(name)}}", meant: meant), at: node)
    }
  }

  private func meant(by name: Substring, _ context: Context) -> String? {
    let words = name.split(whereSeparator: \.isWhitespace)
    guard words.count == 1 else { return nil }
    let parts = words[0].split(separator: ".", omittingEmptySubsequences: false)
    switch parts[0] {
    case "" where parts.count == 2:
      let name = String(parts[1])
      return scopes[context.scope].parameters[name] == nil ? nil : "params.\(name)"
    case "item" where context.bindings != nil, "params", "steps", "env", "matrix":
      guard parts.count > 1 || parts[0] == "item", !parts.contains("") else { return nil }
      return String(words[0])
    case "inputs" where parts.count == 2: return "params.\(parts[1])"
    default: return nil
    }
  }
}

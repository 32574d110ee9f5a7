// The hints of errors and warnings: how to fix what is wrong.

import YAML

extension DiagnosticKind {
  /// How to fix the problem; nil if the message already says so.
  var hint: String? {
    switch self {
    case .yaml(let kind): kind.hint
    case .emptyFile: "a workflow needs at least: steps: [{ id: hello, run: echo hello }]"
    case .unreadableUse(_, let path, _): "the file was expected at \(path)"
    case .unreadableDotenv(let path, _):
      "create it, or write: { path: \(path), required: false }"
    case .variables: "write NAME=value, one per line"
    case .dotenvTooLarge: "make it smaller: the system limits the size of a program's environment"
    case .allDotenvTooLarge: "use fewer or smaller files"
    case .usesTooLarge: "use fewer or smaller files"

    case .unknownKey(_, _, let advice, let others):
      advice ?? others.hint("valid keys", atMost: 100)
    case .parameterNotGiven(let name, _): "give it: -p \(name)=…"
    case .keyAfterComma: "if the comma is part of the text before it, quote that text"
    case .notAMap(_, _, _, let hint): hint
    case .stepNotAMap: "write it like: { id: hello, run: echo hello }"
    case .notNamedValues(_, _, let text): Self.hintForMap(insteadOf: text)
    case .matrixNotAMap, .noMatrixList:
      "write it like: { os: [linux, mac], version: [5, 6] }"
    case .notAList("a list of steps", _): "write it like: any: [build, fetch]"
    case .notAList: "begin each item with \"- \""
    case .textRequired(_, _, isTag: true):
      "a ! at the beginning is a YAML tag: quote the text"
    case .unquotedColon(_, let key, let value): "quote this: '\(key): \(value)'"
    case .scriptIsList: "did you mean \"exec\"? It takes a program with its arguments"
    case .expressionNotAllowed: "write the value itself, without ${{ … }}"
    case .notADuration: Self.durationHint
    case .notAnAddress: "only http works here; check others with run: curl -fsS …"
    case .notASize: "write it like 500k, 64m or 1g"
    case .notABoolean(_, isOtherWord: true): "YAML 1.2 has only true and false"
    case .notABoolean: "write true or false, without quotes"
    case .notWhole(_, _, _, isComputed: true): "an expression is not allowed here"
    case .unknownChoice("result", "failure", _):
      "write \"over\" here, and if: failure() at this step"
    case .unknownChoice(_, _, let others): others.hint()
    case .variableName: "use letters, digits and _, not beginning with a digit"
    case .identifier: "use letters, digits, _ and -, beginning with a letter or _"
    case .longName: "use \"description\" for details"
    case .missing(let keys): keys.hint
    case .emptyList(_, let others): others.hint()
    case .noProgram(_, let example): "write it like: \(example)"
    case .exclusive("foreach", _, _): "a matrix with one more list does the same"
    case .exclusive(_, _, "a schedule"): "split it into two schedules"
    case .exclusive("runner", "service", _), .exclusive("runner", "terminal", _):
      "it must run as a process on this machine: add runner: local, or remove the other key"
    case .exclusive("retry", "service", _): "use restart: on-failure"
    case .exclusive("run", "exec", _), .exclusive("exec", "run", _): "remove one of the two"
    case .exclusive(_, _, "ready"): "check both in one script under \"run\""
    case .exclusive: "split it into two steps"
    case .misplaced(let key): key.hint
    case .noValue: "write \"\" for an empty value"
    case .ignorePattern: "remove the !: every pattern here excludes files"

    case .noAction:
      "add \"run\" with a script, or \"exec\" with a program and its arguments"
    case .stepID:
      "use at most 64 letters, digits, _ and -, beginning with a letter or digit"
    case .duplicateID: "choose another id"
    case .scriptWithExpression(let bindings, let line):
      "bind it in env: { \(bindings) } and write: \(line)"
    case .largeExpansion: "expand to fewer or smaller steps"
    case .largeMatrix: "use fewer or shorter lists"
    case .deepUses: "nest fewer workflows"
    case .foreachText: "write it like: [a, b], or: { from: 1, to: 5 }"
    case .foreachValue: "fromJSON(…) converts text such as '[\"a\", \"b\"]' to a list"
    case .statusOfItem: "split it into two steps"
    case .longItemKey(_, let bytesMax):
      "use at most \(bytesMax) bytes, such as a part of the item or ${{ index }}"
    case .itemKey: "use letters, digits and _-./@+:=,~#%"
    case .itemKeyTwice: "compute the key from more of the item, or remove it"
    case .emptyMatrix: "exclude fewer combinations, or include some"
    case .matrixValue: "write it like: [linux, mac]"
    case .matrixCombination: "write it like: [{ os: mac, version: 6 }]"
    case .approvalOfExpandedStep: "put a step with \"approval\" before it"

    case .unknownNeed(_, _, let near): near.map(Self.didYouMean)
    case .itemsWaiting: "write the steps that other branches need before the group"
    case .positionalID: "give the step an id, such as: id: build"
    case .needsAsText(let text): "write a list of ids: [\(text)]"
    case .cycle: "remove one of these needs"
    case .serviceCycle: "a service ends when the steps that use it have ended; remove a need"
    case .serviceOutside, .serviceOfNothing:
      "move it to the list that contains all steps that use it"
    case .poolOfService: "use another pool for the service, or make the pool larger"
    case .needsItself: "remove it"
    case .neededTwice: "list it once"
    case .finallyStep(_, isNeed: true): "move it to \"steps\", or remove the need"
    case .finallyStep: "move the expression to a step under \"finally\""
    case .tooManyNeeds:
      "insert a step after the group that joins it, such as { id: joined, exec: [\"true\"] }"

    case .emptyExpression: "write an expression, such as: params.name"
    case .operatorExpected(let before):
      switch before {
      case "and": "write &&"
      case "or": "write ||"
      case "is", "eq": "write =="
      case ")": "remove it, or add the opening bracket"
      default: nil
      }
    case .expected(_, let function): function.map { "call it like: \($0.usage)" }
    case .unclosedText(isInTemplate: true): "close it with a single quote"
    case .unclosedText: "close it with a single quote; write '' for a single quote inside"
    case .unclosedExpression: "close it with }}"
    case .unexpectedCharacter(let character): Self.foreignSymbols[character]
    case .notANumber: "put text in single quotes"
    case .deepExpression(isNegation: true): "one ! is enough"
    case .deepExpression, .longExpression: "bind a part of it in env first"
    case .unknownName(let name): Self.hint(forUnknown: name)
    case .unknownFunction(let name):
      Self.foreignFunctions[name.lowercased()]
        ?? Alternatives(to: name, among: Expression.Function.allCases.map(\.rawValue)).hint()
    case .argumentCount(let function, _), .argumentType(let function, _, _):
      "call it like: \(function.usage)"
    case .mapArgument(.join): "add .* to take the values of the map"
    case .textExpected: "convert it to text with toJSON(…) or join(…)"
    case .notPartOfText: "convert it to text with toJSON(…) or join(…)"
    case .notComparable(let symbol, let left, let right):
      Self.hintForComparison(symbol, left.union(right))
    case .nameNotHere(let root, _, let allowed): root.hintWhereNot(in: allowed)
    case .statusNotHere: "use it in \"if\", or in \"env\" of a step under \"finally\""
    case .moment: "write it like 2026-12-01T08:00:00Z"
    case .onlyInFinally: "read it in a step under \"finally\""
    case .filesNotHere(.toFile, _): "write it in the env of a step"
    case .filesNotHere(.hashFiles, _): "hash them in the env of a step"
    case .filesNotHere:
      "in foreach, write: { files: '*.csv' }; elsewhere, list them in the env of a step"
    case .notSortable: nil
    case .notNumbers(let symbol, let left, let right):
      Self.hintForNumbers(symbol, left.union(right))
    case .inexact: "use it as it is, or calculate in a step"
    case .divisionByZero: "test the divisor first, as in: n != 0 && 10 / n || 0"
    case .emptyPart(.split): "write the separator, such as ',' or ' '"
    case .emptyPart: "write the text that is replaced"
    case .unknownMember("secret", let name, .names):
      "declare it: secrets: { \(name): { env: \(name.uppercased()) } }"
    case .unknownMember("secret", let name, .unsearched):
      "declare it: secrets: { \(name): { env: \(name.uppercased()) } }"
    case .unknownMember(_, _, let others): others.hint(atMost: 10)
    case .secrets(let root, _, _): "name single members, as in \(root.rawValue).NAME"
    case .secret: "bind it in env of the step, and use the variable"
    case .noMember(_, nil): Self.jsonHint
    case .noMember(_, let types?), .noElements(let types):
      types == .list
        ? "select an element with [0], or the member of all elements with .*"
        : types.contains(.text) ? Self.jsonHint : nil
    case .noStepMember(let name, let id):
      "write steps.\(id).outputs.\(name) for an output, or steps.\(id).result"
    case .computedName(let root): "write it like: \(root.rawValue).name"
    case .notAValue(let root):
      "name a member, as in \(root == .steps ? "steps.build.outputs.version" : "secrets.token")"
    case .severalExpressions: "write one ${{ … }} around the whole condition, or none"
    case .condition(let types):
      types.subtracting(.null) == .text
        ? "compare it, as in: … == 'true'" : "compare it with a value"
    case .conditionValue: "compare it, as in: … == 'true'"
    case .ownOutputs(isInOutputs: false): "only its \"outputs\" can, as outputs.name"
    case .ownOutputs: "write outputs.name"
    case .notFinished(let name, needsThis: true): "\"\(name)\" itself needs this step"
    case .notFinished(let name, _): "add \"\(name)\" to its needs, directly or through others"
    case .formatPlace: "write {{ for a literal {"
    case .formatValue: "the first value is {0}"
    case .formatBracket: "write }} for a literal }"
    case .absent(let value): value.hint
    case .inside(_, let inner): inner.hint

    case .requiredWithDefault: "remove one of the two"
    case .optionalWithoutDefault: "add a default"
    case .parameterKind(_, expected: "a list in JSON", _): "write it like: [\"a\", \"b\"]"
    case .parameterKind(_, expected: "a map in JSON", _): "write it like: {\"a\": 1}"
    case .emptyLimits: "make min at most max"
    case .unknownWith(_, _, .names([])): "it has no parameters"
    case .unknownWith(_, _, let others): others.hint("valid parameters")
    case .parameterOfUse(let name, _): "add it, as in: with: { \(name): … }"
    case .secretValue(let name):
      "write it like: { env: \(name.uppercased()) }, { file: path } or { command: [pass, \(name)] }"
    case .secretSource(let name): "write it like: { env: \(name.uppercased()) }"

    case .noTrigger(let keys): "add one of: " + keys.joined(separator: ", ")
    case .noFile: "write it like: [src/**, Makefile]"
    case .unknownZone(_, _, areInstalled: false):
      "no time zones are installed (on Debian: tzdata); TZDIR can name another folder"
    case .unknownZone(_, let near, _):
      near.map(Self.didYouMean)
        ?? "write a name such as Europe/Berlin, America/New_York or UTC"
    case .cron(_, let hint): hint

    case .unknownAction(_, .names([])):
      "actions are registered by the program that embeds the engine, and this one has none"
    case .unknownAction(_, let others): others.hint()
    case .argumentMissing(_, let near): near.map { "did you misspell it as \"\($0)\"?" }
    case .unknownArgument(_, .names([])): "no values are expected here"
    case .unknownArgument(_, let others): others.hint("valid names", atMost: 100)
    case .argumentKind(_, _, _, isDuration: true): Self.durationHint
    case .argumentChoice(_, _, let others): others.hint("valid values")
    case .usesPath(let name) where name.contains("@"):
      "actions of GitHub cannot be used; a file with them is translated by: reprise import FILE"
    case .usesPath(let name):
      name.hasSuffix(".yaml") || name.hasSuffix(".yml")
        ? "write a path relative to this file, such as ./\(name.drop { $0 == "/" })"
        : "write a path relative to this file, such as ./other.yaml"
    case .usesOutside:
      "copy it into the project: the nearest folder with .git, or with the folder workflows"
    case .unknownPool(_, .names([])):
      "declare it at the top of this workflow: pools: { db: 2 }"
    case .unknownPool(_, let others): others.hint()
    case .unknownWorkflow(_, let others): others.hint()
    case .notUsable: "move it to the workflow that is run"

    case .redundantNeed: "remove it"
    case .alwaysTrue: "remove it, or make it depend on a value"
    case .oneRound: "remove \"repeat\", or make the condition depend on a value"
    case .impossibleWord(_, _, let meant?, _): "did you mean '\(meant)'?"
    case .impossibleWord(_, _, nil, let words): "it is one of \(words.joined(separator: ", "))"
    case .expressionInCode: "put it into env, and read that variable in the code"
    case .notExpanded(_, let meant): "write ${{ \(meant) }}, if its value is meant"
    case .plainBraces(_, let meant): "write ${{ \(meant) }}, if it is an expression"
    case .unusedAnchor(let name): "remove it, or use it as: *\(name)"
    case .neverTrue: "remove the step, or make the condition depend on a value"
    case .neverCancelled:
      "move the step to \"finally\"; for !cancelled() write always()"
    case .alwaysIsNotOnCancel:
      "for clean-up, move the step to \"finally\"; if it only follows other steps, write: "
        + "needs: { ID: over }"
    case .unreadableScript: "nothing of the script runs before this is corrected"
    case .missingProgram(let name, _):
      "install it, or check the \(name.contains("/") ? "path" : "name and PATH")"
    case .unmatchedInput(let pattern, _) where pattern.hasPrefix("~"):
      "~ is a name like any other here; for files elsewhere, put a link to them into the folder"
    case .unmatchedInput: "correct it; no change of the files that are meant runs the step again"
    case .vainExclusion: "write it as in the list, or remove the combination"
    case .unsetVariable(_, .isOfSameFile):
      "variables under \"env\" of a workflow cannot refer to one another"
    case .unsetVariable(_, .isOfStep):
      "the variables of a step are visible to its command, not to its expressions"
    case .unsetVariable(let name, .unknown(let near)):
      near.map(Self.didYouMean) ?? "if it is optional, write: env.\(name) || ''"
    case .writtenNumber(let text, _): "if it is a version or a name, quote it: '\(text)'"
    case .booleanWord: "write true or false, or quote the text"
    case .noEffectInUse: "it has an effect only when this file is run directly"
    default: nil
    }
  }

  private static let durationHint = "write it like 500ms, 10s, 1m30s or 2h"
  private static let jsonHint = "read JSON with fromJSON(…) first"

  fileprivate static func didYouMean(_ name: String) -> String { "did you mean \"\(name)\"?" }

  /// Hints for symbols of other languages that have no meaning in expressions.
  private static let foreignSymbols = [
    "=": "compare with ==", "&": "write &&", "|": "write ||",
    "\"": "put text in single quotes", "?": "write: condition && 'then' || 'else'",
    "$": "write only the name, as in params.name", "{": "write only the name, as in params.name",
  ]

  /// Returns a hint that shows text such as `NAME=value` as a map.
  private static func hintForMap(insteadOf text: String?) -> String {
    let parts = (text ?? "").split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.allSatisfy({ $0 > 0x20 }) else {
      return "write it like: { NAME: value }"
    }
    return "write it like: { \(parts[0]): \"\(parts[1])\" }"
  }

  private static func hint(forUnknown name: String) -> String {
    let foreign = [
      "inputs": "params", "needs": "steps", "github": "run", "vars": "params", "job": "run",
      "jobs": "steps", "strategy": "matrix", "parameters": "params", "input": "params",
      "secret": "secrets", "step": "steps", "environment": "env", "runner": "machine",
      "os": "machine.os", "arch": "machine.arch", "platform": "machine.os", "cpus": "machine.cpus",
      "runtime": "machine",
    ]
    let roots = Expression.Root.allCases.map(\.rawValue)
    switch name {
    case "yes", "no", "on", "off": return "write true or false"
    case "not": return "write !"
    case "and": return "write &&"
    case "or": return "write ||"
    default: break
    }
    if let function = Expression.Function(rawValue: name) { return "call it: \(function.usage)" }
    return (foreign[name] ?? nearest(to: name, among: roots)).map(didYouMean)
      ?? "put text in single quotes; available names: " + roots.joined(separator: ", ")
  }

  /// Hints for functions of other languages and tools, by their names in lower case.
  private static let foreignFunctions: [String: String] = {
    let names: [String: [String]] = [
      "lower": ["tolower", "lowercase", "downcase", "lcase"],
      "upper": ["toupper", "uppercase", "upcase", "ucase"],
      "length": ["len", "size", "count"],
      "matches": ["match", "regex", "test", "regexmatch", "ismatch", "regexp"],
      "trim": ["strip", "trimspace", "trimall"],
      "replace": ["sub", "gsub", "substitute", "replaceall"],
      "split": ["splitlist", "tokenize", "explode"],
      "join": ["implode"],
      "sort": ["sorted", "sortalpha", "sortby"],
      "filter": ["select", "grep", "where"],
      "glob": ["files", "ls", "find", "wildcard"],
      "contains": ["includes", "has", "in"],
      "startsWith": ["hasprefix", "beginswith"],
      "endsWith": ["hassuffix"],
    ]
    var hints = [
      "concat": "concatenate with format('{0}{1}', a, b)",
      "default": "write: value || 'default'", "coalesce": "write: value || 'default'",
      "ternary": "write: condition && 'then' || 'else'",
      "if": "write: condition && 'then' || 'else'",
      "number": "convert text to a number with fromJSON(text)",
      "int": "convert text to a number with fromJSON(text)",
      "tonumber": "convert text to a number with fromJSON(text)",
      "string": "write toJSON(value), or format('{0}', value)",
      "substring": "use split, replace or startsWith, or cut it in a step",
    ]
    for (name, others) in names {
      for other in others { hints[other] = didYouMean(name) }
    }
    return hints
  }()

  private static func hintForNumbers(_ symbol: Expression.Operator, _ both: ValueTypes) -> String? {
    if symbol == .add, both.contains(.text) {
      return "concatenate with format('{0}{1}', a, b), or convert text with fromJSON(…)"
    }
    return both.contains(.text) ? "convert the text to a number with fromJSON(…)" : nil
  }

  private static func hintForComparison(
    _ symbol: Expression.Operator, _ both: ValueTypes
  ) -> String? {
    if both.contains(.text) && both.contains(.number) {
      return "convert the text to a number with fromJSON(…), or put the number in single quotes"
    }
    if both.contains(.text) && both.contains(.boolean) {
      return "compare with 'true', in single quotes"
    }
    if symbol.isOrder { return "convert text to numbers with fromJSON(…)" }
    guard both.contains(.null) else { return nil }
    let other = both.contains(.number) ? "0" : "false"
    return "if there may be no value, give a default: (… || \(other))"
  }
}

extension Alternatives {
  /// Returns a hint with the nearest name, or with a list of the names.
  func hint(_ introduction: String = "available", atMost count: Int = 20) -> String? {
    switch self {
    case .nearest(let name): DiagnosticKind.didYouMean(name)
    case .names(let names) where !names.isEmpty:
      "\(introduction): " + names.prefix(count).joined(separator: ", ")
    case .minus(let name):
      "put spaces around a minus: \(name) - …; in a name, it is part of the name"
    case .names, .unsearched: nil
    }
  }
}

extension Expression.Root {
  /// Returns a hint for this name at a place where only `roots` are available.
  fileprivate func hintWhereNot(in roots: Set<Self>) -> String? {
    switch self {
    case .matrix: "it is available in a step with \"matrix\""
    case .item, .index: "it is available in a step with \"foreach\""
    case .status: "it is available in \"repeat\" of a step"
    case .stdout, .outputs: "it is available in \"outputs\" of a step"
    case .secrets: "bind it in env"
    case .trigger, .args: "it is available in the steps of the file that is run"
    case .params, .env, .steps, .run, .workflow, .machine:
      Alternatives.names(Self.allCases.filter(roots.contains).map(\.rawValue)).hint()
    }
  }
}

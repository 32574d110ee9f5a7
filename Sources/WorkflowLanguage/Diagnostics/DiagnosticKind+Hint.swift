// The hints of errors and warnings: how to fix what is wrong.

import YAML

extension DiagnosticKind {
  /// How to fix it; nil where the text says that.
  var hint: String? {
    switch self {
    case .yaml(let kind): kind.hint
    case .emptyFile: "a workflow needs at least: steps: [{ id: hello, run: echo hello }]"
    case .unreadableUse(_, let path, _): "it was looked for at \(path)"
    case .unreadableVariables(let path, _):
      "make it, or write: { path: \(path), required: false }"
    case .variables: "write NAME=value, one on each line"
    case .largeVariables: "make it smaller: a program can hardly be given so much"
    case .largeVariablesTogether: "name fewer or smaller ones"
    case .largeUses: "use them less often, or make them smaller"

    case .unknownKey(_, _, let advice, let others):
      advice ?? others.hint("it may have", atMost: 100)
    case .keyAfterComma: "quote the text before it if the comma is part of that"
    case .groupKey: "give it to the steps in the group"
    case .notAMap(_, _, _, let hint): hint
    case .stepNotAMap: "write it like: { id: hello, run: echo hello }"
    case .notNamedValues(_, _, let text): Self.hintForMap(insteadOf: text)
    case .matrixNotAMap, .noMatrixList:
      "write it like: { os: [linux, mac], version: [5, 6] }"
    case .notAList: "begin each with \"- \""
    case .notAText(_, _, isTag: true):
      "a ! at the beginning means something to YAML: quote the text"
    case .colonMadeMap(_, let key, let value): "quote this: '\(key): \(value)'"
    case .scriptIsList: "did you mean \"exec\"? That is a program with its arguments"
    case .notComputable: "write the value itself, without ${{ … }}"
    case .notADuration: Self.durationHint
    case .notABoolean(_, isOtherWord: true): "YAML 1.2 knows only true and false"
    case .notABoolean: "write true or false, without quotes"
    case .notWhole(_, _, _, isComputed: true): "it cannot be computed"
    case .unknownChoice(_, _, let others): others.hint()
    case .variableName: "use letters, digits and _, not beginning with a digit"
    case .identifier: "use letters, digits, _ and -, beginning with a letter or _"
    case .longName: "say more in \"description\""
    case .missing(let keys): keys.hint
    case .emptyList(_, let others): others.hint()
    case .noProgram(_, let example): "write it like: \(example)"
    case .exclusive("foreach", _, _): "a matrix with one more list does the same"
    case .exclusive(_, _, "a schedule"): "make two of them"
    case .exclusive: "make two steps of it"
    case .misplaced(let key): key.hint
    case .noValue: "write \"\" for an empty one"
    case .ignorePattern: "leave the ! out: what it names is ignored"

    case .noAction:
      "add \"run\" with a script, or \"exec\" with a program and its arguments"
    case .stepID:
      "use at most 64 letters, digits, _ and -, beginning with a letter or digit"
    case .duplicateID: "ids must differ"
    case .scriptWithExpression(let bindings, let line):
      "bind it in env: { \(bindings) } and write: \(line)"
    case .largeExpansion: "make fewer steps, or smaller ones"
    case .largeMatrix: "use fewer or shorter lists"
    case .deepUses: "use fewer in one another"
    case .foreachText: "write it like: [a, b], or: { from: 1, to: 5 }"
    case .foreachValue: "fromJSON(…) makes a list of a text such as '[\"a\", \"b\"]'"
    case .emptyMatrix: "exclude less, or include something"
    case .matrixValue: "write it like: [linux, mac]"
    case .matrixCombination: "write it like: [{ os: mac, version: 6 }]"
    case .approvalOfMany: "put a step with \"approval\" before it"

    case .unknownNeed(_, _, let near): near.map(Self.didYouMean)
    case .needsAsText(let text): "write a list of ids: [\(text)]"
    case .cycle: "one of them must not need the next"
    case .needsItself: "remove it"
    case .neededTwice: "name it once"
    case .finallyStep(_, isNeed: true): "move it to \"steps\", or do not need it"
    case .finallyStep: "use it there"
    case .tooManyNeeds:
      "let them need one step that needs the group, like: { id: joined, exec: [\"true\"] }"

    case .emptyExpression: "write one, such as: params.name"
    case .operatorExpected(let before):
      switch before {
      case "and": "write &&"
      case "or": "write ||"
      case "is", "eq": "write =="
      case ")": "remove it, or open it before"
      default: nil
      }
    case .expected(_, let function): function.map { "call it like: \($0.usage)" }
    case .unclosedText(isInTemplate: true): "close it with a single quote"
    case .unclosedText: "close it with a single quote; write '' for a quote in it"
    case .unclosedExpression: "close it with }}"
    case .strayCharacter(let character): Self.foreignSymbols[character]
    case .notANumber: "texts stand in single quotes"
    case .deepExpression(isNegation: true): "one ! is enough"
    case .deepExpression, .longExpression: "bind a part of it in env first"
    case .unknownName(let name): Self.hint(forUnknown: name)
    case .unknownFunction(let name):
      Alternatives(to: name, among: Expression.Function.allCases.map(\.rawValue)).hint()
    case .argumentCount(let function, _), .argumentType(let function, _, _):
      "call it like: \(function.usage)"
    case .mapArgument(.join): "write .* behind it"
    case .textExpected: "make one with toJSON(…) or join(…)"
    case .notPartOfText: "make a text of it with toJSON(…) or join(…)"
    case .notComparable(let symbol, let left, let right):
      Self.hintForComparison(symbol, left.union(right))
    case .nameNotHere(let root, _, let allowed): root.hintWhereNot(in: allowed)
    case .statusNotHere: "ask for it in \"if\""
    case .filesNotHere: "hash them in env"
    case .unknownMember("secret", let name, .names):
      "declare it: secrets: { \(name): { env: \(name.uppercased()) } }"
    case .unknownMember("secret", let name, .unsearched):
      "declare it: secrets: { \(name): { env: \(name.uppercased()) } }"
    case .unknownMember(_, _, let others): others.hint(atMost: 10)
    case .secrets(let root, _, _): "name the members that are meant, as in \(root.rawValue).NAME"
    case .secret: "bind it in env of the step, and use the variable"
    case .noMember(_, nil): Self.jsonHint
    case .noMember(_, let types?), .noElements(let types):
      types == .list
        ? "take an element with [0], or of each with .*"
        : types.contains(.text) ? Self.jsonHint : nil
    case .noStepMember(let name, let id):
      "write steps.\(id).outputs.\(name) for an output, or steps.\(id).result"
    case .computedName(let root): "write it like: \(root.rawValue).name"
    case .noValueByItself(let root):
      "name one, as in \(root == .steps ? "steps.build.outputs.version" : "secrets.token")"
    case .severalExpressions: "write one ${{ … }} around all of it, or none"
    case .condition(let types):
      types.subtracting(.null) == .text
        ? "compare it, as in: … == 'true'" : "compare it with something"
    case .conditionValue: "compare it, as in: … == 'true'"
    case .ownOutputs(isInOutputs: false): "only \"outputs\" of it can, as outputs.name"
    case .ownOutputs: "write outputs.name"
    case .notOver(let name, needsThis: true): "\"\(name)\" needs this step itself"
    case .notOver(let name, _): "add \"\(name)\" to its needs, directly or through others"
    case .formatPlace: "write {{ for a { itself"
    case .formatValue: "the first one is {0}"
    case .formatBracket: "write }} for a } itself"
    case .absent(let value): value.hint
    case .inside(_, let inner): inner.hint

    case .requiredWithDefault: "remove one of them"
    case .optionalWithoutDefault: "add a default"
    case .unknownWith(_, _, .names([])): "it has none"
    case .unknownWith(_, _, let others): others.hint("it has")
    case .parameterOfUse(let name, _): "add it, as in: with: { \(name): … }"
    case .secretValue(let name):
      "write it like: { env: \(name.uppercased()) }, { file: path } or { command: [pass, \(name)] }"
    case .secretSource(let name): "write it like: { env: \(name.uppercased()) }"

    case .noTrigger(let keys): "it may be: " + keys.joined(separator: ", ")
    case .noFile: "write it like: [src/**, Makefile]"
    case .unknownZone(_, _, areInstalled: false):
      "no time zones are installed here (in Debian: tzdata); TZDIR names another folder"
    case .unknownZone(_, let near, _):
      near.map(Self.didYouMean)
        ?? "it is a name such as Europe/Berlin, America/New_York or UTC"
    case .cron(_, let hint): hint

    case .unknownAction(_, .names([])):
      "actions are registered by the program that embeds the engine, and this one has none"
    case .unknownAction(_, let others): others.hint()
    case .argumentMissing(_, let near): near.map { "is it meant by \"\($0)\"?" }
    case .unknownArgument(_, .names([])): "nothing is taken here"
    case .unknownArgument(_, let others): others.hint("there may be", atMost: 100)
    case .argumentKind(_, _, _, isDuration: true): Self.durationHint
    case .argumentChoice(_, _, let others): others.hint("it may be")
    case .usesPath: "write it relative to this file, like: ./other.yaml"
    case .usesOutside: "only files in that folder and below can be used"
    case .notUsable: "move it to the workflow that is run"

    case .impliedNeed: "it can be left out"
    case .neverTrue: "remove the step, or let it depend on something"
    case .neverCancelled:
      "move the step to \"finally\"; for !cancelled() write always()"
    case .unsetVariable(_, .isOfSameFile):
      "the variables under \"env\" of a workflow do not see one another"
    case .unsetVariable(_, .isOfStep):
      "the variables of a step are seen by its command, not by its expressions"
    case .unsetVariable(let name, .unknown(let near)):
      near.map(Self.didYouMean) ?? "where it may be missing, write: env.\(name) || ''"
    case .writtenNumber(let text, _): "quote it if it is a version or a name: '\(text)'"
    case .booleanWord: "quote it if the text is meant"
    case .noEffectInUse: "it counts when this file is run by itself"
    default: nil
    }
  }

  private static let durationHint = "write it like 500ms, 10s, 1m30s or 2h"
  private static let jsonHint = "read JSON with fromJSON(…) first"

  fileprivate static func didYouMean(_ name: String) -> String { "did you mean \"\(name)\"?" }

  /// What people write who come from other languages.
  private static let foreignSymbols = [
    "=": "compare with ==", "&": "write &&", "|": "write ||",
    "+": "join texts with format('{0}{1}', a, b)",
    "\"": "texts stand in single quotes", "?": "write: condition && 'then' || 'else'",
    "$": "write the name alone, as in params.name", "{": "write the name alone, as in params.name",
  ]

  /// How to write a map for a text such as `NAME=value`.
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
      "secret": "secrets", "step": "steps", "environment": "env",
    ]
    let roots = Expression.Root.allCases.map(\.rawValue)
    switch name {
    case "yes", "no", "on", "off": return "there are only true and false"
    case "not": return "write !"
    case "and": return "write &&"
    case "or": return "write ||"
    default: break
    }
    if let function = Expression.Function(rawValue: name) { return "call it: \(function.usage)" }
    return (foreign[name] ?? nearest(to: name, among: roots)).map(didYouMean)
      ?? "texts stand in single quotes; there are: " + roots.joined(separator: ", ")
  }

  private static func hintForComparison(
    _ symbol: Expression.Operator, _ both: ValueTypes
  ) -> String? {
    if both.contains(.text) && both.contains(.number) {
      return "make a number of the text with fromJSON(…), or put the number in single quotes"
    }
    if both.contains(.text) && both.contains(.boolean) {
      return "compare with 'true', in single quotes"
    }
    if symbol.isOrder { return "make numbers with fromJSON(…)" }
    guard both.contains(.null) else { return nil }
    let other = both.contains(.number) ? "0" : "false"
    return "where there may be nothing, give another value: (… || \(other))"
  }
}

extension Alternatives {
  /// What was meant, or what there is.
  func hint(_ introduction: String = "there are", atMost count: Int = 20) -> String? {
    switch self {
    case .nearest(let name): DiagnosticKind.didYouMean(name)
    case .names(let names) where !names.isEmpty:
      "\(introduction): " + names.prefix(count).joined(separator: ", ")
    case .names, .unsearched: nil
    }
  }
}

extension Expression.Root {
  /// What to do where this was meant and means nothing.
  fileprivate func hintWhereNot(in roots: Set<Self>) -> String? {
    switch self {
    case .matrix: "it means something in a step with \"matrix\""
    case .item, .index: "it means something in a step with \"foreach\""
    case .stdout, .outputs: "it means something in \"outputs\" of a step"
    case .secrets: "bind it in env"
    case .trigger: "it means something in the steps of the file that is run"
    case .params, .env, .steps, .run, .workflow:
      Alternatives.names(Self.allCases.filter(roots.contains).map(\.rawValue)).hint()
    }
  }
}

extension MissingKeys {
  fileprivate var hint: String? {
    switch self {
    case .steps: nil
    case .id: "add one, such as: id: build"
    case .limit: "write it like: { limit: 3, delay: 2s, backoff: exponential }"
    case .groupAndPolicy: "write it like: { group: deploy, policy: queue }"
    case .fromAndTo: "write it like: { from: 1, to: 5 }"
    case .paths: "write it like: { paths: [src/**] }"
    case .cronOrEvery:
      "write it like: { cron: '30 2 * * *', time-zone: Europe/Berlin } or { every: 10m }"
    case .path: "write it like: { path: .env }"
    case .inputsOrKey: "write it like: { inputs: [src/**], outputs: [build/app] }"
    case .options: "write them like: options: [staging, production]"
    }
  }
}

extension MisplacedKey {
  fileprivate var hint: String {
    switch self {
    case .with: "use env"
    case .options: "change the type"
    case .factor: "add the backoff, or leave the factor out"
    case .timeZone: "leave it out"
    case .on: "use \"if\" here"
    case .shellOfCall, .sharedApproval: "remove it"
    case .needsOfFinally: "they run in order, when all others are over"
    case .ofMany: "give it to the workflow, or remove it"
    case .ofMatrix: "indent it less"
    case .withPolicy(_, let policy, hasOther: false): "add when-busy: \(policy.rawValue)"
    case .withPolicy: "leave one of them out"
    case .ofApproval: "remove it, or give it to the step with the work"
    case .ofUses("env"): "give values in \"with\""
    case .ofUses: "give it to the steps of the file that it uses"
    }
  }
}

extension AbsentValue {
  fileprivate var hint: String? {
    switch self {
    case .parameterBeforeRun: "give the parameter a fixed value in \"with\""
    case .hashBeforeRun: "use it in env or in cache.key"
    case .notText: "read it in the step itself"
    case .written(_, let names):
      names.isEmpty
        ? "it has written none" : "it has written: " + names.joined(separator: ", ")
    case .output(_, _, let result, let left):
      switch result {
      case "failure": "it failed" + Self.elseHint
      case "cancelled": "it was cancelled" + Self.elseHint
      case "skipped": "it was skipped" + Self.elseHint
      default:
        left.isEmpty ? "it has left none" : "it has left: " + left.joined(separator: ", ")
      }
    case .beforeRun, .itemMember, .unknownParameter, .parameter, .nul, .secret, .step, .failed: nil
    }
  }

  private static let elseHint = "; where that may be, write: … || 'something else'"
}

// Hints for expressions: names of other languages and tools, and types that do not fit.

extension Diagnostic.Cause {
  package static func hint(forUnknown name: String) -> String {
    let foreign = [
      "inputs": "params", "needs": "steps", "vars": "params", "job": "run",
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
    case "github":
      return
        "read it in a script, as in: git rev-parse HEAD; run.id and trigger say what runs and why"
    default: break
    }
    if let function = Expression.Function(rawValue: name) { return "call it: \(function.usage)" }
    return (foreign[name] ?? nearest(to: name, among: roots)).map(didYouMean)
      ?? "put text in single quotes; available names: " + roots.joined(separator: ", ")
  }

  /// Hints for functions of other languages and tools, by their names in lower case.
  package static let foreignFunctions: [String: String] = {
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

  package static func hintForNumbers(_ symbol: Expression.Operator, _ both: ValueTypes) -> String? {
    if symbol == .add, both.contains(.text) {
      return "concatenate with format('{0}{1}', a, b), or convert text with fromJSON(…)"
    }
    return both.contains(.text) ? "convert the text to a number with fromJSON(…)" : nil
  }

  package static func hintForComparison(_ symbol: Expression.Operator, _ both: ValueTypes)
    -> String?
  {
    if both.contains(.text) && both.contains(.number) {
      return "convert the text to a number with fromJSON(…)"
        + (symbol.isOrder ? "" : ", or put the number in single quotes")
    }
    if both.contains(.text) && both.contains(.boolean) {
      return "compare with 'true', in single quotes"
    }
    if symbol.isOrder { return "convert text to numbers with fromJSON(…)" }
    guard both.contains(.null) else { return nil }
    let other = both.contains(.number) ? "0" : "false"
    return "if there may be no value, give a default: (… || \(other))"
  }

  package static let jsonHint = "read JSON with fromJSON(…) first"

  package static func hintForParts(of types: ValueTypes) -> String? {
    types == .list
      ? "select an element with [0], or the member of all elements with .*"
      : types.contains(.text) ? jsonHint : nil
  }
}

extension Expression.Root {
  /// Returns a hint for this name at a place where only `roots` are available.
  package func hintWhereNot(in roots: Set<Self>) -> String? {
    switch self {
    case .matrix: "it is available in a step with \"matrix\""
    case .item, .index: "it is available in a step with \"foreach\""
    case .status: "it is available in \"repeat\" of a step"
    case .stdout, .outputs: "it is available in \"outputs\" of a step"
    case .attempt: "it is available in the settings of a runner, except max-parallel"
    case .secrets: "bind it in env"
    case .trigger, .args: "it is available in the steps of the file that is run"
    case .params, .env, .steps, .run, .workflow, .machine:
      Alternatives.names(Self.allCases.filter(roots.contains).map(\.rawValue)).hint()
    }
  }
}

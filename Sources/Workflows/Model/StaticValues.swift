// The values that expressions can use before a run.

import Platform

/// The values that are known before a run.
package struct StaticValues: ValueSource {
  let scope: Scope
  let bindings: Bindings?
  /// The subject of the expression, for messages.
  let what: String
  package let budget: EvaluationBudget

  package init(
    scope: Scope, bindings: Bindings?, what: String, budget: EvaluationBudget = EvaluationBudget()
  ) {
    (self.scope, self.bindings, self.what, self.budget) = (scope, bindings, what, budget)
  }

  package func value(of root: Expression.Root, member: String?) throws(ValueProblem) -> Value {
    switch root {
    case .item where bindings?.openItem != nil, .index where bindings?.openItem != nil,
      .matrix where bindings?.openMatrix != nil:
      throw .missing(.notKnownBeforeRun(root))
    default: break
    }
    switch (root, member) {
    case (.params, let name?): return try parameter(name)
    case (.params, nil):
      var values: [String: Value] = [:]
      for name in scope.parameters.keys { values[name] = try parameter(name) }
      return .map(values)
    case (.matrix, let name?): return bindings?.matrix?[name] ?? .null
    case (.matrix, nil): return .map(bindings?.matrix ?? [:])
    case (.item, nil): return bindings?.item ?? .null
    case (.item, let name?): return try memberOfItem(name)
    case (.index, _): return .number(Double(bindings?.index ?? 0))
    case (.workflow, let member):
      let values = ["name": Value.text(scope.workflow), "dir": .text(scope.folder)]
      return member.map { values[$0] ?? .null } ?? .map(values)
    case (.machine, let member):
      let values: [String: Value] = [
        "os": .text(Machine.system), "arch": .text(Machine.architecture),
        "cpus": .number(Double(Machine.processorCount)),
      ]
      return member.map { values[$0] ?? .null } ?? .map(values)
    case (.trigger, let member):
      guard let trigger = scope.trigger, case .map(let values) = trigger.value else {
        throw .unknown
      }
      return member.map { values[$0] ?? .null } ?? .map(values)
    case (.args, _):
      guard let arguments = scope.arguments else { throw .unknown }
      return .list(arguments.map(Value.text))
    case (.env, _), (.secrets, _), (.steps, _), (.run, _), (.stdout, _), (.outputs, _),
      (.status, _), (.attempt, _):
      throw .missing(.notKnownBeforeRun(root))
    }
  }

  private func memberOfItem(_ name: String) throws(ValueProblem) -> Value {
    guard case .map(let values) = bindings?.item ?? .null else {
      throw .missing(.noItemMember(name, (bindings?.item ?? .null).types))
    }
    return values[name] ?? .null
  }

  private func parameter(_ name: String) throws(ValueProblem) -> Value {
    switch scope.parameters[name] {
    case .value(let value): return value
    case .open: throw .unknown
    case .template:
      throw .missing(.parameterBeforeRun(name, what))
    case nil: throw .missing(.noParameter(name))
    }
  }

  package func status() throws(ValueProblem) -> RunEnding { throw .unknown }

  package func hash(ofFiles patterns: [String]) throws(ValueProblem) -> String {
    throw .missing(.hashBeforeRun)
  }

  package func files(matching patterns: [String]) throws(ValueProblem) -> [String] {
    throw .missing(.filesBeforeRun)
  }
}

// Settings that are known before anything runs: their expressions are computed while the file is read.

import YAML

extension WorkflowReader {
  /// The node with its expressions computed.
  ///
  /// - Returns: A scalar without expressions, or nil where one is wrong or not known yet.
  mutating func settled(_ node: Node, _ what: String, _ context: Context) -> Node? {
    guard case .scalar(let text, _) = node.content, text.hasExpression else { return node }
    guard let template = readers[context.file].template(node, what),
      let value = settledValue(template, node, what, context)
    else { return nil }
    var settled = node
    if case .text = value {
      // The whole text may be a number as well as it could be in the file.
      settled.content = .scalar(value.asText, isPlain: true)
    } else if case .scalar = node.content {
      settled.content = .scalar(value.asText, isPlain: true)
    }
    return settled
  }

  /// The value of a template that may only refer to what is known before a run.
  mutating func settledValue(
    _ template: Template, _ node: Node, _ what: String, _ context: Context
  ) -> Value? {
    let place: ExpressionPlace = context.isOfTriggers ? .triggers : .settled(what)
    let scope = expressionScope(of: place, scope: context.scope, context.bindings)
    do throws(ExpressionMistake) {
      _ = try template.types(in: scope)
    } catch {
      readers[context.file].report(error, in: node)
      return nil
    }
    do throws(EvaluationError) {
      return try template.value(
        from: SettledValues(
          scope: scopes[context.scope], bindings: context.bindings, what: what,
          budget: budget))
    } catch {
      if case .mistake(let mistake) = error { readers[context.file].report(mistake, in: node) }
      return nil
    }
  }

  mutating func duration(
    _ node: Node, _ what: String, _ context: Context, allowsZero: Bool
  ) -> Duration? {
    guard let node = settled(node, what, context),
      let text = readers[context.file].scalar(node, what)
    else { return nil }
    return readers[context.file].duration(text, node, what, allowsZero: allowsZero)
  }

  mutating func number(_ node: Node, _ what: String, _ context: Context) -> Int? {
    settled(node, what, context).flatMap { readers[context.file].number($0, what, from: 1) }
  }

  mutating func boolean(_ node: Node, _ what: String, _ context: Context) -> Bool? {
    settled(node, what, context).flatMap { readers[context.file].boolean($0, what) }
  }

  mutating func text(_ node: Node, _ what: String, _ context: Context) -> String? {
    settled(node, what, context).flatMap { readers[context.file].nonEmptyText($0, what) }
  }

  /// One text or a list of them.
  mutating func texts(_ node: Node, _ what: String, _ context: Context) -> [String] {
    guard case .sequence(let nodes) = node.content else {
      return text(node, what, context).map { [$0] } ?? []
    }
    return nodes.compactMap { text($0, what, context) }
  }

  mutating func readConcurrency(_ node: Node, _ context: Context) -> Concurrency? {
    guard case .mapping(let pairs) = node.content else {
      return readers[context.file].concurrency(node)
    }
    // The group may depend on parameters: one for each target, say.
    var settledPairs: [Node.Pair] = []
    for var pair in pairs {
      if pair.key.says("group") {
        guard let value = settled(pair.value, "group", context) else { return nil }
        pair.value = value
      }
      settledPairs.append(pair)
    }
    var copy = node
    copy.content = .mapping(settledPairs)
    return readers[context.file].concurrency(copy)
  }
}

/// The values that are known before a run.
struct SettledValues: ValueSource {
  let scope: Scope
  let bindings: Bindings?
  /// What they are for.
  let what: String
  var budget = EvaluationBudget()

  func value(of root: Expression.Root, member: String?) throws(ValueProblem) -> Value {
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
    case (.workflow, _): return .text(scope.workflow)
    case (.trigger, let member):
      guard let trigger = scope.trigger, case .map(let values) = trigger.value else {
        throw .unknown
      }
      return member.map { values[$0] ?? .null } ?? .map(values)
    case (.env, _), (.secrets, _), (.steps, _), (.run, _), (.stdout, _), (.outputs, _):
      throw .missing(.absent(.beforeRun(root)))
    }
  }

  private func memberOfItem(_ name: String) throws(ValueProblem) -> Value {
    guard case .map(let values) = bindings?.item ?? .null else {
      throw .missing(.absent(.itemMember(name, (bindings?.item ?? .null).types)))
    }
    return values[name] ?? .null
  }

  private func parameter(_ name: String) throws(ValueProblem) -> Value {
    switch scope.parameters[name] {
    case .value(let value): return value
    case .open: throw .unknown
    case .template:
      throw .missing(.absent(.parameterBeforeRun(name, what)))
    case nil: throw .missing(.absent(.unknownParameter(name)))
    }
  }

  func status() throws(ValueProblem) -> RunEnding { throw .unknown }

  func hash(ofFiles patterns: [String]) throws(ValueProblem) -> String {
    throw .missing(.absent(.hashBeforeRun))
  }
}

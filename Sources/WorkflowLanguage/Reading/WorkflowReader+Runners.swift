// Reads `runners`, which names places where steps run, and `runner`, which chooses one.

import YAML

extension WorkflowReader {
  /// The runner that is a plain process on this machine, where all others are not.
  static let localRunner = "local"

  /// Reads the named runners of a file.
  mutating func readRunners(_ node: Node, _ context: Context) -> [String: RunnerChoice] {
    var runners: [String: RunnerChoice] = [:]
    for (name, key, value) in readers[context.file].named(node, "runners", .identifier) {
      guard name != Self.localRunner else {
        readers[context.file].report(.exclusive("runners", name, in: "a workflow"), at: key)
        continue
      }
      // After an error, the name exists all the same: each mistake is reported once.
      runners[name] =
        readRunnerKind(value, named: name, context) ?? RunnerChoice(name: name, kind: "")
    }
    return runners
  }

  // The next functions are apart from those that call themselves for nested lists and files, whose
  // frames must stay small.

  /// Reads the runner of a list or file into the context of its steps.
  @inline(never)
  mutating func readRunner(_ node: Node?, into context: inout Context) {
    if let node { readRunner(node, of: context, into: &context) }
  }

  /// Reads a runner that is chosen in one context into another one.
  @inline(never)
  mutating func readRunner(_ node: Node, of outer: Context, into context: inout Context) {
    if let runner = readRunner(node, outer) { context.extras.runner = runner }
  }

  /// Reads the choice of a runner: a name, or a map with a kind and its settings.
  ///
  /// - Returns: The choice; `.some(nil)` for a plain process on this machine, nil after an error.
  mutating func readRunner(_ node: Node, _ context: Context) -> RunnerChoice?? {
    let file = context.file
    guard case .scalar = node.content else {
      return readRunnerKind(node, named: nil, context).map(Optional.some)
    }
    guard let name = text(node, "runner", context) else { return nil }
    if name == Self.localRunner { return .some(nil) }
    var scope: Int? = context.scope
    var names: [String] = [Self.localRunner]
    while let position = scope {
      if let runner = scopes[position].runners[name] { return runner }
      names += scopes[position].runners.keys.sorted()
      scope = scopes[position].parent
    }
    // Without a catalog, any name may be that of a kind.
    if actions?.runnerNames.contains(name) ?? true {
      var settings = node
      settings.content = .mapping([])
      var kind = node
      kind.content = .mapping([Node.Pair(key: node, value: settings)])
      return readRunnerKind(kind, named: nil, context).map(Optional.some)
    }
    let known = names + (actions?.runnerNames ?? [])
    readers[file].report(
      .unknownChoice("runner", name, Alternatives(to: name, among: known)), at: node)
    return nil
  }

  /// Reads a map with one key: the kind of a runner, with its settings.
  private mutating func readRunnerKind(
    _ node: Node, named name: String?, _ context: Context
  ) -> RunnerChoice? {
    let file = context.file
    let kinds = actions?.runnerNames ?? []
    guard case .mapping(let pairs) = node.content, pairs.count == 1, let kind = pairs[0].key.text
    else {
      readers[file].report(
        .notAMap(
          "a runner", firstKey: kinds.first ?? "sandbox", found: node.kindName,
          hint: "write it like: { \(kinds.first ?? "sandbox"): { … } }"), at: node)
      return nil
    }
    if actions != nil, !kinds.contains(kind) {
      readers[file].report(
        .unknownChoice("kind of runner", kind, Alternatives(to: kind, among: kinds)),
        at: pairs[0].key)
      return nil
    }
    var choice = RunnerChoice(name: name ?? kind, kind: kind)
    let settings = pairs[0].value
    guard case .mapping(let given) = settings.content else {
      if settings.isNull { return check(choice, pairs[0].key, nil, context) }
      readers[file].report(
        .notAMap(
          kind, firstKey: "max-parallel", found: settings.kindName,
          hint: "write it like: { \(kind): { … } }"), at: settings)
      return nil
    }
    for pair in given {
      let key = pair.key.text ?? ""
      if key == "max-parallel" {
        choice.maxParallel = number(pair.value, key, context)
      } else if let value = settledValue(pair.value, "\"\(key)\"", context) {
        choice.settings[key] = value
      }
    }
    return check(choice, pairs[0].key, settings, context)
  }

  /// Checks the settings of a runner against its kind.
  private mutating func check(
    _ choice: RunnerChoice, _ kind: Node, _ settings: Node?, _ context: Context
  ) -> RunnerChoice? {
    guard let check = actions?.runnerChecks[choice.kind] else { return choice }
    do throws(ArgumentError) {
      try check(choice.arguments)
      return choice
    } catch {
      let place = settings.map { self.place(of: error, in: $0) } ?? kind
      readers[context.file].report(error.cause.inside("\"\(choice.kind)\""), at: place)
      return nil
    }
  }

  /// Returns a value of any kind, with all expressions evaluated.
  private mutating func settledValue(_ node: Node, _ what: String, _ context: Context) -> Value? {
    switch node.content {
    case .scalar: return settled(node, what, context).map(Value.init)
    case .sequence(let nodes):
      return .list(nodes.compactMap { settledValue($0, what, context) })
    case .mapping(let pairs):
      var values: [String: Value] = [:]
      for pair in pairs {
        values[pair.key.text ?? ""] = settledValue(pair.value, what, context)
      }
      return .map(values)
    }
  }
}

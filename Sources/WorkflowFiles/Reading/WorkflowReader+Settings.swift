// Reads settings: runners, parameters and conditions.

import WorkflowReading
import YAML

extension WorkflowReader {
  /// Reads after how many failures other steps are cancelled; nil for never.
  mutating func readFailFast(_ node: Node, _ context: Context) -> Int? {
    guard let node = settled(node, "fail-fast", context) else { return nil }
    if case .scalar(let text, isPlain: true) = node.content, Int(text) != nil {
      return readers[context.file].number(node, "fail-fast", from: 1)
    }
    return readers[context.file].boolean(node, "fail-fast") == true ? 1 : nil
  }

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
      } else if let setting = setting(pair.value, "\"\(key)\"", context) {
        do throws(EvaluationError) {
          choice.settings[key] = try setting.value(for: 1)
          if setting.isOpen { choice.byAttempt[key] = setting }
        } catch {
          if case .invalid(let error) = error { readers[file].report(error, in: pair.value) }
          return nil
        }
      }
    }
    let isKept = choice.settings["keep"].map { $0 != .boolean(false) } ?? false
    if isKept || choice.byAttempt["keep"] != nil,
      let key = choice.byAttempt.keys.min()
    {
      readers[file].report(.attemptWithKeep(key), at: settings)
      return nil
    }
    return check(choice, pairs[0].key, settings, context)
  }

  /// Checks the settings of a runner against its kind.
  private mutating func check(
    _ choice: RunnerChoice, _ kind: Node, _ settings: Node?, _ context: Context
  ) -> RunnerChoice? {
    guard let check = actions?.runnerChecks[choice.kind] else { return choice }
    do throws(ArgumentError) {
      // What can grow must be valid when it has grown, too.
      try check(choice.arguments)
      guard !choice.byAttempt.isEmpty else { return choice }
      let second: RunnerChoice
      do throws(EvaluationError) { second = try choice.settled(for: 2) } catch {
        let cause: Diagnostic.Cause? =
          if case .invalid(let error) = error { error.cause } else { nil }
        readers[context.file].report(.noSecondAttempt(choice.kind, cause), at: settings ?? kind)
        return nil
      }
      try check(second.arguments)
      return choice
    } catch {
      let place = settings.map { self.place(of: error, in: $0) } ?? kind
      readers[context.file].report(error.cause.inside("\"\(choice.kind)\""), at: place)
      return nil
    }
  }

  /// Reads a setting of any kind; only the number of the attempt may be left open.
  private mutating func setting(
    _ node: Node, _ what: String, _ context: Context
  ) -> AttemptSetting? {
    switch node.content {
    case .scalar(let text, _):
      guard text.hasExpression, let template = readers[context.file].template(node, what),
        template.refers(to: .attempt)
      else { return settled(node, what, context).map { .value(Value($0)) } }
      return settledTemplate(template, node, what, context).map { .template($0) }
    case .sequence(let nodes): return .list(nodes.compactMap { setting($0, what, context) })
    case .mapping(let pairs):
      var parts: [String: AttemptSetting] = [:]
      for pair in pairs { parts[pair.key.text ?? ""] = setting(pair.value, what, context) }
      return .map(parts)
    }
  }
}

extension WorkflowReader {
  /// Reads `params`.
  mutating func readParameters(_ node: Node, _ context: Context) -> [Parameter] {
    let declarations = readers[context.file].named(node, "params", .identifier)
    return declarations.compactMap { name, _, value in
      switch value.content {
      case .scalar: readers[context.file].scalarParameter(name, value)
      case .sequence:
        readers[context.file].structure(value).map {
          Parameter(name: name, kind: .list, defaultValue: $0)
        }
      case .mapping: readParameter(name, value, context)
      }
    }
  }

  private mutating func readParameter(
    _ name: String, _ node: Node, _ context: Context
  ) -> Parameter? {
    let file = context.file
    guard let fields = readers[file].fields(of: node, Tables.parameter.keys) else { return nil }
    let keys = Tables.parameter.read(fields, &self, context)
    guard let kind = kind(of: name, keys, fields, file) else { return nil }
    var parameter = Parameter(name: name, kind: kind, description: keys.description)
    parameter.limits = limits(of: name, kind, keys, fields, file)
    if let node = keys.written, let written = readers[file].defaultText(node, kind) {
      if keys.isRequired == true {
        readers[file].report(.requiredWithDefault, at: fields.key("default") ?? node)
      }
      do throws(ParameterError) {
        parameter.defaultValue = try parameter.value(of: written)
      } catch {
        readers[file].report(error.cause, at: node)
        faultyDefaults.insert(name)
      }
    } else if keys.isRequired == false {
      if kind == .string {
        parameter.defaultValue = .text("")
      } else {
        readers[file].report(.optionalWithoutDefault(name), at: fields.key("required") ?? node)
      }
    }
    return parameter
  }

  private mutating func kind(
    of name: String, _ keys: Tables.ParameterKeys, _ fields: Fields, _ file: Int
  ) -> Parameter.Kind? {
    if fields["type"] != nil, keys.type == nil { return nil }
    let type = keys.type ?? (fields["options"] == nil ? "string" : "choice")
    guard type == "choice" else {
      if let key = fields.key("options") { readers[file].report(.optionsWithoutChoice, at: key) }
      let kinds: [Parameter.Kind] = [.string, .number, .boolean, .integer, .list, .map]
      return kinds.first { $0.name == type } ?? .string
    }
    guard let node = fields["options"] else {
      guard fields.lacks("options") else { return nil }
      readers[file].report(.missingOptions(of: name), at: fields.node)
      return nil
    }
    guard let options = keys.options else { return nil }
    guard !options.isEmpty else {
      readers[file].report(.emptyList(of: "option", .unsearched), at: node)
      return nil
    }
    return .choice(options)
  }

  private mutating func limits(
    of name: String, _ kind: Parameter.Kind, _ keys: Tables.ParameterKeys, _ fields: Fields,
    _ file: Int
  ) -> Parameter.Limits {
    for key in ["min", "max", "pattern"] {
      guard let place = fields.key(key) else { continue }
      let isValid =
        switch kind {
        case .string: true
        case .number, .integer, .list, .map: key != "pattern"
        case .boolean, .choice: false
        }
      if !isValid { readers[file].report(.limit(key, ofType: kind.name), at: place) }
    }
    if let minimum = keys.minimum, let maximum = keys.maximum, minimum > maximum {
      readers[file].report(.emptyLimits(name), at: fields.key("max") ?? fields.node)
      return Parameter.Limits()
    }
    var limits = Parameter.Limits()
    (limits.minimum, limits.maximum, limits.pattern) = (keys.minimum, keys.maximum, keys.pattern)
    return limits
  }

  /// Reads `secrets`.
  mutating func readSecrets(_ node: Node, _ context: Context) -> [String: SecretSource] {
    let file = context.file
    var secrets: [String: SecretSource] = [:]
    for (name, key, value) in readers[file].named(node, "secrets", .identifier) {
      guard case .mapping = value.content else {
        readers[file].report(.secretValue(name), at: value)
        continue
      }
      let table = Tables.secret
      guard let fields = readers[file].fields(of: value, table.keys) else { continue }
      let keys = table.read(fields, &self, context)
      let given = table.keys.oneOf.filter { fields[$0] != nil }
      if given.count == 1 {
        if given == ["command"], let key = fields.key("required") {
          readers[file].report(.requiredOfCommand, at: key)
        }
        secrets[name] = keys.source
      } else if !given.isEmpty || table.keys.oneOf.allSatisfy(fields.lacks) {
        readers[file].report(.secretSource(name), at: given.isEmpty ? value : key)
      }
    }
    return secrets
  }
}

extension WorkflowReader {
  /// Reads `if` of a group or of a step with `uses`.
  mutating func readGroupCondition(
    _ node: Node, _ context: Context, _ draft: Int?
  ) -> StepExtras.Condition? {
    guard case .mapping = node.content else { return readCondition(node, context, draft) }
    readers[context.file].report(.commandOfGroup, at: node)
    return nil
  }

  /// Reads `if` of a workflow.
  mutating func readWorkflowCondition(_ node: Node, _ context: Context) -> WorkflowCondition? {
    if case .mapping = node.content {
      return Tables.condition.read(node, &self, context).map(WorkflowCondition.command)
    }
    return template(
      node, "if", .workflowCondition, context, draft: nil, isExpression: true
    ).map(WorkflowCondition.expression)
  }
}

extension WorkflowReader {
  /// Reports keys of a step that owns the terminal, where it must be the only one to run its work, here.
  @inline(never)
  mutating func refuseOfTerminal(
    _ fields: Fields, runner: RunnerChoice?, _ context: Context
  ) {
    var others = ["share", "survive", "tty"].filter { fields.key($0) != nil }
    if runner != nil, others.isEmpty { others = ["runner"] }
    refuse(others, beside: "terminal", fields, context)
  }

  /// Reports keys of a step whose output goes to a pseudo-terminal, which has one stream for all of it.
  @inline(never)
  mutating func refuseOfPseudoTerminal(
    _ fields: Fields, _ extras: StepExtras, _ context: Context
  ) {
    var others = ["share"].filter { fields.key($0) != nil }
    if extras.separatesStreams { others.append("separate-streams") }
    refuse(others, beside: "tty", fields, context)
    if extras.needsStandardOutput {
      let key = fields.key("outputs") ?? fields.key("repeat") ?? fields.node
      readers[context.file].report(.stdoutOfTerminal, at: key)
    }
  }

  private mutating func refuse(
    _ others: [String], beside key: String, _ fields: Fields, _ context: Context
  ) {
    for other in others {
      readers[context.file].report(
        .exclusive(other, key, in: "a step"), at: fields.key(key) ?? fields.node)
    }
  }
}

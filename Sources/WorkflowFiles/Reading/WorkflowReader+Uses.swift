// Reads steps with `uses`: the steps of the used file replace the step, in their own scope.

import WorkflowReading
import YAML

extension WorkflowReader {
  /// A used file that is being read.
  private struct Use {
    /// The context of its steps.
    var context: Context
    let steps: Node
    /// The steps under `finally`.
    let cleanUp: Node?
    let outputs: Node?
  }

  // This function calls itself for nested files, so its frame must stay small; what it needs before
  // and after the steps of the file is in functions that have returned when they are read.
  mutating func readUses(
    _ fields: Fields, _ id: String, _ needs: [Need], _ context: Context
  ) -> (Outline?, [Need]) {
    guard var use = openUse(fields, id, context) else { return (nil, needs) }
    use.context.opening = needs
    let first = drafts.count
    let (outline, last) = readList(use.steps, after: needs, use.context)
    let ends = withServices(last, from: first, of: use.context.group)
    guard let node = use.cleanUp else {
      return (closeUse(use, id, outline, ends, context), ends)
    }
    let (cleanUp, all) = readCleanUp(node, from: first, use.context)
    let outlines = Outline.sequence([outline, cleanUp])
    return (closeUse(use, id, outlines, ends + all, context), ends + all)
  }

  /// Reads `finally` of a used file: steps that run one after the other when all other steps of the
  /// file have ended.
  ///
  /// - Parameters:
  ///   - node: The list.
  ///   - first: The position of the first step of the file.
  ///   - context: The context of the steps of the file.
  /// - Returns: The outline of the steps, and their needs for what depends on the file.
  @inline(never)
  private mutating func readCleanUp(
    _ node: Node, from first: Int, _ context: Context
  ) -> (Outline, [Need]) {
    var context = context
    context.isCleanUp = true
    guard let nodes = readers[context.file].list(node, of: "a list of steps") else {
      return (.sequence([]), [])
    }
    if nodes.isEmpty { readers[context.file].report(.emptyList(of: "step", .unsearched), at: node) }
    let count = drafts.count
    let all = (first..<count).map { Need.step($0) }
    var items: [Outline] = []
    for item in nodes {
      let earlier = (count..<drafts.count).map { Need.step($0) }
      let (outline, _) = readItem(item, after: all + earlier, context)
      if let outline { items.append(outline) }
    }
    let name = scopes[context.scope].prefix + "finally"
    return (.group(name, .sequence(items)), (count..<drafts.count).map { Need.step($0) })
  }

  /// Reads everything of a used file that its steps depend on.
  ///
  /// - Returns: The file; nil after an error.
  @inline(never)
  private mutating func openUse(_ fields: Fields, _ id: String, _ context: Context) -> Use? {
    refuseWithUses(fields, context)
    guard let node = fields["uses"],
      let name = readers[context.file].nonEmptyText(node, "uses")
    else { return nil }
    let draft = drafts.count
    guard readers.count <= Self.filesMax else {
      readers[context.file].report(.tooManyUses, at: node)
      return nil
    }
    guard let file = load(name, node, context) else { return nil }
    readers.append(Reader(file: file.path, source: file.file.source))
    var inner = innerContext(fields, id, file.link, context, draft)
    addScope(
      Scope(
        parent: context.scope, prefix: scopes[context.scope].prefix + id + "/",
        bindings: context.bindings, workflow: file.part ?? name))
    readCaller(fields, context, inner, draft)
    scopes[inner.scope].title = stepName(fields["name"], id, context).map { $0 + "/" }
    nameGroup(fields["name"], id, context)
    scopes[inner.scope].folder = SourceFiles.absoluteFolder(of: file.path)
    guard let root = part(file, node, context, inner),
      let used = readers[inner.file].fields(of: root, Tables.workflow.keys)
    else { return nil }
    let given = fields["with"].map { readers[context.file].named($0, "with", .identifier) } ?? []
    bindWith(used, given, fields["uses"] ?? fields.node, context, inner, draft)
    scopes[inner.scope].workflow =
      used["name"].flatMap { readers[inner.file].name($0) } ?? file.part ?? name
    refuseInUsed(used, inner)
    readSettings(used, &inner)
    let shell = fields["shell"].flatMap { readers[context.file].shell($0) }
    inner.defaults.shell = inner.defaults.shell ?? shell ?? context.defaults.groupShell
    guard let steps = used["steps"] else {
      guard used.lacks("steps") else { return nil }
      readers[inner.file].report(.missingSteps, at: root.mark, length: 1)
      return nil
    }
    collectIDs(in: [steps, used["finally"]], scope: inner.scope)
    return Use(context: inner, steps: steps, cleanUp: used["finally"], outputs: used["outputs"])
  }

  /// Returns the context of the steps of a used file, before the settings of that file.
  private mutating func innerContext(
    _ fields: Fields, _ id: String, _ path: String, _ context: Context, _ draft: Int
  ) -> Context {
    var inner = Context()
    inner.file = readers.count - 1
    inner.scope = scopes.count
    inner.chain = context.chain + [path]
    var group = Group(name: fullID(id, scope: context.scope), hasID: true, in: context.group)
    group.isList = true
    readRules(fields, of: &group, context)
    inner.group = groups.add(group)
    inner.extras.fan = context.extras.fan
    inner.extras.runner = context.extras.runner
    inner.extras.conditions = context.extras.conditions
    inner.isFinally = context.isFinally
    inner.isCleanUp = context.isCleanUp
    if context.isFinally {
      inner.extras.finally = Set(RunEnding.allCases)
    }
    if let runner = fields["runner"] { readRunner(runner, of: context, into: &inner) }
    if let node = fields["if"], let condition = readGroupCondition(node, context, draft) {
      inner.extras.conditions.append(condition)
    }
    inner.extras.conditions += conditions(ofNeeds: fields["needs"], context)
    return inner
  }

  /// Makes a used file known to `needs` and expressions, after its steps have been read.
  ///
  /// - Returns: The outline of the file.
  @inline(never)
  private mutating func closeUse(
    _ use: Use, _ id: String, _ outline: Outline, _ ends: [Need], _ context: Context
  ) -> Outline {
    let outputs = use.outputs.map { readOutputs($0, of: "the workflow", use.context) } ?? [:]
    scopes[context.scope].groups[id] = StepGroup(
      kind: .used(scope: use.context.scope, outputs: outputs), ends: stepIDs(of: ends))
    return .group(scopes[context.scope].prefix + id, outline)
  }

  /// Reads the variables and directories that a step with `uses` passes on to the used file.
  private mutating func readCaller(
    _ fields: Fields, _ context: Context, _ inner: Context, _ draft: Int
  ) {
    var environment = context.environment
    if let node = fields["env"] {
      environment.merge(readEnvironment(node, .environment, context, draft: draft)) { $1 }
    }
    var directories = context.extras.directories
    if let node = fields["dir"],
      let directory = template(node, "dir", .setting, context, draft: draft)
    {
      directories.append(directory)
    }
    scopes[inner.scope].callerEnvironment = environment
    scopes[inner.scope].callerDirectories = directories
    scopes[inner.scope].callerOuter = context.extras.outer
  }

  /// Reports keys that a step with `uses` cannot have.
  private mutating func refuseWithUses(_ fields: Fields, _ context: Context) {
    for name in KeyTable.step.names(excludedBy: "uses") {
      guard let key = fields.key(name) else { continue }
      readers[context.file].report(.keyOfUses(name), at: key)
    }
  }

  /// Reports keys that are only valid in the main file.
  private mutating func refuseInUsed(_ used: Fields, _ context: Context) {
    for name in [
      "if", "timeout", "max-parallel", "fail-fast", "durability", "keep", "store", "on-end",
    ] {
      guard let key = used.key(name) else { continue }
      readers[context.file].warn(.noEffectInUse(name), at: key)
    }
    if let key = used.key("concurrency") {
      readers[context.file].report(.notUsable("concurrency"), at: key)
    }
  }

  // MARK: Arguments

  /// Binds the arguments of the run to the parameters of the main file.
  mutating func bindArguments(_ parameters: [Parameter], _ node: Node) {
    do throws(ParameterError) {
      try arguments.checkNames(parameters)
    } catch {
      readers[0].report(error.cause, at: node.mark, length: 1)
    }
    var declarations: [String: Node] = [:]
    if case .mapping(let pairs) = node.content {
      for pair in pairs { declarations[pair.key.text ?? ""] = pair.key }
    }
    for parameter in parameters {
      var argument: Scope.Argument?
      do throws(ParameterError) {
        argument = try arguments.value(of: parameter).map(Scope.Argument.value)
      } catch  where error.cause.code == "R0604" && faultyDefaults.contains(parameter.name) {
        // What is wrong is the default, and has been said.
      } catch {
        readers[0].report(error.cause, at: declarations[parameter.name] ?? node)
      }
      scopes[0].parameters[parameter.name] = argument ?? .open(types: parameter.types)
    }
  }

  /// Binds the values under `with` to the parameters of a used file.
  private mutating func bindWith(
    _ used: Fields, _ given: [(name: String, key: Node, value: Node)], _ usesNode: Node,
    _ context: Context, _ inner: Context, _ draft: Int
  ) {
    let file = context.file
    let parameters = used["params"].map { readParameters($0, inner) } ?? []
    let names = Set(parameters.map(\.name))
    let values = Dictionary(given.map { ($0.name, $0.value) }) { first, _ in first }
    for (name, key, _) in given where !names.contains(name) {
      let others: Alternatives =
        readers[file].searchesSuggestions
        ? Alternatives(to: name, among: parameters.map(\.name)) : .names(parameters.map(\.name))
      readers[file].report(.unknownWith(name, of: usesNode.text ?? "", others), at: key)
    }
    for parameter in parameters {
      let node = values[parameter.name]
      scopes[inner.scope].parameters[parameter.name] =
        node.flatMap { argument($0, parameter, context, draft) }
        ?? parameter.defaultValue.map(Scope.Argument.value) ?? .open(types: parameter.types)
      // Cache the result: computing it at each use would be exponential in the nesting depth.
      if case .template(let template, _) = scopes[inner.scope].parameters[parameter.name],
        isSecret(template, scope: context.scope)
      {
        scopes[inner.scope].secretParameters.insert(parameter.name)
      }
      if node == nil && parameter.defaultValue == nil {
        readers[file].report(
          .parameterOfUse(parameter.name, of: usesNode.text ?? ""), at: usesNode)
      }
    }
  }

  /// Returns the value of a list or map parameter that is written as a list or map.
  private mutating func structure(
    _ node: Node, _ parameter: Parameter, _ file: Int
  ) -> Scope.Argument? {
    switch (parameter.kind, node.content) {
    case (.list, .sequence), (.map, .mapping): break
    default: return nil
    }
    guard let value = readers[file].structure(node) else { return .open(types: parameter.types) }
    do throws(ParameterError) {
      return .value(try parameter.checked(value))
    } catch {
      readers[file].report(error.cause, at: node)
      return .open(types: parameter.types)
    }
  }

  private mutating func argument(
    _ node: Node, _ parameter: Parameter, _ context: Context, _ draft: Int
  ) -> Scope.Argument? {
    let file = context.file
    if let value = structure(node, parameter, file) { return value }
    guard let template = template(node, "\"\(parameter.name)\"", .with, context, draft: draft)
    else { return nil }
    let value: Value?
    if template.isPlain {
      value = .text(template.source)
    } else {
      let scope = expressionScope(of: .with, scope: context.scope, context.bindings)
      // Errors in it are reported with those of all other expressions.
      guard let types = try? template.types(in: scope) else { return nil }
      guard !types.isDisjoint(with: parameter.types.union(.text)) else {
        readers[file].report(
          .parameterType(parameter.name, expected: parameter.types, types), at: node)
        return nil
      }
      value = try? template.value(
        from: StaticValues(
          scope: scopes[context.scope], bindings: context.bindings, what: "it", budget: budget))
    }
    guard let value else { return .template(template, of: parameter) }
    do throws(ParameterError) {
      return .value(try parameter.value(of: value.asText))
    } catch {
      readers[file].report(error.cause, at: node)
      return nil
    }
  }
}

// Reads a single step, and the keys of services. WorkflowReader+Many reads steps with `foreach` or
// `matrix`, and WorkflowReader+Uses reads steps with `uses`.

import Paths
import WorkflowReading
import YAML

extension WorkflowReader {
  mutating func readStep(
    _ node: Node, after before: [Need], _ context: Context
  ) -> (Outline?, [Need]) {
    let file = context.file
    guard let fields = readers[file].fields(of: node, .step) else { return (nil, before) }
    let needs = readOwnNeeds(fields, context) ?? before
    // Read the step even without an id, to report its other errors.
    stepIDs[context.scope].count += 1
    let id = readID(fields, context) ?? "(step \(drafts.count + 1))"
    if context.isFinally {
      finallyIDs.insert(fullID(id, scope: context.scope))
      if fields["needs"] != nil {
        readers[file].report(.needsOfFinally, at: fields.key("needs") ?? node)
      }
    } else if context.isCleanUp {
      if let key = fields.key("needs") {
        readers[file].report(.needsOfFinally, at: key)
      }
    } else if fields.bits & Self.extraKeys != 0, let when = fields.key("when") {
      readers[file].report(.whenOutsideFinally, at: when)
    }
    guard fields.bits & Self.manyKeys != 0 else { return readSingle(fields, id, needs, context) }
    if fields["foreach"] != nil || fields["matrix"] != nil {
      return readExpanded(fields, id, needs, context)
    }
    refuseOfMany(fields, besides: [], context)
    return readSingle(fields, id, needs, context)
  }

  /// The keys that expand a step, and the keys of expanded steps.
  private static let manyKeys = KeyTable.step.bits(of: .many)

  /// Reads a single step, or the file that the step uses.
  ///
  /// - Parameters:
  ///   - fields: The keys of the step.
  ///   - id: The id in the file; for an expanded step, with its number in brackets.
  ///   - needs: The needs of the step.
  ///   - context: The inherited settings.
  /// - Returns: The outline, and the implicit needs of the next step.
  mutating func readSingle(
    _ fields: Fields, _ id: String, _ needs: [Need], _ context: Context
  ) -> (Outline?, [Need]) {
    guard drafts.count < Self.expansionsMax || context.isPlain && context.scope == 0 else {
      readers[context.file].report(.tooManySteps, at: fields["id"] ?? fields.node)
      return (nil, needs)
    }
    let hasSettings = fields.bits & Self.settingKeys != 0
    if hasSettings, fields["uses"] != nil { return readUses(fields, id, needs, context) }
    return readWork(fields, id, needs, context)
  }

  /// Reads a step with work of its own; apart, to keep the frame of its caller small.
  @inline(never)
  private mutating func readWork(
    _ fields: Fields, _ id: String, _ needs: [Need], _ context: Context
  ) -> (Outline?, [Need]) {
    let hasSettings = fields.bits & Self.settingKeys != 0
    let file = context.file
    let draft = drafts.count
    var step = Workflow.Step(
      id: fullID(id, scope: context.scope), action: readAction(fields, context, draft) ?? .wait)
    step.group = context.group
    if fields.bits & Self.environmentKey != 0, let node = fields["env"] {
      step.environment = readEnvironment(node, .environment, context, draft: draft)
    }
    if !context.environment.isEmpty {
      step.environment = context.environment.merging(step.environment) { $1 }
    }
    if hasSettings || context.hasDefaults || context.scope != 0 {
      readSettings(fields, of: &step, context, draft)
    }
    let results = conditions(ofNeeds: fields["needs"], context)
    if !context.isPlain || context.scope != 0 || fields.bits & Self.extraKeys != 0
      || !results.isEmpty
    {
      step.extras = readExtras(fields, context, draft)
      step.extras.conditions += results
      step.extras.name = stepName(fields["name"], id, context)
    }
    if step.shell != nil, fields["shell"] == nil { step.extras.inheritsShell = true }
    if fields.bits & Self.extraKeys != 0 || step.action.isService {
      readService(fields, of: &step, context)
    }
    if fields["approval"] != nil, step.action == .wait {
      refuseOfApproval(fields, context)
      // The default is for attempts, not for people.
      if fields["timeout"] == nil { step.timeout = nil }
    }
    let idNode = fields["id"] ?? fields.node
    if fields.bits & Self.extraKeys != 0 { noteUndo(fields, id, of: &step, context) }
    steps.append(step)
    drafts.append(
      Draft(
        needs: needs, file: file, mark: idNode.mark,
        length: fields["id"] == nil ? 1 : idNode.length))
    return (.step(StepIndex(draft)), [.step(draft)])
  }

  /// Reports keys that are not valid for a step that only waits for approval.
  private mutating func refuseOfApproval(_ fields: Fields, _ context: Context) {
    for name in KeyTable.step.names(excludedBy: "approval") {
      guard let key = fields.key(name) else { continue }
      readers[context.file].report(.keyOfApproval(name), at: key)
    }
  }

  private static let environmentKey = KeyTable.step.bits(of: .environment)

  /// The keys for how a step runs, which most steps leave to the workflow, and the keys that use
  /// another file.
  private static let settingKeys = KeyTable.step.bits(of: .settings)

  private mutating func readSettings(
    _ fields: Fields, of step: inout Workflow.Step, _ context: Context, _ draft: Int
  ) {
    let file = context.file
    if let key = fields.key("with"), fields["call"] == nil {
      readers[file].report(.withWithoutCall, at: key)
    }
    if let node = fields["dir"] { warnOfVariables(in: node, context) }
    step.directory = fields["dir"].flatMap {
      template($0, "dir", .setting, context, draft: draft)
    }
    step.shell = fields["shell"].flatMap { readers[file].shell($0) } ?? context.defaults.groupShell
    // The settings of the main file are stored in the workflow.
    if step.shell == nil && context.scope != 0 { step.shell = context.defaults.shell ?? .standard }
    step.timeout =
      fields["timeout"].flatMap { duration($0, "timeout", context, allowsZero: false) }
      ?? context.defaults.timeout
    step.grace = fields["grace"].flatMap { duration($0, "grace", context, allowsZero: true) }
    if step.grace == nil && context.scope != 0 { step.grace = context.defaults.grace }
    step.retry = read("retry", of: fields, .retry, context) ?? context.defaults.retry
  }

  /// The keys that most steps do not have.
  private static let extraKeys = KeyTable.step.bits(of: .extras)

  private mutating func readExtras(
    _ fields: Fields, _ context: Context, _ draft: Int
  ) -> StepExtras {
    var extras = context.extras
    extras.scope = context.scope
    extras.bindings = context.bindings
    if let node = fields["if"] {
      if case .mapping = node.content {
        extras.conditionCommand = Tables.condition.read(node, &self, context)
      } else if let condition = readCondition(node, context, draft) {
        extras.conditions.append(condition)
      }
    }
    extras.skipsDependents = context.defaults.skipsDependents
    extras.continuesOnError = context.defaults.continuesOnError
    extras.runner = readRunner(fields, context) ?? extras.runner
    Tables.readExtras(fields, into: &extras, &self, context, draft)
    if extras.usesTerminal { refuseOfTerminal(fields, runner: extras.runner, context) }
    if extras.writesToTerminal { refuseOfPseudoTerminal(fields, extras, context) }
    refuseMutualWait(fields, context)
    readApproval(fields, context, into: &extras)
    if let key = fields.key("share"), Self.kinds.allSatisfy({ fields.bits & $0.bit == 0 }) {
      readers[context.file].report(.sharedApproval, at: key)
    }
    if context.isFinally || context.isCleanUp {
      let endings = fields["when"].map { readEndings($0, context) } ?? Set(RunEnding.allCases)
      if context.isFinally { extras.finally = endings } else { extras.cleanUp = endings }
    }
    return extras
  }

  private mutating func readRunner(_ fields: Fields, _ context: Context) -> RunnerChoice?? {
    let runner = fields["runner"].flatMap { readRunner($0, context) }
    guard let node = fields["survive"], boolean(node, "survive", context) == true else {
      return runner
    }
    if fields["runner"] != nil {
      readers[context.file].report(
        .exclusive("runner", "survive", in: "a step"), at: fields.key("survive") ?? node)
    }
    return RunnerChoice(name: "survive", kind: "survive")
  }

  // MARK: Actions

  /// The step kinds, each with its key as a bit.
  private static let kinds = Workflow.Step.kinds.map {
    (bit: KeyTable.step.bits([$0.name]), kind: $0)
  }

  private mutating func readAction(
    _ fields: Fields, _ context: Context, _ draft: Int
  ) -> Workflow.Step.Action? {
    let file = context.file
    let named = Self.kinds.lazy.filter { fields.bits & $0.bit != 0 }.map(\.kind)
    guard !named.isEmpty else {
      guard KeyTable.step.oneOf.allSatisfy(fields.lacks) else { return .wait }
      readers[file].report(.noAction, at: fields.node.mark, length: 1)
      return nil
    }
    // If one kind excludes all the others, read that kind; the loop below reports the other keys.
    let only = named.first { kind in
      named.allSatisfy { $0 == kind || kind.refused.contains($0.name) }
    }
    guard let kind = only, let node = fields[kind.name] else {
      let names = named.map { $0.name }.prefix(2)
      let later = names.compactMap(fields.key).max { $0.mark < $1.mark }
      readers[file].report(
        .exclusive(names.first ?? "", names.last ?? "", in: "a step"), at: later ?? fields.node)
      return nil
    }
    for name in kind.refused {
      guard let key = fields.key(name) else { continue }
      readers[file].report(kind.refusal(of: name), at: key)
    }
    let step = StepFields(node: node, all: fields, context: context, draft: draft)
    return kind.read(step, &self).map(Workflow.Step.Action.init)
  }

  private mutating func readEndings(_ node: Node, _ context: Context) -> Set<RunEnding> {
    let nodes: [Node]
    if case .sequence(let items) = node.content { nodes = items } else { nodes = [node] }
    let names = RunEnding.allCases.map(\.rawValue)
    if nodes.isEmpty {
      readers[context.file].report(.emptyList(of: "result", .names(names)), at: node)
    }
    return Set(
      nodes.compactMap { node in
        readers[context.file].choice(node, "result", of: names, former: RunEnding.formerWords)
          .flatMap(RunEnding.init(rawValue:))
      })
  }

  // MARK: Values

  mutating func readEnvironment(
    _ node: Node, _ place: ExpressionPlace, _ context: Context, draft: Int?
  ) -> [String: Template] {
    var environment: [String: Template] = [:]
    let variables = readers[context.file].named(node, "env", .variable)
    environment.reserveCapacity(variables.count)
    for (name, _, value) in variables {
      if value.isNull {
        readers[context.file].report(.noValue(variable: name), at: value)
      } else if let template = template(
        value, "the value of \"\(name)\"", place, context, draft: draft)
      {
        environment[name] = template
        warnOfBoolean(value, context)
      }
    }
    return environment
  }

  /// Warns of a word that other versions of YAML read as true or false.
  private mutating func warnOfBoolean(_ node: Node, _ context: Context) {
    guard case .scalar(let text, isPlain: true) = node.content, (2...3).contains(text.utf8.count),
      ["yes", "no", "on", "off"].contains(text.lowercased())
    else { return }
    readers[context.file].warn(.booleanWord(text), at: node)
  }

  mutating func readCondition(
    _ node: Node, _ context: Context, _ draft: Int?
  ) -> StepExtras.Condition? {
    guard
      let template = template(node, "if", .condition, context, draft: draft, isExpression: true)
    else { return nil }
    return StepExtras.Condition(
      template: template, scope: context.scope, bindings: context.bindings)
  }

  mutating func readOutputs(
    _ node: Node, of what: String, _ context: Context, _ draft: Int? = nil
  ) -> [String: Template] {
    var outputs: [String: Template] = [:]
    let place: ExpressionPlace = draft == nil ? .workflowOutputs : .outputs
    for (name, _, value) in readers[context.file].named(node, "outputs of \(what)", .identifier) {
      outputs[name] = template(value, "the output \"\(name)\"", place, context, draft: draft)
    }
    return outputs
  }

  /// Reads `approval`: a question, or a map with a question and its settings.
  private mutating func readApproval(
    _ fields: Fields, _ context: Context, into extras: inout StepExtras
  ) {
    guard let node = fields["approval"] else { return }
    guard case .mapping = node.content else {
      extras.approval = text(node, "approval", context)
      return
    }
    guard let keys = Tables.approval.read(node, &self, context) else { return }
    (extras.approval, extras.approvalRule) = (keys.message, keys.rule)
  }
}

extension WorkflowReader {
  /// The keys of a step that only services have.
  static let serviceKeys = ["ready", "alive", "stop", "restart"]

  /// Reads the rules of a service into a step, and reports keys that are not valid for it.
  @inline(never)
  mutating func readService(
    _ fields: Fields, of step: inout Workflow.Step, _ context: Context
  ) {
    let file = context.file
    guard step.action.isService else {
      for name in Self.serviceKeys where fields["service"] == nil {
        // An unknown key may have been read as one that is spelled like it.
        guard let key = fields.key(name), key.says(name) else { continue }
        readers[file].report(.keyOfService(name), at: key)
      }
      return
    }
    if step.extras.runner != nil {
      readers[file].report(
        .exclusive("runner", "service", in: "a step"),
        at: fields.key("runner") ?? fields.key("service") ?? fields.node)
    }
    if step.extras.approvalRule?.isAfter == true {
      readers[file].report(
        .exclusive("approval.after", "service", in: "a step"),
        at: fields.key("approval") ?? fields.node)
    }
    var rule = read("ready", of: fields, .map(Tables.ready), context) ?? ServiceRule()
    rule.liveness = read("alive", of: fields, .map(Tables.alive), context)
    rule.stopSignal = read("stop", of: fields, .signal, context) ?? rule.stopSignal
    step.extras.service = rule
    // Defaults for attempts are not meant for what runs until it is stopped.
    step.timeout = nil
    step.retry = read("restart", of: fields, .restart, context)
  }
}

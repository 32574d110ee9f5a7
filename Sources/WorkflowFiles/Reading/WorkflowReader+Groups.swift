// Reads groups of steps, `parallel:` and nested `steps:`, the settings that their steps inherit, their
// rounds, and groups for each item.

import WorkflowReading
import YAML

extension WorkflowReader {
  /// A group whose steps are to be read.
  struct OpenGroup {
    /// The branches or steps.
    let list: Node
    /// The settings that the steps inherit.
    let context: Context
    /// The needs of its first steps.
    let needs: [Need]
    /// The id in its file; nil if it has neither id nor name.
    let id: String?
    let name: Node?
    var outputs: Node?
    /// The rule for its rounds.
    var repetition: Node?
  }

  mutating func readSequence(
    _ node: Node, after before: [Need], _ context: Context
  ) -> (Outline?, [Need]) {
    guard let group = openGroup(node, .sequence, after: before, context) else {
      return (nil, before)
    }
    let first = drafts.count
    let (outline, last) = readList(group.list, after: group.needs, group.context)
    let ends = withServices(last, from: first, of: group.context.group)
    return finish(group, outline, ends, context)
  }

  // The next functions are apart from those that call themselves for nested lists, whose frames must
  // stay small.

  /// Reads the settings of a group; nil if it has no list.
  @inline(never)
  mutating func openGroup(
    _ node: Node, _ table: KeyTable, after before: [Need], _ context: Context
  ) -> OpenGroup? {
    let file = context.file
    guard let fields = readers[file].fields(of: node, table), let list = fields[table.names[0]]
    else { return nil }
    var inner = context
    guard fields.bits != 1 else {
      if table.has("steps") { addList(node, &inner) }
      return OpenGroup(list: list, context: inner, needs: before, id: nil, name: nil)
    }
    let needs = readNeeds(ofGroup: fields, context) ?? before
    let id =
      fields["id"] == nil && fields["name"] == nil ? nil : readID(fields, context)
    var group = Group(
      name: id.map { fullID($0, scope: context.scope) } ?? internalName(of: node, context),
      hasID: id != nil, in: context.group)
    group.parent = addRounds(fields, around: group, id, context)
    group.isList = table.has("steps")
    readSettings(fields, of: &group, &inner, context)
    let hasBranches = table.has("parallel")
    refuseOfMany(fields, besides: hasBranches ? ["max-parallel", "fail-fast"] : [], context)
    if let key = fields.key("outputs"), fields.lacks("id") {
      readers[file].report(.missingIDOfOutputs, at: key)
    }
    if hasBranches {
      readLimits(ofParts: fields, of: &group, context)
      noteLimit(.parts(of: group), fields.key("max-parallel"), id ?? "parallel", context)
    }
    inner.group = groups.add(group)
    inner.opening = needs
    return OpenGroup(
      list: list, context: inner, needs: needs, id: id, name: fields["name"],
      outputs: fields["outputs"], repetition: fields["repeat"])
  }

  /// Adds a list without settings, to which services in it belong.
  private mutating func addList(_ node: Node, _ inner: inout Context) {
    var group = Group(name: internalName(of: node, inner), in: inner.group)
    group.isList = true
    inner.group = groups.add(group)
  }

  /// Reads the branches of a group.
  mutating func readBranches(_ group: OpenGroup) -> (Outline, [Need]) {
    let file = group.context.file
    guard let nodes = readers[file].list(group.list, of: "a list of branches") else {
      return (.parallel([]), group.needs)
    }
    if nodes.isEmpty { readers[file].report(.emptyGroup, at: group.list) }
    var outlines: [Outline] = []
    var ends: [Need] = []
    var areBefore: Bool?
    for (position, branch) in nodes.enumerated() {
      let (outline, branchEnds) = readItem(
        branch, after: group.needs, context(ofBranch: position, in: group))
      if let outline { outlines.append(outline) }
      // An invalid branch passes on the needs before it; add those only once.
      let isBefore = branchEnds == group.needs
      if !(isBefore && areBefore == true) { ends += branchEnds }
      areBefore = isBefore || areBefore == true
    }
    return (.parallel(outlines), ends)
  }

  /// Reads the needs of a group; nil if it has none of its own.
  mutating func readNeeds(ofGroup fields: Fields, _ context: Context) -> [Need]? {
    if let key = fields.key("needs"), context.isFinally || context.isCleanUp {
      readers[context.file].report(.needsOfFinally, at: key)
    }
    return readOwnNeeds(fields, context)
  }

  /// Reads the settings of a group, and those that its steps inherit.
  ///
  /// - Parameters:
  ///   - fields: The keys of the group.
  ///   - group: The group.
  ///   - inner: The context of its steps.
  ///   - context: The context of the group.
  mutating func readSettings(
    _ fields: Fields, of group: inout Group, _ inner: inout Context, _ context: Context
  ) {
    let (file, draft) = (context.file, drafts.count)
    readRunner(fields["runner"], into: &inner)
    if let node = fields["if"], let condition = readGroupCondition(node, context, draft) {
      if condition.template.testsStatus {
        readers[file].report(.statusOfGroup, at: node)
      }
      inner.extras.conditions.append(condition)
    }
    inner.extras.conditions += conditions(ofNeeds: fields["needs"], context)
    if let node = fields["env"] {
      inner.environment.merge(readEnvironment(node, .environment, context, draft: draft)) { $1 }
    }
    if let node = fields["dir"],
      let directory = template(node, "dir", .setting, context, draft: draft)
    {
      inner.extras.directories.append(directory)
    }
    if let node = fields["shell"], let shell = readers[file].shell(node) {
      inner.defaults.groupShell = shell
    }
    group.keepsVariables =
      fields["private-env"].flatMap { boolean($0, "private-env", context) } ?? false
    readRules(fields, of: &group, context)
  }

  /// Reads `continue-on-error`, `timeout`, `retry`, `mutex` and `pool` of a group or of a step with `uses`.
  mutating func readRules(_ fields: Fields, of group: inout Group, _ context: Context) {
    let file = context.file
    group.continuesOnError =
      fields["continue-on-error"].flatMap { boolean($0, "continue-on-error", context) } ?? false
    group.timeout = fields["timeout"].flatMap {
      duration($0, "timeout", context, allowsZero: false)
    }
    group.retry = read("retry", of: fields, .retry, context)
    if let key = fields.key("retry"), context.isFinally || context.isCleanUp {
      readers[file].report(.retryOfFinally, at: key)
    }
    refuseMutualWait(fields, context)
    group.pools = read("pool", of: fields, .pool, context) ?? []
    guard let node = fields["mutex"], let mutex = text(node, "mutex", context) else { return }
    group.mutex = mutex
    noteLimit(.mutex(mutex), fields.key("mutex"), "parallel", context)
  }

  /// Reports a mutex in a group that holds one, and a mutex or pool in a group that holds places of a
  /// pool: two such groups could wait for one another.
  mutating func refuseMutualWait(_ fields: Fields, _ context: Context) {
    guard fields["mutex"] != nil || fields["pool"] != nil else { return }
    let around = groups.path(from: context.group).map { groups[$0] }
    if let key = fields.key("mutex"), around.contains(where: { $0.mutex != nil }) {
      readers[context.file].report(.mutexInMutex, at: key)
    }
    guard around.contains(where: { !$0.pools.isEmpty }) else { return }
    for name in ["mutex", "pool"] {
      guard let key = fields.key(name) else { continue }
      readers[context.file].report(.keyInPool(name), at: key)
    }
  }

  /// Reports keys that are only valid with `foreach` or `matrix`.
  mutating func refuseOfMany(_ fields: Fields, besides allowed: [String], _ context: Context) {
    for name in ["max-parallel", "fail-fast", "item-id", "max-items"] where !allowed.contains(name)
    {
      guard let key = fields.key(name) else { continue }
      readers[context.file].report(.keyOfExpansion(name), at: key)
    }
  }

  /// Notes the place of the key of a limit, for messages about it.
  private mutating func noteLimit(
    _ limit: Limit?, _ key: Node?, _ shownName: String, _ context: Context
  ) {
    guard let limit, let key else { return }
    limitPlaces[limit.name] = NeedName(
      text: shownName, mark: key.mark, length: key.length, scope: context.scope,
      file: context.file, result: nil)
  }

  /// Returns a unique name for a group that may have no id; no id contains a colon.
  private func internalName(of node: Node, _ context: Context) -> String {
    "\(scopes[context.scope].prefix):\(node.mark.line):\(node.mark.column)"
  }

  /// Returns the settings that the steps of a branch inherit.
  ///
  /// In a group with limits, each branch is a group, which is counted as a whole.
  @inline(never)
  private mutating func context(ofBranch position: Int, in group: OpenGroup) -> Context {
    var context = group.context
    let around = groups[context.group]
    guard group.context.group != .run, !around.isList,
      around.maxParallel != nil || around.failFastCount != nil
    else { return context }
    context.group = groups.add(
      Group(name: "\(around.name):branch \(position)", in: context.group))
    return context
  }

  /// Completes a group whose steps have been read.
  ///
  /// - Returns: Its outline, and the needs of what follows it.
  mutating func finish(
    _ group: OpenGroup, _ outline: Outline, _ ends: [Need], _ context: Context
  ) -> (Outline?, [Need]) {
    guard let node = group.repetition, let id = group.id else {
      return (closeGroup(group, outline, ends, context), ends)
    }
    let (round, last) = addRound(node, group, id, ends, context)
    return (closeGroup(group, .sequence([outline, round]), last, context), last)
  }

  /// Makes a group known to `needs`, expressions and displays, after its steps have been read.
  ///
  /// - Returns: The outline of the group.
  @inline(never)
  mutating func closeGroup(
    _ group: OpenGroup, _ outline: Outline, _ ends: [Need], _ context: Context
  ) -> Outline {
    guard let id = group.id else { return outline }
    let outputs = group.outputs.map { readOutputs($0, of: "a group", group.context) } ?? [:]
    scopes[context.scope].groups[id] = StepGroup(
      kind: .used(scope: group.context.scope, outputs: outputs), ends: stepIDs(of: ends))
    nameGroup(group.name, id, context)
    return .group(fullID(id, scope: context.scope), outline)
  }
}

extension WorkflowReader {
  // MARK: Groups

  /// Adds the group around one with `repeat`, which runs again as a whole for each round.
  ///
  /// - Returns: The group; that of the context if there is no `repeat`.
  mutating func addRounds(
    _ fields: Fields, around group: Group, _ id: String?, _ context: Context
  ) -> GroupIndex {
    guard let key = fields.key("repeat") else { return context.group }
    if id == nil, fields.lacks("id") {
      readers[context.file].report(.missingIDOfRepeat, at: key)
    }
    if context.isFinally || context.isCleanUp {
      readers[context.file].report(.repeatOfFinally, at: key)
    }
    var rounds = Group(name: group.name + Group.rounds, in: context.group)
    rounds.isRepeated = true
    return groups.add(rounds)
  }

  /// Adds the step that decides, after the steps of a group, whether there is another round.
  ///
  /// - Returns: Its outline, and the need of what follows the group.
  @inline(never)
  mutating func addRound(
    _ node: Node, _ group: OpenGroup, _ id: String, _ ends: [Need], _ context: Context
  ) -> (Outline, [Need]) {
    let draft = drafts.count
    var step = Workflow.Step(id: fullID(id + "/repeat", scope: context.scope), action: .wait)
    if let other = places[group.context.scope]["repeat"], group.context.scope != context.scope {
      readers[context.file].report(
        .duplicateID("repeat", line: readers[context.file].shownLine(other.mark.line)), at: node)
    }
    step.extras = group.context.extras
    step.extras.scope = group.context.scope
    step.extras.bindings = group.context.bindings
    let keys = Tables.roundsOfGroup.read(node, &self, group.context, draft)
    if let rule = keys?.rule, let rounds = groups[group.context.group].parent {
      step.action = Workflow.Step.Action(RoundStep(rule: rule))
      groups[rounds].retry = rule.again
      groups[rounds].continuesOnError = groups[group.context.group].continuesOnError
      step.group = rounds
    }
    steps.append(step)
    drafts.append(Draft(needs: ends, file: context.file, mark: node.mark, length: 1))
    return (.step(StepIndex(draft)), [.step(draft)])
  }
}

extension WorkflowReader {
  /// Whether a group runs once for each of several items.
  static func isRepeated(_ pairs: [Node.Pair]) -> Bool {
    Node.position(of: "foreach", in: pairs) != nil || Node.position(of: "matrix", in: pairs) != nil
  }

  /// Reads a group with `foreach` or `matrix`.
  mutating func readRepeated(
    _ node: Node, _ table: KeyTable, after before: [Need], _ context: Context
  ) -> (Outline?, [Need]) {
    guard let fields = readers[context.file].fields(of: node, table),
      fields[table.names[0]] != nil
    else { return (nil, before) }
    let needs = readNeeds(ofGroup: fields, context) ?? before
    stepIDs[context.scope].count += 1
    guard let id = readID(fields, context) else { return (nil, needs) }
    if context.isFinally { finallyIDs.insert(fullID(id, scope: context.scope)) }
    return readExpanded(fields, id, needs, context)
  }

  /// Reads the steps of a group for one item.
  ///
  /// - Parameters:
  ///   - fields: The keys of the group.
  ///   - member: The id of the item, such as `test[0]`.
  ///   - needs: The needs of the group.
  ///   - context: The settings of the item.
  /// - Returns: The outline, and the implicit needs of the next step.
  mutating func readMember(
    _ fields: Fields, _ member: String, _ needs: [Need], _ context: Context
  ) -> (Outline?, [Need]) {
    guard let group = openMember(fields, member, needs, context) else { return (nil, needs) }
    let first = drafts.count
    let (outline, last) =
      fields["parallel"] != nil
      ? readBranches(group) : readList(group.list, after: needs, group.context)
    let ends = withServices(last, from: first, of: group.context.group)
    return finish(group, outline, ends, context)
  }

  /// Opens the scope of an item, and reads the settings of the group for it.
  @inline(never)
  private mutating func openMember(
    _ fields: Fields, _ member: String, _ needs: [Need], _ context: Context
  ) -> OpenGroup? {
    guard let list = fields["steps"] ?? fields["parallel"] else { return nil }
    var scope = scopes[context.scope]
    scope.enclosing = context.scope
    scope.prefix += member + "/"
    scope.groups = [:]
    scope.title = stepName(fields["name"], member, context).map { $0 + "/" }
    addScope(scope)
    var inner = context
    inner.scope = scopes.count - 1
    var group = Group(
      name: fullID(member, scope: context.scope), hasID: true, in: context.group)
    group.parent = addRounds(fields, around: group, member, context)
    group.isList = true
    readSettings(fields, of: &group, &inner, context)
    inner.group = groups.add(group)
    inner.opening = needs
    collectIDs(in: [list], scope: inner.scope)
    return OpenGroup(
      list: list, context: inner, needs: needs, id: member, name: fields["name"],
      outputs: fields["outputs"], repetition: fields["repeat"])
  }
}

// Reads groups of steps, `parallel:` and nested `steps:`, and the settings that their steps inherit.

import YAML

extension WorkflowReader {
  /// A group whose steps are to be read.
  struct Group {
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
    /// The name of the group in the limits of its branches; nil if they have none.
    let limited: GroupItem?
  }

  // The next functions are apart from those that call themselves for nested lists, whose frames must
  // stay small.

  /// Reads the settings of a group; nil if it has no list.
  @inline(never)
  mutating func openGroup(
    _ node: Node, _ table: KeyTable, after before: [Need], _ context: Context
  ) -> Group? {
    let file = context.file
    guard let fields = readers[file].fields(of: node, table), let list = fields[table.names[0]]
    else { return nil }
    guard fields.bits != 1 else {
      return Group(
        list: list, context: context, needs: before, id: nil, name: nil, limited: nil)
    }
    let needs = readNeeds(ofGroup: fields, context) ?? before
    let id =
      fields["id"] == nil && fields["name"] == nil ? nil : readID(fields, context)
    var inner = context
    if let id { inner.extras.groups.append(fullID(id, scope: context.scope)) }
    readSettings(
      fields, ofGroup: id.map { fullID($0, scope: context.scope) }, of: &inner, context)
    refuseOfMany(
      fields, besides: table.has("parallel") ? ["max-parallel", "fail-fast"] : [], context)
    if let key = fields.key("outputs"), fields.lacks("id") {
      readers[file].report(.missing(.idOfOutputs), at: key)
    }
    return Group(
      list: list, context: inner, needs: needs, id: id, name: fields["name"],
      outputs: fields["outputs"],
      limited: table.has("parallel") ? readLimit(fields, id, context) : nil)
  }

  /// Reads the branches of a group.
  mutating func readBranches(_ group: Group) -> (Outline, [Need]) {
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
        branch, after: group.needs, self.context(ofBranch: position, in: group))
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
      readers[context.file].report(.misplaced(.needsOfFinally), at: key)
    }
    return fields["needs"].map { readNeeds($0, context) }
  }

  /// Reads the settings that the steps of a group inherit.
  ///
  /// - Parameters:
  ///   - fields: The keys of the group.
  ///   - group: The unique name of the group; nil if it has no id.
  ///   - inner: The context of its steps.
  ///   - context: The context of the group.
  mutating func readSettings(
    _ fields: Fields, ofGroup group: String?, of inner: inout Context, _ context: Context
  ) {
    let (file, draft) = (context.file, drafts.count)
    let group = group ?? internalName(of: fields.node, context)
    readRunner(fields["runner"], into: &inner)
    if let node = fields["if"], let condition = readGroupCondition(node, context, draft) {
      if condition.template.testsStatus {
        readers[file].report(.misplaced(.statusOfGroup), at: node)
      }
      inner.extras.conditions.append(condition)
    }
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
    if let node = fields["continue-on-error"],
      boolean(node, "continue-on-error", context) == true
    {
      inner.extras.tolerantGroups.append(group)
    }
    readRules(fields, of: group, into: &inner.extras, context)
  }

  /// Reads `timeout`, `retry` and `mutex` of a group or of a step with `uses`.
  mutating func readRules(
    _ fields: Fields, of group: String, into extras: inout StepExtras, _ context: Context
  ) {
    let file = context.file
    var rule = GroupRule(group: group)
    rule.timeout = fields["timeout"].flatMap {
      duration($0, "timeout", context, allowsZero: false)
    }
    rule.retry = fields["retry"].flatMap { readers[file].retry($0) }
    if let key = fields.key("retry"), context.isFinally || context.isCleanUp {
      readers[file].report(.misplaced(.retryOfFinally), at: key)
    }
    rule.tolerantCount = extras.tolerantGroups.count
    if rule.timeout != nil || rule.retry != nil { extras.rules.append(rule) }
    guard let node = fields["mutex"], let mutex = text(node, "mutex", context) else { return }
    refuseMutex(fields.key("mutex"), context)
    let item = GroupItem(
      group: mutex, item: drafts.count, limit: 1, failFastCount: nil, countsItems: true,
      isMutex: true, holder: group)
    extras.items.append(item)
    noteLimit(item, "mutex", fields, nil, context)
  }

  /// Reports a mutex in a group that holds one: two such groups could wait for one another.
  mutating func refuseMutex(_ key: Node?, _ context: Context) {
    guard let key, !context.isPlain, context.extras.isInMutex else { return }
    readers[context.file].report(.misplaced(.mutexInMutex), at: key)
  }

  /// Reports keys that are only valid with `foreach` or `matrix`.
  mutating func refuseOfMany(_ fields: Fields, besides allowed: [String], _ context: Context) {
    for name in ["max-parallel", "fail-fast", "key", "max-items"] where !allowed.contains(name) {
      guard let key = fields.key(name) else { continue }
      readers[context.file].report(.misplaced(.ofMany(name)), at: key)
    }
  }

  /// Reads `max-parallel` and `fail-fast` of a parallel group, whose items are its branches.
  private mutating func readLimit(
    _ fields: Fields, _ id: String?, _ context: Context
  ) -> GroupItem? {
    let limit = fields["max-parallel"].flatMap { number($0, "max-parallel", context) }
    let failFastCount = fields["fail-fast"].flatMap { readFailFast($0, context) }
    guard limit != nil || failFastCount != nil else { return nil }
    let group =
      id.map { fullID($0, scope: context.scope) } ?? internalName(of: fields.node, context)
    let item = GroupItem(
      group: group, item: 0, limit: limit, failFastCount: failFastCount, countsItems: true)
    if limit != nil { noteLimit(item, "max-parallel", fields, id, context) }
    return item
  }

  /// Notes the place of the key of a limit, for messages about it.
  private mutating func noteLimit(
    _ item: GroupItem, _ name: String, _ fields: Fields, _ id: String?, _ context: Context
  ) {
    guard let key = fields.key(name) else { return }
    limitPlaces[item.limitName] = NeedName(
      text: id ?? "parallel", mark: key.mark, length: key.length, scope: context.scope,
      file: context.file, result: nil)
  }

  /// Returns a unique name for a group that may have no id; no id contains a colon.
  private func internalName(of node: Node, _ context: Context) -> String {
    "\(scopes[context.scope].prefix):\(node.mark.line):\(node.mark.column)"
  }

  /// Returns the settings that the steps of a branch inherit.
  @inline(never)
  func context(ofBranch position: Int, in group: Group) -> Context {
    guard var item = group.limited else { return group.context }
    var context = group.context
    item.item = position
    context.extras.items.append(item)
    return context
  }

  /// Makes a group known to `needs`, expressions and displays, after its steps have been read.
  ///
  /// - Returns: The outline of the group.
  @inline(never)
  mutating func closeGroup(
    _ group: Group, _ outline: Outline, _ ends: [Need], _ context: Context
  ) -> Outline {
    guard let id = group.id else { return outline }
    let outputs = group.outputs.map { readOutputs($0, of: "a group", group.context) } ?? [:]
    scopes[context.scope].groups[id] = StepGroup(
      kind: .used(scope: group.context.scope, outputs: outputs), ends: stepIDs(of: ends))
    nameGroup(group.name, id, context)
    return .group(fullID(id, scope: context.scope), outline)
  }
}

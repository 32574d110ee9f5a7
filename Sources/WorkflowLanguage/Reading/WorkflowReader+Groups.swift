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
    if let key = fields.key("needs"), context.isFinally || context.isCleanUp {
      readers[file].report(.misplaced(.needsOfFinally), at: key)
    }
    let needs = fields["needs"].map { readNeeds($0, context) } ?? before
    let id =
      fields["id"] == nil && fields["name"] == nil ? nil : readID(fields, context)
    var inner = context
    if let id { inner.extras.groups.append(fullID(id, scope: context.scope)) }
    readSettings(fields, of: &inner, context)
    return Group(
      list: list, context: inner, needs: needs, id: id, name: fields["name"],
      limited: readLimit(fields, id, context))
  }

  /// Reads the settings that the steps of a group inherit.
  private mutating func readSettings(
    _ fields: Fields, of inner: inout Context, _ context: Context
  ) {
    let (file, draft) = (context.file, drafts.count)
    readRunner(fields["runner"], into: &inner)
    if let node = fields["if"], let condition = readCondition(node, context, draft) {
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
      inner.extras.tolerantGroups.append(internalName(of: fields.node, context))
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
    if limit != nil, let key = fields.key("max-parallel") {
      limitPlaces[group] = NeedName(
        text: id ?? "parallel", mark: key.mark, length: key.length, scope: context.scope,
        file: context.file, result: nil)
    }
    return GroupItem(
      group: group, item: 0, limit: limit, failFastCount: failFastCount, countsItems: true)
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
    scopes[context.scope].groups[id] = StepGroup(
      kind: .used(scope: context.scope, outputs: [:]), ends: stepIDs(of: ends))
    nameGroup(group.name, id, context)
    return .group(fullID(id, scope: context.scope), outline)
  }
}

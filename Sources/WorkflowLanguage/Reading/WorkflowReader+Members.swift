// Reads groups of steps with `foreach` or `matrix`: each item has all steps of the group, in a scope
// of its own.

import YAML

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

// Reads steps that call actions of the program, and those whose work is shared. Knows the names of the actions
// and how to check what they are given, not what they do.

import YAML

extension WorkflowReader {
  /// Reads `call` with its `with`.
  mutating func readCall(
    _ node: Node, _ fields: Fields, _ context: Context, _ draft: Int
  ) -> Workflow.Step.Action? {
    let file = context.file
    for name in KeyTable.step.names(excludedBy: "call") {
      guard let key = fields.key(name) else { continue }
      readers[file].report(
        name == "shell" ? .misplaced(.shellOfCall) : .exclusive(name, "call", in: "a step"), at: key
      )
    }
    guard let name = readers[file].nonEmptyText(node, "call") else { return nil }
    if name.hasPrefix("#"), let number = Int(name.dropFirst()), works.indices.contains(number) {
      return .perform(works[number])
    }
    let given = fields["with"].map { readers[file].named($0, "with", .identifier) } ?? []
    var arguments = CallArguments()
    let before = mistakeCount
    for (name, _, value) in given {
      arguments.trees[name] = tree(of: value, "\"\(name)\"", context, draft)
    }
    if mistakeCount == before, let actions {
      check(name, node, arguments, fields["with"], against: actions, context)
    }
    return .call(name, arguments)
  }

  private mutating func tree(
    of node: Node, _ what: String, _ context: Context, _ draft: Int
  ) -> CallArguments.Tree? {
    switch node.content {
    case .scalar(let text, _):
      guard text.hasExpression else { return .scalar(Value(node), text: node.isNull ? "" : text) }
      return template(node, what, .with, context, draft: draft).map { .template($0) }
    case .sequence(let nodes):
      return .list(nodes.compactMap { tree(of: $0, what, context, draft) })
    case .mapping(let pairs):
      var trees: [String: CallArguments.Tree] = [:]
      for pair in pairs {
        trees[pair.key.text ?? ""] = tree(of: pair.value, what, context, draft)
      }
      return .map(trees)
    }
  }

  /// Reports what the action will not understand.
  private mutating func check(
    _ name: String, _ node: Node, _ arguments: CallArguments, _ with: Node?,
    against actions: ActionCatalog, _ context: Context
  ) {
    let file = context.file
    guard let check = actions.checks[name] else {
      readers[file].report(
        .unknownAction(name, Alternatives(to: name, among: actions.names)), at: node)
      return
    }
    do throws(ArgumentMistake) {
      try check(arguments.trees.mapValues(\.known))
    } catch {
      let place = with.map { self.place(of: error, in: $0) } ?? node
      readers[file].report(.inside("\"\(name)\"", error.kind), at: place)
    }
  }

  /// The node that a mistake means, or the nearest one around it.
  private func place(of mistake: ArgumentMistake, in node: Node) -> Node {
    var node = node
    for (position, part) in mistake.path.enumerated() {
      switch node.content {
      case .mapping(let pairs):
        guard let found = Node.position(of: part, in: pairs) else { return node }
        let isLast = position == mistake.path.count - 1
        if isLast && mistake.isOfName { return pairs[found].key }
        node = pairs[found].value
      case .sequence(let nodes):
        guard let number = Int(part), nodes.indices.contains(number) else { return node }
        node = nodes[number]
      case .scalar: return node
      }
    }
    return node
  }

  /// Reads `share`.
  mutating func readShare(
    _ node: Node, _ fields: Fields, _ context: Context, _ draft: Int
  ) -> Template? {
    let doesNothing = ["run", "exec", "call"].allSatisfy { fields[$0] == nil }
    if doesNothing, let key = fields.key("share") {
      readers[context.file].report(.misplaced(.sharedApproval), at: key)
    }
    return template(node, "share", .share, context, draft: draft)
  }
}

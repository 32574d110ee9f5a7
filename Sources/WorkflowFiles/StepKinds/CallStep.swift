// The step kind `call`, which calls an action of the program, and the check of its arguments.

import WorkflowReading
import YAML

/// A step that calls an action that the program has registered.
struct CallStep: NamedStepKind {
  static let name = "call"
  static let shape = Shape.text
  static let summary = "an action of the program that runs the workflow"
  static let refused = ["run", "exec", "shell", "runner", "terminal", "tty"]

  let action: String
  let arguments: CallArguments

  static func refusal(of key: String) -> Diagnostic.Cause {
    key == "shell" ? .shellOfCall : .exclusive(key, name, in: "a step")
  }

  static func read(_ step: StepFields, _ reader: inout WorkflowReader) -> (any StepKind)? {
    let file = step.context.file
    guard let action = reader.readers[file].nonEmptyText(step.node, name) else { return nil }
    if action.hasPrefix("#"), let number = Int(action.dropFirst()),
      reader.works.indices.contains(number)
    {
      let work = reader.works[number]
      if let problem = work.problem { reader.readers[file].report(problem, at: step.node) }
      return ClosureStep(work: work)
    }
    let given = step.all["with"].map { reader.readers[file].named($0, "with", .identifier) } ?? []
    var arguments = CallArguments()
    let before = reader.errorCount
    for (name, _, value) in given {
      arguments.trees[name] = reader.tree(of: value, "\"\(name)\"", step.context, step.draft)
    }
    if reader.errorCount == before, let actions = reader.actions, actions.isComplete {
      reader.check(action, step.node, arguments, step.all["with"], against: actions, step.context)
    }
    return CallStep(action: action, arguments: arguments)
  }

  var shown: [String] { ["call \(action)"] }

  var declared: [String] {
    ["call: \(action)"]
      + arguments.declared.sorted { $0.key < $1.key }.map { "with: \($0.key)=\($0.value)" }
  }

  var templates: [Template] { arguments.trees.values.flatMap(\.templates) }

  var startsProgram: Bool { false }

  func resolved(_ source: StepSource) throws(ResolutionError) -> ResolvedStep.Action {
    .call(action, try source.arguments(arguments))
  }
}

extension Workflow.Step.Action {
  /// Returns the action of a step that calls an action that the program has registered.
  package static func call(_ action: String, _ arguments: CallArguments) -> Self {
    Self(CallStep(action: action, arguments: arguments))
  }
}

extension Step {
  /// Creates a step that calls an action of the program.
  ///
  /// - Parameters:
  ///   - id: The id of the step, unique in its workflow.
  ///   - action: The name of the action.
  ///   - arguments: The arguments, by name.
  ///   - settings: The settings of the step.
  ///   - file: The file of the declaration, for messages.
  ///   - line: The line of the declaration, for messages.
  public init(
    _ id: String, call action: String, with arguments: [String: TemplateValue] = [:],
    _ settings: StepSetting..., file: StaticString = #fileID, line: Int = #line
  ) {
    // Names such as #0 refer to closures and are reserved: escape the #.
    let name = action.hasPrefix("#") ? "#" + action : action
    self.init(
      id, [("call", .text(name))] + Self.with(arguments), settings, DeclarationPlace(file, line))
  }
}

extension WorkflowReader {
  fileprivate mutating func tree(
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

  /// Reports an unknown action, or arguments that the action does not accept.
  fileprivate mutating func check(
    _ name: String, _ node: Node, _ arguments: CallArguments, _ with: Node?,
    against actions: ActionCatalog, _ context: Context
  ) {
    let file = context.file
    guard let check = actions.checks[name] else {
      readers[file].report(
        .unknownAction(name, Alternatives(to: name, among: actions.names)), at: node)
      return
    }
    do throws(ArgumentError) {
      try check(arguments.trees.mapValues(\.known))
    } catch {
      let place = with.map { self.place(of: error, in: $0) } ?? node
      readers[file].report(error.cause.inside("\"\(name)\""), at: place)
    }
  }

  /// Returns the node that an error is about, or the innermost node around it.
  func place(of error: ArgumentError, in node: Node) -> Node {
    var node = node
    for (position, part) in error.path.enumerated() {
      switch node.content {
      case .mapping(let pairs):
        guard let found = Node.position(of: part, in: pairs) else { return node }
        let isLast = position == error.path.count - 1
        if isLast && error.isOfName { return pairs[found].key }
        node = pairs[found].value
      case .sequence(let nodes):
        guard let number = Int(part), nodes.indices.contains(number) else { return node }
        node = nodes[number]
      case .scalar: return node
      }
    }
    return node
  }
}

// Reads `undo` of steps: each becomes a step that runs after all others, if the run has failed.

import WorkflowReading
import YAML

extension WorkflowReader {
  /// Notes `undo` of a step that was read.
  mutating func noteUndo(
    _ fields: Fields, _ id: String, of step: inout Workflow.Step, _ context: Context
  ) {
    guard let key = fields.key("undo") else { return }
    guard !context.isFinally, !context.isCleanUp else {
      readers[context.file].report(.undoOfFinally, at: key)
      return
    }
    step.extras.canBeUndone = true
    let name = fields["name"] == nil ? nil : step.extrasIfAny?.name
    undos.append(Undo(fields: fields, id: id, name: name, context: context))
  }

  /// Reads what undoes steps, last first.
  ///
  /// - Returns: The outline, and the last of the steps as the need of what follows.
  mutating func readUndos() -> (Outline, [Need])? {
    guard !undos.isEmpty else { return nil }
    var outlines: [Outline] = []
    var ends: [Need] = []
    for undo in undos.reversed() {
      let (outline, newEnds) = read(undo, after: ends)
      if let outline { outlines.append(outline) }
      ends = newEnds
    }
    return (.group("undo", .sequence(outlines)), ends)
  }

  /// Reads what undoes the steps of a template, into the template.
  ///
  /// - Parameters:
  ///   - first: The number of the first of these steps among all that are undone.
  ///   - fields: The keys of the step with the items.
  ///   - id: The id of that step.
  ///   - context: Its context.
  @inline(never)
  mutating func readUndos(
    ofItemsFrom first: Int, _ fields: Fields, _ id: String, _ context: Context
  ) {
    let own = undos[first...]
    guard !own.isEmpty else { return }
    undos.removeSubrange(first...)
    for undo in own where !undo.isOfItems { _ = read(undo, after: []) }
    undos.append(Undo(fields: fields, id: id, name: nil, context: context, isOfItems: true))
  }

  /// Adds the step after which, in the order of the file, those follow that undo the items of a step.
  private mutating func addUndoOfItems(_ undo: Undo, after ends: [Need]) -> (Outline?, [Need]) {
    let draft = drafts.count
    let undone = fullID(undo.id, scope: undo.context.scope)
    var step = Workflow.Step(id: undone + "/undo", action: .wait)
    step.extras.scope = undo.context.scope
    step.extras.bindings = undo.context.bindings
    step.extras.finally = [.failure]
    step.extras.undoes = undone
    finallyIDs.insert(step.id)
    steps.append(step)
    let node = undo.fields.key("undo") ?? undo.fields["id"] ?? undo.fields.node
    drafts.append(Draft(needs: ends, file: undo.context.file, mark: node.mark, length: 1))
    return (.step(StepIndex(draft)), [.step(draft)])
  }

  private mutating func read(_ undo: Undo, after ends: [Need]) -> (Outline?, [Need]) {
    if undo.isOfItems { return addUndoOfItems(undo, after: ends) }
    guard let node = undoNode(undo),
      let fields = readers[undo.context.file].fields(of: node, .step)
    else { return (nil, ends) }
    var context = undo.context
    context.isFinally = true
    // It belongs to no group: it runs alone, however the others have ended.
    context.extras.conditions = []
    context.group = .run
    context.defaults.continuesOnError = false
    let undone = fullID(undo.id, scope: context.scope)
    let id = undo.id + "/undo"
    finallyIDs.insert(fullID(id, scope: context.scope))
    let count = steps.count
    let (outline, newEnds) = readSingle(fields, id, ends, context)
    guard steps.count == count + 1 else { return (nil, ends) }
    steps[count].extras.finally = [.failure]
    steps[count].extras.undoes = undone
    if let name = undo.name { steps[count].extras.name = "Undo: \(name)" }
    return (outline, newEnds)
  }

  /// Returns the step that undoes another one, as if it were written in the file.
  private mutating func undoNode(_ undo: Undo) -> Node? {
    guard let key = undo.fields.key("undo"), let value = undo.fields["undo"] else { return nil }
    var pairs = undo.fields.pairs(["dir", "shell", "runner"])
    var environment: [Node.Pair] = []
    if case .mapping(let pairs)? = undo.fields["env"]?.content { environment = pairs }
    func add(_ name: String, _ value: Node) {
      var named = key
      named.content = .scalar(name, isPlain: true)
      pairs.append(Node.Pair(key: named, value: value))
    }
    switch value.content {
    case .scalar: add("run", value)
    case .sequence: add("exec", value)
    case .mapping:
      guard let own = ownFields(of: value, undo.context) else { return nil }
      pairs += own.pairs(["run", "exec", "timeout", "retry"])
      if case .mapping(let variables)? = own["env"]?.content {
        environment.removeAll { pair in
          variables.contains { $0.key.text == pair.key.text }
        }
        environment += variables
      } else if let node = own["env"] {
        add("env", node)
        environment = []
      }
    }
    if !environment.isEmpty {
      var node = undo.fields["env"] ?? value
      node.content = .mapping(environment)
      add("env", node)
    }
    var node = undo.fields.node
    node.content = .mapping(pairs)
    return node
  }

  /// Returns the keys of `undo` if it is a map with a command, or reports an error.
  private mutating func ownFields(of node: Node, _ context: Context) -> Fields? {
    guard let own = readers[context.file].fields(of: node, Tables.undo) else { return nil }
    if own["run"] != nil || own["exec"] != nil { return own }
    if own.lacks("run"), own.lacks("exec") {
      readers[context.file].report(.missingUndo, at: node)
    }
    return nil
  }
}

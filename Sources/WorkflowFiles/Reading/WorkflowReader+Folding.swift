// Makes templates of the steps that were read for each item that is computed during a run.

import WorkflowReading

extension WorkflowReader {
  /// Moves the templates out of the steps, after all checks, and updates names and layout.
  ///
  /// A template was a part of the graph until now, so everything that was checked holds for any
  /// number of items: they differ in nothing, and no item needs another.
  ///
  /// - Parameter outline: The layout of all steps.
  /// - Returns: The layout and the graph of the steps that are left.
  mutating func foldFans(_ outline: Outline) -> (Outline, Graph) {
    let nesting = FanNesting(steps, fans)
    for position in steps.indices { nesting.forget(in: &steps[position]) }
    for position in scopes.indices { nesting.forget(in: &scopes[position], at: position) }
    var positions: [String: [Int]] = [:]
    var moved: [Int: Int] = [:]
    var left: [Int] = []
    for (position, step) in steps.enumerated() {
      if let fan = step.extrasIfAny?.fan {
        moved[position] = positions[fan]?.count ?? 0
        positions[fan, default: []].append(position)
      } else {
        moved[position] = left.count
        left.append(position)
      }
    }
    // Inner ones come first, so the templates of outer ones contain them.
    for fan in fans {
      let id = steps[fan.draft].id
      guard var kind = steps[fan.draft].action.kind as? FanStep else { continue }
      kind.template.content.steps = (positions[id] ?? []).map { steps[$0] }
      kind.template.content.outline =
        fan.outline.moving(to: { moved[$0] }, children: { _ in nil }) ?? .sequence([])
      kind.template.content.ends = nesting.known(fan.ends, inside: id)
      kind.template.content.groupNames = takeNames(ofTemplate: id)
      kind.template.content.mark = ItemNames.mark(of: kind.number)
      (kind.template.scopes, kind.template.groups) = (fan.scopes, fan.groups)
      steps[fan.draft].action = Workflow.Step.Action(kind)
      if let name = steps[fan.draft].extras.name { groupNames[id + "[*]"] = name }
    }
    steps = left.map { steps[$0] }
    let kept = outline.moving(to: { moved[$0] }, children: { _ in nil })
    do {
      let graph = try Graph(ids: steps.map(\.id), needs: steps.map(\.needs))
      return (kept ?? .sequence([]), graph)
    } catch {
      preconditionFailure("BUG: a graph without its templates is not a graph: \(error)")
    }
  }

  /// Removes and returns the names of the groups of a template.
  private mutating func takeNames(ofTemplate fan: String) -> [String: String] {
    let own = groupNames.filter { $0.key.hasPrefix(ItemNames.template(of: fan)) }
    for name in own.keys { groupNames[name] = nil }
    return own
  }
}

/// Which templates contain which others.
private struct FanNesting {
  /// The innermost template around a step of a template.
  private var owners: [String: String] = [:]
  /// The innermost template that has a scope.
  private var ownersOfScopes: [Int: String] = [:]

  init(_ steps: [Workflow.Step], _ fans: [WorkflowReader.FoldedFan]) {
    for step in steps { owners[step.id] = step.extrasIfAny?.fan }
    for fan in fans {
      for scope in fan.scopes where ownersOfScopes[scope] == nil {
        ownersOfScopes[scope] = steps[fan.draft].id
      }
    }
  }

  /// Returns the steps of a list that its reader can know: not those inside of a template that does
  /// not contain the reader.
  ///
  /// - Parameters:
  ///   - ids: The ids of steps.
  ///   - template: The innermost template around the reader of the list; nil for none.
  /// - Returns: The ids that are left.
  func known(_ ids: [String], inside template: String?) -> [String] {
    var around: Set<String> = []
    var next = template
    while let template = next {
      around.insert(template)
      next = owners[template]
    }
    return ids.filter { id in owners[id].map(around.contains) ?? true }
  }

  /// Removes needs of steps inside of other templates: the step that computes the items is a need,
  /// too.
  func forget(in step: inout Workflow.Step) {
    let kept = known(step.needs, inside: step.extrasIfAny?.fan)
    guard kept.count < step.needs.count else { return }
    let gone = Set(step.needs).subtracting(kept)
    step.needs = kept
    guard var rules = step.extrasIfAny?.needRules else { return }
    rules.results = rules.results.filter { !gone.contains($0.key) }
    rules.anyOf.subtract(gone)
    step.extras.needRules = rules == NeedRules() ? nil : rules
  }

  func forget(in scope: inout Scope, at position: Int) {
    for (name, group) in scope.groups {
      // The group of one item belongs to the template of the items.
      let template = ItemNames.fan(ofTemplate: name).map { scope.prefix + $0 }
      scope.groups[name]?.ends = known(group.ends, inside: template ?? ownersOfScopes[position])
    }
  }
}

// Expands the steps of a workflow whose items were computed during a run.

extension Workflow {
  /// Whether a step is expanded during the run.
  package func isFan(_ step: Workflow.Step) -> Bool { step.action.kind.isExpanded }

  /// Returns the recorded items of a step that is expanded during the run; nil if there are none.
  package func items(of step: Workflow.Step) -> [ExpandedItem]? {
    (step.action.kind as? FanStep)?.items
  }

  /// Returns the template of the steps for each item; nil for a step that is not expanded.
  package func template(of step: Workflow.Step) -> FanTemplate? {
    (step.action.kind as? FanStep)?.template
  }

  /// The steps, and those of the templates of items.
  ///
  /// Each comes with the step of the workflow that it belongs to.
  package var stepsWithTemplates: [(step: Workflow.Step, owner: Workflow.Step)] {
    steps.flatMap { step in
      [(step, step)] + (template(of: step)?.allSteps ?? []).map { ($0, step) }
    }
  }

  /// Computes the items of a step that is expanded during the run.
  ///
  /// - Throws: ``ResolutionError`` if there are no valid items.
  package func items(
    of step: Workflow.Step, _ values: RunValues
  ) throws(ResolutionError) -> [ExpandedItem] {
    guard let fan = step.action.kind as? FanStep else { return [] }
    return try fan.items(
      StepSource(
        workflow: self, values: values, scope: step.extras.scope, bindings: step.extras.bindings))
  }

  /// Returns the workflow with steps expanded, in place of the steps of an earlier expansion.
  ///
  /// The first steps of each item need the step that was expanded; steps that need it need the last
  /// steps of all items, too. Linear in steps and needs.
  ///
  /// - Parameter expansions: The items, by the ids of the steps; unknown steps are ignored.
  /// - Returns: The workflow.
  package func expanding(_ expansions: [String: [ExpandedItem]]) -> Workflow {
    guard steps.contains(where: isFan) else { return self }
    var items = expansions
    for step in steps where items[step.id] == nil { items[step.id] = self.items(of: step) }
    guard !items.isEmpty else { return self }
    let base = unexpanded
    var expansion = Expansion(of: base, to: items)
    var next = base
    next.outline = expansion.add(base.steps, base.outline) ?? .sequence([])
    next.steps = expansion.connectedSteps
    next.scopes = expansion.connectedScopes
    next.groupNames = expansion.groupNames
    do {
      next.graph = try Graph(ids: next.steps.map(\.id), needs: next.steps.map(\.needs))
    } catch {
      preconditionFailure("BUG: an expansion of a graph is not a graph: \(error)")
    }
    next.finallyCount = next.steps.reversed().prefix { $0.extrasIfAny?.finally != nil }.count
    return next
  }

  /// Returns the workflow with its steps expanded as those of another version.
  package func expanding(like other: Workflow) -> Workflow {
    var expansions: [String: [ExpandedItem]] = [:]
    for step in other.steps { expansions[step.id] = other.items(of: step) }
    return expansions.isEmpty ? self : expanding(expansions)
  }

  /// The workflow without the steps of items, and with a graph that does not fit.
  private var unexpanded: Workflow {
    var owners: [String: String] = [:]
    for step in steps {
      if let fan = step.extrasIfAny?.fan { owners[step.id] = owners[fan] ?? fan }
    }
    guard !owners.isEmpty else { return self }
    var base = self
    base.steps = []
    var moved: [Int?] = []
    for var step in steps {
      moved.append(owners[step.id] == nil ? base.steps.count : nil)
      guard owners[step.id] == nil else { continue }
      step.replaceNeeds { owners[$0].map { [$0] } }
      base.steps.append(step)
    }
    base.outline = outline.moving(to: { moved[$0] }, children: { _ in nil }) ?? .sequence([])
    base.scopes = Array(scopes.prefix { $0.origin == nil })
    for position in base.scopes.indices {
      base.scopes[position].forgetItems(owners)
    }
    let fans = Set(owners.values)
    base.groupNames = groupNames.filter { !ItemNames.isOfItem($0.key, of: fans) }
    return base
  }

  /// The maximum number of needs of all steps together, during a run.
  package static let needsMax = WorkflowReader.needsMax

  /// The maximum number of steps of all items of a step.
  package static let itemStepsMax = FanStep.limitMax
}

/// Builds the steps of an expanded workflow.
private struct Expansion {
  private let items: [String: [ExpandedItem]]
  private var scopes: [Scope]
  private(set) var groupNames: [String: String]
  private var steps: [Workflow.Step] = []
  /// The last steps of the items of a step that was expanded.
  private var ends: [String: [String]] = [:]

  init(of workflow: Workflow, to items: [String: [ExpandedItem]]) {
    self.items = items
    scopes = workflow.scopes
    groupNames = workflow.groupNames
  }

  /// Adds steps and the steps to which they are expanded.
  ///
  /// - Parameters:
  ///   - list: The steps.
  ///   - outline: Their layout.
  /// - Returns: The layout with the steps of items; nil if it is empty.
  mutating func add(_ list: [Workflow.Step], _ outline: Outline) -> Outline? {
    var moved: [Int] = []
    var children: [Int: [Outline]] = [:]
    for (position, step) in list.enumerated() {
      moved.append(steps.count)
      steps.append(step)
      guard var fan = step.action.kind as? FanStep, let items = items[step.id] else { continue }
      fan.items = items
      steps[steps.count - 1].action = Workflow.Step.Action(fan)
      ends[step.id] = items.flatMap { item in
        fan.template.ends.map(ItemNames(of: step.id, mark: fan.template.mark, for: item).id)
      }
      var outlines: [Outline] = []
      for (index, item) in items.enumerated() {
        outlines += [add(item, at: index, of: fan, step)].compactMap(\.self)
      }
      children[position] = outlines
      expandGroup(of: step, to: items)
    }
    return outline.moving(to: { moved[$0] }, children: { children[$0] })
  }

  /// Adds the steps of one item.
  private mutating func add(
    _ item: ExpandedItem, at index: Int, of fan: FanStep, _ step: Workflow.Step
  ) -> Outline? {
    let copy = ItemCopy(of: fan, step.id, for: item, at: index, scopeCount: scopes.count)
    for position in fan.template.scopes {
      scopes.append(copy.scope(scopes[position], at: position))
    }
    let declaring = step.extras.scope
    let name = String(step.id.dropFirst(scopes[declaring].prefix.count))
    if let group = scopes[declaring].groups[ItemNames.template(of: name)] {
      scopes[declaring].groups[item.id(in: name)] = copy.group(group)
    }
    let template = copy.template(fan.template)
    groupNames.merge(template.groupNames) { $1 }
    return add(template.steps, template.outline)
  }

  /// Makes the name of a step refer to its items, too.
  private mutating func expandGroup(of step: Workflow.Step, to items: [ExpandedItem]) {
    let declaring = step.extras.scope
    let name = String(step.id.dropFirst(scopes[declaring].prefix.count))
    scopes[declaring].groups[name] = StepGroup(
      kind: .each(items.map { $0.id(in: name) }), ends: [step.id])
  }

  /// Returns the last steps of the items of a step; nil if it was not expanded.
  private func allEnds(of step: String) -> [String]? {
    ends[step].map { $0.flatMap { end in [end] + (allEnds(of: end) ?? []) } }
  }

  /// The steps; those that need an expanded step need the last steps of its items, too.
  var connectedSteps: [Workflow.Step] {
    let ids = Set(steps.map(\.id))
    return steps.map { step in
      var step = step
      let id = step.id
      step.replaceNeeds { need in
        ItemNames.isOfItem(id, of: need) ? nil : allEnds(of: need).map { [need] + $0 }
      }
      // A part of a workflow need not have what only the steps of items need.
      if step.extrasIfAny?.fan != nil { step.keepNeeds(in: ids) }
      return step
    }
  }

  /// The scopes; groups that end with an expanded step end with the last steps of its items.
  var connectedScopes: [Scope] {
    guard !ends.isEmpty else { return scopes }
    return scopes.map { scope in
      var scope = scope
      for (name, group) in scope.groups where group.ends.contains(where: { ends[$0] != nil }) {
        scope.groups[name]?.ends = group.ends.flatMap { end in
          guard !ItemNames.isOfItem(scope.prefix, of: end), let ends = allEnds(of: end),
            !ends.isEmpty
          else { return [end] }
          return ends
        }
      }
      return scope
    }
  }
}

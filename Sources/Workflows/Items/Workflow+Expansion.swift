// Expands the steps of a workflow whose items were computed during a run.

extension Workflow.Step {
  /// Whether the step is expanded during the run.
  package var isFan: Bool { action.kind.isExpanded }

  /// The recorded items of a step that is expanded during the run; nil if there are none.
  package var items: [ExpandedItem]? { fan?.items }

  /// The template of the steps for each item; nil for a step that is not expanded.
  package var template: FanTemplate? { fan?.template }

  private var fan: FanStep? { action.hasKind(FanStep.self) ? action.kind as? FanStep : nil }
}

extension Workflow {
  /// The steps, and those of the templates of items.
  ///
  /// Each comes with the step of the workflow that it belongs to.
  package var stepsWithTemplates: [(step: Workflow.Step, owner: Workflow.Step)] {
    var all: [(step: Workflow.Step, owner: Workflow.Step)] = []
    all.reserveCapacity(steps.count)
    for step in steps {
      all.append((step, step))
      for inner in step.template?.allSteps ?? [] { all.append((inner, step)) }
    }
    return all
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
    guard steps.contains(where: \.isFan) else { return self }
    var items = expansions
    for step in steps where items[step.id] == nil { items[step.id] = step.items }
    guard !items.isEmpty else { return self }
    let base = unexpanded
    var places = ExpandedPlaces(of: base)
    var expansion = StepExpansion<Workflow.Step>()
    var next = base
    let outline = expansion.add(base.steps, base.outline) { step in
      guard let fan = step.action.kind as? FanStep, let items = items[step.id] else { return nil }
      return places.copies(of: fan, step, for: items)
    }
    next.outline = outline ?? .sequence([])
    next.steps = expansion.connectedSteps.map { step in
      guard var fan = step.action.kind as? FanStep, let items = items[step.id] else { return step }
      var step = step
      fan.items = items
      step.action = Workflow.Step.Action(fan)
      return step
    }
    next.scopes = places.scopes(after: expansion)
    next.groups = places.groups
    next.groupNames.merge(expansion.groupNames) { $1 }
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
    for step in other.steps { expansions[step.id] = step.items }
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
    base.groups.removeCopies()
    base.scopes = Array(scopes.prefix { $0.origin == nil })
    for position in base.scopes.indices {
      base.scopes[position].forgetItems(owners)
    }
    let fans = Set(owners.values)
    base.groupNames = groupNames.filter { !ItemNames.isOfItem($0.key, of: fans) }
    return base
  }

  /// The maximum number of needs of all steps of a workflow together.
  ///
  /// A step that follows a group needs each step of the group, so two consecutive groups have as
  /// many needs as the product of their sizes.
  package static let needsMax = 1_000_000

  /// The maximum number of steps of all items of a step.
  package static let itemStepsMax = FanStep.limitMax
}

extension Workflow.Step: ExpandableStep {
  package var undoes: String? { extrasIfAny?.undoes }
}

/// The scopes and groups of a workflow that is expanded, with those of its items.
private struct ExpandedPlaces {
  private var scopes: [Scope]
  private(set) var groups: GroupTree

  init(of workflow: Workflow) { (scopes, groups) = (workflow.scopes, workflow.groups) }

  /// Returns the copies of a template for the items of a step, and adds their scopes and groups.
  mutating func copies(
    of fan: FanStep, _ step: Workflow.Step, for items: [ExpandedItem]
  ) -> [ItemTemplate<Workflow.Step>] {
    let declaring = step.extras.scope
    let name = String(step.id.dropFirst(scopes[declaring].prefix.count))
    let copies = items.enumerated().map { index, item in
      let copy = ItemCopy(of: fan, step.id, for: item, at: index, (scopes.count, groups.count))
      for position in fan.template.scopes {
        scopes.append(copy.scope(scopes[position], at: position))
      }
      for position in fan.template.groups {
        _ = groups.add(copy.group(groups[GroupIndex(position)], at: position))
      }
      if let group = scopes[declaring].groups[ItemNames.template(of: name)] {
        scopes[declaring].groups[item.id(in: name)] = copy.group(group)
      }
      return copy.template(fan.template).content
    }
    // The name of the step refers to its items, too.
    scopes[declaring].groups[name] = StepGroup(
      kind: .each(items.map { $0.id(in: name) }), ends: [step.id])
    return copies
  }

  /// Returns the scopes; groups that end with an expanded step end with the last steps of its items.
  func scopes(after expansion: StepExpansion<Workflow.Step>) -> [Scope] {
    scopes.map { scope in
      var scope = scope
      for (name, group) in scope.groups
      where group.ends.contains(where: { expansion.allEnds(of: $0) != nil }) {
        scope.groups[name]?.ends = group.ends.flatMap { end in
          guard !ItemNames.isOfItem(scope.prefix, of: end), let ends = expansion.allEnds(of: end),
            !ends.isEmpty
          else { return [end] }
          return ends
        }
      }
      return scope
    }
  }
}

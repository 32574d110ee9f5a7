// How a run's plan and state change when a step is expanded to several.

package import WorkflowLanguage

extension RunPlan {
  /// Replaces the steps to which a step was expanded before by those of new items.
  ///
  /// - Parameters:
  ///   - position: The position of the step that is expanded.
  ///   - items: The items.
  /// - Returns: The new position of each step; nil for those that are gone.
  mutating func expand(stepAt position: Int, to items: [ExpandedItem]) -> [Int?] {
    steps[position].items = items
    var expansion = PlanExpansion(of: self)
    let fans = Set(steps.lazy.filter { $0.template != nil }.map(\.id))
    var base: [PlannedStep] = []
    var moved: [Int?] = []
    var baseFinallyCount = 0
    for (number, step) in steps.enumerated() {
      guard !ItemNames.isOfItem(step.id, of: fans) else {
        moved.append(nil)
        continue
      }
      moved.append(base.count)
      if number >= steps.count - finallyCount { baseFinallyCount += 1 }
      var step = step
      step.needs.removeAll { ItemNames.isOfItem($0, of: fans) }
      base.append(step)
    }
    let plain = outline.moving(to: { moved[$0] }, children: { _ in nil }) ?? .sequence([])
    groupNames = groupNames.filter { !ItemNames.isOfItem($0.key, of: fans) }
    expansion.groupNames = groupNames
    outline = expansion.add(base, plain) ?? .sequence([])
    groupNames = expansion.groupNames
    let finallyStart = base.count - baseFinallyCount
    let old = steps
    steps = expansion.connectedSteps
    let positions = Dictionary(steps.enumerated().map { ($1.id, $0) }) { first, _ in first }
    finallyCount =
      baseFinallyCount == 0 ? 0 : steps.count - (positions[base[finallyStart].id] ?? steps.count)
    return old.map { positions[$0.id] }
  }
}

/// Builds the steps of an expanded plan, like `Workflow.expanding` those of a workflow.
private struct PlanExpansion {
  private let items: [String: [ExpandedItem]]
  var groupNames: [String: String] = [:]
  private var steps: [PlannedStep] = []
  private var ends: [String: [String]] = [:]

  init(of plan: RunPlan) {
    var items: [String: [ExpandedItem]] = [:]
    for step in plan.steps { items[step.id] = step.items }
    self.items = items
  }

  mutating func add(_ list: [PlannedStep], _ outline: Outline) -> Outline? {
    var moved: [Int] = []
    var children: [Int: [Outline]] = [:]
    for (position, var step) in list.enumerated() {
      moved.append(steps.count)
      step.items = items[step.id]
      steps.append(step)
      guard let template = step.template, let items = step.items else { continue }
      var outlines: [Outline] = []
      var last: [String] = []
      for item in items {
        let names = ItemNames(of: step.id, mark: template.mark, for: item)
        last += template.ends.map(names.id)
        let copy = template.renamed(names)
        groupNames.merge(copy.groupNames) { $1 }
        outlines += [add(copy.steps, copy.outline)].compactMap(\.self)
      }
      ends[step.id] = last
      children[position] = outlines
    }
    return outline.moving(to: { moved[$0] }, children: { children[$0] })
  }

  private func allEnds(of step: String) -> [String] {
    (ends[step] ?? []).flatMap { [$0] + allEnds(of: $0) }
  }

  var connectedSteps: [PlannedStep] {
    let ids = Set(steps.map(\.id))
    return steps.map { step in
      var step = step
      var seen: Set<String> = []
      if step.needs.contains(where: { ends[$0] != nil }) {
        step.needs = step.needs
          .flatMap { ItemNames.isOfItem(step.id, of: $0) ? [$0] : [$0] + allEnds(of: $0) }
          .filter { seen.insert($0).inserted }
      }
      step.needs.removeAll { !ids.contains($0) }
      return step
    }
  }
}

extension RunState {
  /// The items of the steps that were expanded during the run, by id.
  package var expansions: [String: [ExpandedItem]] {
    var expansions: [String: [ExpandedItem]] = [:]
    for step in plan?.steps ?? [] { expansions[step.id] = step.items }
    return expansions
  }

  /// Replaces the steps to which a step was expanded before by those of new items; steps with the
  /// same id keep their state.
  ///
  /// - Returns: False if one of the steps that go is in progress; the state is then unchanged.
  mutating func expand(stepAt position: Int, to items: [ExpandedItem]) -> Bool {
    guard var plan else { return false }
    let moved = plan.expand(stepAt: position, to: items)
    let kept = Set(plan.steps.lazy.map(\.id))
    guard steps.allSatisfy({ !$0.phase.isActive || kept.contains($0.id) }) else { return false }
    let earlier = self
    firstFailure = firstFailure.flatMap { moved[$0] }
    self.plan = plan
    positions = [:]
    positions.reserveCapacity(plan.steps.count)
    counts = StepCounts()
    steps = plan.steps.map { earlier[$0.id] ?? StepState(id: $0.id) }
    for position in steps.indices {
      positions[steps[position].id] = position
      counts.add(steps[position].phase, 1)
    }
    return true
  }
}

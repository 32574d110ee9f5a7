// How a run's plan and state change when a step is expanded to several.

package import Workflows

extension RunPlan {
  /// Replaces the steps to which a step was expanded before by those of new items.
  ///
  /// - Parameters:
  ///   - position: The position of the step that is expanded.
  ///   - items: The items.
  mutating func expand(stepAt position: Int, to items: [ExpandedItem]) {
    steps[position].items = items
    let all = Dictionary(steps.compactMap { step in step.items.map { (step.id, $0) } }) { $1 }
    let fans = Set(steps.lazy.filter { $0.template != nil }.map(\.id))
    var base: [PlannedStep] = []
    var moved: [Int?] = []
    let finallyStart = steps.count - min(max(0, finallyCount), steps.count)
    var finallyIDs: Set<String> = []
    for (number, step) in steps.enumerated() {
      guard !ItemNames.isOfItem(step.id, of: fans) else {
        moved.append(nil)
        continue
      }
      moved.append(base.count)
      if number >= finallyStart { finallyIDs.insert(step.id) }
      var step = step
      step.needs.removeAll { ItemNames.isOfItem($0, of: fans) }
      base.append(step)
    }
    let plain =
      outline.moving(to: { moved.indices.contains($0) ? moved[$0] : nil }, children: { _ in nil })
      ?? .sequence([])
    var expansion = StepExpansion<PlannedStep>()
    let expanded = expansion.add(base, plain) { step in
      guard let template = step.template, let items = all[step.id] else { return nil }
      return items.map { item in
        let names = ItemNames(of: step.id, mark: template.mark, for: item)
        return template.renamed(names) { $0.renamed(names) }
      }
    }
    outline = expanded ?? .sequence([])
    groupNames = groupNames.filter { !ItemNames.isOfItem($0.key, of: fans) }
    groupNames.merge(expansion.groupNames) { $1 }
    steps = expansion.connectedSteps
    for number in steps.indices { steps[number].items = all[steps[number].id] }
    let start = steps.firstIndex { finallyIDs.contains($0.id) }
    finallyCount = start.map { steps.count - $0 } ?? 0
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
  mutating func expand(_ step: StepIndex, to items: [ExpandedItem]) -> Bool {
    guard var plan, let position = steps.position(of: step) else { return false }
    plan.expand(stepAt: position, to: items)
    let kept = Set(plan.steps.lazy.map(\.id))
    guard steps.allSatisfy({ !$0.phase.isActive || kept.contains($0.id) }) else { return false }
    take(plan)
    if let id = firstFailedStep, steps.index(of: id) == nil { firstFailedStep = nil }
    return true
  }
}

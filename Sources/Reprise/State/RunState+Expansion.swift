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
    let fan = steps[position]
    let ids = items.map { $0.id(in: fan.id) }
    let gone = Set((fan.items ?? []).map { $0.id(in: fan.id) })
    var all: [PlannedStep] = []
    all.reserveCapacity(steps.count + items.count - gone.count)
    var moved: [Int?] = []
    moved.reserveCapacity(steps.count)
    for (number, step) in steps.enumerated() {
      guard !gone.contains(step.id) else {
        moved.append(nil)
        continue
      }
      moved.append(all.count)
      var step = step
      if number == position {
        step.items = items
        all.append(step)
        all += zip(ids, items).map { id, item in
          PlannedStep(
            id: id, needs: [fan.id], label: item.label, continuesOnError: fan.continuesOnError,
            graceSeconds: fan.graceSeconds)
        }
        continue
      }
      if step.needs.contains(fan.id) {
        step.needs = step.needs.flatMap { need in
          need == fan.id ? [need] + ids : gone.contains(need) ? [] : [need]
        }
      }
      all.append(step)
    }
    if position >= steps.count - finallyCount { finallyCount += all.count - steps.count }
    let first = (moved[position] ?? 0) + 1
    outline =
      outline.moving(
        to: { moved[$0] }, children: { $0 == position ? first..<first + items.count : nil })
      ?? .sequence([])
    steps = all
    return moved
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
  /// same key keep their state.
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

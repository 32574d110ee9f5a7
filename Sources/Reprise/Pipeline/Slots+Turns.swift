// Which of the waiting steps begin next, and what they take.

import Workflows

extension Slots.State {
  /// Creates the state for a plan.
  init(for plan: Plan, maxParallel: Int, usualDurations: [String: Duration], seed: UInt64?) {
    var limits: [Slots.Limit] = []
    var limitsOfStep: [Int: [Int]] = [:]
    var indices: [String: Int] = [:]
    func index(of limit: Limit) -> Int {
      let index = indices[limit.name] ?? limits.count
      if index == limits.count {
        limits.append(Slots.Limit(free: limit.count, isOfRunning: limit.isOfRunning))
      }
      indices[limit.name] = index
      return index
    }
    for step in plan.order {
      for limit in plan.limits(of: step) {
        limitsOfStep[step.position, default: []].append(index(of: limit))
      }
    }
    let items = SlotItems(of: plan, limit: index)
    self.init(
      free: plan.workflow.maxParallel ?? maxParallel, limits: limits, limitsOfStep: limitsOfStep,
      items: items)
    for group in plan.groups.indices where !plan.groups[group].pools.isEmpty {
      groupsWithPlaces[index(of: .places(of: plan.groups[group]))] = group
    }
    order = QueueOrder(of: plan, usualDurations: usualDurations, seed: seed)
  }

  /// The steps in progress, which keep the places of their items.
  var active: Set<Int> { placeHolders.isEmpty ? holders : holders.union(placeHolders) }

  /// Lets all steps begin that need no slot and can, and one that needs slots.
  ///
  /// - Returns: The callbacks that begin them.
  mutating func nextTurns() -> [Slots.Turn] {
    var turns = nextPlaces() + nextTurn()
    // A step that could not use its slot has left a free place to a step that needs none.
    while placeQueue.count > 0 { turns += nextPlaces() + nextTurn() }
    return turns
  }

  /// Lets all steps begin that need no slot and can.
  private mutating func nextPlaces() -> [Slots.Turn] {
    var turns: [Slots.Turn] = []
    while let rank = placeQueue.popSmallest() {
      let step = order.step(ofRank: rank)
      guard let demand = waiting[step]?.demand else { continue }
      if isPaused, case .placeUnlessPaused = demand {
        heldInPause.append(rank)
      } else if takeLimits(items.limits(toBegin: step), for: step, rank) {
        placeHolders.insert(step)
        turns += begin(step)
      }
    }
    return turns
  }

  /// Assigns slots to the first eligible step in the queue, unless another step is starting.
  private mutating func nextTurn() -> [Slots.Turn] {
    let mayBegin = free > 0 && !isPaused
    guard starting == nil, mayBegin || !order.goingOn.isEmpty else { return [] }
    while let rank = queue.popSmallest() {
      let step = order.step(ofRank: rank)
      guard waiting[step] != nil else { continue }
      // What goes on from an earlier engine runs already, also in a pause and beyond a lower limit.
      guard mayBegin || order.goingOn.contains(step) else {
        queue.insert(rank)
        return []
      }
      var own = (limitsOfStep[step] ?? []) + items.limits(toBegin: step)
      if let kept = keptLimits[step] { own.removeAll(where: kept.contains) }
      guard takeLimits(own, for: step, rank) else { continue }
      free -= 1
      holders.insert(step)
      placeHolders.remove(step)
      keptLimits[step] = nil
      starting = step
      return begin(step)
    }
    return []
  }

  /// Takes one slot of each of some limits, if all have one and the items of the step can begin;
  /// otherwise the step leaves the queue until that changes.
  ///
  /// - Returns: Whether they were taken.
  private mutating func takeLimits(_ own: [Int], for step: Int, _ rank: Int) -> Bool {
    let isBlocked = items.isBlocked(step)
    if !isBlocked, let full = own.first(where: { limits[$0].free <= 0 }) {
      limits[full].parked.insert(rank)
    } else if !isBlocked {
      for limit in own { limits[limit].free -= 1 }
      return true
    }
    // The step leaves the queue without using the free slots of its other limits.
    unparkForFreeSlots(of: step)
    return false
  }

  /// Begins the items of a step that has its slots.
  ///
  /// - Returns: The callback that begins the step.
  private mutating func begin(_ step: Int) -> [Slots.Turn] {
    let begin = waiting.removeValue(forKey: step)?.begin
    order.goingOn.remove(step)
    for member in items.begin(step) { requeue(member) }
    unparkForFreeSlots(of: step)
    return begin.map { [$0] } ?? []
  }

  /// For each limit of a step that has a free slot, moves one parked step back to the queue.
  ///
  /// This preserves the invariant that while a limit has a free slot and parked steps, the first of
  /// its steps is in the queue. Only one is moved, so freeing a slot takes logarithmic time instead
  /// of visiting all steps that wait for the limit.
  mutating func unparkForFreeSlots(of step: Int) {
    for limit in limitsOfStep[step] ?? [] { unpark(limit) }
    for item in items.itemsOfStep[step] ?? [] { unpark(items.items[item].limit) }
  }

  /// Moves the first parked step of a limit back to the queue if it has a free slot.
  private mutating func unpark(_ limit: Int) {
    guard limits[limit].free > 0 else { return }
    while let parked = limits[limit].parked.popSmallest() {
      guard waiting[order.step(ofRank: parked)] != nil else { continue }
      requeue(order.step(ofRank: parked))
      break
    }
  }

  /// Frees one slot of a limit.
  mutating func free(_ limit: Int) {
    limits[limit].free += 1
    unpark(limit)
    if let group = groupsWithPlaces[limit] { groupsOver.append(group) }
  }

  /// The groups that keep their places of a pool.
  var groupsWithHeldPlaces: Set<GroupIndex> {
    groupsWithPlaces.isEmpty
      ? [] : Set(items.items.lazy.filter(\.isHolding).compactMap { groupsWithPlaces[$0.limit] })
  }

  /// Takes the groups that hold their places of a pool no longer.
  mutating func takeGroupsOver() -> [GroupIndex] {
    guard !groupsOver.isEmpty else { return [] }
    defer { groupsOver = [] }
    return groupsOver
  }

  /// Adds a waiting step to its queue; has no effect for others.
  mutating func requeue(_ step: Int) {
    switch waiting[step]?.demand {
    case .slot: queue.insert(order.rank(of: step))
    case .place, .placeUnlessPaused: placeQueue.insert(order.rank(of: step))
    case nil: break
    }
  }

  /// Records the end of a step.
  mutating func end(_ step: Int) {
    placeHolders.remove(step)
    let (freed, steps) = items.end(step, holders: active)
    for limit in freed { free(limit) }
    for step in steps { requeue(step) }
  }
}

extension Plan {
  /// Returns the limits of which a step takes a slot while it runs.
  fileprivate func limits(of step: StepIndex) -> [Limit] {
    var limits = [Limit.parts(of: groups[group(of: step)])].compactMap(\.self)
    guard let extras = self[step].extrasIfAny else { return limits }
    if let mutex = extras.mutex { limits.append(.mutex(mutex)) }
    if let runner = extras.runner, let count = runner.maxParallel {
      limits.append(Limit(name: "r" + runner.name, count: count, isOfRunning: true))
    }
    // There is one terminal.
    if extras.usesTerminal { limits.append(Limit(name: "t", count: 1, isOfRunning: true)) }
    return limits
  }
}

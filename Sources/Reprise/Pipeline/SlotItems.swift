// `SlotItems`: the items of groups with `max-parallel`, which hold a slot from the start of their
// first step to the end of their last one.

import Workflows

/// The items of groups whose limit counts items of several steps.
///
/// An item takes its slot when its first step begins, and keeps it until all of its steps have
/// ended, so it may hold the slot while it waits for other slots. It cannot deadlock:
///
/// - An item begins only when everything outside of it that any of its steps needs has ended, or is
///   ready if that is enough. From then on it needs nothing but its own steps.
/// - Groups are nested or disjoint. A step of an inner item begins the outer items first, so an inner
///   item waits only for steps and items of the same outer item.
/// - A group with a `mutex` contains no other mutex, so an item that holds one waits for none. A group with
///   places of a pool contains neither a mutex nor another pool.
/// - All other limits are held by running steps, which end by themselves.
struct SlotItems {
  /// A group that runs again after a failure, and for which the items around it keep their slots.
  struct Retry {
    let steps: Set<Int>
    /// Whether its steps are pending again.
    var hasBegun = false
  }

  struct Item {
    /// The name that identifies it in another version of the workflow.
    let name: String
    /// The position of its limit.
    let limit: Int
    var members: [Int] = []
    var isHolding = false
    /// The groups in it that run again: several can wait at the same time.
    var retries: [Retry] = []
    /// The members that have not ended.
    var open: Set<Int> = []
    /// The services among the members that end for it when they are ready: they belong to a list around
    /// it, whose other steps may use them for longer.
    var outliving: Set<Int> = []
    /// The steps outside of it that its members need and that have not ended.
    var awaited: Set<Int> = []
    /// The steps outside of it that its members use while they run, and that are not ready yet.
    var awaitedReady: Set<Int> = []
    /// The steps outside of it of which its members only need that they are ready.
    var used: Set<Int> = []

    /// Whether it waits for steps outside of it.
    var isBlocked: Bool { !awaited.isEmpty || !awaitedReady.isEmpty }
  }

  private(set) var items: [Item] = []
  /// The items of a step, outermost first.
  private(set) var itemsOfStep: [Int: [Int]] = [:]
  /// The items that await the end of a step.
  private var itemsAwaiting: [Int: [Int]] = [:]
  private var ended: Set<Int> = []
  /// The steps that are ready to be used.
  private var ready: Set<Int> = []

  init() {}

  /// Creates the items of a plan of which no step has ended.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - limit: Returns the position of a limit.
  init(of plan: Plan, limit: (Limit) -> Int) {
    var positions: [String: Int] = [:]
    let limits = plan.groups.indices.map(plan.groups.limits)
    guard limits.contains(where: { !$0.isEmpty }) else { return }
    for index in plan.order {
      let step = index.position
      for group in plan.groups(around: index).reversed() {
        for own in limits[group.position] {
          let name = "\(own.name) \(plan.groups[group].name)"
          let position = positions[name] ?? items.count
          if position == items.count {
            items.append(Item(name: name, limit: limit(own)))
            positions[name] = position
          }
          items[position].members.append(step)
          items[position].open.insert(step)
          if plan.outlives(index, group) { items[position].outliving.insert(step) }
          itemsOfStep[step, default: []].append(position)
        }
      }
    }
    guard !items.isEmpty else { return }
    let earlyNeeds = plan.earlyNeeds
    for position in items.indices { findAwaited(by: position, plan, earlyNeeds) }
  }

  private mutating func findAwaited(
    by item: Int, _ plan: Plan, _ earlyNeeds: [StepIndex: Set<StepIndex>]
  ) {
    for member in items[item].members.lazy.map({ StepIndex($0) }) {
      for need in plan.graph.needs(of: member) {
        guard !items[item].open.contains(need.position) else { continue }
        if earlyNeeds[member]?.contains(need) == true {
          items[item].awaitedReady.insert(need.position)
        } else {
          items[item].awaited.insert(need.position)
        }
      }
    }
    items[item].awaitedReady.subtract(items[item].awaited)
    for need in items[item].awaited.union(items[item].awaitedReady) {
      itemsAwaiting[need, default: []].append(item)
    }
    items[item].used = items[item].awaitedReady
  }

  /// The limits of the items of a step that have no slot yet.
  func limits(toBegin step: Int) -> [Int] {
    guard let own = itemsOfStep[step] else { return [] }
    return own.filter { !items[$0].isHolding }.map { items[$0].limit }
  }

  /// Returns whether an item of a step cannot begin yet.
  func isBlocked(_ step: Int) -> Bool {
    itemsOfStep[step]?.contains { !items[$0].isHolding && items[$0].isBlocked } ?? false
  }

  /// Begins the items of a step.
  ///
  /// - Returns: The members of the items that have begun, which need no slot of them any more.
  mutating func begin(_ step: Int) -> [Int] {
    var members: [Int] = []
    for item in itemsOfStep[step] ?? [] where !items[item].isHolding {
      items[item].isHolding = true
      members += items[item].members
    }
    for item in itemsOfStep[step] ?? [] where !items[item].retries.isEmpty {
      items[item].retries.removeAll { $0.hasBegun && $0.steps.contains(step) }
    }
    return members
  }

  /// Lets the items of a failed step keep their slots until a group, which they contain, has run again.
  mutating func hold(_ step: Int, toRetry group: [Int]) {
    let retry = Retry(steps: Set(group))
    for item in itemsOfStep[step] ?? [] where items[item].isHolding {
      guard Set(items[item].members).isSuperset(of: group) else { continue }
      items[item].retries.removeAll { $0.steps == retry.steps }
      items[item].retries.append(retry)
    }
  }

  /// Lets the items of some steps keep their slots no longer until a group has run again.
  ///
  /// - Returns: The limits of which a slot is free again.
  mutating func endHold(of steps: [Int], holders: Set<Int>) -> [Int] {
    for item in Set(steps.flatMap { itemsOfStep[$0] ?? [] }) {
      items[item].retries.removeAll { !$0.steps.isDisjoint(with: steps) }
    }
    return freeUnused(holders)
  }

  /// Records the end of a step.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - holders: The steps that are running; may contain this one.
  /// - Returns: The limits of which a slot is free again, and the steps that may begin now.
  mutating func end(_ step: Int, holders: Set<Int>) -> (freed: [Int], steps: [Int]) {
    guard !items.isEmpty, ended.insert(step).inserted else { return ([], []) }
    let freed = close(step, holders: holders)
    var steps: [Int] = []
    for item in itemsAwaiting[step] ?? [] {
      items[item].awaited.remove(step)
      items[item].awaitedReady.remove(step)
      if !items[item].isBlocked { steps += items[item].members }
    }
    return (freed, steps)
  }

  /// Records that a step has released its slots.
  ///
  /// The last steps of an item may have ended before, without running, while this one was still
  /// releasing its slots. Or a restart has reset the item and steps that it awaits.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - holders: The steps that are running, without this one.
  /// - Returns: The limits of which a slot is free again.
  mutating func release(_ step: Int, holders: Set<Int>) -> [Int] {
    var freed: [Int] = []
    for item in itemsOfStep[step] ?? [] where items[item].isHolding {
      guard items[item].open.isEmpty || items[item].isBlocked, !keepsSlot(item, holders) else {
        continue
      }
      items[item].isHolding = false
      freed.append(items[item].limit)
    }
    return freed
  }

  /// Records that a step is ready to be used while it goes on.
  ///
  /// The items around which the list of a service is are over without it: else they would keep their
  /// slots for as long as later steps use the service, which may wait for these slots.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - holders: The steps that are running; may contain this one.
  /// - Returns: The limits of which a slot is free again, and the steps that may begin now.
  mutating func makeReady(
    _ step: Int, holders: Set<Int>
  ) -> (freed: [Int], steps: [Int]) {
    guard !items.isEmpty, ready.insert(step).inserted else { return ([], []) }
    let freed = close(step, holders: holders, isReadyOnly: true)
    var steps: [Int] = []
    for item in itemsAwaiting[step] ?? [] {
      items[item].awaitedReady.remove(step)
      if !items[item].isBlocked { steps += items[item].members }
    }
    return (freed, steps)
  }

  /// Removes a step from the open members of its items.
  ///
  /// - Returns: The limits of which a slot is free again.
  private mutating func close(
    _ step: Int, holders: Set<Int>, isReadyOnly: Bool = false
  ) -> [Int] {
    var freed: [Int] = []
    for item in itemsOfStep[step] ?? []
    where !isReadyOnly || items[item].outliving.contains(step) {
      items[item].open.remove(step)
      guard items[item].isHolding, !keepsSlot(item, holders.subtracting([step])) else { continue }
      items[item].isHolding = false
      freed.append(items[item].limit)
    }
    return freed
  }

  /// Records that steps are pending again.
  ///
  /// - Parameters:
  ///   - steps: The steps; nil for all.
  ///   - holders: The steps that are running.
  /// - Returns: The limits of which a slot is free again.
  mutating func reset(_ steps: [Int]?, holders: Set<Int>) -> [Int] {
    for step in steps ?? Array(ended.union(ready)) {
      let wasReady = ready.remove(step) != nil
      let hasEnded = ended.remove(step) != nil
      guard hasEnded || wasReady else { continue }
      for item in itemsOfStep[step] ?? [] where hasEnded || items[item].outliving.contains(step) {
        items[item].open.insert(step)
        for retry in items[item].retries.indices
        where items[item].retries[retry].steps.contains(step) {
          items[item].retries[retry].hasBegun = true
        }
      }
      for item in itemsAwaiting[step] ?? [] {
        if items[item].used.contains(step) {
          items[item].awaitedReady.insert(step)
        } else if hasEnded {
          items[item].awaited.insert(step)
        }
      }
    }
    return freeUnused(holders)
  }

  /// Lets the items go that need not keep their slots.
  ///
  /// - Returns: The limits of which a slot is free again.
  private mutating func freeUnused(_ holders: Set<Int>) -> [Int] {
    var freed: [Int] = []
    for item in items.indices where items[item].isHolding {
      guard !keepsSlot(item, holders) else { continue }
      items[item].isHolding = false
      freed.append(items[item].limit)
    }
    return freed
  }

  /// Returns whether an item in progress keeps its slot.
  ///
  /// After a restart it may await steps again that need its slot, so it keeps it only while one of
  /// its steps is running.
  private func keepsSlot(_ item: Int, _ holders: Set<Int>) -> Bool {
    let item = items[item]
    if item.members.contains(where: holders.contains) { return true }
    if item.retries.contains(where: { !$0.hasBegun }) { return true }
    return !item.isBlocked && !item.open.isEmpty
      && (!item.retries.isEmpty || item.open.count < item.members.count)
  }

  /// Continues with what has ended and begun in the items of another version of the workflow.
  ///
  /// - Parameters:
  ///   - old: The items before.
  ///   - holders: The steps that are running.
  ///   - isPresent: Whether a step is still part of the run.
  /// - Returns: The limits of which a slot is taken.
  mutating func goOn(
    from old: SlotItems, holders: Set<Int>, where isPresent: (Int) -> Bool
  ) -> [Int] {
    for step in old.ready where isPresent(step) { _ = makeReady(step, holders: []) }
    for step in old.ended where isPresent(step) { _ = end(step, holders: []) }
    let holding = Dictionary(
      old.items.lazy.filter(\.isHolding).map { ($0.name, $0.retries) }
    ) { first, _ in first }
    var taken: [Int] = []
    for item in items.indices {
      guard let retries = holding[items[item].name],
        retries.contains(where: { !$0.hasBegun }) || !items[item].open.isEmpty
          || items[item].members.contains(where: holders.contains)
      else { continue }
      items[item].retries = retries
      items[item].isHolding = true
      taken.append(items[item].limit)
    }
    return taken
  }
}

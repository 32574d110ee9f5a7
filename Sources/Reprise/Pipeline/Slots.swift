// `Slots`: the ready queue of a run. Begins steps in plan order, within the concurrency limits.

import Synchronization
import WorkflowLanguage

/// The ready queue of a run and the limits on its running steps.
///
/// The limits are `max-parallel` of the workflow, the `mutex` of a step or group, and `max-parallel`
/// of a `foreach` or `matrix`.
///
/// - Order: ready steps begin in plan order, the order of the file, except that a higher `priority`
///   comes first, and `order: longest-path` decides between steps of equal priority. A step that
///   waits for a limit of its own does not hold up the steps after it.
/// - One at a time: the next step begins only after the previous one has reported that it
///   ``started(_:)``, so that steps also *start* in plan order, regardless of thread scheduling.
/// - A pause holds all of them up; steps that have slots keep them.
/// - All or nothing: a step takes its slots in all of its limits at once. No step holds a slot
///   while it waits for another, so steps cannot deadlock. Items of several steps can; see
///   ``SlotItems``.
///
/// A step is an autoclosure, evaluated under the lock, because a reload of the workflow moves steps.
///
/// Thread-safe. Each call is logarithmic in the number of waiting steps, amortized.
final class Slots: Sendable {
  /// A callback that begins a step; called without holding the lock.
  typealias Turn = @Sendable () -> Void

  fileprivate struct Limit {
    var free: Int
    /// The ranks of the steps whose turn came while this limit had no free slot.
    ///
    /// May include steps that have left since.
    var parked = Heap<Int>()
  }

  fileprivate struct Waiting {
    let generation: Int
    let begin: Turn
  }

  fileprivate struct State {
    var free: Int
    var limits: [Limit]
    /// For each step that has limits of its own, their indices in `limits`.
    var limitsOfStep: [Int: [Int]]
    /// The items of groups whose limit counts items of several steps.
    var items = SlotItems()
    /// The waiting steps, by position.
    var waiting: [Int: Waiting] = [:]
    /// The order in which ready steps begin.
    var order = ReadyOrder()
    /// The ranks of the waiting steps that are not parked at a limit.
    ///
    /// May include steps that have left since.
    var queue = Heap<Int>()
    /// The steps that have slots.
    var holders: Set<Int> = []
    /// The step that began last, until it has started.
    var starting: Int?
    /// Whether no step may begin for now.
    var isPaused = false
  }

  private let state: Mutex<State>
  /// The maximum number of concurrent steps if the workflow sets none.
  private let defaultCount: Int
  private let usualDurations: [String: Duration]

  /// Creates slots.
  ///
  /// - Parameters:
  ///   - count: The maximum number of concurrent steps, at least 1.
  ///   - limits: The maximum number of concurrent steps under each further limit.
  ///   - limitsOfStep: For each step that has limits of its own, their indices in `limits`.
  init(count: Int, limits: [Int] = [], limitsOfStep: [Int: [Int]] = [:]) {
    precondition(count > 0, "a run needs at least one slot")
    defaultCount = count
    usualDurations = [:]
    state = Mutex(
      State(free: count, limits: limits.map { Limit(free: $0) }, limitsOfStep: limitsOfStep))
  }

  /// Creates the slots for a workflow.
  ///
  /// - Parameters:
  ///   - workflow: The workflow, whose steps name their limits.
  ///   - maxParallel: The maximum number of concurrent steps if the workflow sets none.
  ///   - usualDurations: The durations of steps in earlier runs, by step id.
  init(for workflow: Workflow, maxParallel: Int, usualDurations: [String: Duration] = [:]) {
    defaultCount = maxParallel
    self.usualDurations = usualDurations
    state = Mutex(
      State(for: workflow, maxParallel: maxParallel, usualDurations: usualDurations))
  }

  /// Takes the limits of another workflow; steps that hold slots or wait for them stay.
  ///
  /// - Parameters:
  ///   - workflow: The new workflow.
  ///   - move: Moves the places of all steps; called under the lock.
  ///   - moved: Returns the new position of a step; nil if it is gone.
  func replaceLimits(
    for workflow: Workflow, moving move: () -> Void, to moved: (Int) -> Int?
  ) {
    state.withLock { state in
      var next = State(
        for: workflow, maxParallel: defaultCount, usualDurations: usualDurations)
      for holder in state.holders {
        guard let position = moved(holder) else { continue }
        next.holders.insert(position)
        // May become negative, if the new limit is lower.
        next.free -= 1
        for limit in next.limitsOfStep[position] ?? [] { next.limits[limit].free -= 1 }
      }
      for limit in next.items.takeOver(from: state.items, to: moved) {
        next.limits[limit].free -= 1
      }
      for (position, waiting) in state.waiting {
        guard let position = moved(position) else { continue }
        next.waiting[position] = waiting
        next.queue.insert(next.order.rank(of: position))
      }
      next.starting = state.starting.flatMap(moved)
      next.isPaused = state.isPaused
      state = next
      move()
    }
  }

  /// The number of waiting steps.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Adds a step to the queue; ``startNext()`` begins it when its turn comes.
  ///
  /// - Parameters:
  ///   - step: A step that is neither waiting nor holding slots.
  ///   - generation: The generation for which it waits.
  ///   - begin: Called once when the step has its slots, without holding the lock.
  func enter(_ step: @autoclosure () -> StepIndex, generation: Int, begin: @escaping Turn) {
    state.withLock { state in
      let step = step()
      state.waiting[step.position] = Waiting(generation: generation, begin: begin)
      state.queue.insert(state.order.rank(of: step.position))
    }
  }

  /// Removes a waiting step.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - generation: The generation for which it waits. Prevents a late cancellation from removing
  ///     the step of the next generation.
  /// - Returns: Whether it was waiting. If not, it has its slots or will never get any.
  func withdraw(_ step: @autoclosure () -> StepIndex, generation: Int) -> Bool {
    state.withLock { state in
      let step = step()
      guard state.waiting[step.position]?.generation == generation else { return false }
      state.waiting[step.position] = nil
      state.unparkForFreeSlots(of: step.position)
      return true
    }
  }

  /// Stops steps from beginning, or lets them begin again.
  func setPaused(_ isPaused: Bool) {
    state.withLock { $0.isPaused = isPaused }
    startNext()
  }

  /// Begins the next step, if one can begin.
  func startNext() {
    state.withLock { $0.nextTurn() }?()
  }

  /// Records that a step has started or will not start, and begins the next one.
  ///
  /// Has no effect if another step is starting.
  func started(_ step: @autoclosure () -> StepIndex) {
    let turn = state.withLock { state -> Turn? in
      guard state.starting == step().position else { return nil }
      state.starting = nil
      return state.nextTurn()
    }
    turn?()
  }

  /// Releases the slots of a step, if it has any.
  ///
  /// Call ``startNext()`` afterwards.
  func release(_ step: @autoclosure () -> StepIndex) {
    state.withLock { state in
      let step = step()
      guard state.holders.remove(step.position) != nil else { return }
      state.free += 1
      for limit in state.limitsOfStep[step.position] ?? [] { state.limits[limit].free += 1 }
      for limit in state.items.release(step.position, holders: state.holders) { state.free(limit) }
      state.unparkForFreeSlots(of: step.position)
      if state.starting == step.position { state.starting = nil }
    }
  }

  /// Records that a step has ended, whether it ran or not.
  ///
  /// Call ``startNext()`` afterwards.
  func ended(_ step: Int) {
    state.withLock { $0.end(step) }
  }

  /// Lets the items of a step that is about to fail keep their slots until its group has run again.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - group: The steps that run again. Items within the group, such as its branches, begin anew.
  func hold(_ step: Int, toRetry group: [Int]) {
    state.withLock { $0.items.hold(step, toRetry: group) }
  }

  /// Records that a step is ready to be used while it goes on.
  ///
  /// Call ``startNext()`` afterwards.
  func available(_ step: Int) {
    state.withLock { state in state.requeue(state.items.makeAvailable(step)) }
  }

  /// Records that steps are pending again; all steps if nil.
  func reset(_ steps: [Int]?) {
    state.withLock { state in
      for limit in state.items.reset(steps, holders: state.holders) { state.free(limit) }
    }
  }

  /// Waits until a step has its slots; returns immediately if it already has them.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - generation: The generation for which it waits.
  /// - Returns: True once it has them; false if the task was cancelled while it waited.
  func take(
    _ step: @autoclosure @Sendable () -> StepIndex, generation: Int
  ) async -> Bool {
    guard !state.withLock({ $0.holders.contains(step().position) }) else { return true }
    let ticket = Ticket<Void>()
    enter(step(), generation: generation) { ticket.answer(()) }
    startNext()
    if await ticket.value() != nil { return true }
    // Cancelled. Either the step is still waiting and is withdrawn here, or it got its slots
    // concurrently.
    return !withdraw(step(), generation: generation)
  }
}

extension Slots.State {
  /// Creates the state for a workflow.
  fileprivate init(
    for workflow: Workflow, maxParallel: Int, usualDurations: [String: Duration]
  ) {
    var limits: [Int] = []
    var limitsOfStep: [Int: [Int]] = [:]
    var indices: [String: Int] = [:]
    func index(of name: String, _ count: Int) -> Int {
      let index = indices[name] ?? limits.count
      if index == limits.count { limits.append(count) }
      indices[name] = index
      return index
    }
    for (position, step) in workflow.steps.enumerated() {
      guard let extras = step.extrasIfAny else { continue }
      // The prefix separates the names of mutexes from the ids of groups.
      var own = [
        extras.mutex.map { (name: GroupItem.limitName(ofMutex: $0), count: 1) },
        extras.runner.flatMap { runner in
          runner.maxParallel.map { (name: "r" + runner.name, count: $0) }
        },
        // There is one terminal.
        extras.usesTerminal ? (name: "t", count: 1) : nil,
      ].compactMap(\.self)
      for item in extras.items where !item.countsItems {
        if let count = item.limit { own.append((name: item.limitName, count: count)) }
      }
      for limit in own {
        limitsOfStep[position, default: []].append(index(of: limit.name, limit.count))
      }
    }
    let items = SlotItems(of: workflow) { index(of: $0, $1) }
    self.init(
      free: workflow.maxParallel ?? maxParallel, limits: limits.map { Slots.Limit(free: $0) },
      limitsOfStep: limitsOfStep, items: items)
    order = ReadyOrder(of: workflow, usualDurations: usualDurations)
  }

  /// Assigns slots to the first eligible step in the queue, unless another step is starting.
  ///
  /// - Returns: The callback that begins the step.
  fileprivate mutating func nextTurn() -> Slots.Turn? {
    guard starting == nil, free > 0, !isPaused else { return nil }
    while let rank = queue.popSmallest() {
      let step = order.step(ofRank: rank)
      guard waiting[step] != nil else { continue }
      if items.isBlocked(step) {
        unparkForFreeSlots(of: step)
        continue
      }
      let own = (limitsOfStep[step] ?? []) + items.limits(toBegin: step)
      if let full = own.first(where: { limits[$0].free <= 0 }) {
        limits[full].parked.insert(rank)
        // The step leaves the queue without using the free slots of its other limits.
        unparkForFreeSlots(of: step)
        continue
      }
      free -= 1
      for limit in own { limits[limit].free -= 1 }
      holders.insert(step)
      starting = step
      requeue(items.begin(step))
      unparkForFreeSlots(of: step)
      return waiting.removeValue(forKey: step)?.begin
    }
    return nil
  }

  /// For each limit of a step that has a free slot, moves one parked step back to the queue.
  ///
  /// This preserves the invariant that while a limit has a free slot and parked steps, the first of
  /// its steps is in the queue. Only one is moved, so freeing a slot takes logarithmic time instead
  /// of visiting all steps that wait for the limit.
  fileprivate mutating func unparkForFreeSlots(of step: Int) {
    for limit in limitsOfStep[step] ?? [] { unpark(limit) }
    for item in items.itemsOfStep[step] ?? [] { unpark(items.items[item].limit) }
  }

  /// Moves the first parked step of a limit back to the queue if it has a free slot.
  private mutating func unpark(_ limit: Int) {
    guard limits[limit].free > 0 else { return }
    while let parked = limits[limit].parked.popSmallest() {
      guard waiting[order.step(ofRank: parked)] != nil else { continue }
      queue.insert(parked)
      break
    }
  }

  /// Frees one slot of a limit.
  fileprivate mutating func free(_ limit: Int) {
    limits[limit].free += 1
    unpark(limit)
  }

  /// Moves waiting steps back to the queue.
  fileprivate mutating func requeue(_ steps: [Int]) {
    for step in steps where waiting[step] != nil { queue.insert(order.rank(of: step)) }
  }

  /// Records the end of a step.
  fileprivate mutating func end(_ step: Int) {
    let (freed, steps) = items.end(step, holders: holders)
    for limit in freed { free(limit) }
    requeue(steps)
  }
}

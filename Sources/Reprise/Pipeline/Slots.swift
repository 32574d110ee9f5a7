// `Slots`: the ready queue of a run. Begins steps in plan order, within the concurrency limits.

import Synchronization
import Workflows

/// The ready queue of a run and the limits on its running steps.
///
/// The limits are `max-parallel` of the workflow, the `mutex` of a step or group, and `max-parallel`
/// of a `foreach` or `matrix`.
///
/// - Order: waiting steps begin in plan order, the order of the file, except that a higher `priority`
///   comes first, and `order: longest-path` decides between steps of equal priority. A step that
///   waits for a limit of its own does not hold up the steps after it.
/// - One at a time: the next step begins only after the previous one has reported that it
///   ``started(_:)``, so that steps also *start* in plan order, regardless of thread scheduling.
/// - A pause holds all of them up; steps that have slots keep them.
/// - All or nothing: a step takes its slots in all of its limits at once. No step holds a slot
///   while it waits for another, so steps cannot deadlock. Items of several steps can; see
///   ``SlotItems``.
///
/// Thread-safe. Each call is logarithmic in the number of waiting steps, amortized.
final class Slots: Sendable {
  /// A callback that begins a step; called without holding the lock.
  typealias Turn = @Sendable () -> Void

  struct Limit {
    var free: Int
    /// Whether a step that waits for places of a pool gives its slot back.
    var isOfRunning = false
    /// The ranks of the steps whose turn came while this limit had no free slot.
    ///
    /// May include steps that have left since.
    var parked = Heap<Int>()
  }

  /// What a step needs to begin.
  enum Demand: Sendable {
    /// A slot of the run, and of each of its limits.
    case slot
    /// Only the places of the items around it: it waits for approval before it needs a slot.
    case place
    /// Only these places, and that the run is not paused: it waits for a time.
    case placeUnlessPaused
  }

  struct Waiting {
    let generation: Int
    let demand: Demand
    let begin: Turn
  }

  struct State {
    var free: Int
    var limits: [Limit]
    /// For each step that has limits of its own, their indices in `limits`.
    var limitsOfStep: [Int: [Int]]
    /// The items of groups whose limit counts items of several steps.
    var items = SlotItems()
    /// The waiting steps, by position.
    var waiting: [Int: Waiting] = [:]
    /// The order in which waiting steps begin.
    var order = QueueOrder()
    /// The ranks of the waiting steps that are not parked at a limit.
    ///
    /// May include steps that have left since.
    var queue = Heap<Int>()
    /// The ranks of those that need no slot.
    var placeQueue = Heap<Int>()
    /// The ranks of those of them whose turn came in a pause.
    var heldInPause: [Int] = []
    /// The steps that have slots.
    var holders: Set<Int> = []
    /// The steps in progress that need no slot, but the places of the items around them.
    var placeHolders: Set<Int> = []
    /// The limits that steps still hold while they wait for places of a pool without a slot.
    var keptLimits: [Int: [Int]] = [:]
    /// The groups that take places of a pool, by the limit that they hold in the meantime.
    var groupsWithPlaces: [Int: GroupIndex] = [:]
    /// Those of them that no longer hold it.
    var groupsOver: [GroupIndex] = []
    /// The step that began last, until it has started.
    var starting: Int?
    /// Whether no step may begin for now.
    var isPaused = false
  }

  private let state: Mutex<State>
  /// The maximum number of concurrent steps if the workflow sets none.
  private let defaultCount: Int
  private let usualDurations: [String: Duration]
  /// The seed of a random order; nil for the order of the file.
  private let seed: UInt64?
  /// The places of pools that groups hold.
  let groupPlaces = GroupPlaces()

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
    seed = nil
    state = Mutex(
      State(free: count, limits: limits.map { Limit(free: $0) }, limitsOfStep: limitsOfStep))
  }

  /// Creates the slots for a plan.
  ///
  /// - Parameters:
  ///   - plan: The plan, whose steps name their limits.
  ///   - maxParallel: The maximum number of concurrent steps if the workflow sets none.
  ///   - usualDurations: The durations of steps in earlier runs, by step id.
  ///   - seed: The seed of a random order; nil for the order of the file.
  init(
    for plan: Plan, maxParallel: Int, usualDurations: [String: Duration] = [:],
    seed: UInt64? = nil
  ) {
    defaultCount = maxParallel
    self.usualDurations = usualDurations
    self.seed = seed
    state = Mutex(
      State(for: plan, maxParallel: maxParallel, usualDurations: usualDurations, seed: seed))
  }

  /// Takes the limits of a plan that has taken another version of its workflow.
  ///
  /// Steps that hold slots keep them, and waiting steps go on waiting, as long as they are present.
  func take(_ plan: Plan) {
    state.withLock { state in
      var next = State(
        for: plan, maxParallel: defaultCount, usualDurations: usualDurations, seed: seed)
      for holder in state.holders where plan.contains(StepIndex(holder)) {
        next.holders.insert(holder)
        // May become negative, if the new limit is lower.
        next.free -= 1
        for limit in next.limitsOfStep[holder] ?? [] { next.limits[limit].free -= 1 }
      }
      next.placeHolders = state.placeHolders.filter { plan.contains(StepIndex($0)) }
      for holder in state.keptLimits.keys where plan.contains(StepIndex(holder)) {
        let kept = (next.limitsOfStep[holder] ?? []).filter { !next.limits[$0].isOfRunning }
        next.keptLimits[holder] = kept
        for limit in kept { next.limits[limit].free -= 1 }
      }
      let taken = next.items.goOn(from: state.items, holders: next.active) {
        plan.contains(StepIndex($0))
      }
      for limit in taken { next.limits[limit].free -= 1 }
      next.order.goingOn = state.order.goingOn.filter { plan.contains(StepIndex($0)) }
      for (step, waiting) in state.waiting where plan.contains(StepIndex(step)) {
        next.waiting[step] = waiting
        next.requeue(step)
      }
      next.starting = state.starting.flatMap { plan.contains(StepIndex($0)) ? $0 : nil }
      next.isPaused = state.isPaused
      let held = next.groupsWithHeldPlaces
      next.groupsOver = state.groupsOver + state.groupsWithHeldPlaces.subtracting(held)
      state = next
    }
  }

  /// Lets steps that go on from an earlier engine take their slots before all others.
  func letGoOn(_ steps: [StepIndex]) {
    state.withLock { $0.order.goingOn.formUnion(steps.map(\.position)) }
  }

  /// The number of waiting steps.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Adds a step to the queue; ``startNext()`` begins it when its turn comes.
  ///
  /// - Parameters:
  ///   - step: A step that is neither waiting nor holding slots.
  ///   - generation: The generation for which it waits.
  ///   - demand: What it needs to begin.
  ///   - begin: Called once when the step has what it needs, without holding the lock.
  func enter(
    _ step: StepIndex, generation: Int, _ demand: Demand = .slot, begin: @escaping Turn
  ) {
    state.withLock { state in
      state.waiting[step.position] = Waiting(
        generation: generation, demand: demand, begin: begin)
      state.requeue(step.position)
    }
  }

  /// Removes a waiting step.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - generation: The generation for which it waits. Prevents a late cancellation from removing
  ///     the step of the next generation.
  /// - Returns: Whether it was waiting. If not, it has its slots or will never get any.
  func withdraw(_ step: StepIndex, generation: Int) -> Bool {
    state.withLock { state in
      guard state.waiting[step.position]?.generation == generation else { return false }
      state.waiting[step.position] = nil
      state.unparkForFreeSlots(of: step.position)
      return true
    }
  }

  /// Stops steps from beginning, or lets them begin again.
  func setPaused(_ isPaused: Bool) {
    state.withLock { state in
      state.isPaused = isPaused
      if isPaused { return }
      for rank in state.heldInPause { state.placeQueue.insert(rank) }
      state.heldInPause = []
    }
    startNext()
  }

  /// Begins the next step that needs a slot, if one can begin, and all that need none and can.
  func startNext() {
    let (groups, turns) = state.withLock { ($0.takeGroupsOver(), $0.nextTurns()) }
    for group in groups { groupPlaces.release(group) }
    for begin in turns { begin() }
  }

  /// Records that a step has started or will not start, and begins the next one.
  ///
  /// Has no effect if another step is starting.
  func started(_ step: StepIndex) {
    let turns = state.withLock { state -> [Turn] in
      guard state.starting == step.position else { return [] }
      state.starting = nil
      return state.nextTurns()
    }
    for begin in turns { begin() }
  }

  /// Releases the slots of a step, if it has any.
  ///
  /// Call ``startNext()`` afterwards.
  func release(_ step: StepIndex) {
    state.withLock { state in
      let limits: [Int]
      if let kept = state.keptLimits.removeValue(forKey: step.position) {
        state.placeHolders.remove(step.position)
        limits = kept
      } else {
        guard state.holders.remove(step.position) != nil else { return }
        state.free += 1
        limits = state.limitsOfStep[step.position] ?? []
      }
      for limit in limits { state.limits[limit].free += 1 }
      for limit in state.items.release(step.position, holders: state.active) { state.free(limit) }
      state.unparkForFreeSlots(of: step.position)
      if state.starting == step.position { state.starting = nil }
    }
  }

  /// Lets others run while a step that has its slots waits for places of a pool.
  ///
  /// It keeps the limits that groups can hold, too, such as a `mutex`: a group that holds one may wait
  /// for a pool as well, so each takes its mutex first. ``takeAgain(_:generation:)`` takes the others.
  func giveBackToWait(_ step: StepIndex) {
    state.withLock { state in
      guard state.holders.remove(step.position) != nil else { return }
      state.free += 1
      let limits = state.limitsOfStep[step.position] ?? []
      for limit in limits where state.limits[limit].isOfRunning { state.limits[limit].free += 1 }
      state.keptLimits[step.position] = limits.filter { !state.limits[$0].isOfRunning }
      state.placeHolders.insert(step.position)
      state.unparkForFreeSlots(of: step.position)
      if state.starting == step.position { state.starting = nil }
    }
    startNext()
  }

  /// Waits until a step has its slots again that it has given back to wait, if it has.
  ///
  /// - Returns: False if the task was cancelled while it waited.
  func takeAgain(_ step: StepIndex, generation: Int) async -> Bool {
    guard state.withLock({ $0.keptLimits[step.position] != nil }) else { return true }
    return await take(step, generation: generation)
  }

  /// Returns whether a group around a step keeps its places of a pool.
  func keepsPlaces(_ group: GroupIndex, around step: StepIndex) -> Bool {
    state.withLock { state in
      (state.items.itemsOfStep[step.position] ?? []).contains { item in
        let item = state.items.items[item]
        return item.isHolding && state.groupsWithPlaces[item.limit] == group
      }
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

  /// Lets the items of some steps keep their slots no longer for a group that was to run again.
  ///
  /// Call ``startNext()`` afterwards.
  func endHold(of steps: [Int]) {
    state.withLock { state in
      for limit in state.items.endHold(of: steps, holders: state.active) { state.free(limit) }
    }
  }

  /// Records that a step is ready to be used while it goes on.
  ///
  /// Call ``startNext()`` afterwards.
  func ready(_ step: Int) {
    state.withLock { state in
      let (freed, steps) = state.items.makeReady(step, holders: state.active)
      for limit in freed { state.free(limit) }
      for step in steps { state.requeue(step) }
    }
  }

  /// Records that steps are pending again; all steps if nil.
  func reset(_ steps: [Int]?) {
    state.withLock { state in
      for limit in state.items.reset(steps, holders: state.active) { state.free(limit) }
    }
  }

  /// Waits until a step has its slots; returns immediately if it already has them.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - generation: The generation for which it waits.
  /// - Returns: True once it has them; false if the task was cancelled while it waited.
  func take(
    _ step: StepIndex, generation: Int
  ) async -> Bool {
    guard !state.withLock({ $0.holders.contains(step.position) }) else { return true }
    let ticket = Ticket<Void>()
    enter(step, generation: generation) { ticket.answer(()) }
    startNext()
    if await ticket.value() != nil { return true }
    // Cancelled. Either the step is still waiting and is withdrawn here, or it got its slots
    // concurrently.
    return !withdraw(step, generation: generation)
  }
}

// The ready queue of a run: which step begins next, within the limits on how many run at once.

import Synchronization
import WorkflowLanguage

/// The ready queue of a run and the limits on its running steps: `max-parallel`, the `mutex` of a
/// step, and the `max-parallel` of a `foreach` or `matrix`.
///
/// - Order: a ready step begins in plan order, the order of the file. A step that waits for a limit
///   of its own does not hold up the steps after it.
/// - One at a time: the next step begins only when the one before has reported that it ``started(_:)``,
///   so that steps also *start* in plan order, whatever the threads do.
/// - All or nothing: a step gets its slots in all of its limits at the same time, so no step keeps a
///   slot while it waits for another, and no two can wait for each other.
///
/// Safe to use from any thread. Each call is logarithmic in the number of waiting steps, amortised.
final class Slots: Sendable {
  /// Something to do without the lock held.
  typealias Turn = @Sendable () -> Void

  fileprivate struct Limit {
    var free: Int
    /// Steps whose turn came while this limit had no slot for them.
    ///
    /// Some may have left since.
    var parked = PositionHeap()
  }

  fileprivate struct Waiting {
    let generation: Int
    let begin: Turn
  }

  fileprivate struct State {
    var free: Int
    var limits: [Limit]
    /// The indices in `limits` of the limits of a step, for those that have any.
    let limitsOfStep: [Int: [Int]]
    /// The waiting steps, by position.
    var waiting: [Int: Waiting] = [:]
    /// Waiting steps that are not parked at a limit.
    ///
    /// Some may have left since.
    var queue = PositionHeap()
    /// The steps that have slots.
    var holders: Set<Int> = []
    /// The step that has begun last, until it has started.
    var starting: Int?
  }

  private let state: Mutex<State>

  /// Makes slots.
  ///
  /// - Parameters:
  ///   - count: How many steps may have one at once, at least 1.
  ///   - limits: How many steps may have one at once under each further limit.
  ///   - limitsOfStep: The indices in `limits` of the limits of a step, for those that have any.
  init(count: Int, limits: [Int] = [], limitsOfStep: [Int: [Int]] = [:]) {
    precondition(count > 0, "a run needs at least one slot")
    state = Mutex(
      State(free: count, limits: limits.map { Limit(free: $0) }, limitsOfStep: limitsOfStep))
  }

  /// Makes the slots for a workflow.
  ///
  /// - Parameters:
  ///   - workflow: Its steps name their limits.
  ///   - maxParallel: How many steps may run at once where the workflow does not say.
  convenience init(for workflow: Workflow, maxParallel: Int) {
    var limits: [Int] = []
    var limitsOfStep: [Int: [Int]] = [:]
    var indices: [String: Int] = [:]
    for (position, step) in workflow.steps.enumerated() {
      guard let extras = step.extrasIfAny else { continue }
      // The names of mutexes and the ids of groups are told apart by their first letter.
      let own = [
        extras.mutex.map { (name: "m" + $0, count: 1) },
        extras.parallelLimit.map { (name: "g" + $0.group, count: $0.count) },
      ].compactMap(\.self)
      for limit in own {
        let index = indices[limit.name] ?? limits.count
        if index == limits.count { limits.append(limit.count) }
        indices[limit.name] = index
        limitsOfStep[position, default: []].append(index)
      }
    }
    self.init(
      count: workflow.maxParallel ?? maxParallel, limits: limits, limitsOfStep: limitsOfStep)
  }

  /// How many steps wait.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Adds a step to the queue; ``startNext()`` then begins it when it is its turn.
  ///
  /// - Parameters:
  ///   - step: A step that neither waits nor has slots.
  ///   - generation: The generation for which it waits.
  ///   - begin: Called once, without the lock held, when the step has its slots.
  func enter(_ step: StepIndex, generation: Int, begin: @escaping Turn) {
    state.withLock { state in
      state.waiting[step.position] = Waiting(generation: generation, begin: begin)
      state.queue.insert(step.position)
    }
  }

  /// Removes a waiting step.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - generation: The generation for which it waits. A cancel that comes late must not remove the
  ///     step of the next generation.
  /// - Returns: Whether it was waiting. If not, it has its slots or will never have any.
  func withdraw(_ step: StepIndex, generation: Int) -> Bool {
    state.withLock { state in
      guard state.waiting[step.position]?.generation == generation else { return false }
      state.waiting[step.position] = nil
      state.unparkForFreeSlots(of: step.position)
      return true
    }
  }

  /// Begins the next step, if one may begin.
  func startNext() {
    state.withLock { $0.nextTurn() }?()
  }

  /// Lets the next step begin: this one has started, or will not start.
  ///
  /// Does nothing when another step is starting.
  func started(_ step: StepIndex) {
    let turn = state.withLock { state -> Turn? in
      guard state.starting == step.position else { return nil }
      state.starting = nil
      return state.nextTurn()
    }
    turn?()
  }

  /// Releases the slots of a step, if it has any.
  ///
  /// Call ``startNext()`` afterwards.
  func release(_ step: StepIndex) {
    state.withLock { state in
      guard state.holders.remove(step.position) != nil else { return }
      state.free += 1
      for limit in state.limitsOfStep[step.position] ?? [] { state.limits[limit].free += 1 }
      state.unparkForFreeSlots(of: step.position)
      if state.starting == step.position { state.starting = nil }
    }
  }

  /// Waits until a step has its slots; returns at once when it has them already.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - generation: The generation for which it waits.
  /// - Returns: Whether it has them: not when the task was cancelled while it waited.
  func take(_ step: StepIndex, generation: Int) async -> Bool {
    guard !state.withLock({ $0.holders.contains(step.position) }) else { return true }
    let ticket = Ticket<Void>()
    enter(step, generation: generation) { ticket.answer(()) }
    startNext()
    if await ticket.value() != nil { return true }
    // Cancelled. Either the step still waits, or its turn has come at the same moment.
    return !withdraw(step, generation: generation)
  }
}

extension Slots.State {
  /// Gives the first step in the queue its slots, if it is time.
  ///
  /// - Returns: What begins it.
  fileprivate mutating func nextTurn() -> Slots.Turn? {
    guard starting == nil, free > 0 else { return nil }
    while let step = queue.popSmallest() {
      guard waiting[step] != nil else { continue }
      let own = limitsOfStep[step] ?? []
      if let full = own.first(where: { limits[$0].free == 0 }) {
        limits[full].parked.insert(step)
        // It leaves the queue without using its other limits.
        unparkForFreeSlots(of: step)
        continue
      }
      free -= 1
      for limit in own { limits[limit].free -= 1 }
      holders.insert(step)
      starting = step
      unparkForFreeSlots(of: step)
      return waiting.removeValue(forKey: step)?.begin
    }
    return nil
  }

  /// Returns a parked step to the queue for each limit of a step that has a free slot.
  ///
  /// That keeps the invariant: while a limit has a free slot and parked steps, the first of those
  /// that ever waited for it is in the queue. Only one is, so a slot that comes free costs a
  /// logarithm and not a look at all that wait for it.
  fileprivate mutating func unparkForFreeSlots(of step: Int) {
    for limit in limitsOfStep[step] ?? [] where limits[limit].free > 0 {
      while let parked = limits[limit].parked.popSmallest() {
        guard waiting[parked] != nil else { continue }
        queue.insert(parked)
        break
      }
    }
  }
}

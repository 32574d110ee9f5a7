// Estimates when a run will end, from the usual durations of its steps. Pure.

import Workflows

extension RunState {
  /// The part of the unfinished steps whose usual duration must be known for an estimate.
  static let knownPartMin = 0.8

  /// Estimates the time until the run ends.
  ///
  /// Simulates the rest of the run: steps take their usual durations and start in file order when
  /// their needs are over and a slot is free (list scheduling, Graham 1966). A running step is
  /// expected to take the rest of its usual time, or as long as its reported progress suggests.
  /// O(n log n) in the number of unfinished steps and their needs.
  ///
  /// - Parameters:
  ///   - now: The current time.
  ///   - slotCount: The number of steps that run at once if the plan does not say.
  /// - Returns: The time, more than zero; nil if the run is not running or is paused, if less than 80 % of
  ///   the unfinished steps have a known usual duration, if it is not known how many items a step will have and
  ///   how long they take, or if it depends on a person, a moment, a pool or the queue of a runner.
  package func expectedRest(at now: Timestamp, slotCount: Int) -> Duration? {
    guard let plan, phase == .running, !isPaused else { return nil }
    // Services end when nothing needs them.
    let unfinished = steps.indices.filter {
      !steps[$0].phase.isFinal && plan.steps[$0].isService != true
    }
    let known = unfinished.filter {
      plan.steps[$0].usualSeconds != nil || steps[$0].progress != nil
    }
    guard !unfinished.isEmpty, !unfinished.contains(where: isUnforeseeable),
      Double(known.count) >= Self.knownPartMin * Double(unfinished.count)
    else { return nil }
    let usual = known.compactMap { plan.steps[$0].usualSeconds }.sorted()
    let typical = usual.isEmpty ? 0 : usual[usual.count / 2]

    var needsLeft = [Int](repeating: 0, count: steps.count)
    var dependents = [[Int]](repeating: [], count: steps.count)
    let mainCount = steps.count - plan.finallyCount
    let unfinishedMain = unfinished.prefix { $0 < mainCount }
    for position in unfinished {
      let needs =
        position < mainCount
        ? plan.steps[position].needs.compactMap { self.position(ofStep: $0) }
          .filter { !steps[$0].phase.isFinal && plan.steps[$0].isService != true }
        : Array(unfinishedMain)
      needsLeft[position] = needs.count
      for need in needs { dependents[need].append(position) }
    }
    // Waiting steps start in file order.
    var waiting = Heap<Int>()
    var running = Heap<End>()
    for position in unfinished {
      if steps[position].phase == .running || steps[position].waitsUntil != nil {
        running.insert(End(second: rest(of: position, typical, now), step: position))
      } else if needsLeft[position] == 0 {
        waiting.insert(position)
      }
    }
    var second = 0.0
    let slots = max(1, plan.maxParallel ?? slotCount)
    while true {
      while running.count < slots, let position = waiting.popSmallest() {
        let duration = plan.steps[position].usualSeconds ?? typical
        running.insert(End(second: second + duration, step: position))
      }
      guard let end = running.popSmallest() else { return max(.seconds(second), Self.restMin) }
      second = end.second
      for dependent in dependents[end.step] {
        needsLeft[dependent] -= 1
        if needsLeft[dependent] == 0 { waiting.insert(dependent) }
      }
    }
  }

  /// The shortest rest of a run with unfinished steps.
  static let restMin: Duration = .milliseconds(1)

  /// Returns whether the end of an unfinished step cannot be estimated.
  private func isUnforeseeable(_ position: Int) -> Bool {
    let (step, planned) = (steps[position], plan?.steps[position])
    if step.approval != nil || step.waitsForPool != nil { return true }
    if step.phase == .waiting, step.placement?.queuedBecause != nil { return true }
    if planned?.template != nil, planned?.usualSeconds == nil { return true }
    guard planned?.isOpenEnded == true else { return false }
    // What has been approved, or knows its moment, goes on.
    let isApproved = step.interventions.contains {
      if case .approved = $0.kind { true } else { false }
    }
    return !isApproved && step.waitsUntil == nil
  }

  /// Returns the expected rest of a running step in seconds.
  private func rest(of position: Int, _ typical: Double, _ now: Timestamp) -> Double {
    let step = steps[position]
    if step.phase == .waiting, let end = step.waitsUntil {
      return max(0, (end - now) / .seconds(1))
    }
    let elapsed = step.startedAt.map { max(0, (now - $0) / .seconds(1)) } ?? 0
    if let progress = step.progress, progress.part > 0, let startedAt = step.startedAt {
      let untilReport = max(0, (progress.reportedAt - startedAt) / .seconds(1))
      return max(0, untilReport / progress.part - elapsed)
    }
    let usual = plan?.steps[position].usualSeconds ?? typical
    // A step that takes longer than usual will probably not end this moment.
    return max(usual - elapsed, elapsed * 0.1)
  }

  /// The expected end of a step.
  private struct End: Comparable {
    var second: Double
    var step: Int

    static func < (first: End, second: End) -> Bool {
      (first.second, first.step) < (second.second, second.step)
    }
  }
}

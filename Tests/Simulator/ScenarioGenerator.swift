// Random scenarios. Swarm testing: each seed switches every feature on or off, so that rare
// combinations are not diluted by all the others.

import RepriseTesting

/// Generates the scenario of a seed.
struct ScenarioGenerator {
  private var random: SplitMix64
  /// For what was added later, so that the rest of a scenario stays the same.
  private var others: SplitMix64
  private var features: Set<Feature> = []
  private var scenario = Scenario()
  private var horizon = 10_000

  private enum Feature: CaseIterable {
    case maxParallel, workflowTimeout, failFast, finally, mutex, share, groups, matrix, groupLimit
    case groupFailFast, approvals, onlyApprovals, continueOnError, timeouts, retries, jitter,
      conditions
    case failures, errors, slowStops, ignoredCancels, output, instantSteps, equalLengths
    case restarts, partialRestarts, restartsWith, cancel, kill, answers, listeners, slowListeners
    case littleDemand, leavers, crashes, diskFull, slowDisk, tornWrites, noDisk, resumes
    case shuffledFile, denseGraph, chains, bursts, stepCancels, results, pauses
  }

  /// Creates a generator for a seed.
  init(seed: UInt64) {
    random = SplitMix64(seed: seed, purpose: 1)
    others = SplitMix64(seed: seed, purpose: 77)
  }

  /// Returns the scenario.
  mutating func scenario(sizes: ClosedRange<Int>? = nil) -> Scenario {
    let density = random.pick([0.15, 0.3, 0.5, 0.8])
    features = Set(Feature.allCases.filter { _ in random.chance(density) })
    if features.contains(.noDisk), random.chance(0.7) { features.remove(.noDisk) }
    horizon = random.pick([50, 1000, 10_000, 100_000])
    let count = sizes.map { random.number($0) } ?? size()
    scenario.steps = steps(count)
    if has(.finally) {
      scenario.finally = (0..<random.number(1...3)).map { step("f\($0)") }
      for position in scenario.finally.indices {
        scenario.finally[position].approval = false
        scenario.finally[position].isOnlyApproval = false
      }
    }
    if has(.maxParallel) { scenario.maxParallel = random.pick([1, 1, 2, 3, 4, 8]) }
    scenario.failsFast = has(.failFast)
    if has(.workflowTimeout) { scenario.timeout = random.number(1...horizon * 2) }
    disk()
    scenario.resumes = has(.resumes) ? random.number(1...2) : 0
    scenario.grantsAtEnd = random.chance(0.5)
    moments()
    scenario.schedule = random.next() >> 16
    scenario.policy = random.pick(SchedulePolicy.allCases + [.random])
    scenario.lazyChance = random.pick([0, 0, 0.05, 0.3])
    if others.chance(0.3) { scenario.computed = .random(&others, horizon: horizon) }
    return scenario
  }

  private func has(_ feature: Feature) -> Bool { features.contains(feature) }

  /// Returns a size, mostly small, because small scenarios cover more situations in the same time.
  private mutating func size() -> Int {
    switch random.below(1000) {
    case ..<620: random.number(1...8)
    case ..<920: random.number(9...30)
    case ..<990: random.number(31...150)
    case ..<998: random.number(151...600)
    default: random.number(601...2000)
    }
  }

  // MARK: Steps

  private mutating func steps(_ count: Int) -> [Scenario.Step] {
    var steps: [Scenario.Step] = []
    let most = has(.denseGraph) ? 6 : 3
    for position in 0..<count {
      var step = step("s\(position)")
      if position > 0 {
        if has(.chains), random.chance(0.6) {
          step.needs = ["s\(position - 1)"]
        } else {
          let ids = (0..<random.below(most)).map { _ in random.below(position) }
          step.needs = Set(ids).sorted().map { "s\($0)" }
        }
      }
      steps.append(step)
    }
    if has(.shuffledFile) { steps.shuffle(using: &random) }
    return steps
  }

  private mutating func step(_ id: String) -> Scenario.Step {
    var step = Scenario.Step(id: id)
    if has(.groups), random.chance(0.2) {
      step.items = random.pick([1, 2, 3, 5, 8])
      step.isMatrix = has(.matrix) && random.chance(0.5)
      if has(.groupLimit), random.chance(0.6) { step.groupLimit = random.number(1...3) }
      step.failsFast = has(.groupFailFast) && random.chance(0.5)
    }
    if has(.mutex), random.chance(0.3) { step.mutex = random.pick(["m", "n"]) }
    if has(.approvals), step.items == 0, random.chance(0.15) {
      step.approval = true
      step.isOnlyApproval = has(.onlyApprovals) && random.chance(0.5)
    }
    if has(.share), !step.isOnlyApproval, random.chance(0.3) {
      step.share = random.pick(["x", "y"])
    }
    step.continuesOnError = has(.continueOnError) && random.chance(0.3)
    if has(.timeouts), !step.isOnlyApproval, random.chance(0.3) {
      step.timeout = random.number(1...horizon / 2)
    }
    if has(.retries), !step.isOnlyApproval, random.chance(0.4) {
      step.retry = Scenario.Retry(
        limit: random.number(1...3), delay: random.below(horizon / 5), jitter: has(.jitter))
    }
    if has(.conditions), random.chance(0.15) {
      step.condition = random.pick(["always()", "failure()", "1 == 2", "success()"])
    }
    step.behaviours = (0..<random.number(1...3)).map { _ in behaviour() }
    return step
  }

  private mutating func behaviour() -> Scenario.Behaviour {
    var behaviour = Scenario.Behaviour()
    let longest = max(1, horizon / 5)
    behaviour.length =
      has(.instantSteps) && random.chance(0.4)
      ? 0 : has(.equalLengths) ? longest / 2 : random.number(1...longest)
    if has(.failures), random.chance(0.15) { behaviour.ending = .exit(random.number(1...3)) }
    if has(.errors), random.chance(0.05) { behaviour.ending = .error }
    if has(.slowStops), random.chance(0.5) {
      behaviour.onCancel = .stopSlowly(random.number(1...longest))
    }
    if has(.ignoredCancels), random.chance(0.3) { behaviour.onCancel = .ignore }
    if has(.output), random.chance(0.3) { behaviour.lines = random.pick([1, 3, 100]) }
    return behaviour
  }

  // MARK: Disk and moments

  private mutating func disk() {
    scenario.disk.isUsed = !has(.noDisk)
    if has(.slowDisk) {
      scenario.disk.delay = random.pick([1, 10, max(1, horizon / 10)])
      scenario.disk.slowEvery = random.pick([0, 5, 20])
    }
    scenario.disk.tears = has(.tornWrites)
  }

  private mutating func moments() {
    let ids = scenario.allSteps.map(\.id)
    func some(_ feature: Feature, _ most: Int, _ random: inout SplitMix64) -> Int {
      features.contains(feature) ? random.number(1...most) : 0
    }
    var actions: [Scenario.Action] = []
    for _ in 0..<some(.restarts, 4, &random) { actions.append(.restart) }
    // Restarts are mostly used after a failure.
    let failing = scenario.allSteps.filter { step in
      step.behaviours.contains { $0.ending != .success }
    }.map(\.id)
    for _ in 0..<some(.partialRestarts, 5, &random) {
      let isOfFailure = !failing.isEmpty && random.chance(0.6)
      actions.append(.restartFrom(random.pick(isOfFailure ? failing : ids)))
    }
    for _ in 0..<some(.restartsWith, 2, &random) {
      actions.append(.restartWith(random.chance(0.5) ? [] : [random.pick(ids)]))
    }
    if has(.cancel) { actions.append(.cancel) }
    if has(.kill) { actions.append(.kill) }
    for _ in 0..<some(.stepCancels, 4, &random) { actions.append(.cancelStep(random.pick(ids))) }
    for step in scenario.steps where step.approval && has(.answers) {
      actions.append(random.chance(0.7) ? .approve(step.id) : .refuse(step.id))
    }
    for _ in 0..<some(.results, 3, &random) {
      let isOfFailure = !failing.isEmpty && random.chance(0.6)
      actions.append(
        .set(random.pick(isOfFailure ? failing : ids), skipped: random.chance(0.5)))
    }
    if has(.pauses) { actions += random.chance(0.5) ? [.pause] : [.pause, .unpause] }
    for _ in 0..<some(.listeners, 3, &random) { actions.append(.listen(listener())) }
    if scenario.disk.isUsed {
      for _ in 0..<some(.crashes, 4, &random) { actions.append(.crash) }
      if has(.diskFull) { actions += random.chance(0.5) ? [.diskFull] : [.diskFull, .diskFree] }
    }
    let burst = random.below(horizon)
    scenario.moments = actions.map { action in
      Scenario.Moment(
        time: has(.bursts) && random.chance(0.7) ? burst : random.below(horizon),
        items: random.chance(0.5) ? 0 : random.below(random.pick([5, 50, 500])), action: action)
    }
    .sorted { $0.time < $1.time }
  }

  private mutating func listener() -> Scenario.Listener {
    var listener = Scenario.Listener()
    if has(.littleDemand), random.chance(0.5) {
      listener.demand = random.pick([1, 3, 50])
      listener.pause = random.below(horizon / 5) + 1
    }
    if has(.slowListeners), random.chance(0.5) { listener.blocks = random.below(horizon / 10) }
    if has(.leavers), random.chance(0.5) { listener.leavesAfter = random.number(1...30) }
    return listener
  }
}

extension Scenario.ComputedItems {
  /// Returns random items.
  static func random(_ random: inout SplitMix64, horizon: Int) -> Self {
    Self(
      count: random.below(5), listLength: random.below(max(1, horizon / 3)),
      itemLength: random.below(max(1, horizon / 5)))
  }
}

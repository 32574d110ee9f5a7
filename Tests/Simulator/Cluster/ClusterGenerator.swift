// Random scenarios of clusters. Each seed switches every feature on or off, as for `ScenarioGenerator`.

import RepriseTesting

/// Generates the scenario of a seed.
struct ClusterGenerator {
  private var random: SplitMix64
  private var features: Set<Feature> = []
  private var made = ClusterScenario()

  private enum Feature: CaseIterable {
    case otherScheduler, limit, smallArrays, slow, late, stale, lateCancels, longWaits, lostAnswers
    case accounts, shortMemory, lies, maxParallel, pace, mutex, refusals, items, failures, retries
    case slowStops, restarts, cancel, stepCancels, crashes, accidents, nodes, away, forgets
  }

  /// Creates a generator for a seed.
  init(seed: UInt64) { random = SplitMix64(seed: seed, purpose: 3) }

  private func has(_ feature: Feature) -> Bool { features.contains(feature) }

  /// Returns the scenario.
  mutating func scenario() -> ClusterScenario {
    let density = random.pick([0.15, 0.3, 0.5, 0.8])
    features = Set(Feature.allCases.filter { _ in random.chance(density) })
    if random.chance(0.5) { features.remove(.otherScheduler) }
    if random.chance(0.7) { features.remove(.lies) }
    if random.chance(0.5) { features.remove(.refusals) }
    cluster()
    steps()
    if has(.maxParallel) { made.maxParallel = random.pick([1, 2, 3, 5]) }
    if has(.pace) { made.submitEvery = random.pick([100, 500, 2000]) }
    made.poll = random.pick([1, 5, 15])
    made.quantum = random.pick([50, 100, 300])
    moments()
    made.schedule = random.next() >> 16
    made.policy = random.pick(SchedulePolicy.allCases)
    return made
  }

  private mutating func cluster() {
    var cluster = ClusterScenario.Cluster()
    cluster.isSlurm = !has(.otherScheduler)
    cluster.nodes = random.number(1...3)
    cluster.slots = random.pick([1, 2, 4])
    if has(.limit) { cluster.queueLimit = random.pick([1, 2, 3, 5]) }
    if has(.smallArrays) { cluster.arraySizeMax = random.number(1...4) }
    cluster.latency = has(.slow) ? random.pick([500, 3000]) : random.pick([5, 50])
    // Together with the age of a list, less than the time for which the runner makes allowance.
    if has(.late) { cluster.showsAfter = random.pick([100, 900]) }
    if has(.stale) { cluster.staleness = random.pick([100, 900]) }
    if has(.lateCancels) { cluster.cancelDelay = random.pick([200, 3000]) }
    cluster.wait = has(.longWaits) ? random.pick([5000, 30_000]) : random.pick([0, 500])
    if has(.lostAnswers) { cluster.lostAnswers = random.pick([10, 30, 70]) }
    if has(.accounts) { cluster.accounts = random.pick(ClusterScenario.Accounts.allCases) }
    if has(.shortMemory) { cluster.memory = random.pick([1, 5, 20]) }
    cluster.lies = has(.lies)
    made.cluster = cluster
  }

  private mutating func steps() {
    let count = random.pick([1, 2, 3, 5, 8])
    let length = random.pick([200, 2000, 10_000])
    for number in 0..<count {
      var step = ClusterScenario.Step(id: "s\(number)")
      for other in 0..<number where random.chance(0.25) { step.needs.append("s\(other)") }
      if has(.items), random.chance(0.5) { step.items = random.number(1...6) }
      if has(.retries), random.chance(0.6) { step.retries = random.number(1...3) }
      if has(.mutex), random.chance(0.5) { step.mutex = "m" }
      step.isRefused = has(.refusals) && random.chance(0.2)
      step.behaviours = (0..<random.number(1...3)).map { _ in
        ClusterScenario.Behaviour(
          length: random.below(length),
          status: has(.failures) && random.chance(0.3) ? random.number(1...3) : 0,
          stopTime: has(.slowStops) ? random.below(4000) : 0)
      }
      made.steps.append(step)
    }
  }

  private mutating func moments() {
    let horizon = random.pick([2000, 10_000, 40_000])
    func add(_ feature: Feature, _ most: Int, _ action: (inout Self) -> ClusterScenario.Action) {
      guard has(feature) else { return }
      for _ in 0..<random.number(1...most) {
        let time = random.below(horizon)
        made.moments.append(
          ClusterScenario.Moment(time: time, items: random.below(40), action: action(&self)))
      }
    }
    add(.restarts, 3) { generator in
      generator.random.chance(0.4) ? .restart : .restartFrom(generator.step)
    }
    add(.stepCancels, 3) { .cancelStep($0.step) }
    add(.crashes, 3) { generator in
      .crash(
        pause: generator.random.pick([0, 1000, 20_000, 100_000]),
        cancels: generator.random.chance(0.2))
    }
    add(.accidents, 5) { .strike($0.random.pick(ClusterScenario.Accident.allCases)) }
    add(.nodes, 2) { .nodeFails($0.random.below($0.made.cluster.nodes)) }
    add(.away, 2) { .away($0.random.pick([500, 5000, 20_000])) }
    add(.forgets, 3) { generator in
      .forgets(
        generator.made.cluster.lies
          ? generator.random.pick([2000, 10_000, 60_000]) : generator.random.pick([50, 500]))
    }
    add(.cancel, 1) { _ in .cancel }
  }

  private var step: String {
    mutating get {
      let step = random.pick(made.steps)
      guard step.items > 0, random.chance(0.8) else { return step.id }
      return "\(step.id)[\(random.below(step.items))]"
    }
  }
}

// Random scenarios whose workflow is a tree of groups.

import RepriseTesting

/// Generates the scenario of a seed.
struct ForestGenerator {
  private var random: SplitMix64
  private var count = 0
  private let horizon: Int
  /// How often a feature of the swarm is used; some are switched off by each seed.
  private var chances: [Feature: Double] = [:]

  private enum Feature: CaseIterable {
    case groups, items, computed, waits, services, mutexes, pools, retries, timeouts, tolerance,
      limits, failFast, rounds, conditions, undo, failures, slowStops, ignoredCancels, stepRetries
  }

  /// Where a node is generated.
  private struct Place {
    var depth = 0
    var isInMutex = false
    var isInPool = false
    var isInItems = false
  }

  /// Creates a generator for a seed.
  init(seed: UInt64) {
    random = SplitMix64(seed: seed, purpose: 501)
    horizon = random.pick([50, 1000, 10_000])
    for feature in Feature.allCases {
      chances[feature] = random.pick([0, 0.1, 0.3, 0.5])
    }
    chances[.groups] = random.pick([0.3, 0.45, 0.6])
  }

  private mutating func chance(_ feature: Feature) -> Bool {
    random.chance(chances[feature] ?? 0)
  }

  /// Returns the scenario.
  mutating func scenario() -> Scenario {
    var scenario = Scenario()
    var forest = Forest()
    forest.nodes = list(Place())
    if random.chance(0.4) {
      forest.finally = (0..<random.number(1...2)).map { number in
        var step = Forest.Step(id: "f\(number)")
        step.behaviours = [behaviour()]
        return step
      }
    }
    scenario.forest = forest
    if random.chance(0.3) { scenario.maxParallel = random.number(1...3) }
    scenario.failsFast = random.chance(0.1)
    scenario.disk.isUsed = random.chance(0.9)
    scenario.disk.tears = random.chance(0.3)
    scenario.resumes = random.chance(0.3) ? random.number(1...2) : 0
    scenario.moments = moments(of: forest, withCrashes: scenario.disk.isUsed)
    scenario.schedule = random.next() >> 16
    scenario.policy = random.pick(SchedulePolicy.allCases + [.random])
    scenario.lazyChance = random.pick([0, 0, 0.05, 0.3])
    return scenario
  }

  // MARK: Steps and groups

  private mutating func list(_ place: Place) -> [Forest.Node] {
    (0..<random.number(1...3)).map { _ in node(place) }
  }

  private mutating func node(_ place: Place) -> Forest.Node {
    guard place.depth < 4, chance(.groups) else { return leaf(place) }
    return .group(group(place))
  }

  private mutating func newID(_ letter: String) -> String {
    count += 1
    return "\(letter)\(count)"
  }

  private mutating func leaf(_ place: Place) -> Forest.Node {
    guard chance(.services), place.depth < 4 else { return .step(step(place)) }
    // Its user follows it, in a list of their own.
    var service = Forest.Step(id: newID("d"), isService: true)
    service.behaviours = [Scenario.Behaviour(length: 1_000_000_000)]
    var group = Forest.Group(id: newID("g"), kind: .sequence)
    group.nodes = [.step(service), .step(step(place))]
    return .group(group)
  }

  private mutating func step(_ place: Place) -> Forest.Step {
    var step = Forest.Step(id: newID("s"))
    if chance(.waits) {
      step.wait = random.number(1...horizon / 5)
    } else {
      step.isUndone = chance(.undo)
      if chance(.stepRetries) { step.retry = retry() }
    }
    step.continuesOnError = random.chance((chances[.tolerance] ?? 0) / 2)
    if chance(.mutexes), !place.isInMutex, step.wait == nil {
      step.mutex = random.pick(["m", "n"])
    }
    if chance(.pools), !place.isInPool, step.wait == nil {
      step.places = random.number(1...Forest.poolSize)
      step.takesOther = random.chance(0.3)
    }
    if chance(.conditions) { step.condition = random.pick(["always()", "failure()", "1 == 2"]) }
    step.behaviours = (0..<random.number(1...3)).map { _ in behaviour() }
    return step
  }

  private mutating func retry() -> Scenario.Retry {
    Scenario.Retry(limit: random.number(1...2), delay: random.below(horizon / 5), jitter: false)
  }

  private mutating func behaviour() -> Scenario.Behaviour {
    var behaviour = Scenario.Behaviour(length: random.below(max(2, horizon / 5)))
    if random.chance((chances[.failures] ?? 0) / 2) { behaviour.ending = .exit(1) }
    if chance(.slowStops) { behaviour.onCancel = .stopSlowly(random.number(1...horizon / 5)) }
    if chance(.ignoredCancels) { behaviour.onCancel = .ignore }
    return behaviour
  }

  private mutating func group(_ place: Place) -> Forest.Group {
    var inner = place
    inner.depth += 1
    var kind = random.chance(0.5) ? Forest.Group.Kind.sequence : .parallel
    if chance(.items) { kind = chance(.computed) ? .computed : .written }
    var group = Forest.Group(id: newID("g"), kind: kind)
    if chance(.mutexes), !place.isInMutex {
      group.mutex = random.pick(["m", "n"])
      inner.isInMutex = true
    }
    if chance(.pools), !place.isInPool {
      group.places = random.number(1...Forest.poolSize)
      group.takesOther = random.chance(0.3)
      (inner.isInMutex, inner.isInPool) = (true, true)
    }
    if chance(.retries) { group.retry = retry() }
    if chance(.timeouts) { group.timeout = random.number(1...horizon) }
    group.continuesOnError = chance(.tolerance)
    if group.hasParts {
      if chance(.limits) { group.maxParallel = random.number(1...2) }
      group.failsFast = chance(.failFast)
    }
    if chance(.rounds), random.chance(0.3) { group.rounds = random.number(2...4) }
    if group.hasItems { inner.isInItems = true }
    group.nodes =
      kind == .parallel ? (0..<random.number(2...3)).map { _ in node(inner) } : list(inner)
    return group
  }

  // MARK: Moments

  private mutating func moments(of forest: Forest, withCrashes: Bool) -> [Scenario.Moment] {
    let ids = forest.ids
    var actions: [Scenario.Action] = []
    for _ in 0..<random.below(5) {
      let id = random.pick(ids)
      switch random.below(13) {
      case 0: actions.append(.restart)
      case 1...3: actions.append(.restartFrom(id))
      case 4: actions.append(.restartWith(random.chance(0.5) ? [] : [id]))
      case 5, 6: actions.append(.set(id, skipped: random.chance(0.5)))
      case 7, 8: actions.append(.cancelStep(id))
      case 9: actions += [.pause, .unpause]
      case 10: actions.append(random.chance(0.7) ? .cancel : .kill)
      default: if withCrashes { actions.append(.crash) }
      }
    }
    return actions.map { action in
      Scenario.Moment(
        time: random.below(horizon), items: random.chance(0.5) ? 0 : random.below(50),
        action: action)
    }.sorted { $0.time < $1.time }
  }
}

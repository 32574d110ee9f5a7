// Scenarios to which a step with computed items makes no difference, except for itself.

import RepriseTesting

extension Scenario {
  /// The scenario without what lets independent steps affect one another.
  ///
  /// These are slots and shared work, random delays, steps that end at the same moment, what happens
  /// when nothing else can happen, and what happens at the end of all steps.
  var neutral: Scenario {
    var scenario = self
    scenario.computed = nil
    (scenario.policy, scenario.isStrict, scenario.lazyChance) = (.oldestFirst, true, 0)
    (scenario.maxParallel, scenario.timeout, scenario.finally) = (nil, nil, [])
    (scenario.disk, scenario.resumes) = (Disk(isUsed: false), 0)
    for position in scenario.steps.indices {
      scenario.steps[position].approval = false
      scenario.steps[position].isOnlyApproval = false
      scenario.steps[position].share = nil
      scenario.steps[position].retry?.jitter = false
      for number in scenario.steps[position].behaviours.indices {
        // Sums of such numbers are rarely equal.
        let length = scenario.steps[position].behaviours[number].length
        scenario.steps[position].behaviours[number].length =
          (length % 997 + 1) * 1009 + (position * 31 + number * 7) % 991 + 10
        scenario.steps[position].behaviours[number].lines = 0
      }
      if let timeout = scenario.steps[position].timeout {
        scenario.steps[position].timeout = (timeout % 997 + 1) * 1013 + 5
      }
    }
    scenario.forest?.separate()
    // The run must not end before the last action on it.
    let keeper = Behaviour(length: 50_000_017)
    scenario.steps.append(Step(id: "keeper", behaviours: [keeper]))
    let ids = Set(scenario.steps.map(\.id)).union(scenario.forest?.ids ?? [])
    scenario.moments = scenario.moments.enumerated().compactMap { number, moment in
      let isKnown =
        switch moment.action {
        case .restart, .cancel: true
        case .restartFrom(let id), .cancelStep(let id), .set(let id, _): ids.contains(id)
        case .restartWith(let all): ids.isSuperset(of: all)
        default: false
        }
      guard isKnown else { return nil }
      return Moment(
        time: (moment.time % 2003 + 1) * 503 + number * 17 + 3, items: 0, action: moment.action)
    }.sorted { $0.time < $1.time }
    return scenario
  }

  /// The scenario with computed items that take a different time than everything else.
  func computingItems(seed: UInt64) -> Scenario {
    var random = SplitMix64(seed: seed, purpose: 78)
    var scenario = self
    scenario.computed = ComputedItems(
      count: random.below(6), listLength: random.below(400) * 1021 + 7,
      itemLength: random.below(100) * 1031 + 11)
    return scenario
  }
}

extension Forest {
  /// Gives all steps and groups times whose sums are rarely equal, and removes those under `finally`.
  fileprivate mutating func separate() {
    finally = []
    var count = 0
    func time(_ old: Int) -> Int {
      count += 1
      return (old % 997 + 1) * 1009 + (count * 31) % 991 + 10
    }
    change(
      step: { step in
        step.wait = step.wait.map(time)
        if let retry = step.retry { step.retry?.delay = time(retry.delay) }
        for number in step.behaviours.indices where !step.isService {
          step.behaviours[number].length = time(step.behaviours[number].length)
        }
      },
      group: { group in
        group.timeout = group.timeout.map { time($0) * 4 }
        if let retry = group.retry { group.retry?.delay = time(retry.delay) }
      })
  }
}

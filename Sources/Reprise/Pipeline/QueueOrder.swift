// `QueueOrder`: the order in which waiting steps begin. Pure.

import Workflows

/// The order in which waiting steps begin: the order of the file, unless the workflow says otherwise.
///
/// Steps with a higher `priority` come first. With `order: longest-path`, those of equal priority
/// are ordered by the longest chain of steps that begins with them, in the times of earlier runs. Steps that
/// go on from an earlier engine come before all others: they use their slots already.
struct QueueOrder: Sendable, Equatable {
  /// The duration of a step without an earlier run, if no step has one.
  private static let unknownDuration: Duration = .seconds(1)

  /// The rank of each step by index; nil if it is the index.
  private var ranks: [Int]?
  /// The index of the step of each rank.
  private var steps: [Int] = []
  /// The steps that go on from an earlier engine, until they have their slots.
  var goingOn: Set<Int> = []
  /// What their ranks are lower by.
  private static let advantage = 1 << 40

  /// The order of indices.
  init() {}

  /// Creates the order of a plan.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - usualDurations: The durations of steps in earlier runs, by step id.
  ///   - seed: The seed of a random order, which nothing else influences; nil for none.
  init(of plan: Plan, usualDurations: [String: Duration], seed: UInt64? = nil) {
    let order = plan.order
    let usesPaths = plan.workflow.order == .longestPath
    if let seed {
      let keys = plan.steps.map { Self.key(of: $0.id, seed) }
      steps = order.map(\.position).sorted { (keys[$0], $0) < (keys[$1], $1) }
    } else if usesPaths || order.contains(where: { plan[$0].priority != 0 }) {
      let paths = usesPaths ? Self.paths(of: plan, usualDurations) : []
      steps = order.enumerated().sorted { left, right in
        let (first, second) = (plan[left.element].priority, plan[right.element].priority)
        if first != second { return first > second }
        if usesPaths, paths[left.element] != paths[right.element] {
          return paths[left.element] > paths[right.element]
        }
        return left.offset < right.offset
      }.map(\.element.position)
    } else if plan.isInFileOrder {
      return
    } else {
      steps = order.map(\.position)
    }
    var ranks = Array(repeating: 0, count: plan.count)
    for (rank, step) in steps.enumerated() { ranks[step] = rank }
    self.ranks = ranks
  }

  /// Returns the rank of a step; a lower one begins first.
  func rank(of step: Int) -> Int {
    (ranks?[step] ?? step) - (goingOn.contains(step) ? Self.advantage : 0)
  }

  /// Returns the step of a rank.
  func step(ofRank rank: Int) -> Int {
    let rank = rank < 0 ? rank + Self.advantage : rank
    return ranks == nil ? rank : steps[rank]
  }

  /// Returns a random number of an id: FNV-1a, then the finalizer of SplitMix64.
  private static func key(of id: String, _ seed: UInt64) -> UInt64 {
    var hash = id.utf8.reduce(seed ^ 0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    hash = (hash ^ hash >> 30) &* 0xBF58_476D_1CE4_E5B9
    hash = (hash ^ hash >> 27) &* 0x94D0_49BB_1331_11EB
    return hash ^ hash >> 31
  }

  /// Returns the duration of the longest chain of steps that begins with each step.
  private static func paths(of plan: Plan, _ usualDurations: [String: Duration]) -> [Duration] {
    let known = plan.order.compactMap { usualDurations[plan[$0].id] }.sorted()
    // A new step is assumed to be like the others.
    let standard = known.isEmpty ? unknownDuration : known[known.count / 2]
    var paths = plan.steps.map { usualDurations[$0.id] ?? standard }
    for step in plan.graph.topologicalOrder.reversed() {
      for need in plan.graph.needs(of: step) {
        let own = usualDurations[plan[need].id] ?? standard
        paths[need] = max(paths[need], own + paths[step])
      }
    }
    return paths
  }
}

extension Workflow.Step {
  fileprivate var priority: Int { extrasIfAny?.priority ?? 0 }
}

// A checked DAG of steps: dense integers, edges in both directions, a topological order. Knows
// nothing of what steps do.

/// Names one step of a workflow by its position in file order.
public struct StepIndex: Hashable, Comparable, Sendable {
  /// The position of the step, from 0.
  public let position: Int

  /// Makes an index.
  ///
  /// - Parameter position: The position of the step, from 0.
  public init(_ position: Int) {
    self.position = position
  }

  /// Orders steps as the file does.
  public static func < (earlier: StepIndex, later: StepIndex) -> Bool {
    earlier.position < later.position
  }
}

/// Steps and what they need, without a cycle.
///
/// Building it takes time linear in the number of steps and needs, and so do all of its functions;
/// none recurses, so depth does not matter.
public struct Graph: Sendable, Equatable {
  /// The ids of the steps, in file order.
  public let ids: [String]
  /// An order in which every step comes after all that it needs; of those that could be next, the
  /// one that stands first in the file.
  public let topologicalOrder: [StepIndex]
  private let needsOf: Edges
  private let dependentsOf: Edges
  private let positions: [String: Int]

  /// Checks steps and connects them.
  ///
  /// - Parameters:
  ///   - ids: The ids of the steps, in file order.
  ///   - needs: The ids of what each step needs, in the same order.
  /// - Throws: ``GraphError`` for the first thing that is wrong.
  public init(ids: [String], needs: [[String]]) throws(GraphError) {
    precondition(ids.count == needs.count, "each step has its list of needs")
    var builder = GraphBuilder(ids: ids)
    for names in needs {
      for name in names { builder.need(name) }
      builder.endStep()
    }
    self = try builder.graph()
  }

  fileprivate init(
    ids: [String], positions: [String: Int], needs: Edges
  ) throws(GraphError) {
    self.ids = ids
    self.positions = positions
    needsOf = needs
    dependentsOf = needsOf.reversed(count: ids.count)
    switch Self.sorted(needsOf, dependentsOf, count: ids.count) {
    case .order(let order): topologicalOrder = order
    case .cycle(let steps): throw .cycle(steps.map { ids[$0.position] })
    }
  }

  /// How many steps there are.
  public var count: Int { ids.count }

  /// All steps in file order.
  public var indices: [StepIndex] { (0..<count).map { StepIndex($0) } }

  /// The id of a step.
  ///
  /// - Parameter step: The step.
  /// - Returns: Its id.
  public func id(of step: StepIndex) -> String {
    ids[step.position]
  }

  /// Looks a step up.
  ///
  /// - Parameter id: The id of the step.
  /// - Returns: The step, or nil where there is none of that id. Constant time.
  public func index(of id: String) -> StepIndex? {
    positions[id].map { StepIndex($0) }
  }

  /// The steps that a step needs, in the order in which it names them.
  ///
  /// - Parameter step: The step.
  /// - Returns: What it needs. Constant time.
  public func needs(of step: StepIndex) -> ArraySlice<StepIndex> {
    needsOf[step]
  }

  /// The steps that need a step, in file order.
  ///
  /// - Parameter step: The step.
  /// - Returns: What needs it. Constant time.
  public func dependents(of step: StepIndex) -> ArraySlice<StepIndex> {
    dependentsOf[step]
  }

  /// Steps together with all that depend on them, directly or through others.
  ///
  /// - Parameter steps: Where to begin.
  /// - Returns: All of them, in topological order.
  public func withDependents(_ steps: [StepIndex]) -> [StepIndex] {
    var isReached = Array(repeating: false, count: count)
    for step in steps { isReached[step.position] = true }
    for step in topologicalOrder where isReached[step.position] {
      for dependent in dependents(of: step) { isReached[dependent.position] = true }
    }
    return topologicalOrder.filter { isReached[$0.position] }
  }

  // MARK: Sorting

  private enum Sorted {
    case order([StepIndex])
    case cycle([StepIndex])
  }

  /// Kahn's algorithm (Topological sorting of large networks, 1962), with the free steps kept in
  /// file order.
  private static func sorted(_ needs: Edges, _ dependents: Edges, count: Int) -> Sorted {
    var missing = (0..<count).map { needs[StepIndex($0)].count }
    var free = PositionHeap(missing.indices.filter { missing[$0] == 0 })
    var order: [StepIndex] = []
    order.reserveCapacity(count)
    while let position = free.popSmallest() {
      order.append(StepIndex(position))
      for dependent in dependents[StepIndex(position)] {
        missing[dependent.position] -= 1
        if missing[dependent.position] == 0 { free.insert(dependent.position) }
      }
    }
    guard order.count < count else { return .order(order) }
    return .cycle(cycle(needs, isLeft: missing.map { $0 > 0 }))
  }

  /// Walks along needs that are part of or behind a cycle until it meets itself.
  ///
  /// - Returns: The steps of a cycle, each needing the next, beginning with the one that stands first
  ///   in the file.
  private static func cycle(_ needs: Edges, isLeft: [Bool]) -> [StepIndex] {
    var seenAt: [Int: Int] = [:]
    var path: [StepIndex] = []
    var position = isLeft.firstIndex(of: true)
    while let here = position, seenAt[here] == nil {
      seenAt[here] = path.count
      path.append(StepIndex(here))
      position = needs[StepIndex(here)].first { isLeft[$0.position] }?.position
    }
    guard let meeting = position.flatMap({ seenAt[$0] }) else {
      preconditionFailure("BUG: steps are left over by the sort but none is on a cycle")
    }
    let steps = path[meeting...]
    let first = steps.firstIndex(of: steps.min() ?? steps[meeting]) ?? meeting
    return Array(steps[first...] + steps[..<first])
  }
}

/// Connects steps, one after the other in file order.
struct GraphBuilder {
  private let ids: [String]
  private var positions: [String: Int] = [:]
  private var needs = Edges()
  /// The first thing that is wrong.
  private var problem: GraphError?

  /// Begins with steps of which none needs another.
  ///
  /// - Parameter ids: The ids of the steps, in file order.
  init(ids: [String]) {
    self.ids = ids
    positions.reserveCapacity(ids.count)
    for (position, id) in ids.enumerated() where positions.updateValue(position, forKey: id) != nil
    {
      problem = problem ?? .duplicateStep(id)
    }
  }

  /// Adds a need to those of the step at hand, by its id.
  mutating func need(_ id: String) {
    guard let position = positions[id] else {
      problem = problem ?? .unknownNeed(step: ids[needs.listCount], need: id)
      return
    }
    need(position)
  }

  /// Adds a need to those of the step at hand, by its position.
  mutating func need(_ position: Int) {
    if position == needs.listCount { problem = problem ?? .needsItself(ids[position]) }
    needs.append(StepIndex(position))
  }

  /// Forgets what was added for the step at hand.
  mutating func forgetNeeds() { needs.dropOpenList() }

  /// Goes on to the next step.
  mutating func endStep() { needs.closeList() }

  /// The steps of a cycle, also where other things are wrong; nil where there is none, or where not all steps have ended.
  func cycle() -> [String]? {
    guard needs.listCount == ids.count else { return nil }
    do throws(GraphError) {
      _ = try Graph(ids: ids, positions: positions, needs: needs)
    } catch {
      if case .cycle(let ids) = error { return ids }
    }
    return nil
  }

  /// The graph, once all steps have ended.
  ///
  /// - Throws: ``GraphError`` for the first thing that is wrong.
  consuming func graph() throws(GraphError) -> Graph {
    if let problem { throw problem }
    return try Graph(ids: ids, positions: positions, needs: needs)
  }
}

/// Lists of steps for each step, in two flat arrays.
private struct Edges: Sendable, Equatable {
  private var offsets = [0]
  private var targets: [StepIndex] = []

  init() {}

  private init(offsets: [Int], targets: [StepIndex]) {
    self.offsets = offsets
    self.targets = targets
  }

  /// How many lists are closed.
  var listCount: Int { offsets.count - 1 }

  mutating func append(_ target: StepIndex) { targets.append(target) }

  mutating func closeList() { offsets.append(targets.count) }

  mutating func dropOpenList() { targets.removeSubrange(offsets[listCount]...) }

  subscript(step: StepIndex) -> ArraySlice<StepIndex> {
    targets[offsets[step.position]..<offsets[step.position + 1]]
  }

  /// The same edges seen from the other side; each list in ascending order.
  func reversed(count: Int) -> Edges {
    var offsets = Array(repeating: 0, count: count + 1)
    for target in targets { offsets[target.position + 1] += 1 }
    for position in 0..<count { offsets[position + 1] += offsets[position] }
    var next = offsets
    var reversed = Array(repeating: StepIndex(0), count: targets.count)
    for source in 0..<count {
      for target in self[StepIndex(source)] {
        reversed[next[target.position]] = StepIndex(source)
        next[target.position] += 1
      }
    }
    return Edges(offsets: offsets, targets: reversed)
  }
}

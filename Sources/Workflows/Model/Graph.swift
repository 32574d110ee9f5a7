// The dependency graph of steps: a checked DAG of integer indices with edges in both directions and
// a topological order.

/// Identifies a step of a workflow by its position in file order; in a run, by the number that the
/// step keeps for the whole run.
package struct StepIndex: Hashable, Comparable, Sendable {
  /// The position of the step, from 0.
  package let position: Int

  /// Creates an index.
  ///
  /// - Parameter position: The position of the step, from 0.
  package init(_ position: Int) {
    self.position = position
  }

  /// Compares positions, or numbers.
  package static func < (earlier: StepIndex, later: StepIndex) -> Bool {
    earlier.position < later.position
  }
}

/// Steps and their dependencies, without a cycle.
///
/// Building the graph takes time linear in the number of steps and edges, and so does each of its
/// functions. None of them recurses, so the depth of the graph does not matter.
package final class Graph: Sendable, Equatable {
  /// The ids of the steps, in file order; in a run, by number, with those of removed steps.
  package let ids: [String]
  /// The steps in file order; nil if that is the order of their positions.
  private let order: [StepIndex]?
  /// The steps in dependency order: each after all steps that it needs.
  ///
  /// Ties are resolved in file order.
  package let topologicalOrder: [StepIndex]
  private let needsOf: Edges
  private let dependentsOf: Edges
  private let positions: [String: Int]

  /// Creates a graph after checking the dependencies.
  ///
  /// - Parameters:
  ///   - ids: The ids of the steps, in file order.
  ///   - needs: The ids that each step needs, in the same order.
  /// - Throws: ``GraphError`` for the first error.
  package convenience init(ids: [String], needs: [[String]]) throws(GraphError) {
    precondition(ids.count == needs.count, "expected one list of needs per step")
    var builder = GraphBuilder(ids: ids)
    for names in needs {
      for name in names { builder.need(name) }
      builder.endStep()
    }
    try self.init(builder)
  }

  fileprivate convenience init(_ builder: GraphBuilder) throws(GraphError) {
    if let problem = builder.problem { throw problem }
    try self.init(ids: builder.ids, positions: builder.positions, needs: builder.needs)
  }

  fileprivate init(
    ids: [String], positions: [String: Int], needs: Edges
  ) throws(GraphError) {
    self.ids = ids
    order = nil
    self.positions = positions
    needsOf = needs
    dependentsOf = needsOf.reversed(from: 0..<ids.count, count: ids.count)
    switch Graph.sorted(needsOf, dependentsOf, count: ids.count) {
    case .order(let order): topologicalOrder = order
    case .cycle(let steps): throw .cycle(steps.map { ids[$0.position] })
    }
  }

  package static func == (left: Graph, right: Graph) -> Bool {
    // The rest follows from these.
    left === right
      || left.ids == right.ids && left.order == right.order && left.needsOf == right.needsOf
  }

  /// The number of steps; in a run, the number of indices in use, with those of removed steps.
  package var count: Int { ids.count }

  /// Whether the order of the indices is that of the file, and none belongs to a removed step.
  var isInFileOrder: Bool { order == nil }

  /// All steps in file order.
  package var indices: [StepIndex] { order ?? (0..<count).map { StepIndex($0) } }

  /// Returns the id of a step.
  ///
  /// - Parameter step: The step.
  /// - Returns: The id.
  package func id(of step: StepIndex) -> String {
    ids[step.position]
  }

  /// Returns the step with an id.
  ///
  /// - Parameter id: The id of the step.
  /// - Returns: The step, or nil if no step has that id. Constant time.
  package func index(of id: String) -> StepIndex? {
    positions[id].map { StepIndex($0) }
  }

  /// Returns the steps that a step needs, in the order in which it names them.
  ///
  /// - Parameter step: The step.
  /// - Returns: The needed steps. Constant time.
  package func needs(of step: StepIndex) -> ArraySlice<StepIndex> {
    needsOf[step]
  }

  /// Returns the steps that need a step, in file order.
  ///
  /// - Parameter step: The step.
  /// - Returns: The direct dependents. Constant time.
  package func dependents(of step: StepIndex) -> ArraySlice<StepIndex> {
    dependentsOf[step]
  }

  /// Returns the given steps and all their direct and indirect dependents.
  ///
  /// - Parameter steps: The steps to start from.
  /// - Returns: The steps in topological order.
  package func withDependents(_ steps: [StepIndex]) -> [StepIndex] {
    var isReached = Array(repeating: false, count: count)
    for step in steps { isReached[step.position] = true }
    for step in topologicalOrder where isReached[step.position] {
      for dependent in dependents(of: step) { isReached[dependent.position] = true }
    }
    return topologicalOrder.filter { isReached[$0.position] }
  }

  /// Returns the given steps and all steps that they need, directly or indirectly.
  ///
  /// - Parameter steps: The steps to end with.
  /// - Returns: The steps in topological order.
  package func withNeeds(_ steps: [StepIndex]) -> [StepIndex] {
    var isReached = Array(repeating: false, count: count)
    for step in steps { isReached[step.position] = true }
    for step in topologicalOrder.reversed() where isReached[step.position] {
      for need in needs(of: step) { isReached[need.position] = true }
    }
    return topologicalOrder.filter { isReached[$0.position] }
  }

  // MARK: Renumbering

  /// Returns the same graph with other indices.
  ///
  /// - Parameters:
  ///   - numbers: The new index of each step, in file order.
  ///   - ids: The ids by new index; some may belong to no step.
  /// - Returns: The graph; its ``ids`` are the given ones. Linear.
  func renumbered(_ numbers: [StepIndex], ids: [String]) -> Graph {
    Graph(renumbering: self, numbers, ids: ids)
  }

  private init(renumbering graph: Graph, _ numbers: [StepIndex], ids: [String]) {
    self.ids = ids
    order = numbers
    topologicalOrder = graph.topologicalOrder.map { numbers[$0.position] }
    var origins: [StepIndex?] = Array(repeating: nil, count: ids.count)
    var positions: [String: Int] = [:]
    positions.reserveCapacity(numbers.count)
    for (position, number) in numbers.enumerated() {
      origins[number.position] = StepIndex(position)
      positions[ids[number.position]] = number.position
    }
    var needs = Edges()
    for origin in origins {
      if let origin {
        for need in graph.needs(of: origin) { needs.append(numbers[need.position]) }
      }
      needs.closeList()
    }
    self.positions = positions
    needsOf = needs
    dependentsOf = needs.reversed(from: numbers.lazy.map(\.position), count: ids.count)
  }

  // MARK: Sorting

  private enum Sorted {
    case order([StepIndex])
    case cycle([StepIndex])
  }

  /// Kahn's algorithm (Topological sorting of large networks, 1962), with the ready steps kept in
  /// file order.
  ///
  /// Most files list each step after those that it needs; their order is the file's.
  private static func sorted(_ needs: Edges, _ dependents: Edges, count: Int) -> Sorted {
    let steps = (0..<count).map { StepIndex($0) }
    if steps.allSatisfy({ step in needs[step].allSatisfy { $0 < step } }) { return .order(steps) }
    var missing = (0..<count).map { needs[StepIndex($0)].count }
    var free = Heap(missing.indices.filter { missing[$0] == 0 })
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

  /// Finds a cycle by following needs among the steps that the sort could not order.
  ///
  /// - Returns: The steps of a cycle, each needing the next, starting with the first one in the
  ///   file.
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
      preconditionFailure("BUG: the sort left out steps, but none is on a cycle")
    }
    let steps = path[meeting...]
    let first = steps.firstIndex(of: steps.min() ?? steps[meeting]) ?? meeting
    return Array(steps[first...] + steps[..<first])
  }
}

/// Builds a graph step by step, in file order.
package struct GraphBuilder {
  fileprivate let ids: [String]
  fileprivate private(set) var positions: [String: Int] = [:]
  fileprivate private(set) var needs = Edges()
  /// The first error.
  fileprivate private(set) var problem: GraphError?

  /// Creates a builder for steps without dependencies.
  ///
  /// - Parameter ids: The ids of the steps, in file order.
  package init(ids: [String]) {
    self.ids = ids
    positions.reserveCapacity(ids.count)
    for (position, id) in ids.enumerated() where positions.updateValue(position, forKey: id) != nil
    {
      problem = problem ?? .duplicateStep(id)
    }
  }

  /// Adds a dependency of the current step, by id.
  package mutating func need(_ id: String) {
    guard let position = positions[id] else {
      problem = problem ?? .unknownNeed(step: ids[needs.listCount], need: id)
      return
    }
    need(position)
  }

  /// Adds a dependency of the current step, by position.
  package mutating func need(_ position: Int) {
    if position == needs.listCount { problem = problem ?? .needsItself(ids[position]) }
    needs.append(StepIndex(position))
  }

  /// Discards the dependencies added for the current step.
  package mutating func forgetNeeds() { needs.dropOpenList() }

  /// Finishes the current step and moves to the next one.
  package mutating func endStep() { needs.closeList() }

  /// Returns the steps of a cycle, even if there are other errors.
  ///
  /// - Returns: The ids, or nil if there is no cycle or `endStep()` was not called for every step.
  package func cycle() -> [String]? {
    guard needs.listCount == ids.count else { return nil }
    do throws(GraphError) {
      _ = try Graph(ids: ids, positions: positions, needs: needs)
    } catch {
      if case .cycle(let ids) = error { return ids }
    }
    return nil
  }

  /// Returns the graph, after `endStep()` was called for every step.
  ///
  /// - Throws: ``GraphError`` for the first error.
  package consuming func graph() throws(GraphError) -> Graph {
    try Graph(self)
  }
}

/// One list of steps per step, stored in two flat arrays.
private struct Edges: Sendable, Equatable {
  private var offsets = [0]
  private var targets: [StepIndex] = []

  init() {}

  private init(offsets: [Int], targets: [StepIndex]) {
    self.offsets = offsets
    self.targets = targets
  }

  /// The number of closed lists.
  var listCount: Int { offsets.count - 1 }

  mutating func append(_ target: StepIndex) { targets.append(target) }

  mutating func closeList() { offsets.append(targets.count) }

  mutating func dropOpenList() { targets.removeSubrange(offsets[listCount]...) }

  subscript(step: StepIndex) -> ArraySlice<StepIndex> {
    targets[offsets[step.position]..<offsets[step.position + 1]]
  }

  /// Returns the edges in the opposite direction.
  ///
  /// - Parameters:
  ///   - sources: The steps, in the order that each list then has.
  ///   - count: The number of lists.
  /// - Returns: The edges.
  func reversed(from sources: some Sequence<Int>, count: Int) -> Edges {
    var offsets = Array(repeating: 0, count: count + 1)
    for target in targets { offsets[target.position + 1] += 1 }
    for position in 0..<count { offsets[position + 1] += offsets[position] }
    var next = offsets
    var reversed = Array(repeating: StepIndex(0), count: targets.count)
    for source in sources {
      for target in self[StepIndex(source)] {
        reversed[next[target.position]] = StepIndex(source)
        next[target.position] += 1
      }
    }
    return Edges(offsets: offsets, targets: reversed)
  }
}

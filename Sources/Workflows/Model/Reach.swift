// Computes which steps precede other steps in a graph, for many queries at once.

/// Computes whether all steps of a group have finished when another step starts, by any path.
///
/// All queries are added first and then solved together: each pass follows 64 steps through the
/// graph, one bit per step, up to the last step with a query about them. The memory is linear in
/// steps and queries, even if each of 100,000 steps asks about another step.
package struct Reach {
  /// The steps that a name refers to, and the steps that ask about it.
  private struct Question {
    var targets: [StepIndex]
    var askers: [Int] = []
    /// The askers that at least one target does not precede.
    var uncovered: Set<Int> = []
  }

  private let graph: Graph?
  private var questions: [String: Question] = [:]

  /// Creates an instance without queries; without a graph every query is covered.
  package init(_ graph: Graph?) {
    self.graph = graph
  }

  /// Adds a query.
  ///
  /// - Parameters:
  ///   - name: The full id of the step or group in question.
  ///   - ids: The ids of the steps that it refers to.
  ///   - position: The position of the step that asks.
  package mutating func ask(_ name: String, _ ids: [String], _ position: Int) {
    guard let graph else { return }
    // Fast path: most steps ask about their direct needs.
    let needs = graph.needs(of: StepIndex(position))
    if ids.count == 1, needs.count <= 8, needs.contains(where: { graph.id(of: $0) == ids[0] }) {
      return
    }
    questions[name, default: Question(targets: ids.compactMap(graph.index))].askers.append(position)
  }

  /// Solves all queries.
  package mutating func solve() {
    guard let graph, !questions.isEmpty else { return }
    var ranks = Array(repeating: 0, count: graph.count)
    for (rank, step) in graph.topologicalOrder.enumerated() { ranks[step.position] = rank }
    var names: [[String]] = Array(repeating: [], count: graph.count)
    for (name, question) in questions {
      for target in question.targets { names[ranks[target.position]].append(name) }
    }
    // Follow neighboring steps together, because they mostly have the same short paths.
    let asked = names.indices.filter { !names[$0].isEmpty }
    var masks = Array(repeating: UInt64(0), count: graph.count)
    for start in stride(from: 0, to: asked.count, by: 64) {
      follow(Array(asked[start..<min(start + 64, asked.count)]), names, ranks, graph, &masks)
    }
  }

  /// Follows at most 64 steps, given by their ranks, to all steps that ask about them.
  private mutating func follow(
    _ chunk: [Int], _ names: [[String]], _ ranks: [Int], _ graph: Graph, _ masks: inout [UInt64]
  ) {
    var wanted: [String: UInt64] = [:]
    var own: [Int: UInt64] = [:]
    for (bit, rank) in chunk.enumerated() {
      own[rank] = 1 << bit
      for name in names[rank] { wanted[name, default: 0] |= 1 << bit }
    }
    let first = chunk[0]
    let last = wanted.keys.reduce(first) { last, name in
      questions[name]?.askers.reduce(last) { max($0, ranks[$1]) } ?? last
    }
    for rank in first...last {
      let step = graph.topologicalOrder[rank]
      var mask: UInt64 = 0
      for need in graph.needs(of: step) where ranks[need.position] >= first {
        mask |= masks[ranks[need.position]]
      }
      // The bit of a step itself is visible only to later steps.
      masks[rank] = mask | (own[rank] ?? 0)
    }
    for (name, mask) in wanted {
      for asker in questions[name]?.askers ?? [] {
        let rank = ranks[asker]
        let covered = rank < first ? 0 : masks[rank] & ~(own[rank] ?? 0)
        if covered & mask != mask { questions[name]?.uncovered.insert(asker) }
      }
    }
  }

  /// Returns whether all steps that a name refers to have finished when a step starts.
  ///
  /// - Parameters:
  ///   - name: The full id of the step or group in question.
  ///   - position: The position of the step that asked.
  /// - Returns: Whether they have finished; true if there was no such query.
  package func covers(_ name: String, _ position: Int) -> Bool {
    questions[name]?.uncovered.contains(position) != true
  }

  /// Returns whether a step depends on another step.
  ///
  /// Linear in the graph.
  package func isAfter(_ id: String, _ position: Int) -> Bool {
    guard let graph, let step = graph.index(of: id) else { return true }
    return graph.withDependents([StepIndex(position)]).contains(step)
  }
}

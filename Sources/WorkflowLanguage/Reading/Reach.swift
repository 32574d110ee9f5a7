// Answers which steps come before others in a graph, for many questions at once.

/// Answers whether all steps of a group are over when another step starts, by any path.
///
/// All questions are asked first and solved together: 64 steps are followed through the graph at a time,
/// each by one bit, and only as far as there are questions about them. The memory is linear in the steps
/// and questions, also where each of 100,000 steps asks about another one.
struct Reach {
  /// The steps that a name means, and the steps that ask about it.
  private struct Question {
    var targets: [StepIndex]
    var askers: [Int] = []
    /// The askers that some of the targets do not come before.
    var uncovered: Set<Int> = []
  }

  private let graph: Graph?
  private var questions: [String: Question] = [:]

  /// Begins without a question; without a graph everything counts as covered.
  init(_ graph: Graph?) {
    self.graph = graph
  }

  /// Adds a question.
  ///
  /// - Parameters:
  ///   - name: The full id of the step or group that is asked about.
  ///   - ids: The ids of the steps that it means.
  ///   - position: The position of the step that asks.
  mutating func ask(_ name: String, _ ids: [String], _ position: Int) {
    guard let graph else { return }
    // Most ask about what they need themselves.
    let needs = graph.needs(of: StepIndex(position))
    if ids.count == 1, needs.count <= 8, needs.contains(where: { graph.id(of: $0) == ids[0] }) {
      return
    }
    questions[name, default: Question(targets: ids.compactMap(graph.index))].askers.append(position)
  }

  /// Answers all questions.
  mutating func solve() {
    guard let graph, !questions.isEmpty else { return }
    var ranks = Array(repeating: 0, count: graph.count)
    for (rank, step) in graph.topologicalOrder.enumerated() { ranks[step.position] = rank }
    var names: [[String]] = Array(repeating: [], count: graph.count)
    for (name, question) in questions {
      for target in question.targets { names[ranks[target.position]].append(name) }
    }
    // Steps that are near one another are followed together: over the same short way, mostly.
    let asked = names.indices.filter { !names[$0].isEmpty }
    var masks = Array(repeating: UInt64(0), count: graph.count)
    for start in stride(from: 0, to: asked.count, by: 64) {
      follow(Array(asked[start..<min(start + 64, asked.count)]), names, ranks, graph, &masks)
    }
  }

  /// Follows at most 64 steps, given by their ranks, to all that ask about them.
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
      // The bit of a step itself is for those that come after it.
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

  /// Whether all steps that a name means are over when a step starts.
  ///
  /// - Parameters:
  ///   - name: The full id of the step or group that was asked about.
  ///   - position: The position of the step that asked.
  /// - Returns: Whether they are; also where it was not asked.
  func covers(_ name: String, _ position: Int) -> Bool {
    questions[name]?.uncovered.contains(position) != true
  }

  /// Whether a step depends on another one.
  ///
  /// Linear in the graph.
  func isAfter(_ id: String, _ position: Int) -> Bool {
    guard let graph, let step = graph.index(of: id) else { return true }
    return graph.withDependents([StepIndex(position)]).contains(step)
  }
}

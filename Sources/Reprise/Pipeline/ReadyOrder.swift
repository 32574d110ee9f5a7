// `ReadyOrder`: the order in which ready steps begin. Pure.

import WorkflowLanguage

/// The order in which ready steps begin: the order of the file, unless the workflow says otherwise.
///
/// Steps with a higher `priority` come first. With `order: longest-path`, those of equal priority
/// are ordered by the longest chain of steps that begins with them, in the times of earlier runs.
struct ReadyOrder: Sendable, Equatable {
  /// The duration of a step without an earlier run, if no step has one.
  private static let unknownDuration: Duration = .seconds(1)

  /// The rank of each step; nil if it is the position.
  private var ranks: [Int]?
  /// The step of each rank.
  private var steps: [Int] = []

  /// The order of the file.
  init() {}

  /// Creates the order of a workflow.
  ///
  /// - Parameters:
  ///   - workflow: The workflow.
  ///   - usualDurations: The durations of steps in earlier runs, by step id.
  init(of workflow: Workflow, usualDurations: [String: Duration]) {
    let priorities = workflow.steps.map { $0.extrasIfAny?.priority ?? 0 }
    let usesPaths = workflow.order == .longestPath
    guard usesPaths || priorities.contains(where: { $0 != 0 }) else { return }
    let paths =
      usesPaths
      ? Self.paths(of: workflow, usualDurations)
      : Array(repeating: .zero, count: priorities.count)
    steps = priorities.indices.sorted { left, right in
      if priorities[left] != priorities[right] { return priorities[left] > priorities[right] }
      if paths[left] != paths[right] { return paths[left] > paths[right] }
      return left < right
    }
    var ranks = Array(repeating: 0, count: steps.count)
    for (rank, step) in steps.enumerated() { ranks[step] = rank }
    self.ranks = ranks
  }

  /// Returns the rank of a step; a lower one begins first.
  func rank(of step: Int) -> Int { ranks?[step] ?? step }

  /// Returns the step of a rank.
  func step(ofRank rank: Int) -> Int { ranks == nil ? rank : steps[rank] }

  /// Returns the duration of the longest chain of steps that begins with each step.
  private static func paths(
    of workflow: Workflow, _ usualDurations: [String: Duration]
  ) -> [Duration] {
    let graph = workflow.graph
    let known = workflow.steps.compactMap { usualDurations[$0.id] }.sorted()
    // A new step is assumed to be like the others.
    let standard = known.isEmpty ? unknownDuration : known[known.count / 2]
    var paths = workflow.steps.map { usualDurations[$0.id] ?? standard }
    for step in graph.topologicalOrder.reversed() {
      for need in graph.needs(of: step) {
        let own = usualDurations[graph.id(of: need)] ?? standard
        paths[need.position] = max(paths[need.position], own + paths[step.position])
      }
    }
    return paths
  }
}

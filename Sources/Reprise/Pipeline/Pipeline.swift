// `Pipeline`: compiles a graph into futures, one per step.

import WorkflowLanguage

/// Compiles a graph into futures: a step is the zip of its needs, flat-mapped to its work.
///
/// A cold value: each execution computes all results again.
struct Pipeline: Sendable {
  /// Does the work of one step, given the results of the steps that it needs, in their order.
  typealias Perform = @Sendable (StepPlace, [StepResult]) async -> StepResult

  /// The steps and their needs.
  let graph: Graph
  /// For steps with alternatives, the needs of which one success is enough.
  var alternatives: [StepIndex: Set<StepIndex>] = [:]
  /// For steps that start before a need has ended, the needs that only must be ready to be used.
  var earlyNeeds: [StepIndex: Set<StepIndex>] = [:]

  /// Creates an execution in which no step is connected yet.
  func execution() -> PipelineExecution {
    PipelineExecution(graph: graph, alternatives: alternatives, earlyNeeds: earlyNeeds)
  }
}

/// One execution of a pipeline: the future of each step that is connected.
///
/// Steps are connected in topological order and disconnected in the opposite order, so that nothing
/// recurses along the graph: a chain of 100,000 steps needs as much stack as a chain of two.
///
/// Not `Sendable`: one task owns it.
final class PipelineExecution {
  private var graph: Graph
  private var alternatives: [StepIndex: Set<StepIndex>]
  private var futures: [StepFuture?]
  private var earlyNeeds: [StepIndex: Set<StepIndex>]
  /// Futures that were stopped on their way into the queue, which still use their places.
  private var leaving: [StepFuture] = []

  fileprivate init(
    graph: Graph, alternatives: [StepIndex: Set<StepIndex>],
    earlyNeeds: [StepIndex: Set<StepIndex>]
  ) {
    self.graph = graph
    self.alternatives = alternatives
    self.earlyNeeds = earlyNeeds
    futures = Array(repeating: nil, count: graph.count)
  }

  deinit {
    disconnect()
  }

  /// Starts steps: each begins when its needs have their results and its turn in the queue comes.
  ///
  /// Linear in the number of steps and needs.
  ///
  /// - Parameters:
  ///   - steps: The steps in topological order. Their needs are among them or already connected.
  ///   - needs: The needs of steps whose order is decided during the run, instead of those of the
  ///     graph.
  ///   - queue: Decides when a step whose needs have their results begins.
  ///   - perform: Does the work of one step. Only steps that need its result wait for it.
  func connect(
    _ steps: [StepIndex], needs: [StepIndex: [StepIndex]] = [:], in queue: any StepQueue,
    perform: @escaping Pipeline.Perform
  ) {
    for step in steps {
      let place = StepPlace(step)
      let all = needs[step].map { $0[...] } ?? graph.needs(of: step)
      let needs = all.filter { futures[$0.position] != nil }
      let anyOf = alternatives[step].map { alternatives in
        Set(needs.indices.filter { alternatives.contains(needs[$0]) })
      }
      let early = earlyNeeds[step] ?? []
      let awaited = needs.compactMap { need in
        early.contains(need) ? futures[need.position]?.readiness : futures[need.position]
      }
      let future = StepFuture.zip(awaited, anyOf: anyOf ?? [])
        .flatMap { results in await perform(place, results) }
      futures[step.position] = future
      future.connect(as: place, in: queue)
    }
    queue.startNext(after: nil)
  }

  /// Stops steps: waiting steps never begin, and the tasks of running steps are cancelled.
  ///
  /// Returns without waiting for the tasks to end.
  ///
  /// - Parameter steps: The steps in topological order, with all of their dependents.
  func disconnect(_ steps: [StepIndex]) {
    leaving.removeAll { !$0.isReady }
    for step in steps.reversed() {
      guard let future = futures[step.position] else { continue }
      future.cancel()
      if future.isReady { leaving.append(future) }
      futures[step.position] = nil
    }
  }

  /// Replaces the graph; the futures of kept steps stay, others must be disconnected.
  ///
  /// - Parameters:
  ///   - graph: The new graph.
  ///   - alternatives: For steps with alternatives, the needs of which one success is enough.
  ///   - earlyNeeds: For steps that start before a need has ended, the needs that only must be
  ///     ready to be used.
  ///   - origins: For each step of the new graph, the step of the old one if it is kept.
  func replaceGraph(
    with graph: Graph, alternatives: [StepIndex: Set<StepIndex>] = [:],
    earlyNeeds: [StepIndex: Set<StepIndex>] = [:], origins: [StepIndex?]
  ) {
    let old = futures
    self.earlyNeeds = earlyNeeds
    self.graph = graph
    self.alternatives = alternatives
    futures = origins.map { origin in origin.flatMap { old[$0.position] } }
  }

  /// The places that are in use, with the positions of their steps.
  var places: [(step: StepIndex, place: StepPlace)] {
    let connected = futures.enumerated().compactMap { position, future in
      future.map { (StepIndex(position), $0.place) }
    }
    return connected + leaving.map(\.place).filter(\.isPresent).map { ($0.index, $0) }
  }

  /// Stops all steps.
  func disconnect() {
    disconnect(graph.topologicalOrder)
  }
}

// From a graph to futures: a step is the zip of what it needs, flat-mapped through its work.

import WorkflowLanguage

/// Compiles a graph into futures.
///
/// A cold value: each execution computes everything anew.
struct Pipeline: Sendable {
  /// Does the work of one step, given the results of the steps that it needs, in their order.
  typealias Perform = @Sendable (StepIndex, [StepResult]) async -> StepResult

  /// The steps and what they need.
  let graph: Graph

  /// Makes an execution in which no step is connected yet.
  func execution() -> PipelineExecution {
    PipelineExecution(graph: graph)
  }
}

/// One execution of a pipeline: the future of each step that is connected.
///
/// Steps are connected in topological order and disconnected in the opposite order, so that nothing
/// recurses along the graph: a chain of 100,000 steps needs as much stack as a chain of two.
///
/// Not `Sendable`: one task owns it.
final class PipelineExecution {
  private let graph: Graph
  private var futures: [StepFuture?]

  fileprivate init(graph: Graph) {
    self.graph = graph
    futures = Array(repeating: nil, count: graph.count)
  }

  deinit {
    disconnect()
  }

  /// Starts steps: each begins when what it needs has its result and its turn in the queue comes.
  ///
  /// Linear in the number of steps and of their needs.
  ///
  /// - Parameters:
  ///   - steps: In topological order. What they need is among them or was connected before.
  ///   - queue: Decides when a step whose needs have their results begins.
  ///   - perform: Does the work of one step. No other step waits for it except those that need it.
  func connect(
    _ steps: [StepIndex], in queue: any StepQueue, perform: @escaping Pipeline.Perform
  ) {
    for step in steps {
      let future = StepFuture.zip(graph.needs(of: step).compactMap { futures[$0.position] })
        .flatMap { results in await perform(step, results) }
      futures[step.position] = future
      future.connect(as: step.position, in: queue)
    }
    queue.startNext(after: nil)
  }

  /// Stops steps: those that wait do not begin, the tasks of those that run are cancelled.
  ///
  /// Returns without waiting for the tasks to end.
  ///
  /// - Parameter steps: In topological order, with every step that depends on one of them.
  func disconnect(_ steps: [StepIndex]) {
    for step in steps.reversed() {
      futures[step.position]?.cancel()
      futures[step.position] = nil
    }
  }

  /// Stops all steps.
  func disconnect() {
    disconnect(graph.topologicalOrder)
  }
}

// From a graph to publishers: a step is the zip of what it needs, mapped through a task, shared.
// Knows neither what a step does nor what a run is.

import CombineOperators
package import WorkflowLanguage

/// A graph compiled into publishers, which can be started any number of times.
///
/// It is a cold value: nothing happens until it is connected, and each connection is a new
/// execution.
package struct Pipeline<Value: Sendable>: Sendable {
  /// Does the work of one step with the values of the steps that it needs, in their order.
  package typealias Perform = @Sendable (StepIndex, [Value]) async -> Value

  /// The steps and what they need.
  package let graph: Graph

  /// Makes the pipeline of a graph.
  package init(graph: Graph) {
    self.graph = graph
  }

  /// Makes an execution in which no step is connected yet.
  package func execution() -> PipelineExecution<Value> {
    PipelineExecution(graph: graph)
  }
}

/// One execution of a pipeline: the shared publishers of its steps, each held as long as it is
/// connected.
///
/// Steps are connected in topological order, each to the shared publishers of what it needs, which
/// by then are connected themselves; and disconnected in the opposite order, when nothing that
/// needs them is left. So no subscribe, value, completion, cancel or deinit travels along the graph
/// on the stack, and a chain of 100,000 steps needs no more of it than a chain of two.
///
/// Not `Sendable`: whoever drives an execution keeps it to one task.
package final class PipelineExecution<Value: Sendable> {
  private let graph: Graph
  // Each is held, not only subscribed to by those that need it: the run itself waits for every step.
  private var published: [SharedPublisher<Value, Never>?]
  private var isConnected = false

  fileprivate init(graph: Graph) {
    self.graph = graph
    published = Array(repeating: nil, count: graph.count)
  }

  deinit {
    // Arrays would let go of their elements in file order, which may be any order.
    if isConnected { disconnect() }
  }

  /// Starts steps; each begins as soon as what it needs has its value.
  ///
  /// Linear in the number of steps and of their needs.
  ///
  /// - Parameters:
  ///   - steps: In topological order. What they need is among them or was connected before: values
  ///     that are there already are replayed.
  ///   - perform: Does the work of one step. It may wait as long as it likes: no other step waits for it
  ///     but those that need it.
  package func connect(
    _ steps: [StepIndex], perform: @escaping Pipeline<Value>.Perform
  ) {
    isConnected = true
    for step in steps {
      let publisher = graph.needs(of: step).compactMap { published[$0.position] }.zip()
        .task { values in await perform(step, values) }
        .share(replay: 1)
      published[step.position] = publisher
      publisher.hold()
    }
  }

  /// Stops steps: those that wait will not start, the tasks of those that run are cancelled.
  ///
  /// Returns without waiting for the tasks to end.
  ///
  /// - Parameter steps: In topological order, with every step that depends on one of them.
  package func disconnect(_ steps: [StepIndex]) {
    for step in steps.reversed() {
      published[step.position]?.letGo()
      published[step.position] = nil
    }
  }

  /// Stops all steps; for whoever knows that the execution is over.
  ///
  /// Dropping the last reference does the same, at some cost: what runs then was compiled for any value.
  package func disconnect() {
    disconnect(graph.topologicalOrder)
    isConnected = false
  }
}

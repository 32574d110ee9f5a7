// Workflows of a million steps, without the time and memory that a declaration takes.

extension Workflow {
  /// Makes a workflow whose steps do nothing, to measure the cost of a step in the engine.
  ///
  /// - Parameter steps: The ids of the steps, and the ids of those that each one needs, before it.
  @_spi(Benchmarks) public init(graphOf steps: [(id: String, needs: [String])]) {
    let steps = steps.map { Step(id: $0.id, needs: $0.needs, action: .run("true")) }
    do throws(GraphError) {
      try self.init(name: "graph", steps: steps)
    } catch {
      preconditionFailure("the graph is not valid: \(error)")
    }
  }
}

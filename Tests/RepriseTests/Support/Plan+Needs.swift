import WorkflowFiles

extension Plan {
  /// Creates a plan of steps without names.
  ///
  /// - Parameters:
  ///   - needs: For each step, the positions of the steps that it needs.
  ///   - finallyCount: The number of steps under `finally`; they come last.
  /// - Throws: `GraphError` for a cycle.
  init(needs: [[Int]], finallyCount: Int = 0) throws {
    let steps = needs.enumerated().map { position, needs in
      var step = Workflow.Step(
        id: "s\(position)", needs: needs.map { "s\($0)" }, action: .run("true"))
      if position >= needs.count - finallyCount { step.extras.finally = Set(RunEnding.allCases) }
      return step
    }
    self.init(try Workflow(name: "test", steps: steps))
  }
}

// Random workflows for property tests.

import Reprise

/// Returns a workflow whose steps need random earlier steps.
func randomWorkflow(
  steps count: Int, using generator: inout some RandomNumberGenerator
) throws -> Workflow {
  let density = Double.random(in: 0...4, using: &generator)
  let steps = (0..<count).map { position -> Workflow.Step in
    let needs =
      position == 0 ? 0 : min(position, Int(Double.random(in: 0...density, using: &generator)))
    let ids = (0..<needs).map { _ in Int.random(in: 0..<position, using: &generator) }
    return Workflow.Step(
      id: "s\(position)", needs: Set(ids).sorted().map { "s\($0)" }, action: .run("true"))
  }
  return try Workflow(name: "random", steps: steps.shuffled(using: &generator))
}

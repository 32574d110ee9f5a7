// A context without a run, for tests of a single closure.

package import Workflows

extension StepContext {
  /// Returns the context of an attempt that is not part of a run.
  ///
  /// - Parameters:
  ///   - workflow: A workflow whose last step is that of the attempt.
  ///   - inputs: The outputs of the other steps, in their order.
  ///   - arguments: The arguments in `with`.
  ///   - environment: The environment variables of the step.
  ///   - generation: The generation of the run.
  ///   - attempt: The number of the attempt.
  ///   - clock: The clock of the context.
  ///   - report: Called with what the attempt reports, on its thread.
  /// - Returns: The context.
  /// - Throws: An error if the settings of the step cannot be computed.
  package static func alone(
    in workflow: Workflow, inputs: [StepOutputs], arguments: [String: Value],
    environment: [String: String], generation: Int, attempt: Int, clock: any RunClock,
    report: @escaping @Sendable (Event.StepEvent) -> Void
  ) throws -> StepContext {
    let run = RunID()
    let secrets = Secrets()
    let index = StepIndex(workflow.steps.count - 1)
    let ids = workflow.steps.map(\.id)
    let values = RunValues(
      run: run.description, generation: generation, environment: [:],
      secrets: { secrets[$0, $1] },
      step: { id in
        ids.firstIndex(of: id).flatMap { inputs.indices.contains($0) ? inputs[$0] : nil }
          .map { StepPhase.succeeded($0).values }
      }, status: .success,
      hashFiles: { _ in throw FailureReason.notStarted("a test has no files to hash") })
    let step = workflow.steps[index.position]
    var resolved = try workflow.resolved(step, values)
    resolved.action = .call("test", arguments.mapValues(ArgumentValue.init))
    resolved.environment = environment
    let needs = workflow.graph.needs(of: index)
    return StepContext(
      run: run, generation: generation, attempt: attempt, plan: Plan(workflow),
      step: step, resolved: resolved, values: values,
      masker: secrets.masker, secretTexts: [], hiddenVariables: [],
      capture: nil, index: index, results: needs.map { .succeeded(inputs[$0.position]) },
      reporter: FunctionReporter(function: report), clock: clock)
  }
}

/// Passes what an attempt reports to a function.
private struct FunctionReporter: StepReporter {
  let function: @Sendable (Event.StepEvent) -> Void

  var hasStarted: Bool { true }

  func report(_ event: Event.StepEvent) -> Bool {
    function(event)
    return true
  }

  func recorded() async -> String? { nil }

  func roomForOutput() async {}

  func register(_ onKill: @escaping @Sendable () -> Void) -> Int? { 0 }

  func unregister(_ number: Int) {}
}

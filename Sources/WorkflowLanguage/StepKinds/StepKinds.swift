// The list of the step kinds with a key in workflow files.

extension Workflow.Step {
  /// The step kinds, in the order in which messages name them.
  static let kinds: [any NamedStepKind.Type] = [
    RunStep.self, ExecStep.self, CallStep.self, PauseStep.self, ServiceStep.self,
  ]
}

// The list of the step kinds with a key in workflow files.

extension Workflow.Step {
  /// The step kinds, in the order in which messages name them.
  static let kinds: [any NamedStepKind.Type] = [
    RunStep.self, ExecStep.self, CallStep.self, PauseStep.self, ServiceStep.self,
  ]
}

extension Workflow.Step.Action {
  /// What a step does, for those to whom not every kind is the same.
  package enum Form: Equatable {
    /// It runs a script or a program.
    case process
    /// It calls the action with this name.
    case action(String)
    /// It runs a closure of the program.
    case closure
    /// It computes items.
    case items
    case service
    /// It waits for a time.
    case pause
    /// It waits for approval only.
    case approval
  }

  package var form: Form {
    switch kind {
    case let call as CallStep: .action(call.action)
    case is ClosureStep: .closure
    case is FanStep: .items
    case is ServiceStep: .service
    case is PauseStep: .pause
    case is WaitStep: .approval
    default: .process
    }
  }

  /// The texts with expressions that it has.
  package var templates: [Template] { kind.templates }
}

// The kinds of steps that a file can name. What each is stands in its own file.

extension Workflow.Step {
  /// The kinds in the order in which messages name them.
  static let kinds: [any NamedStepKind.Type] = [RunStep.self, ExecStep.self, CallStep.self]
}

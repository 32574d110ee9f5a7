// The declaration of steps that run Swift closures: generated text calls them by number.

extension Step {
  /// Creates a step that runs a Swift closure in this process.
  package init(
    _ id: String, work: InProcessWork, _ settings: [StepSetting], file: StaticString, line: Int
  ) {
    self.init(id, [], settings, work: work, DeclarationPlace(file, line))
  }
}

extension Workflow {
  /// Whether a step is code of the program: a closure, or an action that it has registered.
  package var hasCode: Bool {
    stepsWithTemplates.contains { step, _ in
      step.action.kind is ClosureStep || step.action.kind is CallStep
    }
  }
}

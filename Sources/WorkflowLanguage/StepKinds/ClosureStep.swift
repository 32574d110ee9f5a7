// The step kind of Swift closures, which have no key of their own: generated text calls them by
// number.

/// A step that runs a Swift closure in this process.
struct ClosureStep: StepKind {
  let work: InProcessWork

  var shown: [String] { ["Swift code"] }

  func resolved(_ source: StepSource) -> ResolvedStep.Action { .perform(work) }
}

extension Workflow.Step.Action {
  /// Returns the action of a step that runs a Swift closure in this process.
  public static func perform(_ work: InProcessWork) -> Self { Self(ClosureStep(work: work)) }
}

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

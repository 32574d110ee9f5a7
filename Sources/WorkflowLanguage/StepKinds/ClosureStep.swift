// Steps that are Swift closures, which no file can name: its text calls them by number.

/// Does what a Swift closure does, inside of this process.
struct ClosureStep: StepKind {
  let work: InProcessWork

  var shown: [String] { ["Swift code"] }

  func resolved(_ source: StepSource) -> ResolvedStep.Action { .perform(work) }
}

extension Workflow.Step.Action {
  /// Does what a Swift closure does, inside of this process.
  public static func perform(_ work: InProcessWork) -> Self { Self(ClosureStep(work: work)) }
}

extension Step {
  /// A step that does its work inside of this process.
  package init(
    _ id: String, work: InProcessWork, _ settings: [StepSetting], file: StaticString, line: Int
  ) {
    self.init(id, [], settings, work: work, DeclarationPlace(file, line))
  }
}

// The step kind of Swift closures, which have no key of their own.

/// A step that runs a Swift closure in this process.
package struct ClosureStep: StepKind {
  let work: InProcessWork

  package init(work: InProcessWork) {
    self.work = work
  }

  package var shown: [String] { ["Swift code"] }

  package func resolved(_ source: StepSource) -> ResolvedStep.Action { .perform(work) }
}

extension Workflow.Step.Action {
  /// Returns the action of a step that runs a Swift closure in this process.
  package static func perform(_ work: InProcessWork) -> Self { Self(ClosureStep(work: work)) }
}

// The step kind at the end of a group with `repeat`, which decides whether the group runs again.

/// A step that fails as long as its group has another round.
///
/// The group around it and the steps of the group runs again then, as in a retry; see
/// ``Group/isRepeated``.
package struct RoundStep: StepKind {
  let rule: Repetition

  package init(rule: Repetition) {
    self.rule = rule
  }

  package var shown: [String] { ["repeat \(rule.shown)"] }

  package var declared: [String] { shown }

  package var templates: [Template] { [rule.condition] }

  package func resolved(_ source: StepSource) throws(ResolutionError) -> ResolvedStep.Action {
    try source.decides(rule.condition, "repeat") == rule.isWhile
      ? .unmet("still waiting \(rule.shown)") : .wait
  }
}

// The step kind at the end of a group with `repeat`, which decides whether the group runs again.

/// A step that fails as long as its group has another round.
///
/// The group around it and the steps of the group runs again then, as in a retry; see
/// ``Group/isRepeated``.
struct RoundStep: StepKind {
  let rule: Repetition

  var shown: [String] { ["repeat \(rule.shown)"] }

  var declared: [String] { shown }

  var templates: [Template] { [rule.condition] }

  func resolved(_ source: StepSource) throws(ResolutionError) -> ResolvedStep.Action {
    try source.decides(rule.condition, "repeat") == rule.isWhile
      ? .unmet("still waiting \(rule.shown)") : .wait
  }
}

// Steps that do nothing but wait for their approval.

/// Nothing: it only waits for its approval.
struct WaitStep: StepKind {
  var shown: [String] { ["wait for approval"] }

  func resolved(_ source: StepSource) -> ResolvedStep.Action { .wait }
}

extension Workflow.Step.Action {
  /// Nothing: it only waits for its approval.
  public static let wait = Self(WaitStep())
}

extension Step {
  /// A step that only waits until somebody approves it.
  ///
  /// - Parameters:
  ///   - id: The name of the step, unique in its workflow.
  ///   - text: What is to be approved.
  ///   - settings: Its settings.
  ///   - file: Where it is declared, for messages.
  ///   - line: Where it is declared, for messages.
  public init(
    _ id: String, approval text: TemplateValue, _ settings: StepSetting...,
    file: StaticString = #fileID, line: Int = #line
  ) {
    self.init(id, [("approval", text.value)], settings, DeclarationPlace(file, line))
  }
}

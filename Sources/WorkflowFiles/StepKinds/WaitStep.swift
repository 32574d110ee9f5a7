// The step kind that only waits for approval.

/// A step that only waits for approval.
struct WaitStep: StepKind {
  var shown: [String] { ["wait for approval"] }

  func resolved(_ source: StepSource) -> ResolvedStep.Action { .wait }
}

extension Workflow.Step.Action {
  /// The action of a step that only waits for approval.
  package static let wait = Self(WaitStep())
}

extension Step {
  /// Creates a step that only waits for approval.
  ///
  /// - Parameters:
  ///   - id: The id of the step, unique in its workflow.
  ///   - text: The question to approve.
  ///   - settings: The settings of the step.
  ///   - file: The file of the declaration, for messages.
  ///   - line: The line of the declaration, for messages.
  public init(
    _ id: String, approval text: TemplateValue, _ settings: StepSetting...,
    file: StaticString = #fileID, line: Int = #line
  ) {
    self.init(id, [("approval", text.value)], settings, DeclarationPlace(file, line))
  }

  /// Creates a step that only waits for approval, for a limited time or with values to enter.
  ///
  /// - Parameters:
  ///   - id: The id of the step, unique in its workflow.
  ///   - text: The question to approve.
  ///   - values: Values that are given with the approval, declared like parameters; they become
  ///     outputs of the step.
  ///   - timeout: The maximum duration of the wait; unlimited if nil.
  ///   - approvesInTheEnd: Whether the step is approved, not rejected, after that time.
  ///   - settings: The settings of the step.
  ///   - file: The file of the declaration, for messages.
  ///   - line: The line of the declaration, for messages.
  public init(
    _ id: String, approval text: TemplateValue, values: [Parameter] = [],
    timeout: Duration? = nil, orApprove approvesInTheEnd: Bool = false, _ settings: StepSetting...,
    file: StaticString = #fileID, line: Int = #line
  ) {
    let approval = StepSetting.approval(
      text, values: values, timeout: timeout, orApprove: approvesInTheEnd)
    self.init(
      id, approval.entries.map { ($0.key, $0.value) }, settings, DeclarationPlace(file, line))
  }
}

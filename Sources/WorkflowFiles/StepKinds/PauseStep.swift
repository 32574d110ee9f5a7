// The step kind `wait`, which waits for a duration or until a moment, without a process.

import WorkflowReading
import YAML

/// A step that waits.
struct PauseStep: NamedStepKind {
  static let name = "wait"
  static let shape = Shape.either([.computed(.duration), .map(Tables.wait.keys)])
  static let summary = "how long to wait, or until when"

  static var refused: [String] {
    ["run", "exec", "call", "shell", "timeout", "retry", "grace", "cache", "share", "runner"]
      + ["survive", "repeat", "outputs", "mutex", "terminal", "tty"]
  }

  let end: WaitEnd

  static func read(_ step: StepFields, _ reader: inout WorkflowReader) -> (any StepKind)? {
    let context = step.context
    guard case .mapping = step.node.content else {
      return reader.duration(step.node, name, context, allowsZero: true)
        .map { PauseStep(end: .after($0)) }
    }
    return Tables.wait.read(step.node, &reader, context).map {
      PauseStep(end: $0.text == Tables.Moment.stopped ? .stopped : .at($0.text))
    }
  }

  var shown: [String] {
    switch end {
    case .after(let duration): ["wait for \(duration.workflowText)"]
    case .at(let moment): ["wait until \(moment)"]
    case .stopped: ["wait until the run is stopped"]
    }
  }

  var startsProgram: Bool { false }

  func resolved(_ source: StepSource) -> ResolvedStep.Action { .pause(end) }
}

extension Workflow.Step {
  /// The end of the wait of a step that only waits; nil for other steps.
  package var waitEnd: WaitEnd? {
    action.hasKind(PauseStep.self) ? (action.kind as? PauseStep)?.end : nil
  }
}

extension String {
  /// Whether the text is a moment like `2026-12-01T08:00:00Z`.
  fileprivate var isMoment: Bool {
    let parts = split { !$0.isASCII || !$0.isNumber }.compactMap { Int($0) }
    let pattern = String(map { $0.isASCII && $0.isNumber ? "0" : $0 })
    return pattern == "0000-00-00T00:00:00Z" && parts.count == 6 && (1...12).contains(parts[1])
      && (1...31).contains(parts[2]) && parts[3] < 24 && parts[4] < 60 && parts[5] < 60
  }
}

extension Step {
  /// Creates a step that waits for a duration.
  ///
  /// A wait occupies no slot and survives the engine: a resumed run waits only for the rest.
  ///
  /// - Parameters:
  ///   - id: The id of the step, unique in its workflow.
  ///   - duration: How long it waits.
  ///   - settings: The settings of the step.
  ///   - file: The file of the declaration, for messages.
  ///   - line: The line of the declaration, for messages.
  public init(
    _ id: String, wait duration: Duration, _ settings: StepSetting...,
    file: StaticString = #fileID, line: Int = #line
  ) {
    self.init(
      id, [("wait", .text(duration.workflowText))], settings, DeclarationPlace(file, line))
  }

  /// Creates a step that waits until a moment.
  ///
  /// It ends at once if the moment has passed.
  ///
  /// - Parameters:
  ///   - id: The id of the step, unique in its workflow.
  ///   - moment: The moment in UTC, such as `2026-12-01T08:00:00Z`.
  ///   - settings: The settings of the step.
  ///   - file: The file of the declaration, for messages.
  ///   - line: The line of the declaration, for messages.
  public init(
    _ id: String, waitUntil moment: TemplateValue, _ settings: StepSetting...,
    file: StaticString = #fileID, line: Int = #line
  ) {
    self.init(
      id, [("wait", .map(["until": moment.value]))], settings, DeclarationPlace(file, line))
  }
}

extension Tables {
  static let wait = Table(
    "wait", Moment(), example: "{ until: \"2026-12-01T08:00:00Z\" }", missing: .missingDuration,
    [
      Field(
        "until", \.text, .moment,
        "the moment at which the wait ends, in UTC, or stopped: until the run is stopped",
        isRequired: true)
    ])

  /// The keys of `wait`.
  struct Moment: Sendable {
    /// The word for a wait that ends when the run is stopped.
    static let stopped = "stopped"

    var text = ""
  }
}

extension Form where Content == String {
  /// A moment in UTC.
  static let moment = Form(
    .template,
    read: { node, site, reader in
      guard let text = reader.text(node, site.what, site.context) else { return nil }
      if text.isMoment || text == Tables.Moment.stopped { return text }
      reader.readers[site.context.file].report(.moment(text), at: node)
      return nil
    }, write: { .text($0) })
}

// One fact about a run. Knows nothing of who tells it or who listens.

/// One fact about a run, never changed once written.
///
/// Events are all that displays, journals and other programs see of a run; folding them into a
/// ``RunState`` gives its present state.
public struct Event: Sendable, Equatable {
  /// When it happened.
  ///
  /// Within one run times never go back, even when the system's clock does.
  public var time: Timestamp
  /// The run that it is about.
  public var run: RunID
  /// The generation of the run: 1, then one more after each restart.
  public var generation: Int
  /// What happened.
  public var kind: Kind

  /// Puts an event together.
  ///
  /// - Parameters:
  ///   - time: When it happened.
  ///   - run: The run that it is about.
  ///   - generation: The generation of the run, from 1.
  ///   - kind: What happened.
  public init(time: Timestamp, run: RunID, generation: Int, kind: Kind) {
    self.time = time
    self.run = run
    self.generation = generation
    self.kind = kind
  }

  /// What an event tells.
  public enum Kind: Sendable, Equatable {
    /// The run began; always the first event.
    case runStarted(RunPlan)
    /// Somebody took up the run again after it had ended, or after its engine had died: this is what
    /// is to be run from now on. What had succeeded stays; steps that were under way were interrupted.
    case runResumed(RunPlan)
    /// A restart was asked for: the steps named are being stopped, or all of them when nil.
    case runRestarting(from: [String]?)
    /// What had to stop is gone and a new generation begins: the steps named are pending again,
    /// or all of them when nil.
    case generationStarted(reset: [String]?)
    /// The run is being stopped: no step starts any more and those that run are told to end.
    case runCancelling(CancellationCause)
    /// The run is over; always the last event.
    case runEnded(RunOutcome)
    /// Something about one step, in one attempt: 0 before its first start, then from 1.
    case step(String, attempt: Int, StepEvent)
  }

  /// What an event tells of a step.
  public enum StepEvent: Sendable, Equatable {
    /// All that it needs has succeeded; it waits for a free place.
    case ready
    /// It waits for somebody to approve what the text says.
    case waiting(String)
    /// Somebody has approved it.
    case approved
    /// Its action began.
    case started
    /// It told how far it is: a part from 0 to 1, and what it is doing.
    case progress(Double, String)
    /// It wrote one or more whole lines, joined by line feeds, without one at the end.
    ///
    /// `isPartial` marks the present state of a line that has not ended, such as a progress bar:
    /// what comes next on the stream replaces it.
    case output(OutputChannel, text: String, isPartial: Bool)
    /// Its action ended well, and left these outputs.
    case succeeded(StepOutputs)
    /// An attempt has failed, and the next one begins after a while.
    case retrying(FailureReason, after: Duration)
    /// Its last attempt has failed, or it could not be started at all.
    case failed(FailureReason)
    /// It was stopped, or never came to start, because of what is named.
    case cancelled(CancellationCause)
    /// It was not to be run, for the reason given; what it left when it last ran counts as its outputs.
    case skipped(String, StepOutputs)
  }
}

// MARK: The table

// All that is known of a case except what it does to a state: an event that is added gets a case above, a row
// here, and a place in `RunState`.

extension Event.Kind: CodedCases {
  static let byName = named(
    [
      .runStarted(RunPlan(workflow: "", steps: [])), .runResumed(RunPlan(workflow: "", steps: [])),
      .runRestarting(from: nil), .generationStarted(reset: nil), .runCancelling(.request),
      .runEnded(.succeeded),
    ] + Event.StepEvent.byName.values.map { .step("", attempt: 0, $0) })

  var row: CaseRow<Self> {
    switch self {
    case .runStarted(let plan):
      CaseRow("run-started", "run started: \(plan.steps.count) steps") {
        .runStarted(try $0.value("plan", plan))
      }
    case .runResumed(let plan):
      CaseRow("run-resumed", "run resumed: \(plan.steps.count) steps") {
        .runResumed(try $0.value("plan", plan))
      }
    case .runRestarting(let steps):
      CaseRow("run-restarting", "run restarting" + named(steps)) {
        .runRestarting(from: try $0.value("from", steps, default: nil))
      }
    case .generationStarted(let steps):
      CaseRow("generation-started", "generation started" + named(steps)) {
        .generationStarted(reset: try $0.value("reset", steps, default: nil))
      }
    case .runCancelling(let cause):
      CaseRow("run-cancelling", "run cancelling \(cause)") {
        .runCancelling(try $0.value("cause", cause))
      }
    case .runEnded(let outcome):
      CaseRow("run-ended", "run ended: \(outcome)") { .runEnded(try $0.cases("outcome", outcome)) }
    case .step(let id, let attempt, let event):
      CaseRow(event.row.name, "step \(id), attempt \(attempt): \(event)") {
        .step(
          try $0.value("step", id), attempt: try $0.value("attempt", attempt),
          try event.row.coded(&$0))
      }
    }
  }

  private func named(_ steps: [String]?) -> String {
    guard let steps else { return "" }
    let rest = steps.count > 10 ? ", …" : ""
    return ": " + steps.prefix(10).joined(separator: ", ") + rest
  }
}

extension Event.StepEvent: CodedCases {
  static let byName = named([
    .ready, .waiting(""), .approved, .started, .progress(0, ""),
    .output(.standardOutput, text: "", isPartial: false), .succeeded([:]),
    .retrying(.rejected, after: .zero), .failed(.rejected), .cancelled(.request), .skipped("", [:]),
  ])

  var row: CaseRow<Self> {
    switch self {
    case .ready: CaseRow("step-ready", "ready", self)
    case .waiting(let text):
      CaseRow("step-waiting", "waiting for approval: \(text)") {
        .waiting(try $0.value("text", text))
      }
    case .approved: CaseRow("step-approved", "approved", self)
    case .started: CaseRow("step-started", "started", self)
    case .progress(let part, let text):
      CaseRow(
        "step-progress",
        "\(Int((part * 100).rounded())) %" + (text.isEmpty ? "" : ": \(text)")
      ) {
        .progress(try $0.value("part", part), try $0.value("text", text))
      }
    case .output(let stream, let text, let isPartial):
      CaseRow("step-output", text) {
        .output(
          try $0.value("stream", stream), text: try $0.value("text", text),
          isPartial: try $0.value("partial", isPartial, default: false))
      }
    case .succeeded(let outputs):
      CaseRow("step-succeeded", "succeeded" + named(outputs)) {
        .succeeded(try $0.value("outputs", outputs))
      }
    case .retrying(let reason, let delay):
      CaseRow("step-retrying", "failed: \(reason); tried again in \(durationText(delay))") {
        .retrying(try $0.value("reason", reason), after: try $0.seconds(delay))
      }
    case .failed(let reason):
      CaseRow("step-failed", "failed: \(reason)") { .failed(try $0.value("reason", reason)) }
    case .cancelled(let cause):
      CaseRow("step-cancelled", "cancelled \(cause)") {
        .cancelled(try $0.value("cause", cause))
      }
    case .skipped(let reason, let outputs):
      CaseRow("step-skipped", "skipped: \(reason)" + named(outputs)) {
        .skipped(
          try $0.value("text", reason), try $0.value("outputs", outputs, default: [:]))
      }
    }
  }

  /// Whether the state of a run can do without it once the step is over: it is not recorded, and readers that
  /// are far behind miss it.
  fileprivate var isTransient: Bool {
    switch self {
    case .progress, .output: true
    default: false
    }
  }

  private func named(_ outputs: StepOutputs) -> String {
    guard !outputs.isEmpty else { return "" }
    return "; "
      + outputs.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
      .joined(separator: ", ")
  }
}

extension Event {
  /// The name under which a watch announces what starts or restarts a run; it is not an event of a run.
  package static let triggerName = "trigger"

  /// Whether it is output of a step.
  var isOutput: Bool {
    if case .step(_, _, .output) = kind { return true }
    return false
  }

  /// Whether the state of a run can do without it once its step is over.
  package var isTransient: Bool {
    if case .step(_, _, let event) = kind { return event.isTransient }
    return false
  }
}

// `Event`: one immutable fact about a run.

public import Workflows

/// One immutable fact about a run.
///
/// Displays, journals and other programs observe a run only through its events. Folding them into a
/// ``RunState`` produces its current state.
public struct Event: Sendable, Equatable {
  /// The time of the event.
  ///
  /// Within one run, times never decrease, even if the system clock is set back.
  public var time: Timestamp
  /// The id of the run.
  public var run: RunID
  /// The generation of the run: 1 at first, incremented by each restart.
  public var generation: Int
  /// The content of the event.
  public var kind: Kind
  /// Who requested what the event reports; nil if no one did.
  public var by: Requester?

  /// Creates an event.
  ///
  /// - Parameters:
  ///   - time: The time of the event.
  ///   - run: The id of the run.
  ///   - generation: The generation of the run, from 1.
  ///   - kind: The content of the event.
  ///   - requester: Who asked for what the event reports.
  public init(
    time: Timestamp, run: RunID, generation: Int, kind: Kind, by requester: Requester? = nil
  ) {
    self.time = time
    self.run = run
    self.generation = generation
    self.kind = kind
    by = requester
  }

  /// The content of an event.
  public enum Kind: Sendable, Equatable {
    /// The run started; always the first event.
    case runStarted(RunPlan)
    /// The run was resumed after it had ended or its engine had died; the plan applies from now on.
    ///
    /// Steps that had succeeded keep their results. Steps that were in progress count as
    /// interrupted.
    case runResumed(RunPlan)
    /// A restart was requested: these steps are being stopped; all steps if nil.
    case runRestarting(from: [String]?)
    /// The stopped steps are gone and a new generation starts: these steps are pending again.
    ///
    /// All steps if nil.
    case generationStarted(reset: [String]?)
    /// The next generation is of another version of the workflow; the plan applies from now on.
    ///
    /// Follows ``runRestarting(from:)``, and ``generationStarted(reset:)`` follows. Steps that are
    /// not reset keep their results, or go on running.
    case runReloaded(RunPlan, WorkflowChanges)
    /// The run is being cancelled: no more steps start, and running steps are being stopped.
    case runCancelling(CancellationCause)
    /// Nothing new starts until the run is unpaused; running steps go on.
    case runPaused
    /// Steps start again.
    case runUnpaused
    /// Something that the user should know when the run ends, such as jobs that are still queued.
    case runNotice(String)
    /// The run has ended; always the last event, unless the run is resumed.
    case runEnded(RunOutcome)
    /// An event of one step in one attempt: 0 before its first start, then from 1.
    case step(String, attempt: Int, StepEvent)
  }

  /// The content of an event about a step.
  public enum StepEvent: Sendable, Equatable {
    /// All needs of the step have succeeded; it waits for a slot or for approval. `step-ready` in JSON.
    case waiting
    /// The step is waiting for approval of this text; `step-waiting` in JSON.
    case awaitingApproval(String)
    /// The step was approved, with the values that were given, which are outputs of it.
    case approved(StepOutputs)
    /// An attempt was given to a runner, or waits there for another reason than before.
    ///
    /// It is recorded with its token before the runner knows it.
    case queued(RunnerPlace, text: String)
    /// The step waits for places of a pool, for this reason, before an attempt starts.
    case waitingForPool(String, text: String)
    /// An attempt has started, on this machine if it has a runner that says so.
    case started(on: String? = nil)
    /// The step is ready to be used while it runs: steps that need it so may start.
    ///
    /// With the outputs that it wrote until then. `step-available` in JSON.
    case ready(StepOutputs)
    /// Nothing can be said about the attempt for now, for this reason; it may go on.
    case outOfSight(String)
    /// The attempt is in sight again.
    case inSight
    /// The step reported its progress: a fraction from 0 to 1 and the current activity.
    case progress(Double, String)
    /// The step wrote complete lines, joined by line feeds, without a trailing one.
    ///
    /// `isPartial` marks the current content of an unfinished line, such as a progress bar; the
    /// next output on the stream replaces it.
    case output(OutputChannel, text: String, isPartial: Bool)
    /// The step has left this process behind, given by its command line, and it is being ended.
    case leftBehind(String)
    /// The attempt, which is about to end, has used this where it ran.
    case used(ResourceUse)
    /// The program of the step has failed, and had written these outputs before.
    case wrote(StepOutputs)
    /// The step was expanded to one step for each of these items; the plan has them from now on.
    ///
    /// Steps with the key of an item of an earlier expansion are kept, others are gone.
    case expanded([ExpandedItem])
    /// The action succeeded, with these outputs.
    case succeeded(StepOutputs)
    /// An attempt failed; the next one starts after this delay.
    case retrying(FailureReason, after: Duration)
    /// A round of a step that repeats is over; the next one starts after this delay.
    case repeating(StepRound, after: Duration)
    /// A step that only waits has started to wait, until this moment.
    case pausing(until: Timestamp)
    /// The step is being cancelled on request, although the run continues.
    case cancelling
    /// The last attempt failed, or the step could not be started at all.
    case failed(FailureReason)
    /// The step was stopped or never started, for this cause.
    case cancelled(CancellationCause)
    /// The step did not run, for this reason; the outputs are those of its last run, if any.
    case skipped(SkipReason, StepOutputs)
  }
}

// MARK: The table

// Everything about a case except its effect on the state. To add an event, add a case above, a row
// here, and its handling in `RunState`. Names of rows that differ from their cases are older than these:
// records must stay readable, and clients rely on them.

extension Event.Kind: CodedCases {
  static let byName = named(
    [
      .runStarted(RunPlan(workflow: "", steps: [])), .runResumed(RunPlan(workflow: "", steps: [])),
      .runRestarting(from: nil), .generationStarted(reset: nil), .runCancelling(.request),
      .runReloaded(RunPlan(workflow: "", steps: []), WorkflowChanges()), .runPaused,
      .runUnpaused, .runNotice(""), .runEnded(.succeeded),
    ] + Event.StepEvent.byName.values.map { .step("", attempt: 0, $0) })

  var row: CaseRow<Self> {
    switch self {
    case .runStarted(let plan):
      CaseRow("run-started", "run started: " + countText(plan.steps.count, "step")) {
        .runStarted(try $0.value("plan", plan))
      }
    case .runResumed(let plan):
      CaseRow("run-resumed", "run resumed: " + countText(plan.steps.count, "step")) {
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
    case .runReloaded(let plan, let changes):
      CaseRow("run-reloaded", "run reloaded: \(changes)") {
        .runReloaded(
          try $0.value("plan", plan),
          WorkflowChanges(
            added: try $0.value("added", changes.added, default: []),
            removed: try $0.value("removed", changes.removed, default: []),
            changed: try $0.value("changed", changes.changed, default: [])))
      }
    case .runCancelling(let cause):
      CaseRow("run-cancelling", "run cancelling \(cause)") {
        .runCancelling(try $0.value("cause", cause))
      }
    case .runPaused: CaseRow("run-paused", "run paused", self)
    case .runUnpaused: CaseRow("run-unpaused", "run unpaused", self)
    case .runNotice(let text):
      CaseRow("run-notice", text) { .runNotice(try $0.value("text", text)) }
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
    .waiting, .awaitingApproval(""), .approved([:]),
    .queued(RunnerPlace(runner: "", token: ""), text: ""),
    .waitingForPool("", text: ""), .started(), .ready([:]), .outOfSight(""), .inSight,
    .progress(0, ""),
    .output(.standardOutput, text: "", isPartial: false), .leftBehind(""),
    .used(ResourceUse(processorTime: .zero, peakBytes: 0)), .wrote([:]),
    .expanded([]),
    .succeeded([:]), .retrying(.rejected, after: .zero),
    .repeating(StepRound(number: 1), after: .zero), .pausing(until: Timestamp(microseconds: 0)),
    .cancelling, .failed(.rejected), .cancelled(.request),
    .skipped("", [:]),
  ])

  var row: CaseRow<Self> {
    switch self {
    case .waiting: CaseRow("step-ready", "ready", self)
    case .awaitingApproval(let text):
      CaseRow("step-waiting", "waiting for approval: \(text)") {
        .awaitingApproval(try $0.value("text", text))
      }
    case .approved(let values):
      CaseRow("step-approved", "approved") {
        .approved(try $0.value("outputs", values, default: [:]))
      }
    case .queued(let place, let text):
      CaseRow("step-queued", "queued on \(place.title)" + (text.isEmpty ? "" : ": \(text)")) {
        .queued(
          RunnerPlace(
            runner: try $0.value("runner", place.runner), token: try $0.value("token", place.token),
            survives: try $0.value("survives", place.survives, default: false),
            job: try $0.value("job", place.job, default: nil),
            asked: try $0.value("asked", place.asked, default: [:])),
          text: try $0.value("text", text, default: ""))
      }
    case .waitingForPool(let pool, let text):
      CaseRow("step-waiting-for-pool", text) {
        .waitingForPool(try $0.value("pool", pool), text: try $0.value("text", text))
      }
    case .started(let host):
      CaseRow("step-started", "started" + (host.map { " on \($0)" } ?? "")) {
        .started(on: try $0.value("host", host, default: nil))
      }
    case .ready(let outputs):
      CaseRow("step-available", "ready to be used" + named(outputs)) {
        .ready(try $0.value("outputs", outputs, default: [:]))
      }
    case .outOfSight(let text):
      CaseRow("step-out-of-sight", "out of sight: \(text)") {
        .outOfSight(try $0.value("text", text))
      }
    case .inSight: CaseRow("step-in-sight", "in sight again", self)
    case .progress(let part, let text):
      CaseRow(
        "step-progress",
        "\(Int((min(1, max(0, part)) * 100).rounded())) %" + (text.isEmpty ? "" : ": \(text)")
      ) {
        .progress(try $0.value("part", part), try $0.value("text", text))
      }
    case .output(let stream, let text, let isPartial):
      CaseRow("step-output", text) {
        .output(
          try $0.value("stream", stream), text: try $0.value("text", text),
          isPartial: try $0.value("partial", isPartial, default: false))
      }
    case .leftBehind(let command):
      CaseRow("step-left-behind", "ended: \(command), left behind") {
        .leftBehind(try $0.value("command", command))
      }
    case .used(let use):
      CaseRow("step-used", "used \(use)") {
        .used(
          ResourceUse(
            processorTime: try $0.seconds(use.processorTime),
            peakBytes: try $0.value("peak-bytes", use.peakBytes)))
      }
    case .wrote(let outputs):
      CaseRow("step-wrote", "wrote" + named(outputs)) {
        .wrote(try $0.value("outputs", outputs))
      }
    case .expanded(let items):
      CaseRow("step-expanded", "expanded to \(items.count) step\(items.count == 1 ? "" : "s")") {
        .expanded(try $0.value("items", items))
      }
    case .succeeded(let outputs):
      CaseRow("step-succeeded", "succeeded" + named(outputs)) {
        .succeeded(try $0.value("outputs", outputs))
      }
    case .retrying(let reason, let delay):
      CaseRow("step-retrying", "failed: \(reason); retrying in \(durationText(delay))") {
        .retrying(try $0.value("reason", reason), after: try $0.seconds(delay))
      }
    case .repeating(let round, let delay):
      CaseRow("step-repeating", "\(round) done; next in \(durationText(delay))") {
        .repeating(
          StepRound(
            number: try $0.value("round", round.number),
            limit: try $0.value("limit", round.limit, default: nil)),
          after: try $0.seconds(delay))
      }
    case .pausing(let end):
      CaseRow("step-pausing", "waits until \(end)") { .pausing(until: try $0.value("until", end)) }
    case .cancelling: CaseRow("step-cancelling", "being cancelled", self)
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

  /// Whether the event no longer affects the state once the step has ended.
  ///
  /// Such events are not recorded as transitions, and subscribers that are far behind miss them.
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
  /// The name under which a watch reports the trigger that starts or restarts a run.
  ///
  /// Not an event of a run.
  package static let triggerName = "trigger"

  /// Whether this is output of a step.
  var isOutput: Bool {
    if case .step(_, _, .output) = kind { return true }
    return false
  }

  /// Whether the event no longer affects the state once its step has ended.
  package var isTransient: Bool {
    if case .step(_, _, let event) = kind { return event.isTransient }
    return false
  }
}

// The report on a run as JSON, as documented in Documentation/journal.md.

package import Reprise
import RepriseJournal
package import RepriseTerminal

extension RunReport: Encodable {
  /// The report as one JSON object.
  package var json: TerminalSafe { jsonLine(self) }

  private enum CodingKeys: String, CodingKey {
    case generations, params, steps, files, notices
    case criticalPath = "critical-path"
  }

  /// Encodes the documented format.
  package func encode(to encoder: any Encoder) throws {
    try line.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(history.generations.map { Generation($0) }, forKey: .generations)
    try container.encode(record.request.parameters, forKey: .params)
    try container.encode(state.steps.map { Step($0, in: state) }, forKey: .steps)
    try container.encode(state.criticalPath.map(Link.init), forKey: .criticalPath)
    if !state.notices.isEmpty { try container.encode(state.notices, forKey: .notices) }
    try container.encodeIfPresent(files, forKey: .files)
  }

  /// The run as `reprise runs --json` has it.
  package var line: RunLine {
    RunLine(record, state: state, now: now)
  }

  /// A generation in the JSON output.
  package struct Generation: Encodable {
    let generation: Int
    let beginning: String
    let from: [String]?
    let requested: Timestamp?
    let by: Requester?
    let changes: [String: [String]]?
    let started: Timestamp
    let ended: Timestamp?
    let outcome: String?
    let attempts: [Attempt]
    let approvals: [Approval]

    /// Creates the output of a generation.
    package init(_ generation: RunHistory.Generation) {
      self.generation = generation.number
      switch generation.beginning {
      case .started: (beginning, from) = ("started", nil)
      case .restarted(let steps): (beginning, from) = ("restarted", steps)
      case .resumed: (beginning, from) = ("resumed", nil)
      case .unknown: (beginning, from) = ("unknown", nil)
      }
      requested = generation.requestedAt
      by = generation.requester
      changes = generation.changes.map {
        ["added": $0.added, "removed": $0.removed, "changed": $0.changed]
      }
      started = generation.startedAt
      ended = generation.endedAt
      outcome = generation.outcome?.name
      attempts = generation.attempts.map(Attempt.init)
      approvals = generation.approvals.map(Approval.init)
    }
  }

  /// An attempt in the JSON output.
  package struct Attempt: Encodable {
    let step: String
    let attempt: Int
    let state: String
    let ready: Timestamp?
    let started: Timestamp
    let ended: Timestamp?
    let reason: FailureReason?
    let cause: CancellationCause?

    /// Creates the output of an attempt.
    package init(_ attempt: RunHistory.Attempt) {
      step = attempt.step
      self.attempt = attempt.number
      state = attempt.phase.codedName
      ready = attempt.waitingSince
      started = attempt.startedAt
      ended = attempt.endedAt
      reason = attempt.phase.reason
      cause = attempt.phase.cause
    }
  }

  struct Approval: Encodable {
    let step: String
    let text: String
    let asked: Timestamp
    let answered: Timestamp?
    let answer: String?
    let by: Requester?

    init(_ approval: RunHistory.Approval) {
      step = approval.step
      text = approval.text
      asked = approval.askedAt
      answered = approval.answeredAt
      answer = approval.answer?.rawValue
      by = approval.by
    }
  }

  /// A step in the JSON output.
  package struct Step: Encodable {
    let step: String
    let name: String?
    let label: String?
    let state: String
    let attempt: Int
    let ready: Timestamp?
    let started: Timestamp?
    let ended: Timestamp?
    let awaitingApproval: String?
    let runner: String?
    let job: String?
    let host: String?
    let queued: String?
    let outOfSight: String?
    let processorSeconds: Double?
    let peakBytes: Int64?
    let asked: [String: String]?
    let reason: FailureReason?
    let cause: CancellationCause?
    let notRun: String?
    let text: String?
    let outputs: StepOutputs?

    private enum CodingKeys: String, CodingKey {
      case notRun = "not-run"
      case step, name, label, state, attempt, ready, started, ended, reason, cause, text, outputs
      case runner, job, host, queued, asked
      case processorSeconds = "processor-seconds"
      case peakBytes = "peak-bytes"
      case awaitingApproval = "awaiting-approval"
      case outOfSight = "out-of-sight"
    }

    /// Creates the output of a step of a state.
    package init(_ step: StepState, in state: RunState) {
      self.step = step.id
      let shown = state.name(of: step.id)
      name = shown == step.id ? nil : shown
      label = state.label(of: step.id)
      self.state = step.phase.codedName
      attempt = step.attempt
      ready = step.waitingSince
      started = step.startedAt
      ended = step.endedAt
      awaitingApproval = step.approval
      runner = step.placement?.place.runner
      job = step.placement?.place.job
      host = step.placement?.host
      queued =
        step.phase == .waiting ? step.waitsForPool?.text ?? step.placement?.queuedBecause : nil
      outOfSight = step.phase == .running ? step.placement?.outOfSightBecause : nil
      processorSeconds = step.placement?.use.map { $0.processorTime / .seconds(1) }
      peakBytes = step.placement?.use?.peakBytes
      let asked = step.placement?.place.asked ?? [:]
      self.asked = asked.isEmpty ? nil : asked
      reason = step.phase.reason
      cause = step.phase.cause
      notRun = state.reasonNotRun(of: step)
      switch step.phase {
      case .succeeded(let outputs): (text, self.outputs) = (nil, outputs)
      case .skipped(let reason, let outputs): (text, self.outputs) = (reason.description, outputs)
      case .failed, .cancelled:
        (text, outputs) = (state.endText(of: step), step.written.isEmpty ? nil : step.written)
      case .pending, .waiting, .running: (text, outputs) = (nil, nil)
      }
    }
  }

  /// A step of the critical path in the JSON output.
  package struct Link: Encodable {
    let step: String
    let seconds: Double
    let waited: Double
    let waits: [Wait]?

    /// Something that a step waited for.
    struct Wait: Encodable {
      let seconds: Double
      let `for`: String
      let name: String?
    }

    /// Creates the output of a step of the path.
    package init(_ link: CriticalStep) {
      step = link.step
      seconds = link.duration / .seconds(1)
      waited = link.wait / .seconds(1)
      let waits = link.waits.map { wait in
        Wait(
          seconds: wait.duration / .seconds(1), for: wait.cause.kind, name: wait.cause.name)
      }
      self.waits = waits.isEmpty ? nil : waits
    }
  }
}

extension StepPhase {
  fileprivate var reason: FailureReason? {
    if case .failed(let reason) = self { reason } else { nil }
  }
  fileprivate var cause: CancellationCause? {
    if case .cancelled(let cause) = self { cause } else { nil }
  }
}

// The report on a run as JSON, as documented in Documentation/journal.md.

import Reprise
import RepriseJournal
package import RepriseTerminal

extension RunReport {
  /// The report as one JSON object.
  package var json: TerminalSafe { jsonLine(Document(self)) }

  private struct Document: Encodable {
    let report: RunReport

    init(_ report: RunReport) { self.report = report }

    private enum CodingKeys: String, CodingKey {
      case generations, steps
      case criticalPath = "critical-path"
    }

    func encode(to encoder: any Encoder) throws {
      let (record, state) = (report.record, report.state)
      let activity = record.status == .running ? RunActivity(state) : nil
      try RunLine(record, activity, report.now).encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(report.history.generations.map(Generation.init), forKey: .generations)
      try container.encode(
        state.steps.map { Step($0, label: state.label(of: $0.id)) }, forKey: .steps)
      try container.encode(state.criticalPath.map(Link.init), forKey: .criticalPath)
    }
  }

  private struct Generation: Encodable {
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

    init(_ generation: RunHistory.Generation) {
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

  private struct Attempt: Encodable {
    let step: String
    let attempt: Int
    let state: String
    let ready: Timestamp?
    let started: Timestamp
    let ended: Timestamp?
    let reason: FailureReason?
    let cause: CancellationCause?

    init(_ attempt: RunHistory.Attempt) {
      step = attempt.step
      self.attempt = attempt.number
      state = attempt.phase.name
      ready = attempt.readyAt
      started = attempt.startedAt
      ended = attempt.endedAt
      reason = attempt.phase.reason
      cause = attempt.phase.cause
    }
  }

  private struct Approval: Encodable {
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

  private struct Step: Encodable {
    let step: String
    let label: String?
    let state: String
    let attempt: Int
    let ready: Timestamp?
    let started: Timestamp?
    let ended: Timestamp?
    let awaitingApproval: String?
    let reason: FailureReason?
    let cause: CancellationCause?
    let text: String?
    let outputs: StepOutputs?

    private enum CodingKeys: String, CodingKey {
      case step, label, state, attempt, ready, started, ended, reason, cause, text, outputs
      case awaitingApproval = "awaiting-approval"
    }

    init(_ step: StepState, label: String?) {
      self.step = step.id
      self.label = label
      state = step.phase.name
      attempt = step.attempt
      ready = step.readyAt
      started = step.startedAt
      ended = step.endedAt
      awaitingApproval = step.approval
      reason = step.phase.reason
      cause = step.phase.cause
      switch step.phase {
      case .succeeded(let outputs): (text, self.outputs) = (nil, outputs)
      case .skipped(let reason, let outputs): (text, self.outputs) = (reason, outputs)
      case .pending, .ready, .running, .failed, .cancelled: (text, outputs) = (nil, nil)
      }
    }
  }

  private struct Link: Encodable {
    let step: String
    let seconds: Double
    let waited: Double

    init(_ link: CriticalStep) {
      step = link.step
      seconds = link.duration / .seconds(1)
      waited = link.wait / .seconds(1)
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

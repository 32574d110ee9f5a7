// What an agent reads of a run: what it waits for, what has failed, and the last lines of that.

import Platform
import Reprise
import RepriseJournal
import RepriseTerminal

/// A report on a run in few words.
struct AgentReport: Encodable {
  /// Something that a run waits for.
  struct Wait: Encodable {
    /// `approval`, `turn`, `pool`, `moment` or `retry`.
    let `for`: String
    let step: String?
    let text: String
    /// The values that an approval asks for.
    let values: [PlannedValue]?
  }

  /// A step that has failed.
  struct Failure: Encodable {
    let step: String
    let reason: String
    /// The last lines of its last attempt.
    let log: String?
    let from: Int?
    let to: Int?
    let lines: Int?
  }

  /// The number of failed steps that are listed, and how many lines and bytes of each log.
  private static let (failuresMax, linesMax, bytesMax) = (10, 20, 4 << 10)
  /// The maximum number of running steps that are listed.
  private static let runningMax = 20

  let run: String
  let workflow: String
  let status: RunStatus
  let ended: Bool
  let generation: Int
  let running: [String]
  let waitsFor: [Wait]
  let failed: [Failure]
  /// The number of failed steps that are left out.
  let leftOut: Int?

  private enum CodingKeys: String, CodingKey {
    case run, workflow, status, ended, generation, running, failed
    case waitsFor = "waits-for"
    case leftOut = "failed-left-out"
  }

  /// Reads the logs of the failed steps.
  ///
  /// - Parameters:
  ///   - report: The report on the run.
  ///   - journal: Its journal.
  init(_ report: RunReport, in journal: Journal) {
    let (record, state) = (report.record, report.state)
    run = record.id.description
    workflow = record.request.workflow
    status = record.status
    ended = !record.status.isLive
    generation = record.generation
    let isRunning = record.status == .running
    running = isRunning ? Array(RunActivity(state).running.prefix(Self.runningMax)) : []
    waitsFor = Self.waits(record, state)
    let failures = state.steps.filter { if case .failed = $0.phase { true } else { false } }
    failed = failures.prefix(Self.failuresMax).map { Failure($0, of: record, in: journal) }
    leftOut = failures.count > failed.count ? failures.count - failed.count : nil
  }

  private static func waits(_ record: RunRecord, _ state: RunState) -> [Wait] {
    if record.status == .queued, let group = record.request.group {
      let text = "another run of the group \"\(group)\""
      return [Wait(for: "turn", step: nil, text: text, values: nil)]
    }
    guard record.status == .running else { return [] }
    return state.steps.compactMap { step in
      if step.phase.isActive, let question = step.approval {
        let values = state.plan?.steps.first { $0.id == step.id }?.approvalValues
        return Wait(for: "approval", step: step.id, text: question, values: values)
      }
      guard step.phase == .waiting else { return nil }
      if let pool = step.waitsForPool {
        return Wait(for: "pool", step: step.id, text: pool.text, values: nil)
      }
      if let end = step.waitsUntil {
        return Wait(for: "moment", step: step.id, text: end.description, values: nil)
      }
      return step.retry.map {
        Wait(for: "retry", step: step.id, text: $0.reason.description, values: nil)
      }
    }
  }

  /// The report for a model.
  var text: String {
    var parts = ["run \(run) of \(workflow): \(status.rawValue), generation \(generation)"]
    if !running.isEmpty { parts.append("running: \(running.joined(separator: ", "))") }
    parts += waitsFor.map { wait in
      wait.for == "approval"
        ? "waits for a person: \(wait.step ?? ""): \(wait.text)\n"
          + "they approve it with: reprise approve \(run) \(wait.step ?? "")"
        : "waits for a \(wait.for): \(wait.step.map { "\($0): " } ?? "")\(wait.text)"
    }
    parts += failed.map(\.text)
    if let leftOut {
      parts.append(
        countText(leftOut, "more step") + (leftOut == 1 ? " has failed" : " have failed"))
    }
    if !ended { parts.append("it goes on; wait for it with: status") }
    if ended, let first = failed.first {
      parts.append("after a correction, go on with: resume, from \(first.step)")
    }
    return TerminalSafe(lines: parts.joined(separator: "\n\n")).string
  }
}

extension AgentReport.Failure {
  fileprivate init(_ failed: StepState, of record: RunRecord, in journal: Journal) {
    step = failed.id
    reason = failed.phase.detail ?? ""
    var excerpt = LogExcerpt(
      from: nil, count: AgentReport.linesMax, bytesMax: AgentReport.bytesMax)
    try? excerpt.read(lastAttemptOf: failed.id, of: record, in: journal)
    guard excerpt.total > 0 else {
      (log, from, to, lines) = (nil, nil, nil, nil)
      return
    }
    (log, from, to, lines) = (excerpt.text, excerpt.first, excerpt.last, excerpt.total)
  }

  fileprivate var text: String {
    let title = "the step \(step) has failed: \(reason)"
    guard let log, let from, let to, let lines else { return "\(title)\nit has written nothing" }
    return "\(title)\nlines \(from) to \(to) of \(lines) of its log:\n\(log)"
  }
}

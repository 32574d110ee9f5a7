// Reports on recorded runs: `reprise show` and `reprise runs`.

package import Reprise
package import RepriseJournal
package import RepriseTerminal

/// A report on one run with its steps and its critical path.
package struct RunReport {
  private let record: RunRecord
  private let state: RunState

  /// Creates a report.
  ///
  /// - Parameters:
  ///   - record: The run.
  ///   - state: The state of the run.
  package init(_ record: RunRecord, _ state: RunState) {
    self.record = record
    self.state = state
  }

  /// The report as text.
  package var text: TerminalSafe {
    let end = record.took.map { ", took " + durationText($0) } ?? ""
    var parts: [TerminalSafe] = [
      """
      run \(record.id) of \(record.request.workflow): \(record.status.rawValue)
      file \(record.request.file)
      started \(localTime(record.requestedAt))\(end)\(record.generation > 1 ? ", generation \(record.generation)" : "")
      """
    ]
    let trigger = record.request.options[RunRequest.optionOfTrigger].flatMap(Trigger.init(json:))
    if let trigger, trigger.cause != .manual {
      parts[0] += "\nstarted by \(trigger.words)"
    }
    if !state.steps.isEmpty {
      let rows = state.steps.map {
        Self.row($0, state.label(of: $0.id), isDead: record.status == .interrupted)
      }
      parts.append(aligned([["STEP", "STATE", "ATTEMPT", "TOOK", ""]] + rows))
    }
    let outputs = state.steps.flatMap(Self.outputLines)
    if !outputs.isEmpty { parts.append("outputs:\n" + outputs.joined(separator: "\n")) }
    let path = state.criticalPath
    if path.count > 1 {
      let total = path.reduce(Duration.zero) { $0 + $1.duration + $1.wait }
      let links = path.map { link -> TerminalSafe in
        let wait = link.wait >= .milliseconds(100) ? ", waited \(durationText(link.wait))" : ""
        return "  \(link.step)  \(durationText(link.duration))\(wait)"
      }
      parts.append(
        "critical path, \(durationText(total)):\n" + links.joined(separator: "\n"))
    }
    switch record.status {
    case .failed, .cancelled, .timedOut, .abandoned, .interrupted:
      parts.append("resume it with: reprise resume \(record.id)")
    case .queued, .running, .succeeded:
      break
    }
    return parts.joined(separator: "\n\n")
  }

  /// Returns the outputs of a step, one line each.
  private static func outputLines(_ step: StepState) -> [TerminalSafe] {
    guard case .succeeded(let outputs) = step.phase else { return [] }
    return outputs.sorted { $0.key < $1.key }.map { name, value in
      let lines = value.split(separator: "\n", omittingEmptySubsequences: false)
      return "  \(step.id).\(name) = \(lines.first ?? "")\(lines.count > 1 ? " …" : "")"
    }
  }

  private static func row(_ step: StepState, _ label: String?, isDead: Bool) -> [String] {
    let end = step.endedAt ?? step.startedAt
    let took = step.startedAt.flatMap { start in end.map { durationText($0 - start) } } ?? ""
    let (name, detail) = describe(step.phase, isDead: isDead)
    return [
      step.id + (label.map { " (\($0))" } ?? ""), name,
      step.attempt == 0 ? "" : String(step.attempt),
      step.endedAt == nil ? "" : took, detail,
    ]
  }

  private static func describe(_ phase: StepPhase, isDead: Bool) -> (String, String) {
    switch phase {
    case .pending: ("pending", "")
    case .ready: (isDead ? "interrupted" : "ready", "")
    case .running: (isDead ? "interrupted" : "running", "")
    case .succeeded: ("succeeded", "")
    case .failed(let reason): ("failed", reason.description)
    case .cancelled(let cause): ("cancelled", cause.description)
    case .skipped(let reason, _): ("skipped", reason)
    }
  }
}

/// A list of runs.
package struct RunList {
  private let runs: [RunRecord]

  /// Creates a list.
  package init(_ runs: some Sequence<RunRecord>) {
    self.runs = Array(runs)
  }

  /// One JSON object for each run.
  package var jsonLines: [TerminalSafe] { runs.map { jsonLine(RunLine($0)) } }

  /// The list as a table.
  package var table: TerminalSafe {
    guard !runs.isEmpty else { return "No matching runs." }
    let rows =
      [["RUN", "WORKFLOW", "STATE", "STARTED", "TOOK"]]
      + runs.map { run in
        let took = run.took.map(durationText) ?? ""
        let state =
          run.generation > 1 ? "\(run.status.rawValue) (\(run.generation))" : run.status.rawValue
        return [
          run.id.description, abridged(run.request.workflow), state, localTime(run.requestedAt),
          took,
        ]
      }
    return aligned(rows)
  }
}

/// A run in the JSON output.
private struct RunLine: Encodable {
  let id: String
  let workflow: String
  let file: String
  let directory: String
  let status: RunStatus
  let generation: Int
  let process: Int
  let started: Timestamp
  let ended: Timestamp?

  init(_ run: RunRecord) {
    id = run.id.description
    workflow = run.request.workflow
    file = run.request.file
    directory = run.request.directory
    status = run.status
    generation = run.generation
    process = run.process
    started = run.requestedAt
    ended = run.endedAt
  }
}

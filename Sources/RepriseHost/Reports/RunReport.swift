// The report on a recorded run: `reprise show`.

package import Reprise
package import RepriseJournal
package import RepriseTerminal

/// A report on one run: its generations, its steps, its approvals and its critical path.
package struct RunReport {
  let record: RunRecord
  /// The state of the run.
  package let state: RunState
  /// The history of the run.
  package let history: RunHistory
  /// What the files of its steps have said; nil if they were not watched.
  package var files: RecordedTrace?
  let now: Timestamp

  /// Creates a report of events that have been folded already.
  ///
  /// - Parameters:
  ///   - record: The run.
  ///   - state: The state of the run.
  ///   - history: The history of the run.
  ///   - now: The current time, for what has not ended.
  package init(
    _ record: RunRecord, _ state: RunState, _ history: RunHistory,
    now: Timestamp = SystemClock().now
  ) {
    self.record = record
    self.state = state
    self.history = history
    self.now = now
  }

  /// Creates a report.
  ///
  /// - Parameters:
  ///   - record: The run.
  ///   - events: The recorded events of the run.
  ///   - now: The current time, for what has not ended.
  /// - Throws: ``JournalError`` if the events are inconsistent.
  package init(
    _ record: RunRecord, _ events: [Event], now: Timestamp = SystemClock().now
  ) throws(JournalError) {
    self.record = record
    state = try RunState(events, of: record.id)
    var history = RunHistory()
    for event in events { history.apply(event) }
    if !record.status.isLive { history.close() }
    self.history = history
    self.now = now
  }

  /// The report as text.
  package var text: TerminalSafe {
    let took = record.took.map { ", took " + durationText($0) } ?? ""
    let soFar = record.elapsed(at: now).map { ", \(durationText($0)) so far" } ?? ""
    let wait = (state.startedAt ?? record.requestedAt) - record.requestedAt
    let waited = wait < .milliseconds(100) ? "" : ", \(durationText(wait)) of it before its turn"
    let activity = record.status == .running ? RunActivity(state) : nil
    var parts: [TerminalSafe] = [
      """
      run \(record.id) of \(record.request.workflow): \(activity?.stateWords ?? record.status.rawValue)
      file \(record.request.file)
      started \(localTime(record.requestedAt))\(took)\(soFar)\(waited)\(record.generation > 1 ? ", generation \(record.generation)" : "")
      """
    ]
    if let trigger = record.request.trigger, trigger.cause != .manual {
      parts[0] += "\nstarted by \(trigger.words)"
    }
    for (name, value) in record.request.parameters.sorted(by: { $0.key < $1.key }) {
      parts[0] += "\nwith \(name) = \(Self.firstLine(of: value))"
    }
    if !state.notices.isEmpty {
      parts.append(state.notices.map { "notice: \($0)" as TerminalSafe }.joined(separator: "\n"))
    }
    if history.generations.count > 1 { parts.append(generations) }
    if !state.steps.isEmpty {
      let rows = state.steps.map { row($0) }
      parts.append(aligned([["STEP", "STATE", "ATTEMPT", "TOOK", ""]] + rows))
    }
    if !approvals.isEmpty { parts.append("approvals:\n" + approvals.joined(separator: "\n")) }
    let outputs = state.steps.flatMap(Self.outputLines)
    if !outputs.isEmpty { parts.append("outputs:\n" + outputs.joined(separator: "\n")) }
    if let criticalPath { parts.append(criticalPath) }
    if let files { parts.append(files.text) }
    switch record.status {
    case .interrupted where !state.survivingAttempts.isEmpty && record.request.program == nil:
      parts.append(
        "resume it, with what goes on, with: reprise resume \(record.id)\n"
          + "or stop what goes on with: reprise cancel \(record.id)")
    case .failed, .cancelled, .timedOut, .abandoned, .interrupted:
      parts.append("\(record.resumeAdvice)")
    case .queued, .running, .succeeded, .skipped:
      break
    }
    return parts.joined(separator: "\n\n")
  }

  private var criticalPath: TerminalSafe? {
    CriticalPathText(state).map { path in
      "\(path.title):\n" + path.rows.map { "  \($0)" }.joined(separator: "\n")
    }
  }

  /// Returns the outputs of a step, one line each.
  private static func outputLines(_ step: StepState) -> [TerminalSafe] {
    let outputs: StepOutputs
    switch step.phase {
    case .succeeded(let all): outputs = all
    case .failed, .cancelled: outputs = step.written
    default: return []
    }
    return outputs.sorted { $0.key < $1.key }.map { name, value in
      "  \(step.id).\(name) = \(firstLine(of: value))"
    }
  }

  private static func firstLine(of value: String) -> String {
    let lines = value.split(separator: "\n", omittingEmptySubsequences: false)
    return "\(lines.first ?? "")\(lines.count > 1 ? " …" : "")"
  }

  /// Returns the timeline of the run.
  ///
  /// - Parameters:
  ///   - columns: The number of columns of the output.
  ///   - isTerminal: Whether the output is a terminal.
  ///   - environment: The environment with `TERM`, `NO_COLOR` and so on, and the locale.
  /// - Returns: The lines.
  package func timeline(
    columns: Int, isTerminal: Bool, environment: [String: String]
  ) -> TerminalSafe {
    Timeline(history, state, now: now, isTerminal: isTerminal, environment: environment)
      .lines(columns: columns).joined(separator: "\n")
  }

  /// A heading for each generation, followed by what became of its steps.
  private var generations: TerminalSafe {
    var earlier: RunHistory.Generation?
    var lines: [TerminalSafe] = []
    for generation in history.generations {
      lines.append("generation \(generation.number): \(generation.words(after: earlier))")
      if let summary = summary(of: generation) { lines.append("  \(summary)") }
      earlier = generation
    }
    return lines.joined(separator: "\n")
  }

  private func summary(of generation: RunHistory.Generation) -> String? {
    let counts = generation.counts
    let ended = [
      (counts.succeeded, "succeeded"), (counts.failed, "failed"), (counts.cancelled, "cancelled"),
      (counts.skipped, "skipped"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let end = generation.endedAt ?? now
    let took =
      (generation.endedAt == nil ? "running for " : "took ")
      + durationText(end - generation.startedAt)
    let failure = generation.attempts.first { attempt in
      if case .failed = attempt.phase { attempt.retryDelay == nil } else { false }
    }
    let reason = failure.map { "; \($0.step): \($0.phase.detail ?? "")" } ?? ""
    return ([took] + ended).joined(separator: ", ") + reason
  }

  /// One line for each question, with its answer.
  private var approvals: [TerminalSafe] {
    history.generations.flatMap(\.approvals).map { approval in
      let question: TerminalSafe = "  \(approval.step): \(abridged(approval.text))"
      let asked: TerminalSafe = "\n    asked \(localTime(approval.askedAt))"
      guard let answer = approval.answer, let time = approval.answeredAt else {
        return question + asked + ", awaiting approval"
      }
      let after = durationText(time - approval.askedAt)
      let by: TerminalSafe = approval.by.map { " by \($0.description)" } ?? ""
      let comment: TerminalSafe = approval.by?.comment.map { ": \($0)" } ?? ""
      return question + asked + ", \(answer.rawValue) \(localTime(time)), after \(after)" + by
        + comment
    }
  }

  private func row(_ step: StepState) -> [String] {
    let isDead = record.status == .interrupted
    if let items = itemsRow(step) { return items }
    let end = step.endedAt ?? (record.status.isLive && step.phase == .running ? now : nil)
    let took = step.startedAt.flatMap { start in end.map { durationText($0 - start) } } ?? ""
    let (name, detail) =
      state.reasonNotRun(of: step).flatMap { step.isSetByHand ? nil : ("not run", $0) }
      ?? Self.describe(step, isDead: isDead)
    return [
      state.title(of: step.id), name,
      step.attempt == 0 ? "" : String(step.attempt), took, detail,
    ]
  }

  /// Returns the row of a step that was expanded: what became of its items.
  private func itemsRow(_ step: StepState) -> [String]? {
    guard let position = state.position(ofStep: step.id), let plan = state.plan,
      let items = plan.steps[position].items, case .succeeded = step.phase
    else { return nil }
    let prefix = step.id + "["
    let positions = state.steps.indices.filter { state.steps[$0].id.hasPrefix(prefix) }
    let ends = positions.compactMap { state.steps[$0].endedAt }
    let took =
      positions.count == ends.count
      ? ends.max().flatMap { end in step.startedAt.map { end - $0 } } : nil
    let count = countText(items.count, "item")
    return [
      state.title(of: step.id), count, "", took.map(durationText) ?? "",
      state.tally(of: positions).words,
    ]
  }

  private static func describe(_ step: StepState, isDead: Bool) -> (String, String) {
    if step.phase.isActive, isDead {
      guard let place = step.placement?.place, place.survives else { return ("interrupted", "") }
      return ("interrupted", "may go on: \(place.runner)")
    }
    return step.wordsAndDetail
  }
}

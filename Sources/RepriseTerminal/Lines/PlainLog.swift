// Renders the events of a run as plain lines, for pipes and logs. Pure.

import Reprise

/// Renders events as lines: one for each transition and each line of output.
///
/// Folds the events into a state, to know how long steps took.
struct PlainLog {
  /// The maximum time without output before a sign of life.
  static let silenceMax: Duration = .seconds(30)

  private(set) var state = RunState()
  private let style: Style
  /// A text after the time of each line that identifies the run.
  private let prefix: String
  /// Returns the offset of local time from UTC at a moment.
  private let offset: @Sendable (Timestamp) -> Duration
  /// The time of attaching; earlier events are a replay.
  private var joinedAt: Timestamp?
  private var isInRecap = false

  init(
    style: Style, prefix: String = "", joinedAt: Timestamp? = nil,
    offset: @escaping @Sendable (Timestamp) -> Duration
  ) {
    self.style = style
    self.prefix = prefix
    self.joinedAt = joinedAt
    self.offset = offset
  }

  /// Applies an event without rendering it.
  mutating func note(_ event: Event) {
    do {
      try state.apply(event)
    } catch {
      preconditionFailure("BUG: \(error)")
    }
  }

  /// Returns the lines for the next event, each with a line feed.
  ///
  /// Printable ASCII output, the common case, takes a fast path.
  mutating func text(for event: Event) -> TerminalSafe {
    let mark = recapMark(before: event)
    let text = textOfEvent(event)
    // Most events have no mark; do not copy their text, which may be long.
    return mark.isEmpty ? text : mark + text
  }

  /// Returns the line before or after a replay, so that steps do not seem to run again.
  private mutating func recapMark(before event: Event) -> TerminalSafe {
    guard let joinedAt else { return "" }
    if event.time < joinedAt {
      defer { isInRecap = true }
      return isInRecap ? "" : "earlier events:\n"
    }
    self.joinedAt = nil
    return isInRecap ? "new events:\n" : ""
  }

  private mutating func textOfEvent(_ event: Event) -> TerminalSafe {
    if case .step(let id, _, .output(_, let text, isPartial: false)) = event.kind,
      let text = TerminalSafe(
        printableASCII: text, prefixingLinesWith: outputPrefix(id, event.time))
    {
      note(event)
      return text
    }
    return lines(for: event).map { "\($0)\n" }.joined()
  }

  private func outputPrefix(_ id: String, _ time: Timestamp) -> TerminalSafe {
    "\(clock(time)) \(id) \(bar) "
  }

  private var bar: TerminalSafe { style.hasUnicode ? "│" : "|" }

  /// Returns the lines for the next event, without control characters.
  mutating func lines(for event: Event) -> [TerminalSafe] {
    var startedAt: Timestamp?
    if case .step(let id, _, _) = event.kind { startedAt = state[id]?.startedAt }
    guard (try? state.apply(event)) != nil else { return [] }
    let time = clock(event.time)
    if case .step(let id, let attempt, let stepEvent) = event.kind {
      return stepLines(id, attempt, stepEvent, event, startedAt).map { "\(time) \(id) \($0)" }
    }
    switch event.kind {
    case .runStarted(let plan):
      let count = plan.steps.count
      let name = plan.workflow
      return [
        "\(time) run \(event.run) of \(name) started: \(count) \(count == 1 ? "step" : "steps")"
      ]
    case .runResumed(let plan):
      return ["\(time) run \(event.run) of \(plan.workflow) resumed"]
    case .runRestarting: return ["\(time) restarting: waiting for running steps to stop"]
    case .generationStarted: return ["\(time) generation \(event.generation) started"]
    case .runCancelling(let cause): return ["\(time) cancelling \(cause.description)"]
    case .runEnded(let outcome): return ["\(time) run \(ending(outcome, event))"]
    default: return ["\(time) \(event.kind.description)"]
    }
  }

  /// Returns a sign of life: the running steps, and for how long they have been running.
  func heartbeat(at now: Timestamp) -> TerminalSafe? {
    let running = state.steps.filter { $0.phase == .running }
    guard state.phase.isActive, !running.isEmpty else { return nil }
    let names = running.prefix(5).map { step -> TerminalSafe in
      let time = step.startedAt.map { durationText(now - $0) } ?? ""
      return "\(step.id) (\(time))"
    }
    let more: TerminalSafe = running.count > 5 ? " and \(running.count - 5) more" : ""
    return "\(clock(now)) still running: \(names.joined(separator: ", "))\(more)"
  }

  private func stepLines(
    _ id: String, _ attempt: Int, _ stepEvent: Event.StepEvent, _ event: Event,
    _ startedAt: Timestamp?
  ) -> [TerminalSafe] {
    let took: TerminalSafe = startedAt.map { " after \(durationText(event.time - $0))" } ?? ""
    switch stepEvent {
    case .ready, .progress: return []
    case .waiting(let text):
      return [
        "waits for approval: \(text); approve it with: reprise approve \(event.run) \(id)"
      ]
    case .started:
      let label: TerminalSafe = state.label(of: id).map { " (\($0))" } ?? ""
      return ["started" + label + (attempt > 1 ? ", attempt \(attempt)" : "")]
    case .output(_, let text, let isPartial):
      guard !isPartial else { return [] }
      return text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        .map { "\(bar) \(String($0) ?? "")" }
    case .succeeded: return ["succeeded" + took]
    case .retrying(let reason, let delay):
      return [
        "attempt \(attempt) failed\(took): \(reason.description); "
          + "retrying in \(durationText(delay))"
      ]
    case .failed(let reason):
      let isTolerated: TerminalSafe = state.isTolerated(id) ? "; the run continues" : ""
      return ["failed\(took): \(reason.description)\(isTolerated)"]
    case .skipped(let reason, _): return ["skipped: \(reason)"]
    default: return ["\(stepEvent.description)"]
    }
  }

  private func ending(_ outcome: RunOutcome, _ event: Event) -> TerminalSafe {
    let took: TerminalSafe = state.startedAt.map { " after \(durationText(event.time - $0))" } ?? ""
    return switch outcome {
    case .succeeded: "succeeded" + took
    case .failed(let step, _): "failed\(took), first at \(step)"
    case .cancelled: "cancelled" + took
    case .timedOut: "timed out" + took
    case .abandoned: "abandoned" + took
    }
  }

  /// Returns the time of day, such as `12:00:01.234`.
  private func clock(_ time: Timestamp) -> String {
    String(time.advanced(by: offset(time)).description.dropFirst(11).prefix(12)) + prefix
  }
}

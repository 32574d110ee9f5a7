// A run as plain lines, for pipes and logs: one per transition and per line of output. Pure.

import Reprise

/// Makes lines of events.
///
/// Folds them, to know how long steps took.
struct PlainLog {
  /// How long nothing may be said before a sign of life.
  static let silenceMax: Duration = .seconds(30)

  private(set) var state = RunState()
  private let style: Style
  /// A text after the time of each line, by which runs are told apart.
  private let prefix: String
  /// How far local time is ahead of UTC at a moment.
  private let offset: @Sendable (Timestamp) -> Duration
  /// The moment from which events are news; those before it are the recap of a run joined late.
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

  /// Takes in an event of which nothing is to be said.
  mutating func note(_ event: Event) {
    do {
      try state.apply(event)
    } catch {
      preconditionFailure("BUG: \(error)")
    }
  }

  /// The lines for the next event, each with its line feed.
  ///
  /// Output that is nothing but printable ASCII, as most is, is passed through at the speed of memory.
  mutating func text(for event: Event) -> TerminalSafe {
    let mark = recapMark(before: event)
    let text = textOfEvent(event)
    // Most have none, and their text may be long: it is not copied.
    return mark.isEmpty ? text : mark + text
  }

  /// The line at each end of a recap, so that it does not look as if steps ran again.
  private mutating func recapMark(before event: Event) -> TerminalSafe {
    guard let joinedAt else { return "" }
    if event.time < joinedAt {
      defer { isInRecap = true }
      return isInRecap ? "" : "what has happened so far:\n"
    }
    self.joinedAt = nil
    return isInRecap ? "what happens now:\n" : ""
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

  /// The lines for the next event.
  ///
  /// None has control characters.
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
    case .runRestarting: return ["\(time) restarting: waiting for what has to stop"]
    case .generationStarted: return ["\(time) generation \(event.generation) started"]
    case .runCancelling(let cause): return ["\(time) cancelling \(cause.description)"]
    case .runEnded(let outcome): return ["\(time) run \(ending(outcome, event))"]
    default: return ["\(time) \(event.kind.description)"]
    }
  }

  /// A sign of life: what runs, and for how long.
  func signOfLife(at now: Timestamp) -> TerminalSafe? {
    let running = state.steps.filter { $0.phase == .running }
    guard state.phase.isUnderWay, !running.isEmpty else { return nil }
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
        "attempt \(attempt) failed\(took): \(reason.description); next one in \(durationText(delay))"
      ]
    case .failed(let reason):
      let isTolerated: TerminalSafe = state.isTolerated(id) ? "; the run goes on" : ""
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

  /// The time of day, as in `12:00:01.234`.
  private func clock(_ time: Timestamp) -> String {
    String(time.advanced(by: offset(time)).description.dropFirst(11).prefix(12)) + prefix
  }
}

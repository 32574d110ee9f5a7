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
  /// What stands behind the time, to tell runs from one another.
  private let prefix: String
  /// How far local time is ahead of UTC at a moment.
  private let offset: @Sendable (Timestamp) -> Duration

  init(
    style: Style, prefix: String = "", offset: @escaping @Sendable (Timestamp) -> Duration
  ) {
    self.style = style
    self.prefix = prefix
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
  mutating func text(for event: Event) -> String {
    if case .step(let id, _, .output(_, let text, isPartial: false)) = event.kind,
      let text = prefixed(text, with: outputPrefix(id, event.time))
    {
      note(event)
      return text
    }
    return lines(for: event).map { $0 + "\n" }.joined()
  }

  private func outputPrefix(_ id: String, _ time: Timestamp) -> String {
    "\(clock(time)) \(TerminalText.sanitized(id)) \(style.hasUnicode ? "│" : "|") "
  }

  /// Puts a prefix before each line and a line feed behind it; nil where the text has to be looked at
  /// more closely.
  private func prefixed(_ text: String, with prefix: String) -> String? {
    let bytes = Array(text.utf8)
    let lineFeed = UInt8(ascii: "\n")
    guard bytes.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == lineFeed }) else { return nil }
    let prefix = Array(prefix.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count * 2)
    var rest = bytes[...]
    while true {
      let end = rest.firstIndex(of: lineFeed) ?? rest.endIndex
      result += prefix
      result += rest[..<end]
      result.append(lineFeed)
      guard end < rest.endIndex else { break }
      rest = rest[(end + 1)...]
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The lines for the next event.
  ///
  /// None has control characters.
  mutating func lines(for event: Event) -> [String] {
    var startedAt: Timestamp?
    if case .step(let id, _, _) = event.kind { startedAt = state[id]?.startedAt }
    guard (try? state.apply(event)) != nil else { return [] }
    let time = clock(event.time)
    switch event.kind {
    case .runStarted(let plan):
      let count = plan.steps.count
      let name = TerminalText.sanitized(plan.workflow)
      return [
        "\(time) run \(event.run) of \(name) started: \(count) \(count == 1 ? "step" : "steps")"
      ]
    case .runResumed(let plan):
      return ["\(time) run \(event.run) of \(TerminalText.sanitized(plan.workflow)) resumed"]
    case .runRestarting: return ["\(time) restarting: waiting for what has to stop"]
    case .generationStarted: return ["\(time) generation \(event.generation) started"]
    case .runCancelling(let cause): return ["\(time) cancelling \(cause)"]
    case .runEnded(let outcome): return ["\(time) run \(ending(outcome, event))"]
    case .step(let id, let attempt, let stepEvent):
      return stepLines(id, attempt, stepEvent, event, startedAt).map {
        "\(time) \(TerminalText.sanitized(id)) \($0)"
      }
    }
  }

  /// A sign of life: what runs, and for how long.
  func signOfLife(at now: Timestamp) -> String? {
    let running = state.steps.filter { $0.phase == .running }
    guard state.phase.isUnderWay, !running.isEmpty else { return nil }
    let names = running.prefix(5).map { step in
      let time = step.startedAt.map { durationText(now - $0) } ?? ""
      return "\(TerminalText.sanitized(step.id)) (\(time))"
    }
    let more = running.count > 5 ? " and \(running.count - 5) more" : ""
    return "\(clock(now)) still running: " + names.joined(separator: ", ") + more
  }

  private func stepLines(
    _ id: String, _ attempt: Int, _ stepEvent: Event.StepEvent, _ event: Event,
    _ startedAt: Timestamp?
  ) -> [String] {
    let took = startedAt.map { " after \(durationText(event.time - $0))" } ?? ""
    switch stepEvent {
    case .ready: return []
    case .waiting(let text):
      return [
        "waits for approval: \(TerminalText.sanitized(text)); approve it with: "
          + "reprise approve \(event.run) \(TerminalText.sanitized(id))"
      ]
    case .approved: return ["approved"]
    case .progress: return []
    case .started:
      let label = state.label(of: id).map { " (\(TerminalText.sanitized($0)))" } ?? ""
      return ["started" + label + (attempt > 1 ? ", attempt \(attempt)" : "")]
    case .output(_, let text, let isPartial):
      guard !isPartial else { return [] }
      let bar = style.hasUnicode ? "│" : "|"
      return text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        .map { "\(bar) \(TerminalText.sanitized(String($0) ?? ""))" }
    case .succeeded: return ["succeeded" + took]
    case .retrying(let reason, let delay):
      return [
        "attempt \(attempt) failed\(took): " + TerminalText.sanitized(reason.description)
          + "; next one in \(durationText(delay))"
      ]
    case .failed(let reason):
      let isTolerated = state.isTolerated(id) ? "; the run goes on" : ""
      return ["failed" + took + ": " + TerminalText.sanitized(reason.description) + isTolerated]
    case .cancelled(let cause): return ["cancelled \(TerminalText.sanitized(cause.description))"]
    case .skipped(let reason, _): return ["skipped: \(TerminalText.sanitized(reason))"]
    }
  }

  private func ending(_ outcome: RunOutcome, _ event: Event) -> String {
    let took = state.startedAt.map { " after \(durationText(event.time - $0))" } ?? ""
    return switch outcome {
    case .succeeded: "succeeded" + took
    case .failed(let step, _): "failed" + took + ", first at \(TerminalText.sanitized(step))"
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

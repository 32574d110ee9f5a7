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
  /// How far local time is ahead of UTC at a moment.
  private let offset: @Sendable (Timestamp) -> Duration

  init(style: Style, offset: @escaping @Sendable (Timestamp) -> Duration) {
    self.style = style
    self.offset = offset
  }

  /// The lines for the next event.
  ///
  /// None has control characters.
  mutating func lines(for event: Event) -> [String] {
    let earlier = state
    guard (try? state.apply(event)) != nil else { return [] }
    let time = clock(event.time)
    switch event.kind {
    case .runStarted(let plan):
      let count = plan.steps.count
      let name = TerminalText.sanitized(plan.workflow)
      return [
        "\(time) run \(event.run) of \(name) started: \(count) \(count == 1 ? "step" : "steps")"
      ]
    case .runRestarting: return ["\(time) restarting: waiting for what has to stop"]
    case .generationStarted: return ["\(time) generation \(event.generation) started"]
    case .runCancelling(let cause): return ["\(time) cancelling \(cause)"]
    case .runEnded(let outcome): return ["\(time) run \(ending(outcome, event))"]
    case .step(let id, _, let stepEvent):
      return stepLines(id, stepEvent, event, earlier).map {
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
    _ id: String, _ stepEvent: Event.StepEvent, _ event: Event, _ earlier: RunState
  ) -> [String] {
    let took = earlier[id]?.startedAt.map { " after \(durationText(event.time - $0))" } ?? ""
    switch stepEvent {
    case .ready: return []
    case .started: return ["started"]
    case .output(_, let text, let isPartial):
      guard !isPartial else { return [] }
      let bar = style.hasUnicode ? "│" : "|"
      return text.split(separator: "\n", omittingEmptySubsequences: false)
        .map { "\(bar) \(TerminalText.sanitized(String($0)))" }
    case .succeeded: return ["succeeded" + took]
    case .failed(let reason):
      return ["failed" + took + ": " + TerminalText.sanitized(reason.description)]
    case .cancelled(let cause): return ["cancelled \(TerminalText.sanitized(cause.description))"]
    case .skipped(let reason): return ["skipped: \(TerminalText.sanitized(reason))"]
    }
  }

  private func ending(_ outcome: RunOutcome, _ event: Event) -> String {
    let took = state.startedAt.map { " after \(durationText(event.time - $0))" } ?? ""
    return switch outcome {
    case .succeeded: "succeeded" + took
    case .failed(let step, _): "failed" + took + ", first at \(TerminalText.sanitized(step))"
    case .cancelled: "cancelled" + took
    case .timedOut: "timed out" + took
    }
  }

  /// The time of day, as in `12:00:01.234`.
  private func clock(_ time: Timestamp) -> String {
    String(time.advanced(by: offset(time)).description.dropFirst(11).prefix(12))
  }
}

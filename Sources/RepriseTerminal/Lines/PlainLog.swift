// Renders the events of a run as plain lines, for pipes and logs. Pure.

import Reprise

/// Renders events as lines: one for each transition and each line of output.
///
/// Folds the events into a state, to know how long steps took.
struct PlainLog {
  /// The maximum time without output before a sign of life.
  static let silenceMax: Duration = .seconds(15)
  /// The maximum number of running steps that a sign of life names.
  private static let namesMax = 5

  private(set) var state = RunState()
  private let style: Style
  private var column: StepColumn
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
    column = StepColumn(nil, style: style)
    self.prefix = prefix
    self.joinedAt = joinedAt
    self.offset = offset
  }

  /// Applies an event without rendering it; one that cannot follow the last ones is left out, since a
  /// display never ends a run.
  mutating func note(_ event: Event) { try? apply(event) }

  /// Takes a state without its events, for a log of which only the state is read.
  mutating func take(_ state: RunState) { self.state = state }

  private mutating func apply(_ event: Event) throws(InvalidTransition) {
    try state.apply(event)
    switch event.kind {
    case .runStarted(let plan), .runResumed(let plan), .runReloaded(let plan, _):
      column = StepColumn(plan, style: style)
    case .step(_, _, .expanded):
      column = StepColumn(state.plan, style: style)
    default: break
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

  /// The number of lines of an event, at least one.
  static func lineCount(of event: Event) -> Int {
    guard case .step(_, _, .output(_, let text, isPartial: _)) = event.kind else { return 1 }
    return 1 + text.utf8.count { $0 == UInt8(ascii: "\n") }
  }

  /// Takes events whose lines are not shown.
  ///
  /// - Returns: The number of lines of output among them.
  mutating func pass(_ events: ArraySlice<Event>) -> Int {
    var count = 0
    for event in events {
      if case .step(_, _, .output) = event.kind { count += Self.lineCount(of: event) }
      note(event)
    }
    return count
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

  private mutating func outputPrefix(_ id: String, _ time: Timestamp) -> TerminalSafe {
    "\(clock(time)) \(column.name(id, in: state)) \(bar) "
  }

  private var bar: TerminalSafe { style.coloured(style.hasUnicode ? "│" : "|", .dim) }

  /// Returns the lines for the next event, without control characters.
  mutating func lines(for event: Event) -> [TerminalSafe] {
    var startedAt: Timestamp?
    if case .step(let id, _, _) = event.kind { startedAt = state[id]?.startedAt }
    guard (try? apply(event)) != nil else { return [] }
    let time = clock(event.time)
    if case .step(let id, let attempt, let stepEvent) = event.kind {
      let lines = stepLines(id, attempt, stepEvent, event, startedAt)
      guard !lines.isEmpty else { return [] }
      let beginning: TerminalSafe = "\(time) \(column.name(id, in: state)) "
      return lines.map { beginning + $0 }
    }
    return [time + " " + runLine(event)]
  }

  private func runLine(_ event: Event) -> TerminalSafe {
    switch event.kind {
    case .runStarted(let plan):
      let count = plan.steps.count
      let name = plan.workflow
      return "run \(event.run) of \(name) started: \(countText(count, "step"))"
    case .runResumed(let plan): return "run \(event.run) of \(plan.workflow) resumed"
    case .runRestarting:
      return style.coloured("restarting", .yellow)
        + "\(origin(of: event)): waiting for running steps to stop"
    case .generationStarted:
      return "generation \(event.generation) started\(origin(of: event))"
    case .runCancelling(let cause):
      return style.coloured("cancelling", .yellow) + " \(state.text(of: cause))\(origin(of: event))"
    case .runEnded(let outcome): return "run " + ending(outcome, event)
    case .runNotice(let text): return style.coloured("notice", .yellow) + ": \(text)"
    case .runReloaded, .runPaused, .runUnpaused, .step:
      return "\(event.kind.description)\(origin(of: event))"
    }
  }

  /// Returns from which steps and by whom something was asked, after a space; empty if unknown.
  private func origin(of event: Event) -> TerminalSafe {
    guard let requester = event.by else { return "" }
    var steps: TerminalSafe = ""
    if case .step = event.kind {
    } else if let named = requester.steps, !named.isEmpty {
      // None, if what has changed in the workflow restarts.
      steps = " from \(named.joined(separator: ", "))"
    }
    let comment: TerminalSafe = requester.comment.map { ": \($0)" } ?? ""
    return "\(steps) by \(requester.description)\(comment)"
  }

  /// Returns a sign of life: the running steps, and for how long they have been running.
  ///
  /// Steps with a known duration are followed by it. Nil if there was output recently, or if no step
  /// is running but services that are ready.
  func heartbeat(at now: Timestamp, lastWrite: Timestamp) -> TerminalSafe? {
    guard now - lastWrite >= Self.silenceMax, state.phase.isActive else { return nil }
    // That a service is up is no news.
    let running = state.steps.indices.filter {
      state.steps[$0].phase == .running && state.steps[$0].readyAt == nil
        && state.steps[$0].waitsUntil != .whenStopped
    }
    guard !running.isEmpty else { return nil }
    let names = running.prefix(Self.namesMax).map { position -> TerminalSafe in
      let step = state.steps[position]
      let time = step.startedAt.map { durationText(now - $0) } ?? ""
      let usual: TerminalSafe =
        state.plan?.steps[position].usualSeconds.map {
          ", usually \(durationText(.seconds($0)))"
        } ?? ""
      return "\(state.shortTitle(of: step.id)) (\(time)\(usual))"
    }
    let rest = running.count - names.count
    let more: TerminalSafe = rest > 0 ? " and \(rest) more" : ""
    return clock(now) + " "
      + style.coloured("still running: \(names.joined(separator: ", "))\(more)", .dim)
  }

  private func stepLines(
    _ id: String, _ attempt: Int, _ stepEvent: Event.StepEvent, _ event: Event,
    _ startedAt: Timestamp?
  ) -> [TerminalSafe] {
    let took: TerminalSafe = startedAt.map { " after \(durationText(event.time - $0))" } ?? ""
    switch stepEvent {
    case .waiting, .progress, .used, .wrote: return []
    case .repeating(let round, let delay):
      return ["\(round.description) done\(took); next in \(durationText(delay))"]
    case .pausing(.whenStopped): return ["waits until the run is stopped"]
    case .pausing(let end): return ["waits for \(durationText(end - event.time))"]
    case .awaitingApproval(let text):
      let advice: TerminalSafe = ": \(text); approve it with: reprise approve \(event.run) \(id)"
      return [style.coloured("waits for approval", .yellow) + advice]
    case .queued(let place, let text):
      guard !text.isEmpty || place.job != nil else { return [] }
      let reason = text.isEmpty ? "" : ": \(text)"
      return [style.coloured("queued", .dim) + " on \(place.title)\(reason)"]
    case .waitingForPool(_, let text): return [style.coloured("queued", .dim) + ": \(text)"]
    case .ready: return [style.coloured("ready", .green) + took]
    case .outOfSight, .inSight: return [style.coloured("\(stepEvent.description)", .yellow)]
    // Its items tell when they start and end.
    case .started where isFan(id), .succeeded where isFan(id) && event.by == nil: return []
    case .started(let host):
      let label: TerminalSafe =
        state.name(of: id) == id ? state.label(of: id).map { " (\($0))" } ?? "" : ""
      let machine: TerminalSafe = host.map { " on \($0)" } ?? ""
      return ["started" + label + (attempt > 1 ? ", attempt \(attempt)" : "") + machine]
    case .output(_, let text, let isPartial):
      guard !isPartial else { return [] }
      return text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        .map { bar + " " + TerminalSafe(String($0) ?? "", keepsColours: style.hasColour) }
    case .leftBehind(let command):
      return ["ended: \(command), left behind by \"\(state.name(of: id))\""]
    case .succeeded:
      if event.by == nil { return [style.coloured("succeeded", .green) + took] }
      return [style.coloured("set to succeeded", .green) + origin(of: event)]
    case .retrying(let reason, let delay):
      let text: TerminalSafe = "\(took): \(reason.description); retrying in \(durationText(delay))"
      return [style.coloured("attempt \(attempt) failed", .red) + text]
    case .failed(let reason):
      let isTolerated: TerminalSafe = state.isTolerated(id) ? "; the run continues" : ""
      let text: TerminalSafe = "\(took): \(reason.description)\(origin(of: event))\(isTolerated)"
      return [style.coloured("failed", .red) + text]
    case .cancelling:
      return [style.coloured("\(stepEvent.description)", .yellow) + origin(of: event)]
    case .cancelled:
      let text = state[id].flatMap { state.endText(of: $0) } ?? ""
      return [style.coloured(TerminalSafe(text), .yellow) + origin(of: event)]
    case .skipped(let reason, _):
      return [style.coloured("skipped: \(reason.description)", .dim) + origin(of: event)]
    case .approved, .expanded: return ["\(stepEvent.description)\(origin(of: event))"]
    }
  }

  private func isFan(_ id: String) -> Bool {
    state.position(ofStep: id).map { state.plan?.steps[$0].template != nil } ?? false
  }

  private func ending(_ outcome: RunOutcome, _ event: Event) -> TerminalSafe {
    let took: TerminalSafe = state.startedAt.map { " after \(durationText(event.time - $0))" } ?? ""
    return switch outcome {
    case .succeeded: style.coloured("succeeded", .green) + took
    case .skipped(let reason): style.coloured("skipped", .yellow) + ": \(reason)"
    case .failed(let step, _):
      style.coloured("failed", .red) + "\(took), first at \(state.name(of: step))"
    case .cancelled: style.coloured("cancelled", .yellow) + took
    case .interrupted: style.coloured("interrupted", .yellow) + took
    case .timedOut: style.coloured("timed out", .red) + took
    case .abandoned: style.coloured("abandoned", .red) + took
    }
  }

  /// Returns the time of day, such as `12:00:01.234`.
  private func clock(_ time: Timestamp) -> TerminalSafe {
    let text = time.advanced(by: offset(time)).description.dropFirst(11).prefix(12)
    return style.coloured("\(text)\(prefix)", .dim)
  }
}

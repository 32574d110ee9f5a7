// Renders the rows below the tree: the output of a failure, the summary, questions and keys.

import Reprise

extension TreeView {
  private var dot: TerminalSafe { style.hasUnicode ? " · " : ", " }

  private var outcome: RunOutcome? {
    if case .ended(let outcome) = state.phase { outcome } else { nil }
  }

  /// Returns the rows below the tree.
  func footer(columns: Int, rows: Int) -> [Row] {
    var footer = [summary(columns)]
    if outcome == nil, let watch { footer.append(watch.summary) }
    guard outcome == nil || options.staysAfterEnd, options.hasKeys else { return footer }
    let waiting = state.steps.filter { $0.approval != nil }
    if options.question == nil {
      let asked = waiting.first { $0.id == options.chosen } ?? waiting.first
      if let asked { footer += approvalRows(asked, waiting.count, columns) }
    }
    if let question = options.question {
      // The end of a long question is what it asks.
      let lines = ("\(question)  y/n" as TerminalSafe).lines.flatMap {
        $0.wrapped(to: columns, linesMax: 4)
      }
      footer += lines.suffix(max(1, rows / 2)).map { Row($0, .yellow) }
    } else if let notice = options.notice {
      footer += notice.lines.prefix(max(1, rows / 2)).map { Row($0, .yellow) }
    }
    if options.showsHelp {
      let places: [KeyBinding.Place] = watch == nil ? [.steps] : [.steps, .watch]
      let help = KeyBinding.helpRows(places, columns: columns)
      let room = max(1, rows - footer.count - 6)
      footer += help.prefix(room).map { Row($0, .dim) }
      if help.count > room { footer.append(Row("enlarge the window to see all keys", .dim)) }
    } else {
      footer.append(Row(keys, .dim))
    }
    return footer
  }

  /// The most important keys at this moment.
  private var keys: TerminalSafe {
    var keys: [TerminalSafe]
    if options.staysAfterEnd {
      keys = ["r \(outcome == .succeeded ? "run again" : "resume")", "R restart from step"]
      keys += ["Enter log", "e edit", "q quit"]
    } else if options.chosen != nil {
      keys = ["Enter log", "R restart from it", "C cancel it", "r restart all", "c cancel all"]
    } else {
      let arrows: TerminalSafe = style.hasUnicode ? "↑ ↓ choose" : "j k choose"
      keys = [arrows, "r restart", "c cancel", "s output"]
    }
    if let watch { keys += ["T trigger", watch.status.isPaused ? "P continue" : "P pause"] }
    return (keys + ["? help"]).joined(separator: dot)
  }

  private func summary(_ columns: Int) -> Row {
    let counts = state.counts
    // Cancelled and skipped steps have ended too, but do not count as done.
    let done = counts.succeeded + counts.failed
    var parts: [TerminalSafe] = ["\(done) of \(state.steps.count) done"]
    for (count, word) in [
      (counts.running, "running"), (counts.ready, "ready"), (counts.failed, "failed"),
      (counts.cancelled, "cancelled"), (counts.skipped, "skipped"),
    ] where count > 0 { parts.append("\(count) \(word)") }
    let text = parts.joined(separator: dot)
    guard let outcome else {
      let time = state.startedAt.map { "   \(tickingText(now - $0))" as TerminalSafe } ?? ""
      let rest = options.expectedRest.map { rest -> TerminalSafe in
        let sign: TerminalSafe = style.hasUnicode ? "≈ " : "~ "
        return dot + sign + TerminalSafe(clockText(rest)) + " left"
      }
      return Row(parts: [
        (columns < 60 ? "" : bar(partDone, width: 10) + " ", .cyan), (text, nil),
        (rest ?? "", nil), (time, nil),
      ])
    }
    let took = state.startedAt.flatMap { start in state.phaseChangedAt.map { $0 - start } } ?? .zero
    let run: TerminalSafe = state.run.map { "   run \($0)" } ?? ""
    return Row(parts: [
      (word(for: outcome), outcome == .succeeded ? .green : outcome == .cancelled ? .yellow : .red),
      ("  \(text)   \(elapsedText(took))", nil), (run, .dim),
    ])
  }

  /// The part of the run that is done, from 0 to 1: by time if the rest is known, else by steps.
  private var partDone: Double {
    if let rest = options.expectedRest, let startedAt = state.generationStartedAt {
      let elapsed = max(.zero, now - startedAt)
      return elapsed / max(elapsed + rest, .milliseconds(1))
    }
    return Double(state.counts.final) / Double(max(1, state.steps.count))
  }

  private func word(for outcome: RunOutcome) -> TerminalSafe {
    switch outcome {
    case .succeeded: "succeeded"
    case .failed: "failed"
    case .cancelled: "cancelled"
    case .timedOut: "timed out"
    case .abandoned: "abandoned"
    }
  }

  /// Returns the keys that answer an approval, and its text if the tree may cut it.
  ///
  /// Users must not have to approve a text that they cannot read.
  private func approvalRows(_ step: StepState, _ count: Int, _ columns: Int) -> [Row] {
    let text: TerminalSafe = "\(step.id): \(step.approval ?? "")"
    let widthOfOthers = 2 + nameWidthMax(columns) + 2 + 7 + 2 + "waits for approval: ".count
    let isWhole = widthOfOthers + text.width <= columns && !options.hidesSteps
    let question = isWhole ? [] : text.wrapped(to: columns, linesMax: 4).map { Row($0, .yellow) }
    let more: TerminalSafe =
      count > 1 ? "\(dot)\(count - 1) more \(count == 2 ? "waits" : "wait")" : ""
    return question + [Row("a approve \(step.id)\(dot)x reject\(more)", .yellow)]
  }

  /// Returns the last lines of the step that failed last, while the run goes on.
  ///
  /// - Parameters:
  ///   - columns: The width of the window.
  ///   - room: The maximum number of rows; none if it is too small.
  /// - Returns: The rows; none while nothing has failed.
  func failureRows(columns: Int, room: Int) -> [Row] {
    guard outcome == nil || options.staysAfterEnd, room >= 2, state.counts.failed > 0 else {
      return []
    }
    let failed = state.steps.filter { step in
      if case .failed = step.phase { !state.isTolerated(step.id) } else { false }
    }
    guard
      let step = failed.max(by: {
        ($0.endedAt?.microseconds ?? 0) < ($1.endedAt?.microseconds ?? 0)
      }), case .failed(let reason) = step.phase
    else { return [] }
    let more: TerminalSafe = failed.count > 1 ? "\(dot)\(failed.count - 1) more failed" : ""
    let side: TerminalSafe = style.hasUnicode ? "│ " : "| "
    let lines = step.output.lines.suffix(min(8, room - 1))
    return [
      Row(parts: [("\(step.id) failed", .red), (": \(reason.description)\(more)", nil)])
    ]
      + lines.map { Row(parts: [(side, .red), (TerminalSafe($0.text), nil)]) }
  }
}

/// Returns a duration as on a clock: `0:42`, `12:05`, `1:02:03`.
func clockText(_ duration: Duration) -> String {
  let seconds = Int64((duration / .seconds(1)).rounded(.up))
  return seconds < 60
    ? "0:" + (seconds < 10 ? "0\(seconds)" : "\(seconds)")
    : elapsedText(.seconds(seconds))
}

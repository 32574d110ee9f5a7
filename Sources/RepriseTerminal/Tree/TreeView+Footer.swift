// Renders the rows below the tree: the output of a failure, the summary, questions and keys.

import Reprise

extension TreeView {
  private var dot: TerminalSafe { style.hasUnicode ? " · " : ", " }

  private var outcome: RunOutcome? {
    if case .ended(let outcome) = state.phase { outcome } else { nil }
  }

  /// Returns the rows below the tree, and the number of pages of the help.
  ///
  /// - Parameters:
  ///   - columns: The width of the window.
  ///   - room: The maximum number of rows, at least one; if not all fit, a question comes first.
  ///   - isScrolled: Whether some steps may not be shown because another one is chosen.
  /// - Returns: The rows and the pages.
  func footer(columns: Int, room: Int, isScrolled: Bool) -> (rows: [Row], helpPages: Int) {
    let summary = summary(columns)
    var others = outcome == nil ? watch.map { [$0.summary] } ?? [] : []
    guard outcome == nil || options.staysAfterEnd, options.hasKeys, !options.isLast else {
      return (Array(([summary] + others).prefix(room)), 1)
    }
    let waiting = state.steps.filter { $0.approval != nil }
    if options.question == nil && options.form == nil && options.helpPage == 0 {
      let asked = waiting.first { $0.id == options.chosen } ?? waiting.first
      if let asked { others += approvalRows(asked, waiting.count, columns, isScrolled: isScrolled) }
    }
    others += messageRows(columns: columns, room: max(1, room - 1))
    // What comes last matters most: the question, and the keys that answer it.
    let hasSummary = room > 1 || others.isEmpty
    let footer = (hasSummary ? [summary] : []) + Array(others.suffix(max(1, room - 1)))
    let left = room - footer.count
    guard options.helpPage > 0 else {
      return (footer + (left > 0 ? [Row(keys(columns: columns), .dim)] : []), 1)
    }
    let places: [KeyBinding.Place] = watch == nil ? [.steps] : [.steps, .watch]
    let help = helpRows(places, columns: columns, room: left)
    return (footer + help.rows, help.pages)
  }

  /// Returns the rows of the question, or else of the notice.
  func messageRows(columns: Int, room: Int) -> [Row] {
    if let form = options.form {
      return form.rows(style).suffix(room).map { Row($0.cut(to: columns), .yellow) }
    }
    let text = options.question.map { "\($0)  y/n" } ?? options.notice ?? ""
    let lines = text.lines.flatMap { $0.wrapped(to: columns, linesMax: 4) }
    // The end of a long question is what it asks.
    let shown = options.question == nil ? lines.prefix(room) : lines.suffix(room)
    return shown.map { Row($0, .yellow) }
  }

  /// Returns the chosen page of the help, and the number of pages.
  func helpRows(
    _ places: [KeyBinding.Place], columns: Int, room: Int
  ) -> (rows: [Row], pages: Int) {
    helpPage(
      KeyBinding.helpRows(places, columns: columns), number: options.helpPage, room: room, style)
  }

  /// The most important keys at this moment; those at the end are left out if they do not fit.
  private func keys(columns: Int) -> TerminalSafe {
    var keys: [TerminalSafe]
    if options.staysAfterEnd {
      keys = ["r \(outcome?.isSuccess == true ? "run again" : "resume")", "R restart from step"]
      keys += ["Enter log", "e edit", options.isFromList ? "q all runs" : "q quit"]
    } else if options.chosen != nil {
      keys = ["Enter log", "R restart from it", "C cancel it", "r restart all", "c cancel all"]
    } else {
      let arrows: TerminalSafe = style.hasUnicode ? "↑ ↓ choose" : "j k choose"
      keys = [arrows, "r restart", "c cancel", "s output"]
    }
    if options.isFromList, !options.staysAfterEnd { keys.append("q all runs") }
    if let watch { keys += ["T trigger", watch.status.isPaused ? "P continue" : "P pause"] }
    return fitting(keys, last: ["? help"], separator: dot, columns: columns)
  }

  private func summary(_ columns: Int) -> Row {
    guard let outcome else {
      let time = state.startedAt.map { "   \(tickingText(now - $0))" as TerminalSafe } ?? ""
      let rest = options.expectedRest.map { rest -> TerminalSafe in
        let sign: TerminalSafe = style.hasUnicode ? "≈ " : "~ "
        return dot + sign + TerminalSafe(clockText(max(rest, .seconds(1)))) + " left"
      }
      let tail = (rest ?? "") + time
      let bar: TerminalSafe = columns < 60 ? "" : bar(partDone, width: 10) + " "
      return Row(parts: [
        (bar, .cyan), (countsText(state.tally, columns: columns - bar.width - tail.width), nil),
        (tail, nil),
      ])
    }
    let took = state.startedAt.flatMap { start in state.phaseChangedAt.map { $0 - start } } ?? .zero
    let word = word(for: outcome)
    let time: TerminalSafe = "   \(elapsedText(took))"
    let text = "  " + countsText(state.tally, columns: columns - word.width - 2 - time.width) + time
    let run: TerminalSafe = state.run.map { "   run \($0)" } ?? ""
    let hasRoom = word.width + text.width + run.width <= columns
    return Row(parts: [
      (word, outcome.isSuccess ? .green : outcome == .cancelled ? .yellow : .red),
      (text, nil), (hasRoom ? run : "", .dim),
    ])
  }

  /// Returns the numbers of steps, which add up; those that matter least are left out if they do not fit.
  func countsText(_ tally: RunTally, columns: Int = .max) -> TerminalSafe {
    var parts = tally.others
    // The rest is then what has not been named.
    if tally.outstanding + tally.done == tally.total { parts = [] }
    func text() -> TerminalSafe {
      (["\(tally.done) of \(tally.total) done"] as [TerminalSafe]
        + parts.map { "\($0.count) \($0.word)" as TerminalSafe })
        .joined(separator: dot)
    }
    for word in ["waiting", "skipped", "not run", "cancelled", "running", "for approval", "failed"]
    where text().width > columns { parts.removeAll { $0.word == word } }
    return text()
  }

  /// The part of the run that is done, from 0 to 1: by time if the rest is known, else by steps.
  private var partDone: Double {
    let tally = state.tally
    if let rest = options.expectedRest, let startedAt = state.generationStartedAt {
      let elapsed = max(.zero, now - startedAt)
      return min(0.99, elapsed / max(elapsed + rest, .milliseconds(1)))
    }
    return Double(tally.over) / Double(max(1, tally.total))
  }

  private func word(for outcome: RunOutcome) -> TerminalSafe {
    switch outcome {
    case .succeeded: "succeeded"
    case .skipped: "skipped"
    case .failed: "failed"
    case .cancelled: "cancelled"
    case .interrupted: "interrupted"
    case .timedOut: "timed out"
    case .abandoned: "abandoned"
    }
  }

  /// Returns the keys that answer an approval, and its text if the tree may cut it.
  ///
  /// Users must not have to approve a text that they cannot read.
  private func approvalRows(
    _ step: StepState, _ count: Int, _ columns: Int, isScrolled: Bool
  ) -> [Row] {
    let text: TerminalSafe = "\(state.shortTitle(of: step.id)): \(step.approval ?? "")"
    let widthOfOthers = 2 + nameWidthMax(columns) + 2 + 7 + 2 + "waits for approval: ".count
    let isWhole = widthOfOthers + text.width <= columns && !options.hidesSteps && !isScrolled
    let question = isWhole ? [] : text.wrapped(to: columns, linesMax: 4).map { Row($0, .yellow) }
    let more: TerminalSafe =
      count > 1 ? "\(dot)\(count - 1) more \(count == 2 ? "waits" : "wait")" : ""
    return question + [
      Row("a approve \(state.shortTitle(of: step.id))\(dot)x reject\(more)", .yellow)
    ]
  }

  /// Returns the last lines of the step that failed first.
  ///
  /// - Parameters:
  ///   - columns: The width of the window.
  ///   - room: The maximum number of rows; none if it is too small.
  /// - Returns: The rows; none while nothing has failed.
  func failureRows(columns: Int, room: Int) -> [Row] {
    guard outcome == nil || options.staysAfterEnd, room >= 2, state.counts.failed > 0 else {
      return []
    }
    // The same as in the report at the end, and what Enter and R mean.
    guard let first = state.firstFailure, case .failed(let reason) = state.steps[first].phase else {
      return []
    }
    let step = state.steps[first]
    let count = state.steps.count { step in
      if case .failed = step.phase { !state.isTolerated(step.id) } else { false }
    }
    let more: TerminalSafe = count > 1 ? "\(dot)\(count - 1) more failed" : ""
    let side: TerminalSafe = style.hasUnicode ? "│ " : "| "
    let lines = step.output.lines.suffix(min(8, room - 1))
    return [
      Row(parts: [
        ("\(state.shortTitle(of: step.id)) failed", .red), (": \(reason.description)\(more)", nil),
      ])
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

// Renders the row of a step or a group.

import Reprise

extension TreeView {
  /// Returns the name of a row; for a `matrix` or `foreach` instance, its index and label.
  func name(of row: TreeRow) -> TerminalSafe {
    if let name = row.name { return TerminalSafe(state.plan?.groupNames[name] ?? name) }
    let id = state.steps[row.step].id
    if let name = state.plan?.steps[row.step].name { return TerminalSafe(name) }
    guard let label = state.plan?.steps[row.step].label else { return TerminalSafe(id) }
    let base = id.lastIndex(of: "[").map { String(id[$0...]) } ?? id
    return TerminalSafe("\(base) \(label)")
  }

  /// Returns the parts at the beginning of a row, the chosen one marked.
  private func beginning(_ row: TreeRow) -> [(TerminalSafe, Style.Colour?)] {
    id(of: row) == options.chosen
      ? [(style.hasUnicode ? "❯ " : "> ", .cyan), (TerminalSafe(row.guide), .dim)]
      : [("  \(row.guide)", .dim)]
  }

  private func name(of row: TreeRow, width: Int) -> (TerminalSafe, Style.Colour?) {
    let room = max(1, width - row.guide.count)
    let text = name(of: row).cutInTheMiddle(to: room).padded(to: room)
    return (" \(text)", id(of: row) == options.chosen ? .bold : nil)
  }

  /// Returns the row of a group: one row for all its members.
  func groupRow(_ row: TreeRow, width: Int) -> Row {
    let phase = phase(of: row)
    let glyph: TerminalSafe =
      phase == .running ? (style.hasUnicode ? "▸" : ">") : style.plainGlyph(phase, frame: 0)
    return Row(
      parts: beginning(row) + [
        (glyph, style.colour(phase)), name(of: row, width: width),
        ("  " + countsText(state.tally(of: row.members)), .dim),
      ])
  }

  /// Returns the row of a step.
  func stepRow(_ row: TreeRow, width: Int) -> Row {
    let step = state.steps[row.step]
    // All spinners turn together.
    let frame = Int((now.microseconds - (state.startedAt?.microseconds ?? 0)) / 100_000)
    let time = elapsed(of: step) ?? ""
    let usual = usualOfSlow(step)
    return Row(
      parts: beginning(row) + [
        (style.plainGlyph(step.phase, frame: frame), style.colour(step.phase)),
        name(of: row, width: width),
        ("  \(TerminalSafe.spaces(7 - time.count))\(time)", usual == nil ? .dim : .yellow),
        (usual.map { "  usually \(elapsedText(.seconds($0)))" } ?? "", .yellow),
        ("  " + remark(on: step), .dim),
      ])
  }

  private func elapsed(of step: StepState) -> String? {
    guard let startedAt = step.startedAt else { return nil }
    return step.endedAt.map { elapsedText($0 - startedAt) } ?? tickingText(now - startedAt)
  }

  /// The usual duration of a step that takes much longer than usual, in seconds.
  private func usualOfSlow(_ step: StepState) -> Double? {
    guard let startedAt = step.startedAt, let position = state.position(ofStep: step.id),
      let usual = state.plan?.steps[position].usualSeconds, usual >= 1
    else { return nil }
    let elapsed = ((step.endedAt ?? now) - startedAt) / .seconds(1)
    return elapsed > max(usual * 1.5, usual + 2) ? usual : nil
  }

  /// Returns the text after a step: its current line of output, or how it ended.
  private func remark(on step: StepState) -> TerminalSafe {
    switch step.phase {
    case .failed(let reason):
      let isTolerated: TerminalSafe = state.isTolerated(step.id) ? "; the run continues" : ""
      return "\(reason.description)\(isTolerated)"
    case .cancelled: return "\(state.endText(of: step) ?? "")"
    case .skipped(let reason, _): return "skipped: \(reason.description)" + setter(of: step)
    case .succeeded where step.isSetByHand: return "set by hand" + setter(of: step)
    case .running: return runningRemark(step)
    case .waiting: return waitingRemark(step)
    case .pending, .succeeded: return ""
    }
  }

  private func runningRemark(_ step: StepState) -> TerminalSafe {
    if let approval = step.approval { return "waits for approval: \(approval)" }
    let attempt: TerminalSafe =
      step.round.map { round -> TerminalSafe in "\(round.description)  " }
      ?? (step.attempt > 1 ? "attempt \(step.attempt)  " : "")
    let bar: TerminalSafe = bar(of: step).map { "\($0)  " } ?? ""
    if let text = step.progress?.text, !text.isEmpty { return "\(attempt)\(bar)\(text)" }
    if let reason = step.placement?.outOfSightBecause {
      return "\(attempt)\(bar)out of sight: \(reason)"
    }
    if step.isReady {
      let line: TerminalSafe =
        options.showsOutput ? step.output.current.map { "  \($0.text)" } ?? "" : ""
      return "\(attempt)ready\(line)"
    }
    let place: TerminalSafe = step.placement.map { "\($0.title)  " } ?? ""
    guard options.showsOutput, let line = step.output.current else { return attempt + bar + place }
    return "\(attempt)\(bar)\(place)\(line.text)"
  }

  private func waitingRemark(_ step: StepState) -> TerminalSafe {
    if let approval = step.approval { return "waits for approval: \(approval)" }
    if let wait = step.waitsForPool { return "\(wait.text)" }
    if let placement = step.placement, let reason = placement.queuedBecause {
      return "queued on \(placement.place.title)" + (reason.isEmpty ? "" : ": \(reason)")
    }
    if step.waitsUntil == .whenStopped { return "until the run is stopped" }
    if let end = step.waitsUntil { return "waits for \(countdownText(max(.zero, end - now)))" }
    if let pending = step.pendingRound, let round = step.round {
      let next = countdownText(min(pending.delay, pending.delay - (now - pending.endedAt)))
      return "\(round.description) in \(next)"
    }
    guard let retry = step.retry else { return "" }
    let next = countdownText(min(retry.delay, retry.delay - (now - retry.failedAt)))
    return "attempt \(step.attempt) \(retry.reason.description); retrying in \(next)"
  }

  /// Returns who set the result of a step from outside of this terminal, after a space.
  private func setter(of step: StepState) -> TerminalSafe {
    guard step.isSetByHand, let intervention = step.interventions.last else { return "" }
    return origin(intervention.by)
      + (intervention.by?.comment.map { ": \($0)" } ?? "")
  }

  /// Returns the progress bar of a step, as reported or else estimated from earlier runs.
  private func bar(of step: StepState) -> TerminalSafe? {
    let part: Double
    if let progress = step.progress {
      part = progress.part
    } else if let position = state.position(ofStep: step.id),
      let usual = state.plan?.steps[position].usualSeconds, usual >= 1,
      let startedAt = step.startedAt
    {
      // An estimate stays below 100%, since the step has not ended.
      part = max(0, min(0.95, (now - startedAt) / .seconds(1) / usual))
    } else {
      return nil
    }
    let percent = String(Int(min(max(0, part), 1) * 100))
    let guess: TerminalSafe = step.progress == nil ? (style.hasUnicode ? "≈" : "~") : " "
    return "\(bar(part, width: 10))\(guess)\(TerminalSafe.spaces(3 - percent.count))\(percent)%"
  }

  /// Returns a bar that is filled to a part, from 0 to 1.
  func bar(_ part: Double, width: Int) -> TerminalSafe {
    let filled = Int((min(max(0, part), 1) * Double(width)).rounded(.down))
    let (full, empty) = style.hasUnicode ? ("━", "─") : ("#", "-")
    return TerminalSafe(
      String(repeating: full, count: filled) + String(repeating: empty, count: width - filled))
  }
}

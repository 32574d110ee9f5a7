// Renders the state of a run as rows of text that fit the window. Pure: no terminal, no clock.

import Reprise

/// A frame of the tree display: the state of a run at one moment.
struct TreeView {
  /// The size of a window.
  struct Size: Sendable, Equatable {
    var columns: Int
    var rows: Int
  }

  /// The options that the user toggles with keys.
  struct Options: Sendable, Equatable {
    var showsOutput = true
    var showsHelp = false
    /// Whether the terminal can read keys.
    var hasKeys = true
    /// The reason why the last key had no effect.
    var refusal: TerminalSafe?
  }

  let state: RunState
  let now: Timestamp
  let style: Style
  let options: Options
  /// The watch that the run belongs to, if any.
  var watch: WatchRows?

  /// Returns the rows that fit the window.
  ///
  /// If space is short, finished steps are folded first, then pending ones; running and failed
  /// steps last. Linear in the number of steps; only visible rows are rendered.
  func lines(_ size: Size) -> [TerminalSafe] {
    guard let plan = state.plan else {
      guard let watch else { return [] }
      let rows = watch.idle + (options.hasKeys ? [watch.keys] : [])
      return rows.prefix(max(1, size.rows - 1)).map {
        $0.rendered(style, columns: size.columns - 1)
      }
    }
    let footer = footer(columns: size.columns - 1)
    let frame = header + bodyLines(treeRows(plan.outline, style), size, footer.count) + footer
    // Leave the last column empty: some terminals wrap after writing to it.
    return frame.map { $0.rendered(style, columns: size.columns - 1) }
  }

  /// A row before colouring: its parts, the last of which may be truncated.
  struct Row {
    var parts: [(text: TerminalSafe, colour: Style.Colour?)]

    func rendered(_ style: Style, columns: Int) -> TerminalSafe {
      var room = max(1, columns)
      var result: TerminalSafe = ""
      for part in parts where room > 0 {
        let text = part.text.cut(to: room)
        room -= text.width
        result += part.colour.map { style.coloured(text, $0) } ?? text
      }
      return result
    }
  }

  // MARK: Header and footer

  private var header: [Row] {
    let name = TerminalSafe(state.plan?.workflow ?? "")
    let generation: TerminalSafe = state.generation > 1 ? "  generation \(state.generation)" : ""
    return [
      Row(parts: [(name, .bold), (generation, .cyan), (waiting.map { "  \($0)" } ?? "", .yellow)])
    ]
  }

  /// The steps that a cancel or a restart is waiting for.
  private var waiting: TerminalSafe? {
    let verb: TerminalSafe
    switch state.phase {
    case .cancelling: verb = "cancelling"
    case .restarting: verb = "restarting"
    case .notStarted, .running, .ended: return nil
    }
    let names = state.steps.lazy.filter(\.phase.isActive).prefix(4).map { TerminalSafe($0.id) }
    guard !names.isEmpty else { return verb }
    let since: TerminalSafe = state.phaseChangedAt.map { ", \(tickingText(now - $0))" } ?? ""
    let more: TerminalSafe = names.count > 3 ? ", …" : ""
    return "\(verb): waiting for \(names.prefix(3).joined(separator: ", "))\(more)\(since)"
  }

  private func footer(columns: Int) -> [Row] {
    let counts = state.counts
    // Cancelled and skipped steps have ended too, but do not count as done.
    let done = counts.succeeded + counts.failed
    var parts: [TerminalSafe] = ["\(done) of \(state.steps.count) done"]
    for (count, word) in [
      (counts.running, "running"), (counts.ready, "ready"), (counts.failed, "failed"),
      (counts.cancelled, "cancelled"), (counts.skipped, "skipped"),
    ] where count > 0 { parts.append("\(count) \(word)") }
    let dot: TerminalSafe = style.hasUnicode ? " · " : ", "
    let time = state.startedAt.map { startedAt -> TerminalSafe in
      "   \(endOfRun.map { elapsedText($0 - startedAt) } ?? tickingText(now - startedAt))"
    }
    var rows = [Row(parts: [(parts.joined(separator: dot) + (time ?? ""), nil)])]
    guard endOfRun == nil else { return rows }
    if let watch { rows.append(watch.summary) }
    guard options.hasKeys else { return rows }
    if let step = state.steps.first(where: { $0.approval != nil }) {
      rows += questionRows(step.approval ?? "", step.id, columns)
      rows.append(Row(parts: [("a approve \(step.id)\(dot)x reject", .yellow)]))
    }
    if let refusal = options.refusal { rows.append(Row(parts: [(refusal, .yellow)])) }
    if options.showsHelp {
      rows += [
        "r  restart from the top: cancel running steps, wait for them, start again",
        "c  cancel; twice: kill at once       Ctrl-C does the same",
        "a  approve the step that waits for approval; x rejects it, which fails the step",
        "l  show or hide the output of running steps",
        "?  show or hide this help",
      ].map { Row(parts: [($0, .dim)]) }
      if watch != nil {
        rows.append(
          Row(parts: [("t  start a run now     p  pause or continue     Ctrl-C  quit", .dim)]))
      }
    } else {
      let keys: [TerminalSafe] =
        ["r restart", "c cancel", "l output"]
        + (watch == nil
          ? [] : ["t trigger", watch?.status.isPaused == true ? "p continue" : "p pause"])
      rows.append(Row(parts: [((keys + ["? help"]).joined(separator: dot), .dim)]))
    }
    return rows
  }

  /// Returns rows with the full text of an approval if its row in the tree may be too short.
  ///
  /// Users must not have to approve a text that they cannot read.
  private func questionRows(_ question: String, _ id: String, _ columns: Int) -> [Row] {
    let text: TerminalSafe = "\(id): \(question)"
    let widthOfOthers = 2 + nameWidthMax(columns) + 2 + 7 + 2 + "waits for approval: ".count
    guard widthOfOthers + text.width > columns else { return [] }
    return text.wrapped(to: columns, linesMax: 4).map {
      Row(parts: [($0, .yellow)])
    }
  }

  private var endOfRun: Timestamp? {
    if case .ended = state.phase { state.phaseChangedAt } else { nil }
  }

  // MARK: Steps

  private func bodyLines(_ rows: [TreeRow], _ size: Size, _ footerCount: Int) -> [Row] {
    // Header and footer are always shown, and the cursor needs the row below.
    let room = max(3, size.rows - header.count - footerCount - 1)
    let items = folded(rows, room: room)
    let widths = items.map { item in
      if case .step(let row) = item { row.guide.count + name(of: row).width } else { 0 }
    }
    let width = min(nameWidthMax(size.columns - 1), widths.max() ?? 0)
    return items.map { item in
      switch item {
      case .step(let row) where row.members.isEmpty: stepRow(row, width: width)
      case .step(let row): groupRow(row, width: width)
      case .fold(let text): Row(parts: [("  \(text)", .dim)])
      }
    }
  }

  /// The maximum number of columns for guides and names; the rest is for times and reasons.
  private func nameWidthMax(_ columns: Int) -> Int { min(40, max(16, columns - 44)) }

  private enum Item {
    case step(TreeRow)
    case fold(TerminalSafe)
  }

  /// Folds rows until the rest fits.
  ///
  /// Folds finished steps first, from the top, then pending ones from the bottom, then all others.
  /// Steps waiting for approval are folded after all others; the last of them is the step that the
  /// keys act on.
  private func folded(_ rows: [TreeRow], room: Int) -> [Item] {
    guard rows.count > room else { return rows.map(Item.step) }
    var isHidden = Array(repeating: false, count: rows.count)
    var excess = rows.count - room + 2
    func hide(
      _ positions: some Sequence<Int>, approvals: Bool = false, where matches: (StepPhase) -> Bool
    ) -> Int {
      var hidden = 0
      for position in positions where excess > 0 && !isHidden[position] {
        guard approvals || !waitsForApproval(rows[position]), matches(phase(of: rows[position]))
        else { continue }
        isHidden[position] = true
        hidden += 1
        excess -= 1
      }
      return hidden
    }
    let finished = hide(rows.indices) { phase in
      if case .failed = phase { false } else { phase.isFinal }
    }
    let waiting = hide(rows.indices.reversed()) { $0 == .pending || $0 == .ready }
    var others = hide(rows.indices.reversed()) { _ in true }
    others += hide(rows.indices.reversed(), approvals: true) { _ in true }
    let shown = rows.indices.filter { !isHidden[$0] }.map { Item.step(rows[$0]) }
    func steps(_ count: Int) -> TerminalSafe { count == 1 ? "1 step" : "\(count) steps" }
    let top = finished > 0 ? [Item.fold("\(steps(finished)) finished")] : []
    let below = [(waiting, "waiting"), (others, "not shown")].filter { $0.0 > 0 }
      .map { "\(steps($0.0)) \($0.1)" as TerminalSafe }.joined(separator: ", ")
    return top + shown + (below.isEmpty ? [] : [Item.fold(below)])
  }

  private func waitsForApproval(_ row: TreeRow) -> Bool {
    row.members.isEmpty && state.steps[row.step].approval != nil
  }

  /// Returns the name of a row; for a `matrix` or `foreach` instance, its index and label.
  private func name(of row: TreeRow) -> TerminalSafe {
    if let name = row.name { return TerminalSafe(name) }
    let id = state.steps[row.step].id
    guard let label = state.plan?.steps[row.step].label else { return TerminalSafe(id) }
    let base = id.lastIndex(of: "[").map { String(id[$0...]) } ?? id
    return TerminalSafe("\(base) \(label)")
  }

  /// Returns the phase shown for a row; for a group, the most important phase of its members.
  private func phase(of row: TreeRow) -> StepPhase {
    guard !row.members.isEmpty else { return state.steps[row.step].phase }
    let phases = row.members.map { state.steps[$0].phase }
    return phases.max { weight($0) < weight($1) } ?? .pending
  }

  private func weight(_ phase: StepPhase) -> Int {
    switch phase {
    case .skipped: 0
    case .succeeded: 1
    case .cancelled: 2
    case .pending: 3
    case .ready: 4
    case .running: 5
    case .failed: 6
    }
  }

  /// Returns the row of a group: one row for all its members.
  private func groupRow(_ row: TreeRow, width: Int) -> Row {
    let phase = phase(of: row)
    let done = row.members.count {
      switch state.steps[$0].phase {
      case .succeeded, .failed: true
      case .pending, .ready, .running, .cancelled, .skipped: false
      }
    }
    let name = name(of: row).cut(to: max(1, width - row.guide.count))
    let glyph: TerminalSafe =
      phase == .running ? (style.hasUnicode ? "▸" : ">") : style.plainGlyph(phase, frame: 0)
    return Row(parts: [
      ("  \(row.guide)", .dim), (glyph, style.colour(phase)),
      (" " + name.padded(to: width - row.guide.count), nil),
      ("  \(done) of \(row.members.count) done", .dim),
    ])
  }

  private func stepRow(_ row: TreeRow, width: Int) -> Row {
    let step = state.steps[row.step]
    let frame = Int((now.microseconds - (step.startedAt?.microseconds ?? 0)) / 1_000_000)
    let name = name(of: row).cut(to: max(1, width - row.guide.count))
    let time = elapsed(of: step) ?? ""
    return Row(parts: [
      ("  \(row.guide)", .dim),
      (style.plainGlyph(step.phase, frame: frame), style.colour(step.phase)),
      (" " + name.padded(to: width - row.guide.count), nil),
      ("  \(TerminalSafe.spaces(7 - time.count))\(time)", .dim),
      ("  " + remark(on: step), .dim),
    ])
  }

  private func elapsed(of step: StepState) -> String? {
    guard let startedAt = step.startedAt else { return nil }
    return step.endedAt.map { elapsedText($0 - startedAt) } ?? tickingText(now - startedAt)
  }

  /// Returns the text after a step: its current line of output, or how it ended.
  private func remark(on step: StepState) -> TerminalSafe {
    switch step.phase {
    case .failed(let reason):
      let isTolerated: TerminalSafe = state.isTolerated(step.id) ? "; the run continues" : ""
      return "\(reason.description)\(isTolerated)"
    case .cancelled(let cause): return "cancelled \(cause.description)"
    case .skipped(let reason, _): return "skipped: \(reason)"
    case .running:
      let attempt: TerminalSafe = step.attempt > 1 ? "attempt \(step.attempt)  " : ""
      let bar: TerminalSafe = bar(of: step).map { "\($0)  " } ?? ""
      if let text = step.progress?.text, !text.isEmpty {
        return "\(attempt)\(bar)\(text)"
      }
      guard options.showsOutput, let line = step.output.current else { return attempt + bar }
      return "\(attempt)\(bar)\(line.text)"
    case .ready:
      if let approval = step.approval {
        return "waits for approval: \(approval)"
      }
      guard let retry = step.retry else { return "" }
      let next = tickingText(min(retry.delay, retry.delay - (now - retry.failedAt)))
      return "attempt \(step.attempt) \(retry.reason.description); retrying in \(next)"
    case .pending, .succeeded: return ""
    }
  }
}

extension TreeView {
  /// Returns the progress bar of a step, as reported or else estimated from earlier runs.
  fileprivate func bar(of step: StepState) -> String? {
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
    let width = 10
    let filled = Int((part * Double(width)).rounded(.down))
    let (full, empty) = style.hasUnicode ? ("━", "─") : ("#", "-")
    let percent = String(Int(part * 100))
    let guess = step.progress == nil ? (style.hasUnicode ? "≈" : "~") : " "
    return String(repeating: full, count: filled) + String(repeating: empty, count: width - filled)
      + guess + String(repeating: " ", count: 3 - percent.count) + percent + "%"
  }
}

extension TreeView {
  /// Returns when the current whole second of the run began, and the time until the next one.
  ///
  /// Rendering at that moment makes all times tick together, and yields the same frame for a whole
  /// second if nothing happens.
  static func second(
    of state: RunState, at now: Timestamp
  ) -> (beginning: Timestamp, untilNext: Duration) {
    let second: Int64 = 1_000_000
    let elapsed = max(0, now.microseconds - (state.startedAt ?? now).microseconds)
    return (
      now.advanced(by: .microseconds(-(elapsed % second))),
      .microseconds(second - elapsed % second)
    )
  }
}

/// Returns the duration of a running step in whole seconds: `4s`, `1:05`, `2:03:10`.
func tickingText(_ duration: Duration) -> String {
  duration < .seconds(60) ? "\(max(0, duration.components.seconds))s" : elapsedText(duration)
}

/// Returns a duration in a short form: `0.4s`, `59.9s`, `1:05`, `2:03:10`.
func elapsedText(_ duration: Duration) -> String {
  let tenths = max(
    0, duration.components.seconds * 10 + duration.components.attoseconds / 100_000_000_000_000_000)
  let seconds = tenths / 10
  func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
  return switch seconds {
  case ..<60: "\(seconds).\(tenths % 10)s"
  case ..<3600: "\(seconds / 60):\(twoDigits(seconds % 60))"
  default: "\(seconds / 3600):\(twoDigits(seconds / 60 % 60)):\(twoDigits(seconds % 60))"
  }
}

// Renders the history of a run as a timeline: a bar per step, generations as bands. Pure.

package import Reprise

/// A timeline of a run.
///
/// Takes recorded times and the current one, so it renders a live run as well as a recorded one.
/// Pauses between the end of a generation and a resume are left out.
package struct Timeline {
  private let history: RunHistory
  private let path: CriticalPathText?
  private let now: Timestamp
  private let style: Style
  /// The start of each generation, and the time to leave out before it.
  private let pauses: [(start: Timestamp, total: Duration)]
  /// The generation in which each step of the critical path ran last.
  private let criticalGenerations: [String: Int]
  private let begin: Timestamp
  private let length: Duration

  /// Creates a timeline.
  ///
  /// - Parameters:
  ///   - history: The history of the run.
  ///   - state: The state of the run, for its critical path.
  ///   - now: The end of what has not ended.
  ///   - style: The capabilities of the terminal.
  init(_ history: RunHistory, _ state: RunState, now: Timestamp, style: Style) {
    self.history = history
    path = CriticalPathText(state, stepsMin: 1)
    self.now = now
    self.style = style
    var total = Duration.zero
    var pauses: [(Timestamp, Duration)] = []
    var last: RunHistory.Generation?
    for generation in history.generations {
      if generation.beginning == .resumed, let end = last?.endedAt {
        total += generation.startedAt - end
      }
      pauses.append((generation.startedAt, total))
      last = generation
    }
    self.pauses = pauses
    // The path goes through the last attempt of each of its steps.
    var lastGenerations: [String: Int] = [:]
    for generation in history.generations {
      for attempt in generation.attempts { lastGenerations[attempt.step] = generation.number }
    }
    let ids = path?.ids ?? []
    criticalGenerations = lastGenerations.filter { ids.contains($0.key) }
    begin = history.generations.first?.startedAt ?? now
    let end = last.map { $0.endedAt ?? now } ?? now
    length = max(end - begin - total, .milliseconds(1))
  }

  /// Creates a timeline for an output.
  ///
  /// - Parameters:
  ///   - history: The history of the run.
  ///   - state: The state of the run, for its critical path.
  ///   - now: The end of what has not ended.
  ///   - isTerminal: Whether the output is a terminal, which may have colours.
  ///   - environment: The environment with `TERM`, `NO_COLOR` and so on, and the locale.
  package init(
    _ history: RunHistory, _ state: RunState, now: Timestamp, isTerminal: Bool,
    environment: [String: String]
  ) {
    let style = Style(environment: environment, isTerminal: isTerminal)
    self.init(history, state, now: now, style: style)
  }

  /// Returns the lines of the timeline.
  ///
  /// - Parameter columns: The number of columns of the output.
  /// - Returns: The lines, at most that wide.
  package func lines(columns: Int) -> [TerminalSafe] {
    entries(columns: columns, chosen: nil).map { $0.line() }
  }

  /// Returns the rows of a window: those around the chosen step, or else the last ones.
  ///
  /// - Parameters:
  ///   - size: The size of the window.
  ///   - chosen: The id of a step.
  /// - Returns: At most as many rows as the window has.
  func window(_ size: WindowSize, around chosen: String?) -> [TerminalSafe] {
    let columns = size.columns - 1
    let room = max(0, size.rows - 1)
    let entries = entries(columns: columns, chosen: chosen)
    let position = entries.lastIndex { $0.step != nil && $0.step == chosen } ?? entries.count
    let start = max(0, min(position - room / 2, entries.count - room))
    let foot: TerminalSafe =
      style.hasUnicode
      ? "↑ ↓ choose · Enter log · ? help · Esc close" : "j k choose, Enter log, ? help, Esc close"
    return entries.dropFirst(start).prefix(room).map { $0.line() }
      + [Row(foot, .dim).rendered(style, columns: columns)]
  }

  /// A line, which is rendered only if it is shown, and its step.
  private typealias Entry = (step: String?, line: () -> TerminalSafe)

  private func entries(columns: Int, chosen: String?) -> [Entry] {
    let bands = history.generations.map { Band($0, labels: labels, now: now) }
    guard let first = bands.first else { return [] }
    func entry(_ line: @autoclosure @escaping () -> TerminalSafe) -> Entry { (nil, line) }
    let isOne = bands.count == 1
    let names = bands.flatMap { $0.rows.map(\.name.width) } + (isOne ? [] : [13])
    let nameWidth = min(names.max() ?? 0, max(8, columns / 3))
    let width = max(8, columns - nameWidth - 4 - Self.timeWidth)
    var lines: [Entry] = []
    var earlier: RunHistory.Generation?
    for band in bands {
      if !isOne {
        lines.append(entry(title(of: band, nameWidth, width)))
        if earlier != nil {
          let words: TerminalSafe = "  \(band.generation.words(after: earlier))"
          lines.append(entry(style.coloured(words.cut(to: columns), .dim)))
        }
      }
      lines += band.rows.map { row in
        let isChosen = row.step == chosen
        let number = band.generation.number
        return (row.step, { line(of: row, in: number, nameWidth, width, isChosen: isChosen) })
      }
      earlier = band.generation
    }
    if first.rows.isEmpty && isOne { return [entry("no step has started")] }
    if let path {
      let text: TerminalSafe = "* \(path.title): \(path.line(hasUnicode: style.hasUnicode))"
      lines += [entry(""), entry(style.coloured(text.cut(to: columns), .cyan))]
    }
    return lines
  }

  /// The number of columns of a duration.
  private static let timeWidth = 9

  private var labels: [String: String] {
    Dictionary(
      (history.plan?.steps ?? []).compactMap { step in
        (step.name ?? step.label.map { "\(step.id) (\($0))" }).map { (step.id, $0) }
      }
    ) { first, _ in first }
  }

  // MARK: Rows

  private func title(of band: Band, _ nameWidth: Int, _ width: Int) -> TerminalSafe {
    let generation = band.generation
    let end = generation.endedAt ?? now
    var cells = Cells(width)
    cells.fill(from: cell(generation.startedAt, width), to: cell(end, width), with: .band)
    let name: TerminalSafe = "generation \(generation.number)"
    let text = "  " + name.cut(to: nameWidth).padded(to: nameWidth) + "  "
    return style.coloured(text, .bold) + cells.text(style, isCritical: false)
      + aligned(end - generation.startedAt, to: Self.timeWidth)
  }

  private func line(
    of row: Bar, in generation: Int, _ nameWidth: Int, _ width: Int, isChosen: Bool
  ) -> TerminalSafe {
    var cells = Cells(width)
    for span in row.spans {
      cells.fill(from: cell(span.start, width), to: cell(span.end, width), with: span.kind)
    }
    let isCritical = criticalGenerations[row.step] == generation
    let mark: TerminalSafe =
      isChosen
      ? style.coloured(style.hasUnicode ? "❯ " : "> ", .cyan) : isCritical ? "* " : "  "
    let time = row.spans.reduce(Duration.zero) { $0 + ($1.kind.isWork ? $1.duration : .zero) }
    return mark + row.name.cut(to: nameWidth).padded(to: nameWidth) + "  "
      + cells.text(style, isCritical: isCritical) + aligned(time, to: Self.timeWidth)
  }

  /// Returns the position of a moment in bars of a width.
  private func cell(_ time: Timestamp, _ width: Int) -> Double {
    let pause = pauses.last { $0.start <= time }?.total ?? .zero
    return (time - begin - pause) / length * Double(width)
  }
}

/// A generation and the rows of its steps.
private struct Band {
  let generation: RunHistory.Generation
  let rows: [Bar]

  init(_ generation: RunHistory.Generation, labels: [String: String], now: Timestamp) {
    self.generation = generation
    var positions: [String: Int] = [:]
    var rows: [Bar] = []
    func add(_ step: String, _ spans: [Bar.Span]) {
      if let position = positions[step] {
        rows[position].spans += spans
      } else {
        positions[step] = rows.count
        rows.append(Bar(step: step, label: labels[step], spans: spans))
      }
    }
    for approval in generation.approvals {
      let end = approval.answeredAt ?? now
      add(approval.step, [Bar.Span(start: approval.askedAt, end: end, kind: .approval)])
    }
    for attempt in generation.attempts {
      var spans: [Bar.Span] = []
      if let start = attempt.waitingSince {
        spans.append(Bar.Span(start: start, end: attempt.startedAt, kind: .waiting))
      }
      let end = attempt.endedAt ?? now
      spans.append(Bar.Span(start: attempt.startedAt, end: end, kind: .work(attempt.phase)))
      add(attempt.step, spans)
    }
    self.rows = rows.sorted { $0.beginning < $1.beginning }
  }
}

/// The bar of one step in one generation.
private struct Bar {
  struct Span {
    let start: Timestamp
    let end: Timestamp
    let kind: Cell

    var duration: Duration { end - start }
  }

  let step: String
  let label: String?
  var spans: [Span]

  var beginning: Timestamp { spans.map(\.start).min() ?? Timestamp(microseconds: 0) }
  var name: TerminalSafe { TerminalSafe(label ?? step) }
}

/// What a bar shows in one column.
private enum Cell: Equatable {
  case empty
  case waiting
  case approval
  case work(StepPhase)
  case band

  var isWork: Bool { if case .work = self { true } else { false } }

  /// Whether the cell shows something that takes precedence over waiting in the same column.
  var isStrong: Bool { isWork || self == .band || self == .approval }

  func glyph(_ style: Style) -> TerminalSafe {
    switch self {
    case .empty: " "
    case .waiting: style.hasUnicode ? "·" : "."
    case .approval: "?"
    case .band: style.hasUnicode ? "─" : "-"
    case .work(.failed): style.hasUnicode ? "▓" : "x"
    case .work(.cancelled): style.hasUnicode ? "▒" : "/"
    case .work(.running): style.hasUnicode ? "▶" : ">"
    case .work: style.hasUnicode ? "█" : "#"
    }
  }

  func colour(isCritical: Bool) -> Style.Colour? {
    switch self {
    case .empty: nil
    case .waiting, .band: .dim
    case .approval: .yellow
    case .work(.failed): .red
    case .work(.cancelled): .yellow
    case .work: isCritical ? .cyan : .green
    }
  }
}

/// The columns of a bar.
private struct Cells {
  private var cells: [Cell]

  init(_ width: Int) {
    cells = Array(repeating: .empty, count: width)
  }

  /// Fills at least one column.
  mutating func fill(from start: Double, to end: Double, with cell: Cell) {
    guard end >= start, !cells.isEmpty else { return }
    let limit = Double(cells.count)
    let first = min(Int(max(0, min(start, limit))), cells.count - 1)
    let last = min(max(first, Int(max(0, min(end, limit)).rounded(.up)) - 1), cells.count - 1)
    for column in first...last where cell.isStrong || cells[column] == .empty {
      cells[column] = cell
    }
  }

  func text(_ style: Style, isCritical: Bool) -> TerminalSafe {
    var result: TerminalSafe = ""
    var rest = cells[...]
    while let cell = rest.first {
      let run = rest.prefix { $0 == cell }
      let text = run.map { $0.glyph(style) }.joined()
      result += cell.colour(isCritical: isCritical).map { style.coloured(text, $0) } ?? text
      rest = rest.dropFirst(run.count)
    }
    return result
  }
}

/// Returns a duration aligned at the right of a number of columns.
private func aligned(_ duration: Duration, to columns: Int) -> TerminalSafe {
  let text = TerminalSafe(durationText(duration))
  return .spaces(columns - text.width) + text
}

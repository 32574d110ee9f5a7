// Renders the list of runs as rows of text that fill the window. Pure: no terminal, no clock.

import Reprise

/// A frame of the list of runs.
struct RunsView {
  let list: RunsList
  let style: Style

  /// The rows of the window, and what keys need to know of it.
  struct Frame {
    var rows: [TerminalSafe]
    /// The number of runs that are shown at once.
    var pageRows = 1
    /// The number of pages of the help.
    var helpPages = 1
  }

  private var dot: TerminalSafe { style.hasUnicode ? " · " : ", " }

  /// Returns the rows that fit a window; the chosen run is always among them.
  func frame(_ size: WindowSize) -> Frame {
    // Leave the last column empty: some terminals wrap after writing to it.
    let columns = size.columns - 1
    let shown = list.shown
    var (footer, helpPages) = footer(columns, room: max(1, size.rows - 3))
    if size.rows < 4 { footer = Array(footer.suffix(1)) }
    let head = size.rows < 4 ? [] : [header(shown.count)]
    let room = max(1, size.rows - footer.count - head.count - 1)
    let first = first(of: shown, room: room)
    let visible = Array(shown.dropFirst(first).prefix(room))
    var rows = head
    if size.rows > footer.count + head.count + 1 { rows += table(visible, columns) }
    // The keys stay at the bottom of the window.
    let gap = max(0, size.rows - rows.count - footer.count)
    rows += [Row](repeating: Row(""), count: gap) + footer
    return Frame(
      rows: rows.prefix(size.rows).map { $0.rendered(style, columns: columns) }, pageRows: room,
      helpPages: helpPages)
  }

  /// The number of the first run that is shown, so that the chosen one is in the middle if it can be.
  private func first(of shown: [RunEntry], room: Int) -> Int {
    let chosen = shown.firstIndex { $0.id == list.chosen } ?? 0
    return min(max(0, chosen - room / 2), max(0, shown.count - room))
  }

  private func header(_ shownCount: Int) -> Row {
    let live = list.entries.count { $0.isLive }
    let all = list.entries.count
    let counts: TerminalSafe =
      shownCount == all ? "\(countText(all, "run"))" : "\(shownCount) of \(all) runs"
    return Row(parts: [
      ("Runs", .bold), ("  \(live) live\(dot)\(counts)", .dim),
      (list.filter.isEmpty ? "" : "  /\(list.filter)", .yellow),
    ])
  }

  /// The heads and the runs; columns that do not fit are left out, the least important first.
  private func table(_ entries: [RunEntry], _ columns: Int) -> [Row] {
    let all: [(head: TerminalSafe, least: Int, text: (RunEntry) -> TerminalSafe)] = [
      ("RUN", 1, { TerminalSafe($0.id) }), ("WORKFLOW", 0, { TerminalSafe($0.workflow) }),
      ("STATE", 0, { $0.generation > 1 ? "\($0.state) (\($0.generation))" : "\($0.state)" }),
      ("REQUESTED", 3, { TerminalSafe($0.requested) }),
      ("TOOK", 2, { TerminalSafe($0.took ?? "") }),
    ]
    let widths = all.map { column in
      min(
        column.head == "WORKFLOW" ? max(12, columns / 4) : .max,
        (entries.map { column.text($0).width } + [column.head.width]).max() ?? 0)
    }
    var kept = Array(all.indices)
    for least in [3, 2, 1]
    where kept.reduce(2, { $0 + widths[$1] + 2 }) > columns {
      kept.removeAll { all[$0].least == least }
    }
    func cells(_ text: (Int) -> TerminalSafe) -> [TerminalSafe] {
      kept.map { text($0).cutInTheMiddle(to: widths[$0]).padded(to: widths[$0]) + "  " }
    }
    let heads = Row("  " + cells { all[$0].head }.joined(), .dim)
    return [heads]
      + entries.map { entry in
        let isChosen = entry.id == list.chosen
        let mark: TerminalSafe = isChosen ? (style.hasUnicode ? "❯ " : "> ") : "  "
        let parts = zip(kept, cells { all[$0].text(entry) }).map { number, text in
          let colour: Style.Colour? =
            all[number].head == "STATE" ? entry.standing.colour : isChosen ? .bold : nil
          return (text, colour)
        }
        return Row(parts: [(mark, .cyan)] + parts + [(TerminalSafe(entry.activity), .dim)])
      }
  }

  private func footer(_ columns: Int, room: Int) -> (rows: [Row], helpPages: Int) {
    let text =
      list.question.map { "\($0.text)  y/n" as TerminalSafe } ?? list.notice
      ?? (list.isTyping ? "/\(list.filter)" : list.entries.isEmpty ? "no run is recorded yet" : "")
    let message = text.lines.flatMap { $0.wrapped(to: columns, linesMax: 4) }
      .suffix(max(1, room - 1)).map { Row($0, .yellow) }
    guard list.helpPage > 0 else { return (message + [Row(keys(columns), .dim)], 1) }
    let help = helpPage(
      KeyBinding.helpRows([.runs], columns: columns), number: list.helpPage,
      room: room - message.count, style)
    return (message + help.rows, help.pages)
  }

  private func keys(_ columns: Int) -> TerminalSafe {
    let arrows: TerminalSafe = style.hasUnicode ? "↑ ↓ choose" : "j k choose"
    let again: TerminalSafe = list.chosenEntry.map { $0.isLive ? "r restart" : "r resume" } ?? "r"
    return fitting(
      [arrows, "Enter open", "/ filter", again, "c cancel", "p pause", "q quit"], last: ["? help"],
      separator: dot, columns: columns)
  }
}

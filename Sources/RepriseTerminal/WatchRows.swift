// The state of a watch as rows of text. Pure: no terminal, no clock.

import Reprise

/// What is shown of a watch, below the run that is under way or alone.
struct WatchRows {
  let status: WatchStatus
  let style: Style
  /// How far local time is ahead of UTC at a moment.
  let offset: @Sendable (Timestamp) -> Duration

  /// What is waited for, when no run is under way.
  var idle: [TreeView.Row] {
    var rows = [
      TreeView.Row(parts: [
        (TerminalSafe(status.workflow), .bold),
        (status.isPaused ? "  paused" : "  waiting for:", status.isPaused ? .yellow : .dim),
      ])
    ]
    rows += status.triggers.prefix(8).map { trigger in
      TreeView.Row(parts: [("  \(trigger)", nil)])
    }
    return rows + [summary]
  }

  /// The queue, the next time and the counts, in one row.
  var summary: TreeView.Row {
    let dot: TerminalSafe = style.hasUnicode ? " · " : ", "
    var parts: [TerminalSafe] = []
    if status.waiting > 0 {
      let more = status.waiting - status.waitingFor.count
      let names = status.waitingFor.map { TerminalSafe($0) }.joined(separator: "; ")
      parts.append(
        "\(status.waiting) waiting (\(names)\(more > 0 ? "; \(more) more" : "" as TerminalSafe))")
    }
    if let last = status.last { parts.append("last: \(last)") }
    if let next = status.next { parts.append("next at \(clock(next))") }
    let counts = status.counts
    parts.append("\(counts.runs) \(counts.runs == 1 ? "run" : "runs")")
    for (count, word) in [
      (counts.restarts, counts.restarts == 1 ? "restart" : "restarts"), (counts.folded, "folded"),
      (counts.dropped, "dropped"),
    ] where count > 0 { parts.append("\(count) \(word)") }
    let isPaused = status.isPaused && !status.runs.isEmpty
    return TreeView.Row(parts: [
      (isPaused ? "paused" + dot : "", .yellow), (parts.joined(separator: dot), .dim),
    ])
  }

  /// The keys of a watch that has no run under way.
  var keys: TreeView.Row {
    let dot: TerminalSafe = style.hasUnicode ? " · " : ", "
    return TreeView.Row(parts: [
      (
        ["t trigger now", status.isPaused ? "p go on" : "p pause", "Ctrl-C end"]
          .joined(separator: dot), .dim
      )
    ])
  }

  /// A moment of the next day as its time, any other with its day.
  private func clock(_ moment: Timestamp) -> String {
    let local = moment.advanced(by: offset(moment)).description
    return local.prefix(10) + " " + local.dropFirst(11).prefix(8)
  }
}

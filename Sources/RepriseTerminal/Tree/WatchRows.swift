// Renders the status of a watch as rows of text. Pure: no terminal, no clock.

import Reprise

/// The rows of a watch, shown below the current run or alone.
struct WatchRows {
  let status: WatchStatus
  let style: Style
  /// Returns the offset of local time from UTC at a moment.
  let offset: @Sendable (Timestamp) -> Duration

  /// The triggers that the watch waits for, shown while no run is in progress.
  var idle: [Row] {
    var rows = [
      Row(parts: [
        (TerminalSafe(status.workflow), .bold),
        (status.isPaused ? "  paused" : "  waiting for:", status.isPaused ? .yellow : .dim),
      ])
    ]
    rows += status.triggers.prefix(8).map { trigger in
      Row(parts: [("  \(trigger)", nil)])
    }
    return rows + [summary]
  }

  /// One row with the queue, the next scheduled time and the counts.
  var summary: Row {
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
    parts.append("\(countText(counts.runs, "run"))")
    for (count, word) in [
      (counts.restarts, counts.restarts == 1 ? "restart" : "restarts"), (counts.folded, "folded"),
      (counts.dropped, "dropped"),
    ] where count > 0 { parts.append("\(count) \(word)") }
    let isPaused = status.isPaused && !status.runs.isEmpty
    return Row(parts: [
      (isPaused ? "paused" + dot : "", .yellow), (parts.joined(separator: dot), .dim),
    ])
  }

  /// The keys of a watch without a current run.
  var keys: Row {
    let dot: TerminalSafe = style.hasUnicode ? " · " : ", "
    return Row(parts: [
      (
        ["T trigger now", status.isPaused ? "P continue" : "P pause", "Ctrl-C quit"]
          .joined(separator: dot), .dim
      )
    ])
  }

  /// Returns a moment as local date and time.
  private func clock(_ moment: Timestamp) -> String {
    let local = moment.advanced(by: offset(moment)).description
    return local.prefix(10) + " " + local.dropFirst(11).prefix(8)
  }
}

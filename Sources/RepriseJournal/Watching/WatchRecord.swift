// The records of watches, and the queries for them.

package import Reprise
import SQLite

/// A workflow that is or was watched.
package struct WatchRecord: Sendable, Equatable {
  /// The name of the workflow.
  package let workflow: String
  /// The absolute path of its file.
  package let file: String
  /// The start time of the last watch.
  package let startedAt: Timestamp
  /// Whether a process is watching the workflow.
  package let isLive: Bool
  /// The number of queued events.
  package let waiting: Int
  /// The counts of events by result.
  package let counts: WatchCounts
}

extension Journal {
  /// Returns the workflows that are or were watched, sorted by name.
  ///
  /// - Throws: ``JournalError``.
  package func watches() throws(JournalError) -> [WatchRecord] {
    try explaining {
      try database.read { connection in
        try connection.rows(
          """
          SELECT name, file, started_at, \(WatchCounts.columns),
            (SELECT count(*) FROM watch_event WHERE watch = watch.number) AS waiting
          FROM watch ORDER BY name
          """)
      }
    }.compactMap { row in
      guard let name = row["name"].text,
        let file = row["file"].text,
        let startedAt = row["started_at"].integer,
        let waiting = row["waiting"].integer.map(Int.init)
      else { return nil }
      return WatchRecord(
        workflow: name, file: file, startedAt: Timestamp(microseconds: startedAt),
        isLive: FileLock.isHeld(directory.watchLockPath(of: name)), waiting: waiting,
        counts: WatchCounts(row))
    }
  }

  /// Returns the interrupted runs of a watch, oldest first, whose events are not handled yet.
  ///
  /// - Parameter workflow: The name of the watched workflow.
  /// - Returns: The runs.
  /// - Throws: ``JournalError``.
  package func interruptedRuns(ofWatch workflow: String) throws(JournalError) -> [RunRecord] {
    try explaining {
      try database.read { connection in
        try connection.rows(
          """
          SELECT \(RunRow.columns) FROM run WHERE workflow = ? AND outcome = ? ORDER BY number
          """, workflow, RunStatus.interrupted.rawValue)
      }
    }.compactMap { try? record($0) }
      .filter { $0.request.options[WatchCounts.optionOfRuns] == workflow }
  }
}

extension WatchCounts {
  /// The option of a run that names the watch that started it.
  package static let optionOfRuns = "watch"

  /// The columns of the counts.
  static let columns = "accepted, folded, dropped, runs, restarts"

  init(_ row: Row) {
    self.init()
    accepted = row["accepted"].integer.map(Int.init) ?? 0
    folded = row["folded"].integer.map(Int.init) ?? 0
    dropped = row["dropped"].integer.map(Int.init) ?? 0
    runs = row["runs"].integer.map(Int.init) ?? 0
    restarts = row["restarts"].integer.map(Int.init) ?? 0
  }
}

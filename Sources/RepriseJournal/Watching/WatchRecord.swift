// Watched workflows as the journal lists them. Knows no events.

package import Reprise
import SQLite

/// A workflow that is or was watched.
package struct WatchRecord: Sendable, Equatable {
  /// The name of the workflow.
  package let workflow: String
  /// The absolute path of its file.
  package let file: String
  /// When the last watch began.
  package let startedAt: Timestamp
  /// Whether a process watches it now.
  package let isLive: Bool
  /// How many events wait.
  package let waiting: Int
  /// What has become of the others.
  package let counts: WatchCounts
}

extension Journal {
  /// The workflows that are or were watched, by name.
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

  /// The runs of a watch whose engines died, oldest first: their events are not handled to the end.
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
  /// The option under which a run that a watch started names it.
  package static let optionOfRuns = "watch"

  /// The columns that it is read from.
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

// Decodes a run from a row of the journal.

import Reprise
import SQLite

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The columns of a run.
enum RunRow {
  static let columns = """
    number, id, workflow, file, directory, source, options, concurrency_group, process, requested_at,
    generation, ended_at, outcome
    """
}

extension Journal {
  /// Decodes a run.
  ///
  /// - Parameter row: A row with all columns of ``RunRow``.
  /// - Returns: The run.
  /// - Throws: ``JournalError`` if the row is invalid.
  func record(_ row: Row) throws(JournalError) -> RunRecord {
    let number = row["number"].integer
    let name = row["id"].text ?? "number \(number.map(String.init) ?? "?")"
    guard let number,
      let id = row["id"].text.flatMap({ RunID($0) }),
      let workflow = row["workflow"].text,
      let file = row["file"].text,
      let folder = row["directory"].text,
      let source = row["source"].text,
      let optionsText = row["options"].text,
      let options = try? JSONDecoder().decode([String: String].self, from: Data(optionsText.utf8)),
      let process = row["process"].integer.map(Int.init),
      let requestedAt = row["requested_at"].integer,
      let generation = row["generation"].integer.map(Int.init)
    else { throw JournalError("the record of run \(name) is damaged") }
    var (endedAt, outcome) = (row["ended_at"].integer, row["outcome"].text)
    let isAlive = endedAt == nil && isLive(id)
    // It may have ended since the row was read: an engine records the end before it gives back the lock.
    if endedAt == nil, !isAlive { (endedAt, outcome) = try end(ofRun: number) }
    let status: RunStatus
    if endedAt == nil {
      let waits = generation == 0 || outcome == RunStatus.queued.rawValue
      status = isAlive ? (waits ? .queued : .running) : .interrupted
    } else {
      let outcome = outcome ?? ""
      guard let ended = RunStatus(rawValue: outcome) else {
        throw JournalError(
          "the record of run \(name) is damaged: its outcome is \"\(outcome)\"")
      }
      status = ended
    }
    return RunRecord(
      number: number, id: id,
      request: RunRequest(
        workflow: workflow, file: file, directory: folder, source: source, options: options,
        group: row["concurrency_group"].text),
      requestedAt: Timestamp(microseconds: requestedAt),
      endedAt: endedAt.map(Timestamp.init(microseconds:)), process: process,
      generation: generation, status: status)
  }

  /// Reads the end of a run, as it is recorded now.
  private func end(ofRun number: Int64) throws(JournalError) -> (Int64?, outcome: String?) {
    let rows = try explaining {
      try database.read { connection in
        try connection.rows("SELECT ended_at, outcome FROM run WHERE number = ?", number)
      }
    }
    return (rows.first?["ended_at"].integer, rows.first?["outcome"].text)
  }
}

// A run as a row of the journal. Knows nothing of the database's connection.

import GRDB
import Reprise

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is read of a run.
enum RunRow {
  static let columns = """
    number, id, workflow, file, directory, source, options, concurrency_group, process, requested_at,
    generation, ended_at, outcome
    """
}

extension Journal {
  /// The run of a row.
  ///
  /// - Parameter row: A row with all columns of ``RunRow``.
  /// - Returns: The run.
  /// - Throws: ``JournalError`` when the row makes no sense.
  func record(_ row: Row) throws(JournalError) -> RunRecord {
    let name = String.fromDatabaseValue(row["id"]) ?? "of number \(row["number"] as DatabaseValue)"
    guard let number = Int64.fromDatabaseValue(row["number"]),
      let id = String.fromDatabaseValue(row["id"]).flatMap({ RunID($0) }),
      let workflow = String.fromDatabaseValue(row["workflow"]),
      let file = String.fromDatabaseValue(row["file"]),
      let folder = String.fromDatabaseValue(row["directory"]),
      let source = String.fromDatabaseValue(row["source"]),
      let optionsText = String.fromDatabaseValue(row["options"]),
      let options = try? JSONDecoder().decode([String: String].self, from: Data(optionsText.utf8)),
      let process = Int.fromDatabaseValue(row["process"]),
      let requestedAt = Int64.fromDatabaseValue(row["requested_at"]),
      let generation = Int.fromDatabaseValue(row["generation"])
    else { throw JournalError("the record of the run \(name) is damaged") }
    let endedAt = Int64.fromDatabaseValue(row["ended_at"])
    let status: RunStatus
    if endedAt == nil {
      status = isLive(id) ? (generation == 0 ? .queued : .running) : .interrupted
    } else {
      let outcome = String.fromDatabaseValue(row["outcome"]) ?? ""
      guard let ended = RunStatus(rawValue: outcome) else {
        throw JournalError(
          "the record of the run \(name) is damaged: its outcome is \"\(outcome)\"")
      }
      status = ended
    }
    return RunRecord(
      number: number, id: id,
      request: RunRequest(
        workflow: workflow, file: file, directory: folder, source: source, options: options,
        group: String.fromDatabaseValue(row["concurrency_group"])),
      requestedAt: Timestamp(microseconds: requestedAt),
      endedAt: endedAt.map(Timestamp.init(microseconds:)), process: process,
      generation: generation, status: status)
  }
}

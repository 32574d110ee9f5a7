// A run as a row of the journal. Knows nothing of the database's connection.

import Reprise
import SQLite

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
    let number = row["number"].integer
    let name = row["id"].text ?? "of number \(number.map(String.init) ?? "?")"
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
    else { throw JournalError("the record of the run \(name) is damaged") }
    let endedAt = row["ended_at"].integer
    let status: RunStatus
    if endedAt == nil {
      status = isLive(id) ? (generation == 0 ? .queued : .running) : .interrupted
    } else {
      let outcome = row["outcome"].text ?? ""
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
        group: row["concurrency_group"].text),
      requestedAt: Timestamp(microseconds: requestedAt),
      endedAt: endedAt.map(Timestamp.init(microseconds:)), process: process,
      generation: generation, status: status)
  }
}

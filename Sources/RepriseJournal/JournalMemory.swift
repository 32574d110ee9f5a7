// Remembers steps that are up to date, in the database of the journal.

package import Reprise
import SQLite

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The memory of the steps of one workflow file.
package struct JournalMemory: ProjectMemory {
  private let journal: Journal
  private let file: String

  /// Creates the memory of a file.
  ///
  /// - Parameters:
  ///   - journal: The journal that stores the memory.
  ///   - file: The absolute path of the workflow file.
  package init(_ journal: Journal, file: String) {
    self.journal = journal
    self.file = file
  }

  /// Returns the trace of a step; nil if there is none, or if it cannot be read.
  package func recall(_ step: String) -> StepTrace? {
    let trace = try? journal.database.read { connection in
      try connection.value("SELECT trace FROM memory WHERE file = ? AND step = ?", file, step)
    }
    return trace?.text.flatMap {
      try? JSONDecoder().decode(StepTrace.self, from: Data($0.utf8))
    }
  }

  /// Returns the traces of all steps of the file; those that cannot be read are left out.
  package func recallAll() -> [String: StepTrace] {
    let rows = try? journal.database.read { connection in
      try connection.rows("SELECT step, trace FROM memory WHERE file = ?", file)
    }
    var traces: [String: StepTrace] = [:]
    for row in rows ?? [] {
      guard let step = row[0].text, let text = row[1].text else { continue }
      traces[step] = try? JSONDecoder().decode(StepTrace.self, from: Data(text.utf8))
    }
    return traces
  }

  /// Returns whether a run is going on; false if that is not known.
  package func isLive(_ run: RunID) -> Bool {
    (try? journal.run(named: run.description))?.status.isLive ?? false
  }

  /// Returns the traces of the steps of other files; those that cannot be read are left out.
  package func recallOthers() -> [StepTrace] {
    let rows = try? journal.database.read { connection in
      try connection.rows("SELECT trace FROM memory WHERE file <> ?", file)
    }
    return (rows ?? []).compactMap { row in
      row[0].text.flatMap { try? JSONDecoder().decode(StepTrace.self, from: Data($0.utf8)) }
    }
  }

  /// Stores the trace of a step.
  package func remember(_ trace: StepTrace, of step: String) throws {
    let json = String(decoding: try JSONEncoder().encode(trace), as: UTF8.self)
    try journal.explaining {
      try journal.database.write { connection in
        try connection.execute(
          "INSERT OR REPLACE INTO memory (file, step, trace) VALUES (?, ?, ?)", file, step, json)
      }
    }
  }
}

// The care of old runs: what dead engines left, and what nobody needs any more.

package import Reprise
import SQLite

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Journal {
  /// Finds the runs whose engines have died and records them as interrupted.
  ///
  /// Only the runs that nobody holds are touched: whoever holds one either drives it or is still
  /// clearing up after it.
  ///
  /// - Parameter clearUp: Called once with the runs found and the notes of their engines, to end what
  ///   they left behind, while this process holds them.
  /// - Returns: Their ids.
  /// - Throws: ``JournalError``.
  @discardableResult
  package func recover(_ clearUp: ([DeadRun]) -> Void) throws(JournalError) -> [RunID] {
    var held: [(id: RunID, lock: FileLock)] = []
    for (id, process) in try unendedRuns() {
      // A lock whose holder was just killed is free when the kernel has taken that process apart.
      let lock = try FileLock.take(directory.lockPath(of: id), within: Self.dyingHolderWait) {
        process.map(isDying) ?? false
      }
      if let lock { held.append((id, lock)) }
    }
    guard !held.isEmpty else { return [] }
    // An engine may have ended its run between the look and the lock, and be alive: with other runs, which
    // whoever clears up would end.
    let unended = Set(try unendedRuns().map(\.id))
    held.removeAll { !unended.contains($0.id) }
    guard !held.isEmpty else { return [] }
    clearUp(held.map { DeadRun(id: $0.id, note: $0.lock.noted) })
    try explaining {
      try database.write { connection in
        for (id, _) in held {
          // When it died nobody knows; the last that is known of it is its last event.
          try connection.execute(
            """
            UPDATE run SET outcome = ?, ended_at = coalesce(
              (SELECT max(time) FROM event WHERE event.run = run.number), requested_at)
            WHERE id = ? AND ended_at IS NULL
            """, RunStatus.interrupted.rawValue, id.description)
        }
      }
    }
    return held.map(\.id)
  }

  /// How long the lock of a run is waited for whose process is gone or going.
  private static let dyingHolderWait = Duration.seconds(1)

  private func unendedRuns() throws(JournalError) -> [(id: RunID, process: Int?)] {
    try explaining {
      try database.read { connection in
        try connection.rows("SELECT id, process FROM run WHERE ended_at IS NULL")
      }
    }.compactMap { row in
      row[0].text.flatMap { RunID($0) }.map { ($0, row[1].integer.map(Int.init)) }
    }
  }

  /// What the database finds wrong with its own file; nothing when it is whole.
  ///
  /// Reads the whole file.
  ///
  /// - Returns: A text for each problem.
  /// - Throws: ``JournalError``.
  package func integrityProblems() throws(JournalError) -> [String] {
    try explaining {
      try database.read { connection in try connection.rows("PRAGMA integrity_check") }
    }.compactMap(\.[0].text).filter { $0 != "ok" }
  }

  /// Forgets a run with its output, unless somebody holds it.
  ///
  /// - Returns: Whether it was forgotten.
  /// - Throws: ``JournalError``.
  package func remove(_ run: RunRecord) throws(JournalError) -> Bool {
    guard let lock = try FileLock.take(directory.lockPath(of: run.id)) else { return false }
    defer { withExtendedLifetime(lock) {} }
    // The files first: what is left of a removal that is cut short is found again.
    for path in [directory.logFolder(of: run.id), directory.socketPath(of: run.id)] {
      do {
        try FileManager.default.removeItem(atPath: path)
      } catch {
        guard FileManager.default.fileExists(atPath: path) else { continue }
        throw JournalError("\"\(path)\" cannot be removed: \(error)")
      }
    }
    try explaining {
      try database.write { connection in
        try connection.execute("DELETE FROM run WHERE number = ?", run.number)
      }
    }
    try? FileManager.default.removeItem(atPath: directory.lockPath(of: run.id))
    return true
  }
}

/// A run whose engine has died.
package struct DeadRun: Sendable, Equatable {
  /// The run.
  package let id: RunID
  /// What its engine has noted for whoever clears up after it.
  package let note: String
}

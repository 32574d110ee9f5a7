// Maintenance of the journal: recovers runs of dead engines, and removes old runs.

package import Reprise
import SQLite

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Journal {
  /// Finds the runs whose engines have died, and records them as interrupted.
  ///
  /// Skips runs whose lock is held: the holder either drives the run or is cleaning up after it.
  ///
  /// - Parameter clearUp: Called once, while this process holds the locks, with the runs found and
  ///   the notes of their engines; must kill leftover processes.
  /// - Returns: The ids of the runs.
  /// - Throws: ``JournalError``.
  @discardableResult
  package func recover(_ clearUp: ([DeadRun]) -> Void) throws(JournalError) -> [RunID] {
    var held: [(id: RunID, lock: FileLock)] = []
    for (id, process) in try unendedRuns() where !heldLocks.contains(id) {
      // The kernel releases the lock of a killed process only when it has torn the process down.
      let lock = try FileLock.take(directory.lockPath(of: id), within: Self.dyingHolderTimeout) {
        process.map(isDying) ?? false
      }
      if let lock { held.append((id, lock)) }
    }
    guard !held.isEmpty else { return [] }
    // A live engine may have ended its run between the query and the lock. Do not clean up after
    // it: that would kill the steps of its other runs.
    let unended = Set(try unendedRuns().map(\.id))
    held.removeAll { !unended.contains($0.id) }
    guard !held.isEmpty else { return [] }
    clearUp(held.map { DeadRun(id: $0.id, note: $0.lock.noted) })
    try explaining {
      try database.write { connection in
        for (id, _) in held {
          // The time of death is unknown; use the time of the last event.
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

  /// The maximum time to wait for the lock of a run whose process is dead or dying.
  private static let dyingHolderTimeout = Duration.seconds(1)

  private func unendedRuns() throws(JournalError) -> [(id: RunID, process: Int?)] {
    try explaining {
      try database.read { connection in
        try connection.rows("SELECT id, process FROM run WHERE ended_at IS NULL")
      }
    }.compactMap { row in
      row[0].text.flatMap { RunID($0) }.map { ($0, row[1].integer.map(Int.init)) }
    }
  }

  /// Checks the integrity of the database; reads the whole file.
  ///
  /// - Returns: A description of each problem; empty if there is none.
  /// - Throws: ``JournalError``.
  package func integrityProblems() throws(JournalError) -> [String] {
    try explaining {
      try database.read { connection in try connection.rows("PRAGMA integrity_check") }
    }.compactMap(\.[0].text).filter { $0 != "ok" }
  }

  /// Removes a run, its output and its folder, unless it is live or steps of it go on.
  ///
  /// The record is the only way to find such steps again: to adopt them, or to stop them.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - patience: How long to wait for the engine of a run that has ended, which shows the last output.
  /// - Returns: Whether the run was removed.
  /// - Throws: ``JournalError``.
  package func remove(
    _ run: RunRecord, within patience: Duration = .zero
  ) throws(JournalError) -> Bool {
    let lock = try FileLock.take(directory.lockPath(of: run.id), within: patience) {
      () throws(JournalError) in
      guard patience > .zero else { return false }
      return try self.run(with: run.id).endedAt != nil
    }
    guard let lock else { return false }
    defer { withExtendedLifetime(lock) {} }
    let left = run.status == .interrupted ? (try? state(of: run))?.survivingAttempts : nil
    guard left?.isEmpty ?? true else { return false }
    // Remove the files first, so that an interrupted removal can be repeated.
    let paths = [
      directory.logFolder(of: run.id), directory.filesFolder(of: run.id),
      directory.socketPath(of: run.id), directory.hostsLockPath(of: run.id),
    ]
    for path in paths {
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
  /// The id of the run.
  package let id: RunID
  /// The note of its engine for the cleanup.
  package let note: String
}

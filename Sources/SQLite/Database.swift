// A database file that threads of this process share. Knows no schema.

import Synchronization

/// A database file, used by one thread at a time.
///
/// All members may be called from any thread, and block it while others read or write, or while the disk
/// does. A closure that is handed in must not use the same database other than by its parameter.
package final class Database: Sendable {
  // @unchecked: whoever holds `turn` is the only one to touch the connection.
  private struct Shared: @unchecked Sendable {
    let connection: Connection
  }

  private let shared: Shared
  /// The level of the last transaction, which the connection still has.
  private let turn = Mutex(Synchronous?.none)
  private let syncedLevel: Synchronous

  /// Opens a file, which is made where there is none.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - busyTimeout: How long writers of other processes are waited for.
  ///   - synced: How transactions reach the disk that must be there when they are committed; tests show
  ///     that less than `full` loses some.
  /// - Throws: ``SQLiteError``.
  package init(
    path: String, busyTimeout: Duration, synced: Synchronous = .full
  ) throws(SQLiteError) {
    syncedLevel = synced
    shared = Shared(connection: try Connection(path: path, busyTimeout: busyTimeout))
  }

  /// Reads, or does what is no transaction.
  ///
  /// Each statement sees one state of the file; two of them may see two.
  ///
  /// - Parameter body: Is given the connection, which it must not keep.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  package func read<Result: Sendable, Failure: Error>(
    _ body: (Connection) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try turn.withLock { _ throws(Failure) in try body(shared.connection) }
  }

  /// Makes one transaction of several changes, during which no other process writes.
  ///
  /// - Parameters:
  ///   - isSynced: Whether it is on the disk when this returns, with all transactions before it. Otherwise
  ///     the kernel has it: it survives the death of this process, and not the loss of power.
  ///   - body: Is given the connection, which it must not keep.
  /// - Returns: What `body` returns; the changes are committed by then.
  /// - Throws: ``SQLiteError``, or what `body` throws. Nothing of the changes stays then, but for one case:
  ///   when the disk fails to confirm a commit, nobody can know whether it was kept.
  package func write<Result: Sendable>(
    isSynced: Bool = true, _ body: (Connection) throws -> Result
  ) throws -> Result {
    try turn.withLock { level in
      let connection = shared.connection
      let wanted = isSynced ? syncedLevel : min(syncedLevel, .normal)
      if level != wanted {
        try connection.run(script: "PRAGMA synchronous = \(wanted.rawValue)")
        level = wanted
      }
      // Not deferred: a transaction that reads first and writes later can be refused in between.
      try connection.execute("BEGIN IMMEDIATE")
      do {
        let result = try body(connection)
        try connection.execute("COMMIT")
        return result
      } catch {
        // Some failures have rolled back already.
        if connection.isInTransaction { try? connection.execute("ROLLBACK") }
        throw error
      }
    }
  }
}

/// How the transactions of a database with a write-ahead log reach the disk;
/// see https://sqlite.org/pragma.html#pragma_synchronous.
package enum Synchronous: Int, Sendable, Comparable {
  /// Never.
  case off
  /// When the log is written into the database.
  case normal
  /// Before each commit returns.
  case full

  /// Whether one waits less for the disk than another.
  package static func < (left: Synchronous, right: Synchronous) -> Bool {
    left.rawValue < right.rawValue
  }
}

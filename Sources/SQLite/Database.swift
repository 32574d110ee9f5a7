// A database file that is shared by the threads of this process.

import Synchronization

/// A database file that is used by one thread at a time.
///
/// Thread-safe. All methods block while another thread or process reads or writes, or while the
/// disk does. A closure must use the database only through its parameter.
package final class Database: Sendable {
  // @unchecked: only the thread that holds `turn` uses the connection.
  private struct Shared: @unchecked Sendable {
    let connection: Connection
  }

  private let shared: Shared
  /// The lock, with the synchronous level that is currently set on the connection.
  private let turn = Mutex(Synchronous?.none)
  private let syncedLevel: Synchronous

  /// Opens a file; creates it if it does not exist.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - busyTimeout: How long to wait for writers in other processes.
  ///   - synced: The level of transactions that must be on disk when they are committed. Tests use
  ///     weaker levels to show that they lose transactions.
  /// - Throws: ``SQLiteError``.
  package init(
    path: String, busyTimeout: Duration, synced: Synchronous = .full
  ) throws(SQLiteError) {
    syncedLevel = synced
    shared = Shared(connection: try Connection(path: path, busyTimeout: busyTimeout))
  }

  /// Calls a closure with the connection, without a transaction.
  ///
  /// Each statement sees a consistent state of the file; two statements may see different states.
  ///
  /// - Parameter body: Receives the connection, which it must not store.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`.
  package func read<Result: Sendable, Failure: Error>(
    _ body: (Connection) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try turn.withLock { _ throws(Failure) in try body(shared.connection) }
  }

  /// Calls a closure in a transaction, during which no other process writes.
  ///
  /// - Parameters:
  ///   - isSynced: Whether the transaction, and all earlier ones, are on disk when this returns.
  ///     Otherwise they are in the kernel: they survive the death of this process, but not a power
  ///     failure.
  ///   - body: Receives the connection, which it must not store.
  /// - Returns: The result of `body`, after the commit.
  /// - Throws: ``SQLiteError``, or the error of `body`; the changes are rolled back, except if the
  ///   disk fails to confirm the commit: then it is unknown whether they were stored.
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
      // Not deferred: a transaction that reads before it writes could fail in between.
      try connection.execute("BEGIN IMMEDIATE")
      do {
        let result = try body(connection)
        try connection.execute("COMMIT")
        return result
      } catch {
        // Some errors have already rolled back.
        if connection.isInTransaction { try? connection.execute("ROLLBACK") }
        throw error
      }
    }
  }
}

/// When transactions of a database with a write-ahead log are synced to disk; see
/// https://sqlite.org/pragma.html#pragma_synchronous.
package enum Synchronous: Int, Sendable, Comparable {
  /// The operating system decides.
  case off
  /// At each checkpoint.
  case normal
  /// Before each commit returns.
  case full

  /// Returns whether one level is less safe than another.
  package static func < (left: Synchronous, right: Synchronous) -> Bool {
    left.rawValue < right.rawValue
  }
}

// The database of the journal: its schema, how it is opened, and what its errors mean to people.
// Knows no events.

import GRDB

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Opens databases.
enum JournalDatabase {
  /// Opens the database of a folder, which it makes and brings up to date where need be.
  ///
  /// Write-ahead logging with `synchronous=FULL`: a commit is on the disk when it returns, and readers
  /// do not wait for writers. Writers of other processes are waited for up to ten seconds.
  ///
  /// - Parameters:
  ///   - directory: The folder.
  ///   - synchronous: How commits reach the disk; tests show that less than `FULL` loses some.
  /// - Returns: The database.
  /// - Throws: ``JournalError``.
  static func open(
    _ directory: StateDirectory, synchronous: String = "FULL"
  ) throws(JournalError) -> DatabaseQueue {
    var configuration = Configuration()
    configuration.label = "reprise.journal"
    configuration.busyMode = .timeout(10)
    configuration.journalMode = .wal
    try makeFile(directory.databasePath)
    // One at a time: the change to write-ahead logging does not wait for others by itself.
    let opening = try FileLock.take(directory.openingLockPath, waits: true)
    defer { withExtendedLifetime(opening) {} }
    do {
      let queue = try DatabaseQueue(path: directory.databasePath, configuration: configuration)
      // Not before: opening a database with write-ahead logging sets NORMAL, which loses commits when
      // the power goes.
      try queue.writeWithoutTransaction { database in
        try database.execute(
          sql: "PRAGMA synchronous = \(synchronous); PRAGMA journal_size_limit = 16777216")
      }
      let migrator = migrator
      if try queue.read(migrator.hasBeenSuperseded) {
        throw JournalError(
          "the journal \"\(directory.databasePath)\" was written by a newer Reprise; use that one")
      }
      if try !queue.read(migrator.hasCompletedMigrations) { try migrator.migrate(queue) }
      return queue
    } catch {
      throw explained(error, directory)
    }
  }

  /// Makes the file for this user alone; the database would make it readable for others.
  private static func makeFile(_ path: String) throws(JournalError) {
    let descriptor = openFile(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .system("cannot write the journal", path, errno) }
    close(descriptor)
  }

  /// Each migration is one transaction: a crash leaves the old schema or the new one.
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { database in
      try database.execute(
        sql: """
          CREATE TABLE run (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            workflow TEXT NOT NULL,
            file TEXT NOT NULL,
            directory TEXT NOT NULL,
            source TEXT NOT NULL,
            options TEXT NOT NULL,
            concurrency_group TEXT,
            process INTEGER NOT NULL,
            requested_at INTEGER NOT NULL,
            turn INTEGER NOT NULL,
            generation INTEGER NOT NULL DEFAULT 0,
            ended_at INTEGER,
            outcome TEXT
          );
          CREATE INDEX run_unended ON run (concurrency_group) WHERE ended_at IS NULL;
          CREATE TABLE event (
            run INTEGER NOT NULL REFERENCES run (number) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            time INTEGER NOT NULL,
            generation INTEGER NOT NULL,
            kind TEXT NOT NULL,
            step TEXT,
            attempt INTEGER,
            json TEXT,
            PRIMARY KEY (run, number)
          ) WITHOUT ROWID;
          """)
    }
    migrator.registerMigration("2") { database in
      try database.execute(
        sql: """
          CREATE TABLE memory (
            file TEXT NOT NULL,
            step TEXT NOT NULL,
            trace TEXT NOT NULL,
            PRIMARY KEY (file, step)
          ) WITHOUT ROWID;
          """)
    }
    migrator.registerMigration("3") { database in
      try database.execute(
        sql: """
          ALTER TABLE run ADD COLUMN success INTEGER;
          CREATE UNIQUE INDEX run_success ON run (success) WHERE success IS NOT NULL;
          CREATE TABLE watch (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL UNIQUE,
            file TEXT NOT NULL,
            started_at INTEGER NOT NULL,
            last_success INTEGER NOT NULL,
            accepted INTEGER NOT NULL DEFAULT 0,
            folded INTEGER NOT NULL DEFAULT 0,
            dropped INTEGER NOT NULL DEFAULT 0,
            runs INTEGER NOT NULL DEFAULT 0,
            restarts INTEGER NOT NULL DEFAULT 0
          );
          CREATE TABLE watch_event (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            watch INTEGER NOT NULL REFERENCES watch (number) ON DELETE CASCADE,
            json TEXT NOT NULL
          );
          CREATE INDEX watch_event_watch ON watch_event (watch);
          CREATE TABLE watch_schedule (
            watch INTEGER NOT NULL REFERENCES watch (number) ON DELETE CASCADE,
            schedule TEXT NOT NULL,
            last INTEGER NOT NULL,
            PRIMARY KEY (watch, schedule)
          ) WITHOUT ROWID;
          """)
    }
    return migrator
  }

  /// What an error of the database means and what to do about it.
  static func explained(_ error: any Error, _ directory: StateDirectory) -> JournalError {
    let path = directory.databasePath
    if let error = error as? JournalError { return error }
    guard let error = error as? DatabaseError else {
      return JournalError("the journal \"\(path)\" cannot be used: \(error)")
    }
    let text = error.message ?? "error \(error.resultCode.rawValue)"
    return switch error.resultCode {
    case .SQLITE_FULL:
      JournalError(
        "the journal \"\(path)\" cannot be written: the disk is full; make room there"
          + JournalError.freeSpace(path))
    case .SQLITE_CORRUPT, .SQLITE_NOTADB:
      JournalError(
        "the journal \"\(path)\" is damaged (\(text)); it was left as it is: move it away to begin a "
          + "new one, or use --no-journal where a run is not kept")
    case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
      JournalError(
        "the journal \"\(path)\" cannot be written (\(text)); see to its permissions, choose another "
          + "place with --state-dir, or use --no-journal where a run is not kept")
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      JournalError("the journal \"\(path)\" is held by another program for too long (\(text))")
    default:
      JournalError("the journal \"\(path)\" cannot be used (\(text))")
    }
  }
}

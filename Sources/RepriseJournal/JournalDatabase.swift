// The database of the journal: how it is opened, and what its errors mean to people. Knows no events.

import Platform
import SQLite

/// Opens databases.
enum JournalDatabase {
  /// How many pages the log holds before it is written into the database.
  ///
  /// Whoever opens it first reads the whole log and adds it up, so a long one delays the start of each
  /// run: the library's own thousand pages by a millisecond or two.
  private static let logPagesMax = 200

  /// Opens the database of a folder, which it makes and brings up to date where need be.
  ///
  /// Write-ahead logging: readers do not wait for writers, and each transaction says itself whether it is
  /// on the disk when its commit returns. Writers of other processes are waited for up to ten seconds.
  ///
  /// - Parameters:
  ///   - directory: The folder.
  ///   - synced: How commits reach the disk that have to; tests show that less than `full` loses some.
  /// - Returns: The database.
  /// - Throws: ``JournalError``.
  static func open(
    _ directory: StateDirectory, synced: Synchronous = .full
  ) throws(JournalError) -> Database {
    // One at a time: the change to write-ahead logging does not wait for others by itself.
    let opening = try FileLock.take(directory.openingLockPath, within: .seconds(60))
    guard let opening else {
      throw JournalError(
        "the journal \"\(directory.databasePath)\" is being opened by another process, which does not go on; "
          + "if it was stopped with Ctrl-Z, continue it with fg")
    }
    defer { withExtendedLifetime(opening) {} }
    do {
      if hasContents(directory.databasePath) {
        // Refuses a link.
        try makeFile(directory.databasePath)
      } else {
        try make(directory)
      }
      return try openDatabase(directory.databasePath, directory, synced: synced)
    } catch {
      throw explained(error, directory)
    }
  }

  /// Makes the database under another name and moves it to its place when it is whole and on the disk.
  ///
  /// In its place, each of the steps of its making would have to be synced: it takes one sync instead of six.
  private static func make(_ directory: StateDirectory) throws {
    let path = directory.databasePath + ".new"
    // What is left of an earlier attempt; and the log of a database that is gone, which would be taken for
    // that of the new one.
    for old in [path, path + "-wal", path + "-shm"] { try? removeFile(old) }
    // On a full disk it would take room that is needed.
    defer { for left in [path, path + "-wal", path + "-shm"] { try? removeFile(left) } }
    for old in [directory.logPath, directory.databasePath + "-shm"] { try? removeFile(old) }
    try makeFile(path)
    try fill(path, directory)
    do throws(Errno) {
      let file = try OpenFile(path, .readWrite, options: [.noFollow])
      try file.sync()
      try renameFile(path, to: directory.databasePath)
    } catch {
      throw JournalError.system("cannot write the journal", path, error)
    }
  }

  /// Makes the tables in a file, and closes it with nothing left in its log.
  private static func fill(_ path: String, _ directory: StateDirectory) throws {
    let database = try openDatabase(path, directory, synced: .off)
    // The end of a connection moves the log into the file, too, and tells of no failure.
    let row = try database.read { connection in
      try connection.rows("PRAGMA wal_checkpoint(TRUNCATE)").first
    }
    guard row?[0].integer == 0 else {
      throw JournalError("the journal \"\(directory.databasePath)\" cannot be made: it is in use")
    }
  }

  private static func openDatabase(
    _ path: String, _ directory: StateDirectory, synced: Synchronous
  ) throws -> Database {
    let database = try Database(path: path, busyTimeout: .seconds(10), synced: synced)
    try database.read { connection in
      if synced == .off { try connection.run(script: "PRAGMA synchronous = OFF") }
      // Where it cannot be, that is not an error but another answer.
      guard try connection.value("PRAGMA journal_mode = WAL").text == "wal" else {
        throw JournalError(
          "the journal \"\(directory.databasePath)\" cannot be kept there: the file system cannot share "
            + "memory between processes; choose another place with --state-dir")
      }
      try connection.run(
        script: """
          PRAGMA journal_size_limit = 16777216; PRAGMA wal_autocheckpoint = \(logPagesMax);
          """)
    }
    try migrate(database, directory)
    return database
  }

  /// Whether there is a database; an empty file is none.
  private static func hasContents(_ path: String) -> Bool {
    ((try? Stat(at: path))?.size ?? 0) > 0
  }

  /// Makes the file for this user alone; the database would make it readable for others.
  private static func makeFile(_ path: String) throws(JournalError) {
    do throws(Errno) {
      _ = try OpenFile(
        path, .readWrite, options: [.create, .noFollow], permissions: .ownerReadWrite)
    } catch {
      throw .system("cannot write the journal", path, error)
    }
  }

  /// Brings the schema up to date in one transaction: a crash leaves the old schema or the new one.
  private static func migrate(_ database: Database, _ directory: StateDirectory) throws {
    let version = try database.read { try schemaVersion(in: $0) }
    let scripts = JournalSchema.migrations
    guard version <= scripts.count else {
      throw JournalError(
        "the journal \"\(directory.databasePath)\" was written by a newer Reprise; use that one")
    }
    guard version < scripts.count else { return }
    try database.write { connection in
      for script in scripts.dropFirst(version) { try connection.run(script: script) }
      try connection.run(script: "PRAGMA user_version = \(scripts.count)")
    }
  }

  /// How many migrations a database has had.
  private static func schemaVersion(in connection: Connection) throws(SQLiteError) -> Int {
    if let version = try connection.value("PRAGMA user_version").integer, version > 0 {
      return Int(version)
    }
    // The first edition kept a row for each.
    let isOld = try connection.value(
      "SELECT count(*) FROM sqlite_master WHERE name = 'grdb_migrations'"
    ).integer
    guard isOld == 1 else { return 0 }
    return Int(try connection.value("SELECT count(*) FROM grdb_migrations").integer ?? 0)
  }

  /// What an error of the database means and what to do about it.
  static func explained(_ error: any Error, _ directory: StateDirectory) -> JournalError {
    let path = directory.databasePath
    if let error = error as? JournalError { return error }
    guard let error = error as? SQLiteError else {
      return JournalError("the journal \"\(path)\" cannot be used: \(error)")
    }
    return switch error.kind {
    case .full:
      JournalError(
        "the journal \"\(path)\" cannot be written: the disk is full; make room there"
          + JournalError.freeSpace(path))
    case .damaged:
      JournalError(
        "the journal \"\(path)\" is damaged (\(error)); it was left as it is: move it away to begin a "
          + "new one, or use --no-journal where a run is not kept")
    case .forbidden:
      JournalError(
        "the journal \"\(path)\" cannot be written (\(error)); see to its permissions, choose another "
          + "place with --state-dir, or use --no-journal where a run is not kept")
    case .busy:
      JournalError("the journal \"\(path)\" is held by another program for too long (\(error))")
    case .other:
      JournalError("the journal \"\(path)\" cannot be used (\(error))")
    }
  }
}

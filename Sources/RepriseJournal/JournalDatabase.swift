// Opens, creates and migrates the database of the journal, and explains its errors.

import Platform
import SQLite

/// Functions that open the database and explain its errors.
enum JournalDatabase {
  /// The number of pages in the write-ahead log that triggers a checkpoint.
  ///
  /// The first process to open the database reads and checksums the whole log, so a long log
  /// delays the start of each run: SQLite's default of 1000 pages by one or two milliseconds.
  private static let logPagesMax = 200

  /// Opens the database of a state directory; creates or migrates it if necessary.
  ///
  /// Uses write-ahead logging: readers do not wait for writers, and each transaction chooses
  /// whether its commit is synced. Waits at most ten seconds for writers of other processes.
  ///
  /// - Parameters:
  ///   - directory: The state directory.
  ///   - synced: The mode of synced commits. Tests use weaker modes to show that they lose commits.
  /// - Returns: The database.
  /// - Throws: ``JournalError``.
  static func open(
    _ directory: StateDirectory, synced: Synchronous = .full
  ) throws(JournalError) -> Database {
    // Open in one process at a time: SQLite does not wait for others when it changes to WAL mode.
    let opening = try FileLock.take(directory.openingLockPath, within: .seconds(60))
    guard let opening else {
      throw JournalError(
        "the journal \"\(directory.databasePath)\" is being opened by another process, which makes "
          + "no progress; if it was suspended with Ctrl-Z, continue it with fg")
    }
    defer { withExtendedLifetime(opening) {} }
    do {
      if hasContents(directory.databasePath) {
        // Fails if the file is a link.
        try makeFile(directory.databasePath)
      } else {
        try make(directory)
      }
      return try openDatabase(directory.databasePath, directory, synced: synced)
    } catch {
      throw explained(error, directory)
    }
  }

  /// Creates the database under a temporary name, syncs it, and renames it.
  ///
  /// This takes one sync; creating the database in place would take six.
  private static func make(_ directory: StateDirectory) throws {
    let path = directory.databasePath + ".new"
    // Remove leftovers of an earlier attempt.
    for old in [path, path + "-wal", path + "-shm"] { try? removeFile(old) }
    // Do not leave useless files on a full disk.
    defer { for left in [path, path + "-wal", path + "-shm"] { try? removeFile(left) } }
    // SQLite would apply the log of a deleted database to the new one.
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

  /// Creates the tables in a file, and closes it with an empty log.
  private static func fill(_ path: String, _ directory: StateDirectory) throws {
    let database = try openDatabase(path, directory, synced: .off)
    // Closing the connection would checkpoint as well, but without reporting a failure.
    let row = try database.read { connection in
      try connection.rows("PRAGMA wal_checkpoint(TRUNCATE)").first
    }
    guard row?[0].integer == 0 else {
      throw JournalError("cannot create the journal \"\(directory.databasePath)\": it is in use")
    }
  }

  private static func openDatabase(
    _ path: String, _ directory: StateDirectory, synced: Synchronous
  ) throws -> Database {
    let database = try Database(path: path, busyTimeout: .seconds(10), synced: synced)
    try database.read { connection in
      if synced == .off { try connection.run(script: "PRAGMA synchronous = OFF") }
      // SQLite reports an unsupported mode by returning another one, not by an error.
      guard try connection.value("PRAGMA journal_mode = WAL").text == "wal" else {
        throw JournalError(
          "the journal \"\(directory.databasePath)\" cannot be stored there: the file system does "
            + "not support shared memory; \(JournalError.elsewhere)")
      }
      try connection.run(
        script: """
          PRAGMA journal_size_limit = 16777216; PRAGMA wal_autocheckpoint = \(logPagesMax);
          """)
    }
    try migrate(database, directory)
    return database
  }

  /// Returns whether a file exists and is not empty.
  private static func hasContents(_ path: String) -> Bool {
    ((try? Stat(at: path))?.size ?? 0) > 0
  }

  /// Creates the file accessible only to this user; SQLite would let others read it.
  private static func makeFile(_ path: String) throws(JournalError) {
    do throws(Errno) {
      _ = try OpenFile(
        path, .readWrite, options: [.create, .noFollow], permissions: .ownerReadWrite)
    } catch {
      throw .system("cannot write the journal", path, error)
    }
  }

  /// Migrates the schema in one transaction, so that a crash leaves either the old or the new one.
  private static func migrate(_ database: Database, _ directory: StateDirectory) throws {
    let version = try database.read { try schemaVersion(in: $0) }
    let scripts = JournalSchema.migrations
    guard version <= scripts.count else {
      throw JournalError(
        "the journal \"\(directory.databasePath)\" was written by a newer version of Reprise; use "
          + "that version")
    }
    guard version < scripts.count else { return }
    try database.write { connection in
      for script in scripts.dropFirst(version) { try connection.run(script: script) }
      try connection.run(script: "PRAGMA user_version = \(scripts.count)")
    }
  }

  /// Returns the number of migrations applied to a database.
  private static func schemaVersion(in connection: Connection) throws(SQLiteError) -> Int {
    if let version = try connection.value("PRAGMA user_version").integer, version > 0 {
      return Int(version)
    }
    // The first version of Reprise recorded each migration as a row.
    let isOld = try connection.value(
      "SELECT count(*) FROM sqlite_master WHERE name = 'grdb_migrations'"
    ).integer
    guard isOld == 1 else { return 0 }
    return Int(try connection.value("SELECT count(*) FROM grdb_migrations").integer ?? 0)
  }

  /// Converts a database error to an error whose message says what to do.
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
        "the journal \"\(path)\" is damaged (\(error)) and was not changed; move it away to start "
          + "a new one, or \(JournalError.unrecorded)")
    case .forbidden:
      JournalError(
        "the journal \"\(path)\" cannot be written (\(error)); check its permissions, "
          + "\(JournalError.elsewhere), or \(JournalError.unrecorded)")
    case .busy:
      JournalError(
        "the journal \"\(path)\" has been locked by another program for too long (\(error))")
    case .other:
      JournalError("the journal \"\(path)\" cannot be used (\(error))")
    }
  }
}

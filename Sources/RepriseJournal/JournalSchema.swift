// The tables of the journal, as a list of migrations.

/// The schema of the journal.
enum JournalSchema {
  // Read at the start and the end of each run, so not from all runs: with 30,000 of them each took 3 ms.

  /// The turn of the run that starts next.
  static let nextTurn = "SELECT coalesce(max(turn), 0) + 1 FROM run"
  /// The runs of a group that have not ended and have turns in a range, the last ones first.
  static let unendedRunsOfGroup = """
    SELECT id, turn FROM run WHERE concurrency_group = ? AND turn >= ? AND turn < ?
      AND (ended_at IS NULL OR outcome = 'interrupted') ORDER BY turn DESC LIMIT ?
    """
  /// The number of the last success.
  static let lastSuccess = "SELECT coalesce(max(success), 0) FROM run WHERE success IS NOT NULL"

  /// The migrations, in order; `user_version` is the number of those applied.
  ///
  /// Never change a released migration; append a new one.
  static let migrations: [String] = [
    """
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
    """,
    """
    CREATE TABLE memory (
      file TEXT NOT NULL,
      step TEXT NOT NULL,
      trace TEXT NOT NULL,
      PRIMARY KEY (file, step)
    ) WITHOUT ROWID;
    """,
    """
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
    """,
    """
    CREATE TABLE definition (
      run INTEGER NOT NULL REFERENCES run (number) ON DELETE CASCADE,
      last_generation INTEGER NOT NULL,
      source TEXT NOT NULL,
      uses TEXT NOT NULL,
      PRIMARY KEY (run, last_generation)
    ) WITHOUT ROWID;
    """,
    """
    CREATE INDEX run_turn ON run (turn);
    """,
    """
    CREATE INDEX run_group ON run (concurrency_group, turn)
      WHERE ended_at IS NULL OR outcome = 'interrupted';
    """,
  ]
}

import Foundation
import Reprise
import SQLite
import TestSupport
import Testing

@testable import RepriseJournal

/// Promise 22: a journal of an earlier schema is upgraded with its history, even if interrupted.
///
/// No version with an earlier schema was released: these were used while the first was developed.
@Suite(.serialized) struct UpgradeTests {
  /// The first tables, which must be readable as long as such journals exist.
  private static let firstTables = """
    CREATE TABLE run (
      number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, workflow TEXT NOT NULL,
      file TEXT NOT NULL, directory TEXT NOT NULL, source TEXT NOT NULL, options TEXT NOT NULL,
      concurrency_group TEXT, process INTEGER NOT NULL, requested_at INTEGER NOT NULL,
      turn INTEGER NOT NULL, generation INTEGER NOT NULL DEFAULT 0, ended_at INTEGER, outcome TEXT
    );
    CREATE INDEX run_unended ON run (concurrency_group) WHERE ended_at IS NULL;
    CREATE TABLE event (
      run INTEGER NOT NULL REFERENCES run (number) ON DELETE CASCADE, number INTEGER NOT NULL,
      time INTEGER NOT NULL, generation INTEGER NOT NULL, kind TEXT NOT NULL, step TEXT,
      attempt INTEGER, json TEXT, PRIMARY KEY (run, number)
    ) WITHOUT ROWID;
    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
    INSERT INTO grdb_migrations VALUES ('1');
    """
  private static let secondTables = """
    CREATE TABLE memory (
      file TEXT NOT NULL, step TEXT NOT NULL, trace TEXT NOT NULL, PRIMARY KEY (file, step)
    ) WITHOUT ROWID;
    INSERT INTO memory VALUES ('w.yaml', 's0', '{}');
    INSERT INTO grdb_migrations VALUES ('2');
    """

  /// Returns a folder with a journal of an earlier schema: one run has succeeded and one has
  /// failed.
  private func folder(ofSchema schema: Int) async throws -> Folder {
    let folder = try Folder()
    let present = try Folder()
    let journal = try Journal(present.state)
    try await folder.run(in: journal)
    try await folder.run(failing: 3, in: journal)
    try folder.state.create()
    let database = try Database(path: folder.state.databasePath, busyTimeout: .seconds(10))
    let columns = """
      number, id, workflow, file, directory, source, options, concurrency_group, process,
      requested_at, turn, generation, ended_at, outcome
      """
    try database.read { connection in
      try connection.run(
        script: """
          PRAGMA journal_mode = WAL;
          \(Self.firstTables)
          \(schema > 1 ? Self.secondTables : "")
          ATTACH '\(present.state.databasePath)' AS present;
          INSERT INTO run (\(columns)) SELECT \(columns) FROM present.run;
          INSERT INTO event SELECT run, number, time, generation, kind, step, attempt, json
            FROM present.event;
          DETACH present;
          PRAGMA wal_checkpoint(TRUNCATE);
          """)
    }
    return folder
  }

  @Test(arguments: [1, 2]) func `a journal of an earlier schema is upgraded with all its runs`(
    _ schema: Int
  ) async throws {
    let folder = try await folder(ofSchema: schema)
    let journal = try Journal(folder.state)
    #expect(try journal.integrityProblems() == [])
    let version = try journal.database.read { try $0.value("PRAGMA user_version") }
    #expect(version.integer == Int64(JournalSchema.migrations.count))
    let runs = try journal.runs()
    #expect(runs.map(\.status) == [.failed, .succeeded])
    #expect(try journal.state(of: runs[1]).steps.map(\.id) == (0..<5).map { "s\($0)" })
    // The failed run resumes where it failed.
    let started = Protected<[String]>([])
    let executor = ClosureExecutor { context in
      started.withLock { $0.append(context.step.id) }
      return [:]
    }
    let (recorded, state) = try journal.reopen(runs[0].id) { record, _ in record.request }
    let workflow = try Workflow(
      name: "w",
      steps: (0..<5).map { number in
        Workflow.Step(
          id: "s\(number)", needs: number == 0 ? [] : ["s\(number - 1)"], action: .exec(["-"]))
      })
    let run = try Engine(executor: executor, recorder: recorded).resume(state, with: workflow)
    #expect(try await run.outcome == .succeeded)
    #expect(started.value == ["s3", "s4"])
    #expect(try journal.run(named: "@last").status == .succeeded)
  }

  @Test(arguments: [1, 2])
  func `an upgrade that is interrupted anywhere loses no run`(_ schema: Int)
    async throws
  {
    let folder = try await folder(ofSchema: schema)
    let eventCount = try await self.eventCount(folder)
    let changes = try JournalChanges(in: folder) { acknowledge in
      acknowledge(eventCount)
      _ = try Journal(folder.state)
    }
    #expect(changes.changes.count > 5, "an upgrade makes changes: \(changes.changes.count)")
    var generator = SeededGenerator.announced()
    for count in 0...changes.changes.count {
      #expect(try changes.damage(after: count, .kill, using: &generator) == nil, "\(count)")
      for _ in 0..<rounds(5, soak: 200) {
        #expect(try changes.damage(after: count, .powerLoss, using: &generator) == nil, "\(count)")
      }
    }
  }

  /// Returns the number of events, without opening the journal.
  private func eventCount(_ folder: Folder) async throws -> Int {
    let database = try Database(path: folder.state.databasePath, busyTimeout: .seconds(10))
    let count = try database.read { try $0.value("SELECT count(*) FROM event").integer }
    return Int(try #require(count))
  }
}

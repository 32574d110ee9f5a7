import Foundation
import TestSupport
import Testing

@testable import SQLite

/// A database file in a temporary folder, removed with this value.
private final class File: Sendable {
  let path: String

  init() throws {
    let folder =
      FileManager.default.temporaryDirectory.path + "/reprise-sqlite-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    path = folder + "/database"
  }

  deinit {
    try? FileManager.default.removeItem(
      atPath: (path as NSString).deletingLastPathComponent)
  }

  func open(busyTimeout: Duration = .seconds(30)) throws -> Database {
    try Database(path: path, busyTimeout: busyTimeout)
  }
}

struct DatabaseTests {
  private struct OnPurpose: Error {}

  private func makeTable(_ file: File) throws -> Database {
    let database = try file.open()
    try database.read { try $0.run(script: "PRAGMA journal_mode = WAL; CREATE TABLE t (a, b)") }
    return database
  }

  private func count(_ database: Database) throws -> Int64? {
    try database.read { try $0.value("SELECT count(*) FROM t").integer }
  }

  @Test func `values round-trip through the database`() throws {
    let database = try makeTable(try File())
    let texts = ["", "a", "ä\u{0}\u{1F469}\u{200D}\u{1F680}", "'; DROP TABLE t; --"]
    let numbers = [0, -1, Int64.max, .min]
    try database.write { connection in
      for (text, number) in zip(texts, numbers) {
        try connection.execute("INSERT INTO t VALUES (?, ?)", text, number)
      }
      try connection.execute("INSERT INTO t VALUES (?, ?)", nil as String?, nil as Int?)
      #expect(connection.lastInsertedRow == 5)
    }
    let rows = try database.read { try $0.rows("SELECT b, a FROM t ORDER BY rowid") }
    #expect(rows.map(\.["a"]) == texts.map(Value.text) + [.null])
    #expect(rows.map(\.[0]) == numbers.map(Value.integer) + [.null])
  }

  @Test func `a value of another type reads as nil`() throws {
    let database = try makeTable(try File())
    let values = ["x'ff00'", "1.5", "9e99", "'12'", "12", "CAST(x'ff41' AS TEXT)"]
    try database.read { connection in
      for value in values { try connection.run(script: "INSERT INTO t (a) VALUES (\(value))") }
    }
    let found = try database.read { try $0.rows("SELECT a FROM t ORDER BY rowid") }.map(\.[0])
    #expect(found == [.other, .other, .other, .text("12"), .integer(12), .text("\u{FFFD}A")])
    #expect(found.map(\.integer) == [nil, nil, nil, nil, 12, nil])
    #expect(found.map(\.text) == [nil, nil, nil, "12", nil, "\u{FFFD}A"])
  }

  @Test func `a query without rows has no value`() throws {
    let database = try makeTable(try File())
    #expect(try database.read { try $0.value("SELECT a FROM t") } == .null)
    #expect(try database.read { try $0.rows("SELECT a FROM t") }.isEmpty)
  }

  @Test func `a failed transaction is rolled back, and the next one works`() throws {
    let database = try makeTable(try File())
    #expect(throws: OnPurpose.self) {
      try database.write { connection in
        try connection.execute("INSERT INTO t VALUES (1, 2)")
        throw OnPurpose()
      }
    }
    #expect(!database.read { $0.isInTransaction })
    #expect(try count(database) == 0)
    try database.write { try $0.execute("INSERT INTO t VALUES (1, 2)") }
    #expect(try count(database) == 1)
  }

  @Test func `a failed statement reports the reason`() throws {
    let database = try makeTable(try File())
    let error = #expect(throws: SQLiteError.self) {
      try database.read { try $0.execute("SELECT missing FROM t") }
    }
    #expect(error?.kind == .other && error?.description == "no such column: missing")
    try database.read { try $0.run(script: "CREATE UNIQUE INDEX u ON t (a)") }
    #expect(throws: SQLiteError.self) {
      try database.write { connection in
        for _ in 0..<2 { try connection.execute("INSERT INTO t VALUES (1, 2)") }
      }
    }
    #expect(try count(database) == 0)
  }

  @Test func `a missing file and a damaged one are different errors`() throws {
    let file = try File()
    let missing = #expect(throws: SQLiteError.self) {
      try Database(path: file.path + "/none", busyTimeout: .zero)
    }
    #expect(missing?.kind == .forbidden)
    try Data(repeating: 0x41, count: 5000).write(to: URL(fileURLWithPath: file.path))
    let damaged = #expect(throws: SQLiteError.self) {
      try file.open().read { try $0.rows("SELECT * FROM t") }
    }
    #expect(damaged?.kind == .damaged)
  }

  /// A write to a file next to the database fails with the system error alone.
  @Test func `a full disk is recognised, even without an SQLite code for it`() {
    // SQLITE_FULL, SQLITE_IOERR, and SQLITE_IOERR with the extended code of a write.
    let (full, error, errorOfWrite) = (Int32(13), Int32(10), Int32(10 | 3 << 8))
    #expect(SQLiteError(code: full, message: "").kind == .full)
    for number in [ENOSPC, EDQUOT] {
      #expect(SQLiteError(code: error, message: "", systemError: number).kind == .full)
      #expect(SQLiteError(code: errorOfWrite, message: "", systemError: number).kind == .full)
    }
    #expect(SQLiteError(code: error, message: "", systemError: EIO).kind == .other)
  }

  @Test func `a writer that may not wait for another gets a busy error`() throws {
    let file = try File()
    let first = try makeTable(file)
    let second = try file.open(busyTimeout: .zero)
    try first.write { connection in
      try connection.execute("INSERT INTO t VALUES (1, 2)")
      let error = #expect(throws: SQLiteError.self) { try second.write { _ in } }
      #expect(error?.kind == .busy)
      #expect(try count(second) == 0, "readers see the state before the transaction")
    }
    #expect(try count(second) == 1)
  }

  @Test func `threads with shared and separate connections lose no change`() async throws {
    let file = try File()
    let shared = try makeTable(file)
    try shared.write { try $0.execute("INSERT INTO t VALUES (0, 0)") }
    let changes = rounds(200, soak: 5000)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        group.addTask {
          // Two share a connection, and two have their own.
          let database = number < 2 ? shared : try file.open()
          for _ in 0..<changes {
            try database.write { connection in
              let before = try connection.value("SELECT a FROM t").integer ?? -1
              try connection.execute("UPDATE t SET a = ?", before + 1)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try shared.read { try $0.value("SELECT a FROM t").integer } == Int64(4 * changes))
  }

  @Test func `the file is closed with the last use`() throws {
    let file = try File()
    _ = try makeTable(file)
    #expect(!FileManager.default.fileExists(atPath: file.path + "-wal"))
  }
}

// Tests how a row of the journal becomes the record of a run.

import Reprise
import SQLite
import TestSupport
import Testing

@testable import RepriseJournal

struct RunRowTests {
  @Test func `a run that ends while it is read is not interrupted`() throws {
    let folder = try Folder()
    let journal = try Journal(folder.state)
    func row() throws -> Row {
      try #require(
        try journal.database.read { try $0.rows("SELECT \(RunRow.columns) FROM run") }.first)
    }
    var run: RecordedRun? = try journal.begin(folder.request())
    #expect(try journal.record(row()).status == .queued)
    let read = try row()
    try run?.end(as: .succeeded)
    run = nil
    let record = try journal.record(read)
    #expect(record.status == .succeeded && record.endedAt != nil)
  }

  @Test(arguments: [JournalSchema.nextTurn, JournalSchema.lastSuccess])
  func `the start and the end of a run do not read all runs`(_ query: String) throws {
    let folder = try Folder()
    let journal = try Journal(folder.state)
    let plan = try journal.database.read { try $0.rows("EXPLAIN QUERY PLAN \(query)") }
    let steps = plan.compactMap { $0["detail"].text }
    #expect(steps.contains { $0.contains("INDEX run_") }, "\(steps)")
  }
}

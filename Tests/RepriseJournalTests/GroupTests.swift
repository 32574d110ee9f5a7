import Foundation
import Reprise
import SQLite
import TestSupport
import Testing

@testable import RepriseJournal

/// The search for the live runs of a group.
struct GroupTests {
  private let folder: Folder
  private let journal: Journal

  init() throws {
    folder = try Folder()
    journal = try Journal(folder.state)
  }

  private func begin(_ name: String, _ group: String = "g") throws -> RecordedRun {
    try journal.begin(folder.request(group: group), id: try #require(RunID(name)))
  }

  /// Another process, as far as locks are concerned: another journal in the same folder.
  private func another() throws -> Journal { try Journal(folder.state) }

  @Test func `the last live runs are found in order, and those that are over are not`() throws {
    let runs = try ["a", "b", "c", "d", "e"].map { try begin($0) }
    let other = try begin("other", "h")
    try runs[1].end(as: .succeeded)
    try runs[3].end(as: .interrupted)
    for journal in [journal, try another()] {
      func found(_ count: Int = .max, _ turn: Int64 = .max) throws -> [String] {
        try journal.liveRuns(of: "g", before: turn, last: count).map(\.description)
      }
      #expect(try found() == ["a", "c", "e"])
      #expect(try found(2) == ["c", "e"])
      #expect(try found(1, runs[4].turn) == ["c"])
      #expect(try found(5, runs[0].turn) == [])
    }
    withExtendedLifetime((runs, other)) {}
  }

  @Test func `the locks of this process are not opened, and those of another one are`() throws {
    let runs = try (0..<100).map { try begin("run-\($0)") }
    let before = journal.heldLocks.probeCount
    #expect(try journal.liveRuns(of: "g", before: .max).count == 100)
    #expect(journal.heldLocks.probeCount == before)
    let other = try another()
    #expect(try other.liveRuns(of: "g", before: .max, last: 3).count == 3)
    #expect(other.heldLocks.probeCount == 3, "no more than are needed")
    withExtendedLifetime(runs) {}
  }

  @Test func `a run that is released is live no longer, although the journal goes on`() throws {
    var run: RecordedRun? = try begin("a")
    #expect(journal.isLive(try #require(run).id))
    run = nil
    #expect(!journal.isLive(try #require(RunID("a"))))
    let next = try begin("b")
    try next.end(as: .succeeded)
    #expect(!journal.isLive(next.id))
  }

  @Test func `runs that are over are looked at once`() throws {
    // More than are read at a time.
    var dead = try (0..<200).map { try begin("dead-\($0)") }
    let last = try begin("last")
    #expect(dead.count == 200)
    dead = []
    let passed = PassedTurns()
    func found() throws -> [RunID] {
      try journal.liveRuns(of: "g", before: last.turn, last: 1, passed: passed)
    }
    #expect(try found() == [])
    let count = journal.heldLocks.probeCount
    #expect(count >= 200)
    #expect(try found() == [])
    #expect(journal.heldLocks.probeCount == count)
    #expect(passed.end == last.turn)
  }

  @Test func `a run that is resumed is found at its new turn`() throws {
    var dead: RecordedRun? = try begin("dead")
    let last = try begin("last")
    #expect(dead != nil)
    dead = nil
    let passed = PassedTurns()
    #expect(try journal.liveRuns(of: "g", before: last.turn, last: 1, passed: passed) == [])
    let (resumed, _) = try journal.reopen(try #require(RunID("dead"))) { record, _ in record.request
    }
    #expect(resumed.turn > last.turn)
    #expect(try journal.liveRuns(of: "g", before: last.turn, passed: passed) == [])
    #expect(try journal.liveRuns(of: "g", before: .max, passed: passed) == [last.id, resumed.id])
  }

  @Test func `a search reads only the runs that are not over`() throws {
    for number in 0..<20 { try begin("done-\(number)").end(as: .succeeded) }
    let plan = try journal.database.read { connection in
      try connection.rows(
        "EXPLAIN QUERY PLAN " + JournalSchema.unendedRunsOfGroup, "g", Int64.min, Int64.max, 9
      ).compactMap { $0[3].text }
    }
    #expect(plan.count == 1 && plan[0].contains("USING INDEX run_group"), "\(plan)")
  }
}

import Foundation
import Reprise
import TestSupport
import Testing

@testable import RepriseJournal

struct RetentionTests {
  private static let now = Timestamp(microseconds: 1_000_000_000)

  /// Returns the positions of the runs that are deleted of five, each a minute older than the one
  /// before, with 100 bytes of output.
  private func deleted(_ keep: Retention, protected: Set<Int> = [0]) -> [Int] {
    let runs = (0..<5).map { age in
      Retention.Candidate(
        isProtected: protected.contains(age), endedAt: Self.now.advanced(by: .seconds(-60 * age)),
        bytes: 100)
    }
    return keep.positionsToDelete(runs, now: Self.now)
  }

  @Test func `runs over any limit are deleted, oldest first`() {
    #expect(deleted(Retention()) == [])
    #expect(deleted(Retention(runs: 2)) == [2, 3, 4])
    #expect(deleted(Retention(age: .seconds(150))) == [3, 4])
    #expect(deleted(Retention(bytes: 399)) == [3, 4])
    #expect(deleted(Retention(runs: 4, age: .seconds(150), bytes: 250)) == [2, 3, 4])
  }

  @Test func `protected runs are kept and count for the limits`() {
    #expect(deleted(Retention(runs: 2), protected: [0, 4]) == [2, 3])
    #expect(deleted(Retention(runs: 1, bytes: 1), protected: [0, 1, 2, 3, 4]) == [])
    #expect(deleted(Retention(bytes: 1), protected: [0]) == [1, 2, 3, 4])
  }

  @Test func `runs that go on are kept, and only their output counts`() {
    let runs = (0..<5).map { age in
      Retention.Candidate(
        isProtected: age == 0, isUnfinished: age == 1 || age == 4,
        endedAt: Self.now.advanced(by: .seconds(-60 * age)), bytes: 100)
    }
    #expect(Retention(runs: 2).positionsToDelete(runs, now: Self.now) == [3])
    #expect(Retention(age: .seconds(1)).positionsToDelete(runs, now: Self.now) == [2, 3])
    #expect(Retention(bytes: 399).positionsToDelete(runs, now: Self.now) == [3])
    #expect(Retention(bytes: 299).positionsToDelete(runs, now: Self.now) == [2, 3])
  }

  @Test func `a run that is interrupted is kept, and one that was cancelled before is not`()
    async throws
  {
    let folder = try Folder()
    let journal = try Journal(folder.state)
    var interrupted: RecordedRun? = try journal.begin(folder.request("a"))
    var cancelled: RecordedRun? = try journal.begin(folder.request("a"))
    let (first, second) = (try #require(interrupted).id, try #require(cancelled).id)
    let kinds = [
      Event.Kind.runStarted(RunPlan(workflow: "a", steps: [])), .runCancelling(.request),
    ]
    try cancelled?.record(kinds.map { Event(time: Self.now, run: second, generation: 1, kind: $0) })
    // As if their process died.
    (interrupted, cancelled) = (nil, nil)
    let newest = try await folder.run("a", failing: 1, in: journal)
    #expect(try await journal.unfinishedRuns(of: "a").map(\.id) == [first])
    #expect(try journal.deleteRuns(exceeding: Retention(runs: 1), of: "a") == [second])
    #expect(try journal.runs().map(\.id) == [newest, first])
  }

  @Test func `live runs, the newest of each workflow and the last success are kept`() async throws {
    let folder = try Folder()
    let journal = try Journal(folder.state)
    let success = try await folder.run("a", in: journal)
    try await folder.run("b", failing: 1, in: journal)
    let newestB = try await folder.run("b", failing: 1, in: journal)
    let live = try journal.begin(folder.request("a"))
    try await folder.run("a", failing: 1, in: journal)
    let newestA = try await folder.run("a", failing: 1, in: journal)
    let none = try journal.deleteRuns(exceeding: Retention(logBytes: 1 << 20))
    #expect(none.isEmpty)
    try journal.deleteRuns(exceeding: Retention(runs: 1))
    #expect(try journal.runs().map(\.id) == [newestA, live.id, newestB, success])
    let kept = Set(try FileManager.default.contentsOfDirectory(atPath: folder.state.runsPath))
    #expect(kept == Set([newestA, newestB, success].map(\.description)))
  }

  @Test func `limits of a workflow do not delete runs of another`() async throws {
    let folder = try Folder()
    let journal = try Journal(folder.state)
    for name in ["a", "b", "a", "b", "a"] { try await folder.run(name, failing: 1, in: journal) }
    try journal.deleteRuns(exceeding: Retention(bytes: 1), of: "a")
    #expect(try journal.runs().map(\.request.workflow) == ["a", "b", "b"])
  }

  @Test func `the limits of the project are in a file of the state directory`() throws {
    let folder = try Folder()
    try folder.state.create()
    #expect(try folder.state.retention() == Retention())
    try "{ runs: 3, bytes: 1.5k }".write(
      toFile: folder.state.retentionPath, atomically: true, encoding: .utf8)
    #expect(try folder.state.retention() == Retention(runs: 3, bytes: 1536))
    try "{ run: 3 }".write(
      toFile: folder.state.retentionPath, atomically: true, encoding: .utf8)
    let error = #expect(throws: WorkflowError.self) { try folder.state.retention() }
    #expect("\(try #require(error))".contains("did you mean \"runs\"?"))
  }
}

import Reprise
import Testing

@testable import RepriseJournal

/// The runs that a program resumes when it starts.
struct UnfinishedRunTests {
  private let folder: Folder
  private let journal: Journal
  private let plan = RunPlan(workflow: "w", steps: [PlannedStep(id: "a", needs: [])])

  init() throws {
    folder = try Folder()
    journal = try Journal(folder.state)
  }

  /// Records a run of which the process dies after some events.
  private func record(
    _ id: String, workflow: String = "w", _ kinds: [(Event.Kind, Requester?)]
  ) throws {
    let id = try #require(RunID(id))
    let recorded = try journal.begin(folder.request(workflow), id: id)
    for (number, (kind, requester)) in kinds.enumerated() {
      let time = Timestamp(microseconds: Int64(number))
      try recorded.record([
        Event(time: time, run: id, generation: 1, kind: kind, by: requester)
      ])
    }
  }

  private func unfinished() async throws -> [String] {
    try await journal.unfinishedRuns(of: "w").map(\.id.description)
  }

  @Test func `what the program or its death has ended is unfinished, oldest first`() async throws {
    let started = (Event.Kind.runStarted(plan), Requester?.none)
    let cancelled = (Event.Kind.runEnded(.cancelled), Requester?.none)
    try record("queued", [])
    try record("running", [started])
    try record("other", workflow: "x", [started])
    try record("done", [started, (.runEnded(.succeeded), nil)])
    for requester in [Requester.api, .signal(15)] {
      let cancelling = (Event.Kind.runCancelling(.request), Requester?.some(requester))
      try record("\(requester.kind)-dead", [started, cancelling])
      try record("\(requester.kind)-ended", [started, cancelling, cancelled])
    }
    try record("timeout", [started, (.runCancelling(.runTimedOut), nil)])
    #expect(
      try await unfinished() == [
        "queued", "running", "api-dead", "api-ended", "signal-dead", "signal-ended", "timeout",
      ])
  }

  @Test(arguments: [Requester.Kind.key, .attach, .command, .program, .watch])
  func `what someone has cancelled is not, even if its process died before the end`(
    _ kind: Requester.Kind
  ) async throws {
    let started = (Event.Kind.runStarted(plan), Requester?.none)
    let cancelling = (Event.Kind.runCancelling(.request), Requester?.some(Requester(kind)))
    try record("dead", [started, cancelling])
    try record("ended", [started, cancelling, (.runEnded(.cancelled), nil)])
    try journal.begin(folder.request(), id: try #require(RunID("in-the-queue"))).end(as: .cancelled)
    #expect(try await unfinished() == [])
  }

  @Test
  func `what someone has cancelled before its turn is not, even after a cancel by the program`()
    async throws
  {
    try record(
      "run",
      [
        (.runStarted(plan), nil), (.runCancelling(.request), .api),
        (.step("a", attempt: 0, .cancelled(.request)), nil), (.runEnded(.cancelled), nil),
      ])
    #expect(try await unfinished() == ["run"])
    let (resumed, _) = try journal.reopen(try #require(RunID("run"))) { record, _ in record.request
    }
    try resumed.end(as: .cancelled)
    #expect(try await unfinished() == [])
  }

  @Test func `what was resumed after that is unfinished again`() async throws {
    let cancelled: [(Event.Kind, Requester?)] = [
      (.runStarted(plan), nil), (.runCancelling(.request), Requester(.command)),
    ]
    try record("resumed", cancelled + [(.runResumed(plan), nil)])
    try record("again", cancelled + [(.generationStarted(reset: nil), nil)])
    #expect(try await unfinished() == ["resumed", "again"])
  }
}

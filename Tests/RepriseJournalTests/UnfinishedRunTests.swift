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

  @Test func `what was interrupted is unfinished, oldest first`() async throws {
    let started = (Event.Kind.runStarted(plan), Requester?.none)
    let interrupting = (Event.Kind.runCancelling(.interrupted), Requester?.some(.api))
    try record("queued", [])
    try record("running", [started])
    try record("other", workflow: "x", [started])
    try record("done", [started, (.runEnded(.succeeded), nil)])
    try record("dead", [started, interrupting])
    try record("ended", [started, interrupting, (.runEnded(.interrupted), .api)])
    try record("timeout", [started, (.runCancelling(.runTimedOut), nil)])
    #expect(try await unfinished() == ["queued", "running", "dead", "ended", "timeout"])
    #expect(try await journal.run(#require(RunID("ended"))).status == .interrupted)
  }

  @Test(arguments: Requester.Kind.allCases)
  func `what was cancelled is over, even if its process died before the end`(
    _ kind: Requester.Kind
  ) async throws {
    let started = (Event.Kind.runStarted(plan), Requester?.none)
    let cancelling = (Event.Kind.runCancelling(.request), Requester?.some(Requester(kind)))
    try record("dead", [started, cancelling])
    try record("late", [started, (.runCancelling(.interrupted), .api), cancelling])
    try record("ended", [started, cancelling, (.runEnded(.cancelled), nil)])
    try journal.begin(folder.request(), id: try #require(RunID("in-the-queue"))).end(as: .cancelled)
    #expect(try await unfinished() == [])
    try journal.recoverRuns()
    for id in ["dead", "late", "ended", "in-the-queue"] {
      #expect(try await journal.run(#require(RunID(id))).status == .cancelled)
    }
    let dead = try #require(RunID("dead"))
    let state = try await journal.state(of: dead)
    #expect(state.phase == .ended(.cancelled))
    #expect(state["a"]?.phase == .cancelled(.request))
    let end = try #require(try await journal.events(of: dead).last)
    #expect(end.by == Requester(kind), "who cancelled it")
    #expect(try await journal.run(dead).endedAt == Timestamp(microseconds: 1), "its last event")
  }

  @Test func `what was cancelled stays interrupted while steps of it go on without its engine`()
    async throws
  {
    let place = RunnerPlace(runner: "survive", token: "r.a.1.1.x", survives: true)
    try record(
      "run",
      [
        (.runStarted(plan), nil), (.step("a", attempt: 1, .queued(place, text: "")), nil),
        (.runCancelling(.request), Requester(.command)),
      ])
    try journal.recoverRuns()
    #expect(try await unfinished() == [])
    #expect(try await journal.run(#require(RunID("run"))).status == .interrupted)
  }

  @Test func `an interrupted run that is cancelled later is over`() async throws {
    try record(
      "run",
      [
        (.runStarted(plan), nil), (.runCancelling(.interrupted), .api),
        (.step("a", attempt: 0, .cancelled(.interrupted)), nil), (.runEnded(.interrupted), nil),
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

  @Test func `a run that has just ended is removed once its engine has let it go`() async throws {
    for round in 0..<20 {
      let id = try #require(RunID("run-\(round)"))
      try record(id.description, [(.runStarted(plan), nil), (.runEnded(.succeeded), nil)])
      let lock = try #require(try FileLock.take(journal.directory.lockPath(of: id)))
      #expect(try journal.remove(journal.run(with: id)) == false)
      async let isRemoved = journal.remove(id)
      lock.release()
      #expect(try await isRemoved)
    }
  }
}

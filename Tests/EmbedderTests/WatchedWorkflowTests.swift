// Triggers of programs that embed the engine, in a package with the default settings.

import Reprise
import RepriseHost
import RepriseJournal
import Synchronization
import TestSupport
import Testing

/// Changed files, schedules, and the runs that they start.
@Suite(.timeLimit(.minutes(5))) struct WatchedWorkflowTests {
  /// A clock that jumps to the end of each sleep.
  final class JumpingClock: RunClock {
    private let time: Mutex<Timestamp>

    init(at seconds: Int64) { time = Mutex(Timestamp(microseconds: seconds * 1_000_000)) }

    var now: Timestamp { time.withLock { $0 } }

    func sleep(for duration: Duration) async throws {
      try Task.checkCancellation()
      time.withLock { $0 = $0.advanced(by: duration) }
    }
  }

  private func seconds(_ moment: Timestamp?) -> Int64? {
    moment.map { $0.microseconds / 1_000_000 }
  }

  @Test func `the times of a schedule come one after the other`() async {
    let schedule = Schedule(.every(.seconds(600)), text: "every 10m")
    let clock = JumpingClock(at: 1000)
    var moments = schedule.moments(clock: clock).makeAsyncIterator()
    #expect(seconds(await moments.next()) == 1600)
    #expect(seconds(await moments.next()) == 2200)
    #expect(seconds(clock.now) == 2200)
  }

  @Test func `of several missed times the last one is delivered, if the schedule catches up`() async
  {
    for (catchesUp, first) in [(true, Int64(4800)), (false, 5400)] {
      let schedule = Schedule(.every(.seconds(600)), text: "every 10m", catchesUp: catchesUp)
      var moments = schedule.moments(
        after: Timestamp(microseconds: 0), clock: JumpingClock(at: 5000)
      ).makeAsyncIterator()
      #expect(seconds(await moments.next()) == first)
    }
  }

  @Test func `changed files are delivered, and folded while they are not read`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("a.txt")
    let changes = try FileChanges(["*.txt", "!b.txt"], in: folder.path)
    for name in ["a.txt", "b.txt", "c.txt", "d.md"] { try folder.write(name, "1".utf8) }
    var seen: Set<String> = []
    for await paths in changes {
      #expect(paths == paths.sorted())
      seen.formUnion(paths)
      if seen.count == 2 { break }
    }
    #expect(seen == ["a.txt", "c.txt"])
    #expect(throws: WatchError.self) { try FileChanges(["[a"], in: folder.path) }
  }

  @Test func `a workflow runs by its triggers`() async throws {
    let folder = try TemporaryFolder()
    let built = Mutex(0)
    let workflow = try Workflow("site", .on(["files": ["*.txt"], "start": true])) {
      Step("build") { _ in built.withLock { $0 += 1 } }
    }
    let subscription = try Engine().watch(workflow, in: folder.path)
      .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    await expectEventually("it runs at the start") { built.withLock { $0 } == 1 }
    try folder.write("a.txt", "1".utf8)
    await expectEventually("and when a file has changed") { built.withLock { $0 } == 2 }
    subscription.cancel()
  }

  @Test func `a change restarts a hosted run in place`() async throws {
    let folder = try TemporaryFolder()
    let host = RunHost(Engine(), recordingIn: try Journal(at: folder.path + "/journal"))
    let begun = Mutex(0)
    let workflow = try Workflow(
      "site", .on(["files": ["*.txt"], "start": true, "when-busy": "restart"])
    ) {
      Step("build") { context in
        begun.withLock { $0 += 1 }
        try await context.clock.sleep(for: .seconds(600))
      }
    }
    let subscription = try host.watch(workflow, in: folder.path)
      .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    await expectEventually("it runs at the start") { begun.withLock { $0 } == 1 }
    try folder.write("a.txt", "1".utf8)
    await expectEventually("and again") { begun.withLock { $0 } == 2 }
    #expect(try await host.journal.runs.map(\.generation) == [2])
    subscription.cancel()
    try await expectEventually("it is cancelled") {
      try await host.journal.runs.map(\.status) == [.cancelled]
    }
  }

  @Test func `a watch ends when its host is shut down`() async throws {
    let folder = try TemporaryFolder()
    let host = RunHost(Engine(), recordingIn: try Journal(at: folder.path + "/journal"))
    let workflow = try Workflow("site", .on(["files": ["*.txt"], "start": true])) {
      Step("build") { context in try await context.clock.sleep(for: .seconds(600)) }
    }
    let outcomes = Task {
      var outcomes: [RunOutcome] = []
      for try await run in try host.watch(workflow, in: folder.path).values {
        outcomes.append(try await run.outcome)
      }
      return outcomes
    }
    await expectEventually("it runs") { host.runs.first?.run?.state["build"]?.phase == .running }
    await host.shutDown()
    #expect(try await outcomes.value == [.interrupted])
    // One that begins later ends at once.
    for try await _ in try host.watch(workflow, in: folder.path).values {
      Issue.record("a run has begun")
    }
  }

  @Test func `other triggers are refused`() throws {
    let plain = try Workflow("plain") { Step("a") { _ in } }
    #expect(throws: WatchError.noTriggers) { try Engine().watch(plain) }
    let other = try Workflow("other", .on(["socket": true])) { Step("a") { _ in } }
    #expect(throws: WatchError.self) { try Engine().watch(other) }
  }
}

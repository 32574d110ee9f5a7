// The lines of runs that wait for their turns in one process.

import Reprise
import RepriseHost
import RepriseJournal
import Synchronization
import TestSupport
import Testing

final class GroupLineTests: Sendable {
  private let folder: TemporaryFolder
  private let journal: Journal
  private let host: RunHost
  private let begun = Mutex<[String]>([])
  private let opened = Gate()

  init() throws {
    folder = try TemporaryFolder()
    journal = try Journal(at: folder.path + "/journal")
    host = RunHost(Engine(), recordingIn: journal)
  }

  private func workflow(limit: Int = 1) throws -> Workflow {
    let group = Concurrency(group: "g", policy: .queue, limit: limit)
    return try Workflow("w", .concurrency(group), .grace(.zero)) {
      Step("wait") { [self] context in
        begun.withLock { $0.append(context.run.description) }
        await opened.wait()
      }
    }
  }

  private func enqueue(_ name: String, limit: Int = 1) async throws -> QueuedRun {
    try await host.enqueue(workflow(limit: limit), id: try #require(RunID(name)))
  }

  /// Counts the locks that are opened while runs join the queue after those of another process, which
  /// is another journal as far as locks are concerned, and are cancelled and resumed.
  @Test func `the work for each run does not grow with the queue`() async throws {
    for count in [10, 100, 1000] {
      let journal = try Journal(at: folder.path + "/journal-\(count)")
      let host = RunHost(Engine(), recordingIn: journal)
      let group = Concurrency(group: "g", policy: .queue, limit: 3)
      let workflow = try Workflow("w", .concurrency(group), .grace(.zero)) {
        Step("wait") { context in try await context.clock.sleep(for: .seconds(1000)) }
      }
      let other = RunHost(
        Engine(), recordingIn: try Journal(at: folder.path + "/journal-\(count)"))
      for _ in 0..<3 { _ = try await other.start(workflow) }
      var queued: [QueuedRun] = []
      for _ in 0..<count { queued.append(try await host.enqueue(workflow)) }
      try await queued[count / 2].perform(.cancel())
      await host.shutDown()
      let next = RunHost(Engine(), recordingIn: journal)
      let left = try await journal.unfinishedRuns(of: "w")
        .filter { run in queued.contains { $0.id == run.id } }
      #expect(left.count == count - 1)
      for run in left { try await next.enqueue(resuming: run.id, with: workflow) }
      await next.shutDown()
      await other.shutDown()
      // The first run in the queue looks at those ahead whenever one joins; the others look at nothing.
      try #require(journal.probedLockCount <= 20 * count, "\(count) runs")
    }
  }

  @Test func `runs begin in the order of their records, without those that are cancelled`()
    async throws
  {
    var runs: [QueuedRun] = []
    for name in ["a", "b", "c", "d", "e"] { runs.append(try await enqueue(name)) }
    _ = try await runs[0].begun()
    try await runs[1].perform(.cancel())
    try await runs[3].perform(.cancel())
    opened.open()
    for run in [runs[0], runs[2], runs[4]] {
      #expect(try await run.begun().outcome == .succeeded)
    }
    #expect(begun.withLock { $0 } == ["a", "c", "e"])
    await host.shutDown()
  }

  @Test func `a run with a higher limit does not wait for one with a lower limit`() async throws {
    _ = try await enqueue("a").begun()
    let second = try await enqueue("b")
    _ = try await enqueue("c", limit: 3).begun()
    #expect(second.run == nil)
    opened.open()
    #expect(try await second.begun().outcome == .succeeded)
    await host.shutDown()
  }

  @Test func `two hosts of a journal share the turns of a group`() async throws {
    let other = RunHost(Engine(), recordingIn: try Journal(at: folder.path + "/journal"))
    var runs: [QueuedRun] = []
    for number in 0..<8 {
      let id = try #require(RunID("run-\(number)"))
      runs.append(try await (number % 3 == 0 ? other : host).enqueue(workflow(), id: id))
    }
    _ = try await runs[0].begun()
    opened.open()
    for run in runs { #expect(try await run.begun().outcome == .succeeded) }
    #expect(begun.withLock { $0 } == runs.map(\.id.description))
    for host in [host, other] { await host.shutDown() }
  }
}

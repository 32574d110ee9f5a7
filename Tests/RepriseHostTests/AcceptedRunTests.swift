// What becomes of a run that a host has accepted, and that cannot begin.

import Reprise
import RepriseHost
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import RepriseJournal

struct AcceptedRunTests {
  @Test func `a run that cannot begin is interrupted, and the host says so`() async throws {
    let folder = try TemporaryFolder()
    let messages = Mutex<[String]>([])
    let journal = try Journal(at: folder.path + "/journal")
    let host = RunHost(Engine(), recordingIn: journal) { text in
      messages.withLock { $0.append(text) }
    }
    let opened = Gate()
    let group = Concurrency(group: "g", policy: .queue)
    let workflow = try Workflow("order", .concurrency(group)) {
      Step("work") { _ in await opened.wait() }
    }
    let first = try await host.enqueue(workflow)
    _ = try await first.begun()
    // It writes nothing of itself any more while its table is away.
    try await expectEventually("its start is recorded") {
      try await journal.events(of: first.id).contains {
        if case .step(_, _, .started) = $0.kind { true } else { false }
      }
    }
    let second = try await host.enqueue(workflow)
    await expectEventually("it waits") { messages.withLock { $0.count } == 1 }
    try journal.rename("run", to: "away")
    // Who waits looks again when a run begins or ends.
    let other = try #require(RunID("other"))
    try FileLock.take(journal.directory.lockPath(of: other))?.announce()
    await #expect(throws: HostError.self) { try await second.begun() }
    try journal.rename("away", to: "run")
    await expectEventually("it is not a run of the host") { host.run(second.id) == nil }
    #expect(try await journal.unfinishedRuns(of: "order").map(\.id) == [second.id])
    let said = messages.withLock { $0.last }
    #expect(said?.hasPrefix("run \(second.id): error: it cannot begin: ") == true, "\(said ?? "")")
    opened.open()
    #expect(try await first.begun().outcome == .succeeded)
  }
}

extension Journal {
  fileprivate func rename(_ table: String, to name: String) throws {
    try database.write { connection in
      try connection.execute("ALTER TABLE \(table) RENAME TO \(name)")
    }
  }
}

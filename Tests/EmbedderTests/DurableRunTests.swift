// Recorded and hosted runs, in a package with the default settings of the compiler.

import Foundation
import Reprise
import RepriseHost
import RepriseJournal
import Synchronization
import TestSupport
import Testing

/// Runs that are recorded in a journal.
struct DurableRunTests {
  struct Broken: Error {}

  /// Counts the calls of steps, and lets `ship` fail until a test clears its flag.
  final class Shop: Sendable {
    let calls = Mutex<[String]>([])
    let isBroken = Mutex(true)

    func orders(_ name: String = "orders") throws -> Workflow {
      try Workflow(name) {
        Step("charge") { [self] _ in
          calls.withLock { $0.append("charge") }
          return ["receipt": "4711"]
        }
        Step("ship") { [self] context in
          calls.withLock { $0.append("ship") }
          guard !isBroken.withLock({ $0 }) else { throw Broken() }
          return try context.input("charge", as: [String: String].self)
        }
      }
    }

    var called: [String] { calls.withLock { $0 } }
  }

  private func failed(_ shop: Shop, _ journal: Journal) async throws -> RunID {
    let run = try await Engine().start(shop.orders(), recordedIn: journal)
    guard case .failed = try await run.outcome else { throw Broken() }
    return run.id
  }

  @Test func `a resumed run keeps what it has, in another journal of the folder`() async throws {
    let folder = try TemporaryFolder()
    let shop = Shop()
    let id = try await failed(shop, try Journal(at: folder.path + "/journal"))
    let journal = try Journal(at: folder.path + "/journal")
    #expect(try await journal.runs.map(\.status) == [.failed])
    #expect(try await journal.state(of: id)["charge"]?.phase.isSuccess == true)

    shop.isBroken.withLock { $0 = false }
    let run = try await Engine().resume(id, from: journal, with: shop.orders())
    try await run.value()
    #expect(run.id == id)
    #expect(shop.called == ["charge", "ship", "ship"])
    #expect(try run.output(of: "ship", as: [String: String].self) == ["receipt": "4711"])
    let record = try await journal.run(id)
    #expect(record.status == .succeeded && record.generation == 2 && record.workflow == "orders")
    #expect(record.endedAt != nil)
    #expect(try await journal.events(of: id).count > 8)
    #expect(try await journal.remove(id))
    #expect(try await journal.runs.isEmpty)
  }

  @Test func `an abandoned run is not unfinished, but can be resumed by its id`() async throws {
    let folder = try TemporaryFolder()
    let said = Mutex<[String]>([])
    let host = RunHost(
      Engine(), recordingIn: try Journal(at: folder.path + "/journal"),
      onMessage: { message in said.withLock { $0.append(message) } })
    let answer = folder.path + "/answer"
    // A condition can be neither met nor unmet: its command fails until the file exists.
    let workflow = try Workflow(
      "careful", .environment(["ANSWER": .data(answer)]),
      .if(run: "test -e \"$ANSWER\" || exit 2")
    ) {
      Step("work") { _ in 1 }
    }
    let first = try await host.start(workflow)
    guard case .abandoned = try await first.outcome else {
      Issue.record("\(try await first.outcome)")
      return
    }
    await expectEventually("the end is recorded") {
      (try? await host.journal.run(first.id).status) == .abandoned
    }
    #expect(try await host.journal.unfinishedRuns(of: "careful").isEmpty)
    // Nobody may look at the outcome of a run that was accepted.
    await expectEventually("the host says so") {
      said.withLock { $0.contains { $0.hasPrefix("run \(first.id): error: it was abandoned: ") } }
    }
    try folder.write("answer")
    let second = try await host.resume(first.id, with: workflow)
    #expect(try await second.outcome == .succeeded)
    #expect(second.id == first.id)
  }

  @Test func `runs of one journal share its pools, and have folders in it`() async throws {
    let folder = try TemporaryFolder()
    let gate = Gate()
    let folders = Mutex<Set<String?>>([])
    let workflow = try Workflow("pooled", .pools(["db": 2])) {
      Step("query", .pool("db")) { context in
        folders.withLock { _ = $0.insert(context.runDirectory) }
        await gate.wait()
      }
    }
    var runs: [Run] = []
    // Each with an engine and a journal of its own, as in another process.
    for _ in 1...4 {
      let journal = try Journal(at: folder.path + "/journal")
      runs.append(try await Engine().start(workflow, recordedIn: journal))
    }
    await expectEventually("two have places, and two wait") { [runs] in
      runs.count { $0.state["query"]?.waitsForPool != nil } == 2
        && runs.count { $0.state["query"]?.phase == .running } == 2
    }
    gate.open()
    for run in runs { #expect(try await run.outcome == .succeeded) }
    #expect(folders.withLock { $0 }.count == 4 && !folders.withLock { $0 }.contains(nil))
  }

  @Test func `a workflow that does not fit the run is refused, and changes nothing`() async throws {
    let folder = try TemporaryFolder()
    let shop = Shop()
    let journal = try Journal(at: folder.path + "/journal")
    let id = try await failed(shop, journal)
    func refusal(_ workflow: Workflow) async -> String {
      do {
        _ = try await Engine().resume(id, from: journal, with: workflow)
        return "accepted"
      } catch {
        return error.description
      }
    }
    #expect(await refusal(try shop.orders("bills")).contains(#"one of "orders""#))
    let other = try Workflow("orders") { Step("ship") { _ in } }
    #expect(await refusal(other).contains(#"it has no step "charge""#))
    #expect(try await journal.run(id).status == .failed)

    shop.isBroken.withLock { $0 = false }
    _ = try await Engine().resume(id, from: journal, with: shop.orders()).outcome
    #expect(await refusal(try shop.orders()).contains("has succeeded"))
    await #expect(throws: JournalError.self) { try await journal.state(of: RunID()) }
  }

  @Test func `a run in progress cannot be resumed`() async throws {
    let folder = try TemporaryFolder()
    let journal = try Journal(at: folder.path + "/journal")
    let workflow = try Workflow("waits") { Step("go", approval: "Go?") }
    let run = try await Engine().start(workflow, recordedIn: journal)
    await #expect(throws: JournalError.self) {
      _ = try await Engine().resume(run.id, from: journal, with: workflow)
    }
    #expect(try await journal.runs.map(\.status.isLive) == [true])
    run.cancel()
    #expect(try await run.outcome == .cancelled)
  }

  @Test func `an id is that of one run, also where another begins with it`() async throws {
    let folder = try TemporaryFolder()
    let journal = try Journal(at: folder.path + "/journal")
    let host = RunHost(Engine(), recordingIn: journal)
    let workflow = try Workflow("order") { Step("ship") { _ in 1 } }
    let (short, long) = (RunID("order-1")!, RunID("order-12")!)
    _ = try await host.start(workflow, id: long).outcome
    await #expect(throws: HostError.idIsUsed(long)) { try await host.start(workflow, id: long) }
    await #expect(throws: JournalError.self) { try await journal.remove(short) }
    #expect(try await journal.run(long).status == .succeeded)
    do {
      _ = try await Engine().start(workflow, recordedIn: journal, id: long)
      Issue.record("accepted")
    } catch {
      #expect(error.isOfUsedID)
    }
  }

  @Test func `a run that waits for its turn ends with the task that awaits it`() async throws {
    let folder = try TemporaryFolder()
    let host = RunHost(Engine(), recordingIn: try Journal(at: folder.path + "/journal"))
    let opened = Gate()
    let workflow = try Workflow("g", .concurrency(Concurrency(group: "g", policy: .queue))) {
      Step("wait") { _ in await opened.wait() }
    }
    let first = try await host.start(workflow)
    let id = RunID("order-2")!
    let second = Task { try await host.start(workflow, id: id) }
    try await expectEventually("the second waits for its turn") {
      try await host.journal.runs.map(\.status) == [.queued, .running]
    }
    second.cancel()
    await #expect(throws: HostError.interrupted(id)) { try await second.value }
    #expect(try await host.journal.run(id).status == .interrupted)
    opened.open()
    #expect(try await first.outcome == .succeeded)
    #expect(try await host.resume(id, with: workflow).outcome == .succeeded)
  }

  @Test func `hosted runs of a group wait for one another`() async throws {
    let folder = try TemporaryFolder()
    let messages = Mutex<[String]>([])
    let host = RunHost(Engine(), recordingIn: try Journal(at: folder.path + "/journal")) { text in
      messages.withLock { $0.append(text) }
    }
    let order = Mutex<[String]>([])
    let opened = Gate()
    func workflow(_ name: String, _ policy: Concurrency.Policy = .queue) throws -> Workflow {
      try Workflow(name, .concurrency(Concurrency(group: "g", policy: policy))) {
        Step("begin") { _ in order.withLock { $0.append(name) } }
        Step("wait") { _ in await opened.wait() }
        Step("end") { _ in order.withLock { $0.append(name) } }
      }
    }
    let first = try await host.start(workflow("first"))
    let refused = HostError.groupIsBusy(group: "g", run: first.id)
    await #expect(throws: refused) { try await host.start(workflow("refused", .reject)) }
    let id = try #require(RunID("second"))
    let second = Task { try await host.start(workflow("second"), id: id).outcome }
    try await expectEventually("the second waits for its turn") {
      try await host.journal.runs.map(\.status) == [.queued, .running]
    }
    let waits = "run second: waiting for run \(first.id) of the group \"g\""
    await expectEventually("the message says which run waits") {
      messages.withLock { $0 == [waits] }
    }
    opened.open()
    #expect(try await second.value == .succeeded)
    #expect(order.withLock { $0 } == ["first", "first", "second", "second"])
  }

  @Test func `a run of a group with a limit says for which runs it waits`() async throws {
    let folder = try TemporaryFolder()
    let messages = Mutex<[String]>([])
    let host = RunHost(Engine(), recordingIn: try Journal(at: folder.path + "/journal")) { text in
      messages.withLock { $0.append(text) }
    }
    let opened = Gate()
    let group = Concurrency(group: "g", policy: .queue, limit: 2)
    let workflow = try Workflow("w", .concurrency(group)) {
      Step("wait") { _ in await opened.wait() }
    }
    var waiting: [Task<RunOutcome, any Error>] = []
    for (name, status) in [
      ("a", RunStatus.running), ("b", .running), ("c", .queued), ("d", .queued),
    ] {
      let id = try #require(RunID(name))
      waiting.append(Task { try await host.start(workflow, id: id).outcome })
      // A run that is still beginning is in the line: the next one would say that it is behind it.
      try await expectEventually("\(name) is \(status)") {
        let last = try await host.journal.runs.first
        return last?.id == id && last?.status == status
      }
    }
    await expectEventually("each says so") {
      messages.withLock {
        // A run is recorded before it says so, and the next one may be faster.
        $0.sorted() == [
          #"run c: waiting for one of the runs a, b of the group "g""#,
          #"run d: waiting for a place after run c of the group "g""#,
        ]
      }
    }
    opened.open()
    for run in waiting { #expect(try await run.value == .succeeded) }
  }

  @Test func `a hosted run is resumed, too`() async throws {
    let folder = try TemporaryFolder()
    let shop = Shop()
    let host = RunHost(Engine(), recordingIn: try Journal(at: folder.path + "/journal"))
    let run = try await host.start(shop.orders())
    _ = try await run.outcome
    shop.isBroken.withLock { $0 = false }
    #expect(try await host.resume(run.id, with: shop.orders()).outcome == .succeeded)
    #expect(shop.called == ["charge", "ship", "ship"])
    // The folder of the run is gone by then, as nothing is in it.
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/journal/files")
    #expect(files == [])
    await #expect(throws: HostError.self) { try await host.resume(run.id, with: shop.orders()) }
  }
}

// Runs of a host that wait for their turns, in a package with the default settings of the compiler.

import Foundation
import Reprise
import RepriseHost
import RepriseJournal
import Synchronization
import TestSupport
import Testing

/// A host whose first run waits for a gate, so that the others of its group wait for their turns.
private struct Busy {
  let folder: TemporaryFolder
  let host: RunHost
  let opened = Gate()
  let first: QueuedRun

  static func workflow(_ gate: Gate?) throws -> Workflow {
    try Workflow("order", .concurrency(Concurrency(group: "g", policy: .queue)), .grace(.zero)) {
      Step("work") { _ in
        await gate?.wait()
        try Task.checkCancellation()
        return 1
      }
    }
  }

  init() async throws {
    folder = try TemporaryFolder()
    host = RunHost(Engine(), recordingIn: try Journal(at: folder.path + "/journal"))
    first = try await host.enqueue(Self.workflow(opened))
    _ = try await first.begun()
  }

  func enqueue(_ id: RunID = RunID()) async throws -> QueuedRun {
    try await host.enqueue(Self.workflow(nil), id: id)
  }

  func status(_ id: RunID) async throws -> RunStatus { try await host.journal.run(id).status }

  /// Shuts the host down while the first run goes on.
  func interruptFirst() async throws {
    let run = try await first.begun()
    let stopping = Task { await host.shutDown() }
    await expectEventually("the run is being interrupted") { run.state.phase != .running }
    opened.open()
    await stopping.value
    #expect(try await status(first.id) == .interrupted)
  }

  /// Awaits that the host has no runs.
  func becomesIdle() async {
    await expectEventually("the host has no runs") { host.runs.isEmpty }
  }
}

struct QueuedRunTests {
  @Test func `a run is recorded when enqueue returns, and begins when its turn has come`()
    async throws
  {
    let busy = try await Busy()
    let second = try await busy.enqueue()
    #expect(try await busy.status(second.id) == .queued)
    #expect(second.run == nil)
    #expect(busy.host.runs.map(\.id) == [busy.first.id, second.id])
    #expect(busy.host.run(second.id) === second)
    let events = Task {
      var kinds: [Event.Kind] = []
      for try await event in second.events.throwingSequence() { kinds.append(event.kind) }
      return kinds
    }
    let counts = Task {
      var counts: [Int] = []
      for try await change in second.changes.values { counts.append(change.state.counts.final) }
      return counts
    }
    let phases = Task {
      var phases: [RunPhase] = []
      for try await state in second.states.values { phases.append(state.phase) }
      return phases
    }
    busy.opened.open()
    #expect(try await second.begun().outcome == .succeeded)
    #expect(try await events.value.last == .runEnded(.succeeded))
    #expect(try await events.value.count == busy.host.journal.events(of: second.id).count)
    #expect(try await counts.value.count == events.value.count)
    #expect(try await counts.value.last == 1)
    #expect(try await phases.value.last == .ended(.succeeded))
    await busy.becomesIdle()
    #expect(busy.host.run(second.id) == nil)
  }

  @Test func `a run that is cancelled in the queue never begins, and is not resumed`() async throws
  {
    let busy = try await Busy()
    let second = try await busy.enqueue()
    second.cancel()
    await #expect(throws: HostError.cancelled(second.id)) { try await second.begun() }
    await #expect(throws: HostError.cancelled(second.id)) {
      for try await _ in second.events.throwingSequence() {}
    }
    await #expect(throws: HostError.cancelled(second.id)) {
      for try await _ in second.states.values {}
    }
    #expect(try await busy.status(second.id) == .cancelled)
    #expect(try await busy.host.journal.unfinishedRuns(of: "order").isEmpty)
    busy.opened.open()
    await busy.becomesIdle()
  }

  @Test func `a run that was cancelled is not resumed, whether it had begun or not`() async throws {
    let busy = try await Busy()
    let waiting = try await busy.enqueue()
    try await waiting.perform(.cancel())
    try await busy.first.perform(.cancel())
    busy.opened.open()
    _ = try await busy.first.begun().outcome
    await busy.becomesIdle()
    for id in [waiting.id, busy.first.id] {
      #expect(try await busy.status(id) == .cancelled)
      await #expect(throws: HostError.cancelled(id)) {
        try await busy.host.enqueue(resuming: id, with: Busy.workflow(nil))
      }
      let error = await #expect(throws: JournalError.self) {
        try await Engine().resume(id, from: busy.host.journal, with: Busy.workflow(nil))
      }
      #expect(error?.isOfCancelledRun == true)
      #expect(try await busy.status(id) == .cancelled)
    }
  }

  @Test func `an interrupted run is given up by its id, without being started`() async throws {
    let busy = try await Busy()
    let second = try await busy.enqueue()
    let stopping = Task { await busy.host.shutDown() }
    await #expect(throws: HostError.interrupted(second.id)) { try await second.begun() }
    busy.opened.open()
    await stopping.value
    let next = RunHost(Engine(), recordingIn: busy.host.journal)
    for id in [busy.first.id, second.id] {
      #expect(try await busy.status(id) == .interrupted)
      #expect(next.run(id) == nil)
      try await next.cancel(id)
      #expect(try await busy.status(id) == .cancelled)
      try await next.cancel(id)
      await #expect(throws: HostError.cancelled(id)) {
        try await next.enqueue(resuming: id, with: Busy.workflow(nil))
      }
    }
    #expect(try await next.journal.unfinishedRuns(of: "order").isEmpty)
    let events = try await next.journal.events(of: busy.first.id)
    #expect(events.filter { if case .generationStarted = $0.kind { true } else { false } }.isEmpty)
    #expect(events.contains { $0.by == .api })
  }

  @Test func `a run of the host is cancelled by its id, and one that has ended is refused`()
    async throws
  {
    let busy = try await Busy()
    let second = try await busy.enqueue()
    try await busy.host.cancel(second.id)
    #expect(try await busy.status(second.id) == .cancelled)
    try await busy.host.cancel(busy.first.id)
    busy.opened.open()
    #expect(try await busy.first.begun().outcome == .cancelled)
    let third = try await busy.enqueue()
    #expect(try await third.begun().outcome == .succeeded)
    await busy.becomesIdle()
    let ended = HostError.hasEnded(third.id, .succeeded)
    await #expect(throws: ended) { try await busy.host.cancel(third.id) }
    #expect("\(ended)" == "run \(third.id) has ended: succeeded")
  }

  @Test func `a run that does not exist is neither cancelled nor resumed`() async throws {
    let folder = try TemporaryFolder()
    let host = RunHost(Engine(), recordingIn: try Journal(at: folder.path + "/journal"))
    let (id, order) = (RunID(), try Workflow("order") { Step("work") { _ in } })
    let error = HostError.unknownRun(id)
    #expect("\(error)" == "there is no run \(id)")
    await #expect(throws: error) { try await host.cancel(id) }
    await #expect(throws: error) { try await host.enqueue(resuming: id, with: order) }
    let unrecorded = await #expect(throws: JournalError.self) {
      try await Engine().resume(id, from: host.journal, with: order)
    }
    #expect(unrecorded?.isOfUnknownRun == true)
  }

  @Test
  func
    `a run that another program has resumed in the meantime is refused with an error of its own`()
    async throws
  {
    let busy = try await Busy()
    let other = RunHost(Engine(), recordingIn: try Journal(at: busy.folder.path + "/journal"))
    let order = try Busy.workflow(nil)
    await #expect(throws: HostError.isRunning(busy.first.id)) {
      try await other.enqueue(resuming: busy.first.id, with: order)
    }
    busy.opened.open()
    await busy.becomesIdle()
  }

  @Test func `a cancel that is confirmed is recorded, in the queue and in a run`() async throws {
    let busy = try await Busy()
    let second = try await busy.enqueue()
    await #expect(throws: InterventionRefusal.self) { try await second.perform(.pause) }
    let answer = try await second.perform(.cancel())
    #expect(answer.description == "the run is cancelled before its start")
    #expect(try await busy.status(second.id) == .cancelled)
    #expect(busy.host.run(second.id) == nil)
    #expect(try await second.perform(.cancel()) == answer)
    try await busy.first.perform(.cancel())
    let events = try await busy.host.journal.events(of: busy.first.id)
    #expect(events.contains { $0.kind == .runCancelling(.request) })
    busy.opened.open()
    await busy.becomesIdle()
  }

  @Test func `a host has no run whose outcome is known`() async throws {
    let folder = try TemporaryFolder()
    let host = RunHost(Engine(), recordingIn: try Journal(at: folder.path + "/journal"))
    let workflow = try Workflow("order") { Step("work") { _ in } }
    for _ in 0..<20 {
      let run = try await host.start(workflow)
      #expect(try await run.outcome == .succeeded)
      #expect(host.run(run.id) == nil)
      #expect(host.runs.isEmpty)
    }
    await host.shutDown()
  }

  @Test func `a wait that is cancelled leaves its run in the queue`() async throws {
    let busy = try await Busy()
    let second = try await busy.enqueue()
    let wait = Task { try await second.begun() }
    wait.cancel()
    await #expect(throws: CancellationError.self) { try await wait.value }
    #expect(try await busy.status(second.id) == .queued)
    busy.opened.open()
    #expect(try await second.begun().outcome == .succeeded)
  }

  @Test func `an id that arrives twice is refused, and the host has its run`() async throws {
    let busy = try await Busy()
    let id = try #require(RunID("order-7"))
    let second = try await busy.enqueue(id)
    await #expect(throws: HostError.idIsUsed(id)) { try await busy.enqueue(id) }
    #expect(busy.host.run(id) === second)
    busy.opened.open()
    #expect(try await second.begun().outcome == .succeeded)
    await busy.becomesIdle()
  }

  @Test func `a host that is shut down interrupts what runs and what waits`() async throws {
    let busy = try await Busy()
    let second = try await busy.enqueue()
    let stopping = Task { await busy.host.shutDown() }
    await #expect(throws: HostError.interrupted(second.id)) { try await second.begun() }
    await #expect(throws: HostError.interrupted(second.id)) {
      for try await _ in second.events.throwingSequence() {}
    }
    await #expect(throws: InterventionRefusal.self) { try await second.perform(.cancel()) }
    busy.opened.open()
    await stopping.value
    #expect(busy.host.runs.isEmpty)
    #expect(try await busy.first.begun().outcome == .interrupted)
    await #expect(throws: HostError.isShutDown) { try await busy.enqueue() }
    let left = try await busy.host.journal.unfinishedRuns(of: "order").map(\.id)
    #expect(left == [busy.first.id, second.id])

    let next = RunHost(Engine(), recordingIn: busy.host.journal)
    var resumed: [QueuedRun] = []
    for id in left {
      resumed.append(try await next.enqueue(resuming: id, with: Busy.workflow(nil)))
    }
    for run in resumed { #expect(try await run.begun().outcome == .succeeded) }
    #expect(try await next.journal.unfinishedRuns(of: "order").isEmpty)
  }

  @Test func `a resumed run that waits for its turn is queued`() async throws {
    let busy = try await Busy()
    try await busy.interruptFirst()
    let next = RunHost(Engine(), recordingIn: busy.host.journal)
    let opened = Gate()
    let holder = try await next.enqueue(Busy.workflow(opened))
    _ = try await holder.begun()
    let resumed = try await next.enqueue(resuming: busy.first.id, with: Busy.workflow(opened))
    #expect(try await busy.status(busy.first.id) == .queued)
    resumed.interrupt()
    await #expect(throws: HostError.interrupted(resumed.id)) { try await resumed.begun() }
    #expect(try await busy.status(resumed.id) == .interrupted)
    let again = try await next.enqueue(resuming: resumed.id, with: Busy.workflow(opened))
    opened.open()
    #expect(try await again.begun().outcome == .succeeded)
    await expectEventually("its end is recorded") { next.runs.isEmpty }
    #expect(try await busy.status(busy.first.id) == .succeeded)
  }

  @Test func `a resumed run is running once its turn has come`() async throws {
    let busy = try await Busy()
    try await busy.interruptFirst()
    let next = RunHost(Engine(), recordingIn: busy.host.journal)
    let opened = Gate()
    let run = try await next.resume(busy.first.id, with: Busy.workflow(opened))
    try await expectEventually("it is running") {
      try await busy.status(busy.first.id) == .running
    }
    opened.open()
    #expect(try await run.outcome == .succeeded)
  }

  @Test func `limits of records delete no run that can be resumed`() async throws {
    let folder = try TemporaryFolder()
    let journal = try Journal(at: folder.path + "/journal")
    func workflow(_ seconds: String) throws -> Workflow {
      try Workflow(
        "order", .keep(Retention(runs: 2)),
        .concurrency(Concurrency(group: "orders", policy: .queue))
      ) {
        Step("work", exec: ["sleep", "\(seconds)"])
      }
    }
    let ids = (1...6).compactMap { RunID("job\($0)") }
    let host = RunHost(Engine(), recordingIn: journal)
    for id in ids { try await host.enqueue(workflow("600"), id: id) }
    await host.shutDown()
    #expect(try await journal.unfinishedRuns(of: "order").map(\.id) == ids)
    let next = RunHost(Engine(), recordingIn: journal)
    // While the first ones end, the others are resumed.
    for id in ids {
      let run = try await next.resume(id, with: workflow("0"))
      #expect(try await run.outcome == .succeeded)
    }
    try await expectEventually("the records of the last ones are left") {
      try await journal.runs.map(\.id) == [ids[5], ids[4]]
    }
  }

  @Test func `a run that is resumed at once stays a run of the host`() async throws {
    let folder = try TemporaryFolder()
    let host = RunHost(Engine(), recordingIn: try Journal(at: folder.path + "/journal"))
    let isBroken = Mutex(true)
    let opened = Gate()
    let workflow = try Workflow("order") {
      Step("work") { _ in
        if isBroken.withLock({ $0 }) { throw CocoaError(.fileNoSuchFile) }
        await opened.wait()
      }
    }
    let run = try await host.start(workflow)
    _ = try await run.outcome
    isBroken.withLock { $0 = false }
    let resumed = try await host.enqueue(resuming: run.id, with: workflow)
    _ = try await resumed.begun()
    #expect(host.run(run.id) === resumed)
    opened.open()
    #expect(try await resumed.begun().outcome == .succeeded)
    await expectEventually("the host has no runs") { host.runs.isEmpty }
  }

  @Test func `the end of a run leaves the socket of a process that resumes it at once`()
    async throws
  {
    let folder = try TemporaryFolder()
    let host = RunHost(Engine(), recordingIn: try Journal(at: folder.path + "/journal"))
    let workflow = try Workflow("order") { Step("work") { _ in } }
    for _ in 0..<20 {
      let run = try await host.start(workflow)
      #expect(try await run.outcome == .succeeded)
      let socket = folder.path + "/journal/live/\(run.id).sock"
      #expect(!FileManager.default.fileExists(atPath: socket))
      #expect(FileManager.default.createFile(atPath: socket, contents: nil))
      await expectEventually("the host has no runs") { host.runs.isEmpty }
      #expect(FileManager.default.fileExists(atPath: socket))
    }
  }
}

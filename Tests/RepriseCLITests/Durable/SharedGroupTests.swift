import Foundation
import Reprise
import RepriseHost
import RepriseJournal
import Synchronization
import TestSupport
import Testing

/// Runs of a group that wait in this process, among those of processes that are killed.
final class SharedGroupTests: Sendable {
  private let begun = Mutex<[String]>([])
  private let opened = Gate()

  private func workflow(_ group: Concurrency) throws -> Workflow {
    try Workflow("w", .concurrency(group), .grace(.zero)) {
      Step("wait") { [self] context in
        begun.withLock { $0.append(context.run.description) }
        await opened.wait()
      }
    }
  }

  @Test func `turns come in order, and a killed process that holds or awaits one is passed by`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(
      """
      concurrency: { group: g, policy: queue }
      steps: [{ id: a, run: "echo $REPRISE_RUN_ID >> log; exec sleep 51.7" }]
      """, to: "w.yaml")
    let host = RunHost(Engine(), recordingIn: try scenario.journal())
    func enqueue(_ name: String) async throws -> QueuedRun {
      try await host.enqueue(
        workflow(Concurrency(group: "g", policy: .queue)), id: try #require(RunID(name)))
    }
    func startCommand(_ count: Int) async throws -> Scenario.Started {
      let command = try scenario.start(["run", "w.yaml", "--progress", "none"])
      try await expectEventually("its run waits") {
        try await host.journal.runs.filter { $0.status.isLive }.count == count
      }
      return command
    }
    _ = try await enqueue("a").begun()
    let waiting = try await startCommand(2)
    let second = try await enqueue("c")
    let third = try await enqueue("d")
    let holding = try await startCommand(5)
    let last = try await enqueue("f")
    waiting.send(SIGKILL)
    _ = try await waiting.end()
    #expect(second.run == nil)
    opened.open()
    #expect(try await second.begun().outcome == .succeeded)
    #expect(try await third.begun().outcome == .succeeded)
    await expectEventually("the command's run has begun") { scenario.has("log") }
    #expect(begun.withLock { $0 } == ["a", "c", "d"])
    #expect(last.run == nil)
    holding.send(SIGKILL)
    _ = try await holding.end()
    #expect(try await last.begun().outcome == .succeeded)
    #expect(scenario.read("log").split(separator: "\n").count == 1)
    await host.shutDown()
  }

  @Test func `all runs of a killed process that waited in one line are passed by`() async throws {
    let scenario = try Scenario()
    let host = RunHost(Engine(), recordingIn: try scenario.journal())
    let workflow = try workflow(Concurrency(group: "jobs", policy: .queue, limit: 3))
    var holders: [QueuedRun] = []
    for _ in 0..<3 { holders.append(try await host.enqueue(workflow)) }
    for holder in holders { _ = try await holder.begun() }
    let server = try scenario.startProgram("EmbeddingServer", ["20", "--queue"])
    await expectEventually("its runs wait") {
      scenario.read("accepted").split(separator: "\n").count == 20
    }
    let last = try await host.enqueue(workflow)
    server.send(SIGKILL)
    _ = try await server.end()
    opened.open()
    #expect(try await last.begun().outcome == .succeeded)
    #expect(!scenario.has("effects"))
    await host.shutDown()
  }

  @Test func `a host cancels a run of another process, and one whose process was killed`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(
      """
      grace: 1s
      steps: [{ id: a, run: "echo $REPRISE_RUN_ID >> log; exec sleep 51.6" }]
      """, to: "w.yaml")
    let host = RunHost(Engine(), recordingIn: try scenario.journal())
    func runOfCommand(_ count: Int) async throws -> (Scenario.Started, RunID) {
      let command = try scenario.start(["run", "w.yaml", "--progress", "none"])
      func ids() -> [Substring] { scenario.read("log").split(separator: "\n") }
      await expectEventually("its step runs") { ids().count == count }
      return (command, try #require(ids().last.flatMap { RunID(String($0)) }))
    }
    let (live, first) = try await runOfCommand(1)
    try await host.cancel(first)
    try await live.end().fails(with: 130)
    #expect(try await host.journal.run(first).status == .cancelled)
    let (killed, second) = try await runOfCommand(2)
    killed.send(SIGKILL)
    _ = try await killed.end()
    try await host.cancel(second)
    #expect(try await host.journal.run(second).status == .cancelled)
    try await host.cancel(second)
  }
}

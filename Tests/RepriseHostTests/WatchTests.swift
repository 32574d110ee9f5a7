// Tests of an in-process watch: its reports and its end.

import Reprise
import RepriseControl
import RepriseHost
import RepriseJournal
import TestSupport
import Testing

struct WatchTests {
  private static func watch(
    _ text: String, in folder: HostFolder
  ) async throws -> (Watch, Protected<[String]>, AnyCancellable) {
    let loaded = try folder.load(text)
    let triggers = try #require(loaded.workflow.triggers)
    let recorded = try await folder.journal.heldWatch(of: loaded, hiding: Secrets())
    let watch = try Watch(loaded, triggers, Secrets(), watch: recorded, in: folder.host)
    let reports = Protected<[String]>([])
    let listening = watch.reports.publisher.sink { report in
      let word: String? =
        switch report {
        case .began: "began"
        case .handled(let trigger, _, _): "handled " + trigger.words
        case .message(let text): text
        case .statusChanged: nil
        }
      if let word { reports.withLock { $0.append(word) } }
    }
    return (watch, reports, listening)
  }

  @Test func `an event starts a run, which is reported`() async throws {
    let folder = try HostFolder()
    let (watch, reports, listening) = try await Self.watch(
      "name: w\non: { socket: true }\nsteps: [{ id: a, run: echo a }]", in: folder)
    let watching = Task { try await watch.run() }
    await expectEventually("the watch accepts connections") { folder.isWatched }
    let answer = Protected<ControlReply?>(nil)
    watch.trigger(parameters: [:], waits: false) { reply in answer.withLock { $0 = reply } }
    await expectEventually("a run was recorded") {
      (try? folder.journal.runs().first?.status) == .succeeded
    }
    #expect(answer.withLock { $0 } == .ok)
    watch.end(because: .signal(15))
    #expect(try await watching.value == .signal(15))
    #expect(reports.withLock { $0 } == ["handled reprise trigger", "began"])
    #expect(!watch.hasFailed)
    listening.cancel()
  }

  @Test func `a failed run is remembered, and a paused watch starts no run`() async throws {
    let folder = try HostFolder()
    let (watch, _, listening) = try await Self.watch(
      "name: w\non: { socket: true }\nsteps: [{ id: a, run: exit 3 }]", in: folder)
    let watching = Task { try await watch.run() }
    await expectEventually("the watch accepts connections") { folder.isWatched }
    watch.togglePause()
    watch.fire()
    await expectEventually("the event is accepted") { watch.watchStatus?.counts.accepted == 1 }
    for _ in 0..<200 {
      #expect(try folder.journal.runs().isEmpty)
      await Task.yield()
    }
    watch.togglePause()
    await expectEventually("the run has failed") { watch.hasFailed }
    watch.end(because: .outputClosed)
    #expect(try await watching.value == .outputClosed)
    listening.cancel()
  }

  @Test func `only one process can watch a workflow`() async throws {
    let folder = try HostFolder()
    let text = "name: w\non: { socket: true }\nsteps: [{ id: a, run: echo a }]"
    let (watch, _, listening) = try await Self.watch(text, in: folder)
    let watching = Task { try await watch.run() }
    await expectEventually("the watch accepts connections") { folder.isWatched }
    await #expect(throws: Problem.self) {
      try await folder.journal.heldWatch(of: try folder.load(text), hiding: Secrets())
    }
    watch.end(because: .signal(2))
    _ = try await watching.value
    listening.cancel()
  }
}

extension HostFolder {
  /// Whether the watch of workflow `w` accepts connections on its socket.
  fileprivate var isWatched: Bool {
    (try? ControlClient(journal.directory.watchSocketPath(of: "w"))) != nil
  }
}

import Foundation
import Reprise
import RepriseJournal
import TestSupport
import Testing

/// Many processes that start the same workflow concurrently.
@Suite(.serialized) struct ConcurrencyTests {
  private static let count = 20

  /// A step that reports when another instance of it is alive.
  private static func workflow(_ policy: String) -> String {
    """
    name: exclusive
    grace: 1s
    concurrency: { group: one at a time, policy: \(policy) }
    steps:
      - id: a
        run: |
          exec 9> lock
          flock -n 9 || echo overlap >> overlaps
          echo $REPRISE_RUN_ID >> log
          sleep 0.1
    """
  }

  private func startAll(_ policy: String) async throws -> (Scenario, [Scenario.Ended]) {
    let scenario = try Scenario()
    try scenario.write(Self.workflow(policy), to: "w.yaml")
    let started = try (0..<Self.count).map { _ in
      try scenario.start(["run", "w.yaml", "--progress", "none"])
    }
    var ended: [Scenario.Ended] = []
    for process in started { ended.append(try await process.end()) }
    return (scenario, ended)
  }

  private func ranRuns(_ scenario: Scenario) -> [String] {
    scenario.read("log").split(separator: "\n").map(String.init)
  }

  @Test func `queue runs each run once, one at a time, in start order`() async throws {
    let (scenario, ended) = try await startAll("queue")
    #expect(ended.map(\.status) == Array(repeating: 0, count: Self.count))
    #expect(!scenario.has("overlaps"))
    let journal = try scenario.journal()
    #expect(ranRuns(scenario) == (try journal.runs().reversed().map(\.id.description)))
  }

  @Test func `reject runs one and refuses the others while it is live`() async throws {
    let (scenario, ended) = try await startAll("reject")
    #expect(!scenario.has("overlaps"))
    let succeeded = ended.filter { $0.status == 0 }
    let refused = ended.filter { $0.status == 4 }
    #expect(succeeded.count >= 1 && succeeded.count + refused.count == Self.count)
    #expect(refused.map(\.errors).filter { !$0.contains("is live") } == [])
    #expect(try await scenario.runs().map(\.status) == succeeded.map { _ in "succeeded" })
    #expect(ranRuns(scenario).count == succeeded.count)
  }

  @Test func `restart lets the newest run succeed and cancels the earlier ones`() async throws {
    let (scenario, ended) = try await startAll("restart")
    #expect(!scenario.has("overlaps"))
    #expect(ended.allSatisfy { [0, 130].contains($0.status) }, "\(ended.map(\.status))")
    let statuses = try await scenario.runs().map(\.status)
    #expect(statuses.first == "succeeded", "the newest")
    #expect(statuses.allSatisfy { ["succeeded", "cancelled"].contains($0) })
  }

  @Test func `parallel runs all at once`() async throws {
    let (scenario, ended) = try await startAll("parallel")
    #expect(ended.map(\.status) == Array(repeating: 0, count: Self.count))
    #expect(Set(ranRuns(scenario)).count == Self.count)
  }

  @Test func `concurrent resumes of one run do not repeat succeeded steps`() async throws {
    for _ in 0..<rounds(3, soak: 50) {
      let scenario = try Scenario()
      try scenario.write(
        """
        steps:
          - { id: a, run: echo a >> log }
          - { id: b, run: "[ -e go ] && echo b >> log" }
          - { id: c, run: echo c >> log }
        """, to: "w.yaml")
      try await scenario.reprise("run", "w.yaml", "--progress", "none").fails(with: 1)
      try scenario.write("", to: "go")
      let started = try (0..<8).map { _ in
        try scenario.start(["resume", "@last", "--progress", "none"])
      }
      var statuses: [Int32] = []
      for process in started { statuses.append(try await process.end().status) }
      #expect(statuses.filter { $0 == 0 }.count == 1, "\(statuses)")
      #expect(statuses.allSatisfy { [0, 2, 4].contains($0) }, "\(statuses)")
      #expect(scenario.read("log") == "a\nb\nc\n")
    }
  }

  @Test func `a resumed run queues after runs that were started earlier`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      grace: 1s
      concurrency: { group: g, policy: queue }
      steps:
        - id: a
          run: |
            exec 9> lock
            flock -n 9 || echo overlap >> overlaps
            [ -e go ] || waits=1
            echo $REPRISE_RUN_ID $REPRISE_GENERATION >> log
            [ -z "$waits" ] || exec sleep 50
      """, to: "w.yaml")
    let first = try scenario.start(["run", "w.yaml", "--progress", "none"])
    await expectEventually("it runs") { self.ranRuns(scenario).count == 1 }
    first.send(SIGTERM)
    try await first.end().fails(with: 143)
    let second = try scenario.start(["run", "w.yaml", "--progress", "none"])
    await expectEventually("it runs") { self.ranRuns(scenario).count == 2 }
    let old = try await scenario.runs()[1].id
    let third = try scenario.start(["resume", old, "--progress", "none"])
    try await expectEventually("the run waits") {
      let journal = try scenario.journal()
      return journal.isLive(try journal.run(named: old).id)
    }
    try scenario.write("", to: "go")
    try await scenario.reprise("cancel", "@last").succeeds()
    try await second.end().fails(with: 130)
    try await third.end().succeeds()
    #expect(!scenario.has("overlaps"))
    #expect(ranRuns(scenario).last == "\(old) 2")
  }

  @Test func `a queued run can be cancelled, and a killed holder releases the group`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(
      Self.workflow("queue").replacingOccurrences(of: "sleep 0.1", with: "touch began; sleep 51.3"),
      to: "w.yaml")
    let holder = try scenario.start(["run", "w.yaml", "--progress", "none"])
    await expectEventually("it runs") { scenario.has("began") }
    let waiting = try scenario.start("run w.yaml --progress plain", writingTo: "output")
    await expectEventually("waiting is displayed") {
      scenario.read("output").contains("waiting for run")
    }
    #expect(try await scenario.runs().first?.status == "queued")
    waiting.send(SIGINT)
    try await waiting.end().fails(with: 130)
    try FileManager.default.removeItem(atPath: scenario.folder.path + "/began")
    let next = try scenario.start(["run", "w.yaml", "--progress", "none"])
    try await expectEventually("the run waits") {
      try await scenario.runs().first?.status == "queued"
    }
    holder.send(SIGKILL)
    await expectEventually("the next one runs") { scenario.has("began") }
    #expect(!scenario.has("overlaps"))
    next.send(SIGTERM)
    try await next.end().fails(with: 143)
    _ = try await holder.end()
    #expect(
      try await scenario.runs().map(\.status) == ["cancelled", "cancelled", "interrupted"])
  }
}

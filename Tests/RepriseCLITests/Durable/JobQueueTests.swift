// A queue of jobs in an embedding server that is killed: none is lost, and what is cancelled stays so.

import Foundation
import Reprise
import RepriseJournal
import TestSupport
import Testing

/// A server with a queue, killed at random moments.
@Suite(.serialized) struct JobQueueTests {
  @Test func `no job is lost, and a cancelled one stays cancelled, however often it is killed`()
    async throws
  {
    var generator = SeededGenerator.announced()
    let scenario = try Scenario()
    let kills = rounds(10, soak: 100)
    let jobs = kills * 3
    #expect(try await campaign(scenario, kills: kills, jobs: jobs, [], &generator) == [])
    try await scenario.startProgram("EmbeddingServer", ["\(jobs)", "--queue"]).end().succeeds()
    #expect(try await problems(in: scenario) == [])
    let runs = try await scenario.runs()
    #expect(Set(runs.map(\.id)) == Set((0..<jobs).map { "job-\($0)" }))
    let others = runs.filter { !["succeeded", "cancelled"].contains($0.status) }
    #expect(others.map { "\($0.id) \($0.status)" } == [])
    let cancelled = Set(runs.filter { $0.status == "cancelled" }.map(\.id))
    let asked = Set((0..<jobs).filter { $0 % 3 == 0 || $0 % 6 == 1 }.map { "job-\($0)" })
    #expect(cancelled.isSubset(of: asked))
    #expect(cancelled.count > asked.count / 2, "most of those that were to be cancelled were")
  }

  /// The negative control of the campaign.
  @Test func `a server that only interrupts what it says it cancels is found out`() async throws {
    var generator = SeededGenerator.announced()
    var found: [String] = []
    for _ in 0..<5 where found.isEmpty {
      found = try await campaign(try Scenario(), kills: 6, jobs: 18, ["--forget"], &generator)
    }
    #expect(found != [])
  }

  @Test func `a queue that uses up the open files loses no job that it has accepted`() async throws
  {
    let scenario = try Scenario()
    let server = Scenario.Started.executable.deletingLastPathComponent().path + "/EmbeddingServer"
    try await scenario.shell("ulimit -n 160; timeout 100 \(server) 90 --queue").succeeds()
    #expect(scenario.has("full"), "the limit was reached")
    #expect(try await problems(in: scenario) == [])
    let runs = try await scenario.runs()
    #expect(runs.count == 90)
    let others = runs.filter { !["succeeded", "cancelled"].contains($0.status) }
    #expect(others.map { "\($0.id) \($0.status)" } == [])
  }

  @Test(arguments: ["cancel", "approve", "reject", "cancel-queued"])
  func `what was answered is recorded, even if the server is killed right after`(request: String)
    async throws
  {
    for round in 1...rounds(3, soak: 50) {
      #expect(try await isRecorded(request), "round \(round)")
    }
  }

  /// The negative control of the answers.
  @Test(arguments: ["cancel", "approve", "reject", "cancel-queued"])
  func `a server that answers before the record is found out`(request: String) async throws {
    var isFound = false
    for _ in 0..<20 where !isFound { isFound = try await !isRecorded(request, ["--forget"]) }
    #expect(isFound)
  }

  /// Returns whether a request to a server that dies after its answer is recorded.
  private func isRecorded(_ request: String, _ arguments: [String] = []) async throws -> Bool {
    let scenario = try Scenario()
    let server = try scenario.startProgram(
      "EmbeddingServer", ["1", "--confirm", request] + arguments)
    #expect(try await server.end().status == SIGKILL)
    let journal = try scenario.journal()
    let unfinished = try await journal.unfinishedRuns(of: "asking").map(\.id)
    switch request {
    case "cancel": return unfinished.isEmpty
    case "cancel-queued":
      let queued = try #require(RunID("queued"))
      return try await journal.run(queued).status == .cancelled
    default:
      let runs = try await journal.runs
      let events = try await journal.events(of: try #require(runs.first).id)
      return events.contains { event in
        switch event.kind {
        case .step("go", _, .approved): request == "approve"
        case .step("go", _, .failed(.rejected)): request == "reject"
        default: false
        }
      }
    }
  }

  /// Kills the server again and again, and returns the problems that the record then has.
  private func campaign(
    _ scenario: Scenario, kills: Int, jobs: Int, _ arguments: [String],
    _ generator: inout SeededGenerator
  ) async throws -> [String] {
    for round in 1...kills {
      let before = scenario.read("effects").utf8.count
      let server = try scenario.startProgram(
        "EmbeddingServer", ["\(jobs * round / kills)", "--queue"] + arguments)
      await expectEventually("a step has run, or the server has ended") {
        scenario.read("effects").utf8.count > before || kill(server.id, 0) != 0
      }
      try await SystemClock().sleep(for: .milliseconds(Int.random(in: 0...300, using: &generator)))
      server.send(SIGKILL)
      let status = try await server.end().status
      #expect([0, SIGKILL].contains(status), "round \(round)")
      let problems = try await problems(in: scenario)
      guard problems.isEmpty else { return problems }
    }
    return []
  }

  /// Returns the jobs that were accepted and are not recorded, and those that were cancelled and are
  /// something else now.
  private func problems(in scenario: Scenario) async throws -> [String] {
    func lines(_ name: String) -> [String] {
      scenario.read(name).split(separator: "\n").map(String.init)
    }
    guard scenario.has(".reprise/journal.db") else { return lines("accepted") }
    let status = Dictionary(
      try await scenario.runs().map { ($0.id, $0.status) }, uniquingKeysWith: { $1 })
    let lost = lines("accepted").filter { status[$0] == nil }.map { "\($0) is lost" }
    let undone = Set(lines("cancelled")).sorted().filter { status[$0] != "cancelled" }
      .map { "\($0) was cancelled, and is \(status[$0] ?? "lost")" }
    return lost + undone
  }
}

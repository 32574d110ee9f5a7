import Foundation
import Reprise
import RepriseJournal
import TestSupport
import Testing

/// A program that embeds the engine with the journal and the host, killed and controlled from outside.
@Suite(.serialized) struct EmbeddingServerTests {
  /// The steps of its workflow.
  private static let stepCount = 16

  @Test func `a server that is killed at random moments runs nothing again that is recorded`()
    async throws
  {
    var generator = SeededGenerator.announced()
    let scenario = try Scenario()
    let kills = rounds(10, soak: 100)
    let (found, interruptions) = try await campaign(
      scenario, kills: kills, runs: kills, &generator)
    #expect(found == [])
    #expect(interruptions >= kills / 4, "the campaign interrupted runs")
    // To the end, and all of it is there.
    try await scenario.startProgram("EmbeddingServer", ["\(kills)"]).end().succeeds()
    let listed = try await scenario.runs()
    #expect(listed.count == kills)
    #expect(listed.allSatisfy { $0.status == "succeeded" })
    #expect(try Self.violations(in: scenario) == [])
    let journal = try scenario.journal()
    #expect(try journal.integrityProblems() == [])
    for record in try journal.runs(limit: nil) {
      let successes = try Self.successes(of: record, in: journal)
      #expect(successes.count == Self.stepCount, "no step of \(record.id) is lost")
      #expect(successes.values.allSatisfy { $0.count == 1 }, "each is recorded once")
      #expect(processes(startedWith: "REPRISE_RUN_ID=\(record.id)") == [])
    }
  }

  /// The negative control of the campaign.
  @Test func `a server that forgets what is recorded is found out`() async throws {
    var generator = SeededGenerator.announced()
    var found: [String] = []
    for _ in 0..<20 where found.isEmpty {
      found = try await campaign(
        try Scenario(), kills: 5, runs: 2, arguments: ["--forget"], &generator
      ).found
    }
    #expect(found != [])
  }

  @Test func `the command lists, shows, restarts and follows the runs of a server`() async throws {
    let scenario = try Scenario()
    let server = try scenario.startProgram("EmbeddingServer", ["1", "--wait"])
    await expectEventually("the run waits") {
      let logs = try? await scenario.reprise("logs", "@last")
      return logs?.output.contains("waiting") == true
    }
    let listed = try await scenario.runs()
    #expect(listed.map(\.status) == ["running"])
    let attached = try scenario.start("attach @last --progress plain", writingTo: "attached")
    await expectEventually("it is attached") { scenario.read("attached").contains("waiting") }
    let restarted = try await scenario.reprise("restart", "@gated").succeeds()
    #expect(!restarted.errors.contains("file has changed"))
    await expectEventually("the step ran again") {
      scenario.read("effects").split(separator: "\n").count == 2
    }
    let reloaded = try await scenario.reprise("restart", "@last", "--reload")
    #expect(reloaded.status != 0)
    #expect(reloaded.errors.contains("there is no workflow file to read again"))
    try scenario.write("", to: "go")
    #expect(try await attached.end().status == 0)
    try await server.end().succeeds()
    #expect(scenario.read("attached").contains("generation 2"))
    let ended = try await scenario.runs()
    #expect(ended.map(\.status) == ["succeeded"])
    #expect(ended.map(\.generation) == [2])
  }

  @Test func `only the program resumes a run with its own code`() async throws {
    let scenario = try Scenario()
    let server = try scenario.startProgram("EmbeddingServer", ["1", "--wait"])
    await expectEventually("the run waits") {
      let logs = try? await scenario.reprise("logs", "@last")
      return logs?.output.contains("waiting") == true
    }
    server.send(SIGKILL)
    #expect(try await server.end().status == SIGKILL)
    #expect(try await scenario.runs().map(\.status) == ["interrupted"])
    let resumed = try await scenario.reprise("resume", "@last").fails(with: 2)
    #expect(resumed.errors.contains("contains code of the program that has recorded it"))
    try scenario.write("", to: "go")
    try await scenario.startProgram("EmbeddingServer", ["1", "--wait"]).end().succeeds()
    #expect(try await scenario.runs().map(\.status) == ["succeeded"])
    #expect(scenario.read("effects").split(separator: "\n").count == 1)
  }

  /// Kills the server again and again.
  ///
  /// - Parameters:
  ///   - scenario: The folder.
  ///   - kills: The number of times.
  ///   - runs: The number of runs at the end; each server starts more of them.
  ///   - arguments: More arguments of the server.
  ///   - generator: The source of random moments.
  /// - Returns: What ran although it was recorded as succeeded, and how many times runs were
  ///   interrupted.
  /// - Throws: If a program cannot be started.
  private func campaign(
    _ scenario: Scenario, kills: Int, runs: Int, arguments: [String] = [],
    _ generator: inout SeededGenerator
  ) async throws -> (found: [String], interruptions: Int) {
    let clock = SystemClock()
    var interruptions = 0
    for round in 1...kills {
      let before = scenario.read("effects").utf8.count
      let server = try scenario.startProgram(
        "EmbeddingServer", ["\(min(runs, round))"] + arguments)
      var moment = Int.random(in: 20...500, using: &generator)
      // On a busy machine, the start alone takes longer; in every second round, steps have run.
      if round.isMultiple(of: 2) {
        await expectEventually("a step has run, or the server has ended") {
          scenario.read("effects").utf8.count > before || kill(server.id, 0) != 0
        }
        moment /= 4
      }
      try await clock.sleep(for: .milliseconds(moment))
      server.send(SIGKILL)
      let status = try await server.end().status
      #expect([0, SIGKILL].contains(status), "round \(round)")
      // The command finds them. One that was becoming another program just then has no environment to be
      // found by; the guardian ends it in its time.
      let listed = scenario.has(".reprise") ? try await scenario.runs() : []
      #expect(listed.allSatisfy { ["interrupted", "succeeded"].contains($0.status) })
      interruptions += listed.filter { $0.status == "interrupted" }.count
      for run in listed where run.status == "interrupted" {
        await expectEventually(
          "nothing is left of round \(round)", within: promised(.seconds(1), busy: .seconds(30))
        ) { processes(startedWith: "REPRISE_RUN_ID=\(run.id)").isEmpty }
      }
      let found = try Self.violations(in: scenario)
      guard found.isEmpty else { return (found, interruptions) }
    }
    return ([], interruptions)
  }

  /// Returns the effects of steps after their recorded success, and those that a success has twice.
  private static func violations(in scenario: Scenario) throws -> [String] {
    guard scenario.has(".reprise/journal.db") else { return [] }
    let journal = try scenario.journal()
    var effects: [String: [Int]] = [:]
    for line in scenario.read("effects").split(separator: "\n") {
      let words = line.split(separator: " ")
      effects["\(words[0]) \(words[1])", default: []].append(Int(words[2]) ?? 0)
    }
    var found: [String] = []
    for record in try journal.runs(limit: nil) {
      for (step, generations) in try successes(of: record, in: journal) {
        let times = effects["\(record.id) \(step)"] ?? []
        let first = generations.min() ?? 0
        if times.contains(where: { $0 > first }) || times.filter({ $0 == first }).count != 1 {
          found.append("\(step) of \(record.id): recorded in \(generations), ran in \(times)")
        }
      }
    }
    return found
  }

  /// Returns the generations in which each step is recorded as succeeded.
  private static func successes(
    of record: RunRecord, in journal: Journal
  ) throws -> [String: [Int]] {
    var successes: [String: [Int]] = [:]
    for event in try journal.events(of: record) {
      if case .step(let id, _, .succeeded) = event.kind {
        successes[id, default: []].append(event.generation)
      }
    }
    return successes
  }
}

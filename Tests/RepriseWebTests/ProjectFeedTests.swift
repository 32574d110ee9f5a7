import Foundation
import Reprise
import RepriseHost
import RepriseJournal
import TestSupport
import Testing

@testable import RepriseWeb

/// The stream of a project, from a journal that another party writes.
struct ProjectFeedTests {
  /// A run that is recorded as if it happened now.
  private final class Recording: Sendable {
    let folder: TemporaryFolder
    let journal: Journal
    let recorded: RecordedRun
    var id: RunID { recorded.id }

    init(steps: Int = 1) throws {
      folder = try TemporaryFolder()
      journal = try StateDirectory(path: folder.path + "/.reprise")
        .openJournal(process: Int(ProcessInfo.processInfo.processIdentifier))
      recorded = try journal.begin(
        RunRequest(
          workflow: "w", file: folder.path + "/w.yaml", directory: folder.path, source: "steps: []")
      )
      let plan = RunPlan(workflow: "w", steps: (0..<steps).map { PlannedStep(id: "s\($0)") })
      try record(.runStarted(plan))
    }

    func record(_ kinds: Event.Kind...) throws { try record(kinds) }

    func record(_ kinds: [Event.Kind]) throws {
      try recorded.record(
        kinds.map { Event(time: SystemClock().now, run: id, generation: 1, kind: $0) })
    }

    /// Records all that happens to a step.
    func run(step: Int) throws {
      try record(
        .step("s\(step)", attempt: 0, .waiting), .step("s\(step)", attempt: 1, .started()),
        .step("s\(step)", attempt: 1, .succeeded([:])))
    }
  }

  /// The messages that a reader receives: the name of the event, its id and its data.
  private struct Message {
    let name: String
    let id: String?
    let data: [String: Any]
  }

  private static func messages(in bytes: [UInt8]) throws -> [Message] {
    try String(decoding: bytes, as: UTF8.self).components(separatedBy: "\n\n").compactMap { block in
      var fields: [String: String] = [:]
      for line in block.split(separator: "\n") {
        let parts = line.split(separator: ":", maxSplits: 1).map { String($0) }
        if parts.count == 2 { fields[parts[0]] = String(parts[1].dropFirst()) }
      }
      guard let name = fields["event"], let data = fields["data"] else { return nil }
      let object = try JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any]
      return Message(name: name, id: fields["id"], data: try #require(object))
    }
  }

  /// Reads until a number of recorded events of the run has been received, and returns them.
  private static func events(
    from feed: ProjectFeed, after position: Int, of run: RunID, until count: Int
  ) async throws -> (names: [String], lastID: String?) {
    let reader = FeedReader(of: [feed], following: [run: position])
    defer { reader.end() }
    var names: [String] = []
    var lastID: String?
    for await bytes in reader {
      for message in try messages(in: bytes) where message.name == "run" {
        lastID = message.id
        let events = try #require(message.data["events"] as? [[String: Any]])
        names += events.map {
          "\($0["event"] as? String ?? "") \($0["step"] as? String ?? "")"
        }
        #expect(message.data["number"] as? Int == position + names.count)
      }
      if names.count >= count { break }
    }
    return (names, lastID)
  }

  /// Runs a feed during a closure.
  private static func withFeed<Result: Sendable>(
    of journal: Journal, _ body: @Sendable (ProjectFeed) async throws -> Result
  ) async throws -> Result {
    let feed = try ProjectFeed(journal, of: "w")
    let running = Task { await feed.run() }
    defer { running.cancel() }
    return try await body(feed)
  }

  @Test func `each recorded event arrives once, while it happens`() async throws {
    let recording = try Recording(steps: 300)
    let names = try await Self.withFeed(of: recording.journal) { feed in
      let writing = Task {
        for step in 0..<300 { try recording.run(step: step) }
        try recording.record(.runEnded(.succeeded))
      }
      let names = try await Self.events(from: feed, after: 0, of: recording.id, until: 902).names
      try await writing.value
      return names
    }
    let expected =
      ["run-started "]
      + (0..<300).flatMap { ["step-ready s\($0)", "step-started s\($0)", "step-succeeded s\($0)"] }
      + ["run-ended "]
    #expect(names == expected)
  }

  @Test func `a reader goes on where another feed has ended`() async throws {
    let recording = try Recording(steps: 20)
    for step in 0..<10 { try recording.run(step: step) }
    let first = try await Self.withFeed(of: recording.journal) { feed in
      try await Self.events(from: feed, after: 0, of: recording.id, until: 31)
    }
    #expect(first.lastID == "\(recording.id):31")
    for step in 10..<20 { try recording.run(step: step) }
    let second = try await Self.withFeed(of: recording.journal) { feed in
      try await Self.events(from: feed, after: 31, of: recording.id, until: 30)
    }
    #expect(first.names.count == 31 && second.names.count == 30)
    #expect(second.names.first == "step-ready s10")
    #expect(second.lastID == "\(recording.id):61")
  }

  @Test func `a reader that is far behind gets each event once`() async throws {
    let recording = try Recording(steps: 2000)
    for step in 0..<2000 { try recording.run(step: step) }
    let (names, rest) = try await Self.withFeed(of: recording.journal) { feed in
      let names = try await Self.events(from: feed, after: 1, of: recording.id, until: 1).names
      let rest = try await Self.events(from: feed, after: 301, of: recording.id, until: 1).names
      return (names, rest)
    }
    #expect(rest == Array(names.dropFirst(300)))
    #expect(names.count == 6000)
    #expect(names.first == "step-ready s0" && names.last == "step-succeeded s1999")
  }

  @Test func `the steps of a message have the state of the last event`() async throws {
    let recording = try Recording(steps: 3)
    try recording.run(step: 1)
    try await Self.withFeed(of: recording.journal) { feed in
      let reader = FeedReader(of: [feed], following: [recording.id: 1])
      defer { reader.end() }
      for await bytes in reader {
        guard let message = try Self.messages(in: bytes).first(where: { $0.name == "run" })
        else { continue }
        let steps = try #require(message.data["steps"] as? [[String: Any]])
        #expect(steps.map { $0["step"] as? String } == ["s1"])
        #expect(steps.first?["state"] as? String == "succeeded")
        break
      }
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `what takes longer follows, although nothing else happens`() async throws {
    let recording = try Recording(steps: 300)
    try await Self.withFeed(of: recording.journal) { feed in
      let reader = FeedReader(of: [feed], following: [recording.id: 0])
      defer { reader.end() }
      var frames: [(events: Int, hasPath: Bool)] = []
      for await bytes in reader {
        for message in try Self.messages(in: bytes) where message.name == "run" {
          let events = try #require(message.data["events"] as? [Any])
          frames.append((events.count, message.data["critical-path"] != nil))
          // On a busy machine, the path may be due again by the time the step is read.
          if frames.last?.hasPath == true, !events.isEmpty { try recording.run(step: frames.count) }
        }
        if frames.last?.events == 0 { break }
      }
      #expect(frames.first?.hasPath == true && frames.last?.hasPath == true)
      #expect(frames.dropLast().last?.hasPath == false)
    }
  }

  @Test func `a reader that knows more than there is must read the run again`() async throws {
    let recording = try Recording()
    try await Self.withFeed(of: recording.journal) { feed in
      let reader = FeedReader(of: [feed], following: [recording.id: 99])
      defer { reader.end() }
      for await bytes in reader {
        let names = try Self.messages(in: bytes).map(\.name)
        if names.contains("reset") { break }
      }
    }
  }

  @Test func `a new run and its end appear in the list`() async throws {
    let recording = try Recording()
    try await Self.withFeed(of: recording.journal) { feed in
      let reader = FeedReader(of: [feed], following: [:])
      defer { reader.end() }
      var seen: [String] = []
      for await bytes in reader {
        for message in try Self.messages(in: bytes) where message.name == "runs" {
          let runs = try #require(message.data["runs"] as? [[String: Any]])
          seen += runs.compactMap { $0["status"] as? String }
        }
        if seen.isEmpty { continue }
        if seen == ["running"] {
          try recording.run(step: 0)
          try recording.record(.runEnded(.succeeded))
        }
        if seen.last == "succeeded" { break }
      }
      #expect(seen.first == "running" && seen.last == "succeeded")
    }
  }

  @Test func `what nobody reads is forgotten`() async throws {
    let recording = try Recording()
    try recording.run(step: 0)
    try recording.record(.runEnded(.succeeded))
    try await Self.withFeed(of: recording.journal) { feed in
      _ = try await Self.events(from: feed, after: 0, of: recording.id, until: 5)
      feed.look()
      await expectEventually("the run is forgotten") { feed.contents.runs.isEmpty }
    }
  }
}

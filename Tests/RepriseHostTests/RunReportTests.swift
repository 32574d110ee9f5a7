import Foundation
import Reprise
import RepriseHost
import RepriseJournal
import RepriseTerminal
import TestSupport
import Testing

struct RunReportTests {
  private static let plan = RunPlan(
    workflow: "ship",
    steps: [PlannedStep(id: "build"), PlannedStep(id: "gate", needs: ["build"])])

  /// A run whose events are recorded as if they had happened.
  private struct Recording {
    let folder: HostFolder
    let recorded: RecordedRun
    var generation = 1
    let begin: Timestamp

    init(_ folder: HostFolder) throws {
      self.folder = folder
      recorded = try folder.journal.begin(
        RunRequest(
          workflow: "ship", file: folder.path + "/ship.yaml", directory: folder.path,
          source: "steps: []"))
      begin = try folder.journal.run(named: "@last").requestedAt
      try record([(0, .runStarted(plan))])
    }

    func time(_ seconds: Int) -> Timestamp { begin.advanced(by: .seconds(seconds)) }

    mutating func record(_ events: [(Int, Event.Kind)]) throws {
      try recorded.record(
        events.map { second, kind in
          if case .generationStarted = kind { generation += 1 }
          return Event(time: time(second), run: recorded.id, generation: generation, kind: kind)
        })
    }

    func report(at second: Int) throws -> RunReport {
      let record = try folder.journal.run(named: "@last")
      return try RunReport(record, try folder.journal.events(of: record), now: time(second))
    }
  }

  @Test func `show has the parameters of the run`() throws {
    let folder = try HostFolder()
    _ = try folder.journal.begin(
      RunRequest(
        workflow: "ship", file: "/ship.yaml", directory: "/", source: "steps: []",
        options: ["param:target": "staging", "param:notes": "a\nb", "only": "x"]))
    let report = try RunReport(try folder.journal.run(named: "@last"), [])
    #expect(report.text.string.contains("\nwith notes = a …\nwith target = staging\n"))
    #expect(report.json.string.contains(#""params":{"notes":"a\nb","target":"staging"}"#))
  }

  @Test func `show says how long a run has waited for its turn`() throws {
    let folder = try HostFolder()
    let recorded = try folder.journal.begin(
      RunRequest(workflow: "ship", file: "/ship.yaml", directory: "/", source: "steps: []"))
    let record = try folder.journal.run(named: "@last")
    func time(_ seconds: Int) -> Timestamp { record.requestedAt.advanced(by: .seconds(seconds)) }
    let started = Event(
      time: time(7), run: recorded.id, generation: 1, kind: .runStarted(Self.plan))
    let text = try RunReport(record, [started], now: time(9)).text.string
    #expect(text.contains("9.0 s so far, 7.0 s of it before its turn\n"), "\(text)")
  }

  @Test func `what steps on runners have used is shown beside what they had asked for`() throws {
    let folder = try HostFolder()
    var run = try Recording(folder)
    let place = RunnerPlace(
      runner: "big", token: "t", job: "4711", asked: ["cpus": "2", "memory": "16g"])
    try run.record([
      (0, .step("build", attempt: 0, .waiting)),
      (0, .step("build", attempt: 1, .queued(place, text: ""))),
      (3, .step("build", attempt: 1, .started(on: "n2"))),
      (
        13,
        .step(
          "build", attempt: 1,
          .used(ResourceUse(processorTime: .seconds(5), peakBytes: 1_200_000_000)))
      ),
      (13, .step("build", attempt: 1, .succeeded([:]))),
    ])
    let report = try run.report(at: 20)
    #expect(
      report.resources.string == """
        STEP   WHERE  JOB   WAITED  RAN     CPU    OF CPUS  MEMORY   ASKED FOR
        build  n2     4711  3.0 s   10.0 s  5.0 s  25 %     1.1 GiB  cpus 2, memory 16g
        """, "\(report.resources.string)")
    let json = report.json.string
    #expect(json.contains(#""asked":{"cpus":"2","memory":"16g"}"#), "\(json)")
    #expect(json.contains(#""peak-bytes":1200000000,"processor-seconds":5,"#), "\(json)")
    let other = try RunReport(try folder.journal.run(named: "@last"), [])
    #expect(other.resources.string.hasPrefix("nothing is known"))
  }

  /// What a report in JSON says about the wait of steps.
  private struct Waits: Decodable {
    struct Step: Decodable {
      let step: String
      let state: String
      let ready: Timestamp?
    }
    struct Generation: Decodable { let attempts: [Step] }
    let steps: [Step]
    let generations: [Generation]
  }

  @Test func `a step that waits is ready in JSON, and so is the time from which it waited`() throws
  {
    var run = try Recording(try HostFolder())
    func waits(at second: Int) throws -> Waits {
      let json = try run.report(at: second).json.string
      return try JSONDecoder().decode(Waits.self, from: Data(json.utf8))
    }
    try run.record([(3, .step("build", attempt: 0, .waiting))])
    let waiting = try waits(at: 4)
    #expect(waiting.steps.map(\.state) == ["ready", "pending"])
    #expect(waiting.steps.map(\.ready) == [run.time(3), nil])
    try run.record([(5, .step("build", attempt: 1, .started()))])
    let running = try waits(at: 6)
    #expect(running.steps.map(\.state) == ["running", "pending"])
    #expect(running.steps.first?.ready == run.time(3))
    #expect(running.generations.last?.attempts.map(\.ready) == [run.time(3)])
  }

  private static let untilApproval: [(Int, Event.Kind)] = [
    (0, .step("build", attempt: 0, .waiting)), (0, .step("build", attempt: 1, .started())),
    (3, .runRestarting(from: nil)), (3, .step("build", attempt: 1, .cancelled(.restart))),
    (4, .generationStarted(reset: nil)),
    (4, .step("build", attempt: 0, .waiting)), (4, .step("build", attempt: 1, .started())),
    (6, .step("build", attempt: 1, .succeeded(["version": "7"]))),
    (6, .step("gate", attempt: 0, .waiting)),
    (6, .step("gate", attempt: 0, .awaitingApproval("Ship 7?"))),
  ]

  @Test func `show has all generations, and a step that is awaiting approval`() throws {
    var recording = try Recording(try HostFolder())
    try recording.record(Self.untilApproval)
    let text = try recording.report(at: 10).text.string
    #expect(text.hasPrefix("run \(recording.recorded.id) of ship: awaiting approval\n"), "\(text)")
    #expect(text.contains("10.0 s so far, generation 2"), "\(text)")
    #expect(
      text.contains(
        """
        generation 1: started
          took 4.0 s, 1 cancelled
        generation 2: restarted from the top after 3.0 s
          running for 6.0 s, 1 succeeded
        """), "\(text)")
    #expect(text.contains("gate   awaiting approval") && text.contains("  Ship 7?\n"), "\(text)")
    try recording.record([
      (20, .step("gate", attempt: 0, .approved([:]))), (20, .step("gate", attempt: 1, .started())),
      (21, .step("gate", attempt: 1, .succeeded([:]))), (21, .runEnded(.succeeded)),
    ])
    let ended = try recording.report(at: 99).text.string
    #expect(ended.contains("took 21.0 s, generation 2"), "\(ended)")
    #expect(ended.contains("  gate: Ship 7?\n    asked 20") && ended.contains(", after 14.0 s"))
    #expect(!ended.contains("so far"))
  }

  @Test func `runs shows the elapsed time of a live run and the steps that it is at`() throws {
    var recording = try Recording(try HostFolder())
    let journal = recording.folder.journal
    func list(at second: Int) throws -> RunList {
      RunList(try journal.runs(), now: recording.time(second)) { try? journal.state(of: $0) }
    }
    try recording.record(Array(Self.untilApproval.prefix(2)))
    let running = try list(at: 2).table.string
    #expect(running.hasSuffix("  2.0 s  build"), "\(running)")
    try recording.record(Array(Self.untilApproval.dropFirst(2)))
    let waiting = try list(at: 8).table.string
    #expect(waiting.contains("awaiting approval (2)"), "\(waiting)")
    #expect(waiting.hasSuffix("8.0 s  gate (awaiting approval)"), "\(waiting)")
    let line = try #require(try list(at: 8).jsonLines.first).string
    #expect(line.contains(#""awaiting-approval":["gate"]"#) && line.contains(#""running":[]"#))
    #expect(line.contains(#""status":"running""#))
  }

  @Test func `show as JSON has every attempt and answer`() throws {
    var recording = try Recording(try HostFolder())
    try recording.record(
      Self.untilApproval + [
        (20, .step("gate", attempt: 1, .started())),
        (20, .step("gate", attempt: 1, .failed(.rejected))),
        (20, .runEnded(.failed(step: "gate", reason: .rejected))),
      ])
    let data = Data(try recording.report(at: 99).json.string.utf8)
    let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(json["status"] as? String == "failed" && json["generation"] as? Int == 2)
    let generations = try #require(json["generations"] as? [[String: Any]])
    #expect(generations.map { $0["beginning"] as? String } == ["started", "restarted"])
    #expect(generations.map { ($0["attempts"] as? [Any])?.count } == [1, 2])
    let approvals = try #require(generations[1]["approvals"] as? [[String: Any]])
    #expect(approvals.map { $0["answer"] as? String } == ["rejected"])
    #expect(approvals[0]["text"] as? String == "Ship 7?" && approvals[0]["answered"] != nil)
    let steps = try #require(json["steps"] as? [[String: Any]])
    #expect(steps.map { $0["state"] as? String } == ["succeeded", "failed"])
    #expect(steps[0]["outputs"] as? [String: String] == ["version": "7"])
    #expect((steps[1]["reason"] as? [String: Any])?["kind"] as? String == "rejected")
    #expect((json["critical-path"] as? [[String: Any]])?.first?["step"] as? String == "build")
  }

  @Test func `a trace has a slice for each attempt, on a track for each step`() throws {
    var recording = try Recording(try HostFolder())
    try recording.record(Self.untilApproval)
    let data = Data(try recording.report(at: 10).trace.string.utf8)
    let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let events = try #require(json["traceEvents"] as? [[String: Any]])
    let slices = events.filter { $0["ph"] as? String == "X" }
    #expect(
      slices.map { $0["name"] as? String } == [
        "generation 1", "build", "generation 2", "awaiting approval", "build",
      ])
    #expect(slices.map { $0["tid"] as? Int } == [0, 1, 0, 2, 1])
    #expect(slices.map { $0["ts"] as? Int } == [0, 0, 4_000_000, 6_000_000, 4_000_000])
    #expect(
      slices.map { $0["dur"] as? Int } == [4_000_000, 3_000_000, 6_000_000, 4_000_000, 2_000_000])
    let tracks = events.filter { $0["name"] as? String == "thread_name" }
      .map { ($0["args"] as? [String: Any])?["name"] as? String }
    #expect(tracks == ["generations", "build", "gate"])
  }
}

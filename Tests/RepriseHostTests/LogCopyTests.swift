import Foundation
import Reprise
import RepriseHost
import RepriseJournal
import TestSupport
import Testing

struct LogCopyTests {
  private static let plan = RunPlan(
    workflow: "w", steps: [PlannedStep(id: "a"), PlannedStep(id: "b")])

  /// Records a run of two generations, whose second one retries `b`; returns its folder.
  private func recording() throws -> HostFolder {
    let folder = try HostFolder()
    let recorded = try folder.journal.begin(
      RunRequest(
        workflow: "w", file: "/w.yaml", directory: folder.path, source: "steps: []"))
    var generation = 1
    func record(_ second: Int64, _ kind: Event.Kind) throws {
      if case .generationStarted = kind { generation += 1 }
      let event = Event(
        time: Timestamp(microseconds: second * 1_000_000), run: recorded.id,
        generation: generation, kind: kind)
      if case .step(_, _, .output) = kind {
        try recorded.keep(event)
      } else {
        try recorded.record([event])
      }
    }
    func say(_ second: Int64, _ step: String, _ text: String, attempt: Int = 1) throws {
      try record(
        second,
        .step(step, attempt: attempt, .output(.standardOutput, text: text, isPartial: false)))
    }
    try record(0, .runStarted(Self.plan))
    for step in ["a", "b"] {
      try record(0, .step(step, attempt: 0, .waiting))
      try record(0, .step(step, attempt: 1, .started()))
    }
    try say(1, "b", "b one")
    try say(2, "a", "a one\na two")
    try say(3, "b", "b two")
    try record(4, .step("a", attempt: 1, .succeeded([:])))
    try record(4, .runRestarting(from: ["b"]))
    try record(4, .step("b", attempt: 1, .cancelled(.restart)))
    try record(5, .generationStarted(reset: ["b"]))
    try record(5, .step("b", attempt: 0, .waiting))
    try record(5, .step("b", attempt: 1, .started()))
    try say(6, "b", "b three")
    try record(7, .step("b", attempt: 1, .retrying(.exited(status: 1), after: .seconds(1))))
    try record(8, .step("b", attempt: 2, .started()))
    try say(9, "b", "b four", attempt: 2)
    try record(10, .step("b", attempt: 2, .failed(.exited(status: 1))))
    try record(10, .runEnded(.failed(step: "b", reason: .exited(status: 1))))
    return folder
  }

  /// Returns what is copied, without the times of lines.
  private func copied(_ folder: HostFolder, _ selection: LogSelection) throws -> [String] {
    let output = Protected<[UInt8]>([])
    var copy = LogCopy(
      of: try folder.journal.run(named: "@last"), selection, in: folder.journal, isTerminal: false
    ) { bytes in
      output.withLock { $0 += bytes }
      return true
    }
    #expect(try copy.copyNew() == nil)
    #expect(try copy.copyNew() == nil)
    let text = String(decoding: output.value, as: UTF8.self)
    return text.split(separator: "\n").map { line in
      let isTimed = selection.hasTimestamps && !line.hasPrefix("──")
      return String(isTimed ? line.dropFirst("12:00:01.000 ".count) : line)
    }
  }

  private func selection(
    _ step: String? = nil, _ change: (inout LogSelection) -> Void = { _ in }
  ) -> LogSelection {
    var selection = LogSelection(step: step)
    change(&selection)
    return selection
  }

  @Test func `all output is in order of time, with marks between generations and attempts`()
    throws
  {
    #expect(
      try copied(try recording(), selection()) == [
        "b │ b one", "a │ a one", "a │ a two", "b │ b two",
        "── generation 2: restarted from b after 4.0 s ──", "b │ b three", "── b, attempt 2 ──",
        "b │ b four",
      ])
  }

  @Test func `the output of a step is unchanged`() throws {
    let folder = try recording()
    #expect(try copied(folder, selection("b")) == ["b one", "b two", "b three", "b four"])
    let timed = try copied(folder, LogSelection(step: "a", hasTimestamps: true))
    #expect(timed == ["a one", "a two"])
  }

  @Test func `generation, attempt, tail, since and failed choose what is printed`() throws {
    let folder = try recording()
    #expect(try copied(folder, selection { $0.generation = 1 }).count == 4)
    #expect(
      try copied(folder, selection("b") { ($0.generation, $0.attempt) = (2, 1) }) == ["b three"])
    #expect(try copied(folder, selection("b") { $0.tail = 3 }) == ["b two", "b three", "b four"])
    #expect(try copied(folder, selection { $0.tail = 1 }) == ["── b, attempt 2 ──", "b │ b four"])
    #expect(try copied(folder, selection { $0.tail = 0 }) == [])
    let since = Timestamp(microseconds: 6_000_000)
    #expect(try copied(folder, selection("b") { $0.since = since }) == ["b three", "b four"])
    #expect(
      try copied(folder, selection { ($0.onlyFailed, $0.generation) = (true, 2) }).last
        == "b │ b four")
    #expect(throws: Problem.self) {
      try copied(folder, selection { ($0.onlyFailed, $0.generation) = (true, 1) })
    }
  }

  @Test func `a run recorded without times is printed attempt by attempt`() throws {
    let folder = try recording()
    let id = try folder.journal.run(named: "@last").id
    for step in ["a", "b"] {
      for name in try FileManager.default.contentsOfDirectory(
        atPath: folder.journal.directory.logFolder(of: id) + "/" + step)
      where name.hasSuffix(".times") {
        try FileManager.default.removeItem(
          atPath: folder.journal.directory.logFolder(of: id) + "/\(step)/\(name)")
      }
    }
    let lines = try copied(folder, selection())
    #expect(lines.prefix(4).sorted() == ["a │ a one", "a │ a two", "b │ b one", "b │ b two"])
    #expect(lines.suffix(3) == ["b │ b three", "── b, attempt 2 ──", "b │ b four"])
  }

  @Test(
    arguments: [
      ("10m", 9_400_000_000), ("1970-01-01 02:00", 3_600_000_000),
      ("1970-01-01T02:00:30.5", 3_630_500_000), ("1970-01-01T02:00:30Z", 7_230_000_000),
      ("1970-01-02", 82_800_000_000), ("yesterday", nil), ("", nil), ("1970-13-01", nil),
      ("1970-01-01T02:00:30.0000000Z", nil),
    ] as [(String, Int64?)])
  func `since is an age or a time`(_ text: String, _ microseconds: Int64?) {
    let time = LogSelection.since(text, now: Timestamp(microseconds: 10_000_000_000)) { _ in
      .seconds(3600)
    }
    #expect(time?.microseconds == microseconds)
  }

  @Test func `a step with several items is copied as all of them, each line with its item`() throws
  {
    let folder = try HostFolder()
    let recorded = try folder.journal.begin(
      RunRequest(workflow: "w", file: "/w.yaml", directory: folder.path, source: "steps: []"))
    let steps = ["linux", "mac"].enumerated().map { position, system in
      var step = PlannedStep(id: "unit[\(position)]")
      step.label = "1, \(system)"
      return step
    }
    func record(_ kind: Event.Kind) -> Event {
      Event(time: Timestamp(microseconds: 1), run: recorded.id, generation: 1, kind: kind)
    }
    try recorded.record([record(.runStarted(RunPlan(workflow: "w", steps: steps)))])
    for step in steps.map(\.id) {
      try recorded.record([record(.step(step, attempt: 1, .started()))])
      try recorded.keep(
        record(
          .step(step, attempt: 1, .output(.standardOutput, text: "of \(step)", isPartial: false))))
    }
    #expect(try copied(folder, LogSelection(step: "unit.mac")) == ["of unit[1]"])
    #expect(
      try copied(folder, LogSelection(step: "unit")).sorted() == [
        "unit[0] │ of unit[0]", "unit[1] │ of unit[1]",
      ])
    #expect(throws: Problem.self) { try copied(folder, LogSelection(step: "unit.bsd")) }
  }
}

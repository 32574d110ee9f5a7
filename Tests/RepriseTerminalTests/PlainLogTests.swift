// How events are shown as plain lines.

import Reprise
import Testing

@testable import RepriseTerminal

struct PlainLogTests {
  @Test func `events that a late subscriber has missed are marked`() throws {
    let run = try #require(RunID("abc"))
    let kinds: [Event.Kind] = [
      .runStarted(RunPlan(workflow: "w", steps: [PlannedStep(id: "a")])),
      .step("a", attempt: 0, .waiting), .step("a", attempt: 1, .started()),
      .step("a", attempt: 1, .output(.standardOutput, text: "x", isPartial: false)),
      .step("a", attempt: 1, .succeeded([:])),
    ]
    func text(joinedAt seconds: Int64?) -> String {
      let joinedAt = seconds.map { Timestamp(microseconds: $0 * 1_000_000) }
      var log = PlainLog(style: Style(hasColour: false, hasUnicode: true), joinedAt: joinedAt) {
        _ in
        .zero
      }
      return kinds.enumerated().map { second, kind in
        let time = Timestamp(microseconds: Int64(second) * 1_000_000)
        return log.text(for: Event(time: time, run: run, generation: 1, kind: kind)).string
      }.joined()
    }
    let lines = [
      "00:00:00.000 run abc of w started: 1 step", "00:00:02.000 a started", "00:00:03.000 a │ x",
      "00:00:04.000 a succeeded after 2.0 s",
    ]
    #expect(text(joinedAt: nil) == lines.map { $0 + "\n" }.joined())
    #expect(text(joinedAt: 0) == text(joinedAt: nil))
    var marked = lines
    marked.insert("new events:", at: 2)
    marked.insert("earlier events:", at: 0)
    #expect(text(joinedAt: 3) == marked.map { $0 + "\n" }.joined())
  }

  @Test func `transitions and lines are shown with their times`() throws {
    var log = PlainLog(style: Style(hasColour: false, hasUnicode: true)) { _ in .seconds(3600) }
    let run = try #require(RunID("abc"))
    let plan = RunPlan(workflow: "w", steps: [PlannedStep(id: "a")])
    let kinds: [Event.Kind] = [
      .runStarted(plan), .step("a", attempt: 0, .waiting), .step("a", attempt: 1, .started()),
      .step("a", attempt: 1, .output(.standardError, text: "x\n\u{1B}[2Jy", isPartial: false)),
      .step("a", attempt: 1, .output(.standardOutput, text: "50%", isPartial: true)),
      .step("a", attempt: 1, .failed(.signalled(signal: 9))),
      .runEnded(.failed(step: "a", reason: .signalled(signal: 9))),
    ]
    var lines: [TerminalSafe] = []
    for (second, kind) in kinds.enumerated() {
      let time = Timestamp(microseconds: Int64(second) * 1_000_000)
      lines += log.lines(for: Event(time: time, run: run, generation: 1, kind: kind))
      if second == 2 {
        let heartbeat = log.heartbeat(at: time, lastWrite: time.advanced(by: .seconds(-15)))
        #expect(heartbeat?.string.hasSuffix("still running: a (0 ms)") == true)
      }
    }
    #expect(
      lines == [
        "01:00:00.000 run abc of w started: 1 step",
        "01:00:02.000 a started",
        "01:00:03.000 a │ x", "01:00:03.000 a │ y",
        "01:00:05.000 a failed after 3.0 s: terminated by SIGKILL (9)",
        "01:00:06.000 run failed after 6.0 s, first at a",
      ])
  }

  /// Returns the lines of a run with these steps and events, one event each second.
  private func lines(
    of steps: [PlannedStep], _ style: Style, _ kinds: [Event.Kind]
  ) throws -> [String] {
    var log = PlainLog(style: style) { _ in .zero }
    return try events(of: steps, kinds).map { log.text(for: $0).string }.filter { !$0.isEmpty }
      .map { String($0.dropLast()) }
  }

  private func events(of steps: [PlannedStep], _ kinds: [Event.Kind]) throws -> [Event] {
    let run = try #require(RunID("abc"))
    let plan = RunPlan(workflow: "w", steps: steps)
    return ([.runStarted(plan)] + kinds).enumerated().map { second, kind in
      let time = Timestamp(microseconds: Int64(second) * 1_000_000)
      return Event(time: time, run: run, generation: 1, kind: kind)
    }
  }

  @Test func `what steps print begins in one column, and long names lose their middles`() throws {
    let long = "deploy-to-the-staging-cluster-in-europe"
    let output = Event.StepEvent.output(.standardOutput, text: "x\ny", isPartial: false)
    let wide = Event.StepEvent.output(.standardOutput, text: "é", isPartial: false)
    func shown(_ ids: [String]) throws -> [String] {
      try lines(
        of: ids.map { PlannedStep(id: $0) }, Style(hasColour: false, hasUnicode: true),
        ids.flatMap { id -> [Event.Kind] in
          [
            .step(id, attempt: 0, .waiting), .step(id, attempt: 1, .started()),
            .step(id, attempt: 1, output), .step(id, attempt: 1, wide),
          ]
        }
      ).dropFirst().map { String($0.dropFirst(13)) }
    }
    #expect(
      try shown(["a", "build", "配置"]) == [
        "a     started", "a     │ x\n00:00:03.000 a     │ y", "a     │ é",
        "build started", "build │ x\n00:00:07.000 build │ y", "build │ é",
        "配置  started", "配置  │ x\n00:00:11.000 配置  │ y", "配置  │ é",
      ])
    let short = "deploy-to-the-st…uster-in-europe"
    #expect(short.count == 32)
    let pad = String(repeating: " ", count: 31)
    #expect(
      try shown(["a", long]).filter { !$0.contains("x") } == [
        "a\(pad) started", "a\(pad) │ é", "\(short) started", "\(short) │ é",
      ])
  }

  @Test func `the column follows a plan that is reloaded`() throws {
    let plan = RunPlan(workflow: "w", steps: [PlannedStep(id: "a"), PlannedStep(id: "long")])
    let shown = try lines(
      of: [PlannedStep(id: "a")], Style(hasColour: false, hasUnicode: true),
      [
        .step("a", attempt: 0, .waiting), .step("a", attempt: 1, .started()),
        .runRestarting(from: ["a"]), .step("a", attempt: 1, .cancelled(.request)),
        .runReloaded(plan, WorkflowChanges(added: ["long"])), .generationStarted(reset: ["a"]),
      ])
    #expect(shown.contains("00:00:02.000 a started"))
    var log = PlainLog(style: Style(hasColour: false, hasUnicode: true)) { _ in .zero }
    for event in try events(of: plan.steps, []) { log.note(event) }
    let started = Event(
      time: Timestamp(microseconds: 0), run: try #require(RunID("abc")), generation: 1,
      kind: .step("a", attempt: 1, .started()))
    log.note(
      Event(
        time: started.time, run: started.run, generation: 1, kind: .step("a", attempt: 0, .waiting))
    )
    #expect(log.text(for: started) == "00:00:00.000 a    started\n")
  }

  @Test func `colours mark times, names and how steps end, in the text and in its fast path`()
    throws
  {
    let kinds: [Event.Kind] = [
      .step("a", attempt: 0, .waiting), .step("a", attempt: 1, .started()),
      .step("a", attempt: 1, .output(.standardOutput, text: "x", isPartial: false)),
      .step("a", attempt: 1, .output(.standardOutput, text: "é\u{1B}[2J", isPartial: false)),
      .step("a", attempt: 1, .failed(.exited(status: 1))),
      .runEnded(.failed(step: "a", reason: .exited(status: 1))),
    ]
    let steps = [PlannedStep(id: "a")]
    func dim(_ text: String) -> String { "\u{1B}[2m\(text)\u{1B}[0m" }
    let name = "\u{1B}[36ma\u{1B}[0m"
    #expect(
      try lines(of: steps, Style(hasColour: true, hasUnicode: true), kinds).dropFirst() == [
        "\(dim("00:00:02.000")) \(name) started",
        "\(dim("00:00:03.000")) \(name) \(dim("│")) x",
        "\(dim("00:00:04.000")) \(name) \(dim("│")) é",
        "\(dim("00:00:05.000")) \(name) \u{1B}[31mfailed\u{1B}[0m after 3.0 s: "
          + "exited with status 1",
        "\(dim("00:00:06.000")) run \u{1B}[31mfailed\u{1B}[0m after 6.0 s, first at a",
      ])
    #expect(
      try lines(of: steps, Style(hasColour: false, hasUnicode: true), kinds)
        .allSatisfy { !$0.contains("\u{1B}") })
  }

  @Test func `after 15 s of silence a line names the running steps with their times`() throws {
    var log = PlainLog(style: Style(hasColour: false, hasUnicode: true)) { _ in .zero }
    let steps = (1...7).map { PlannedStep(id: "s\($0)", usualSeconds: $0 == 2 ? 61 : nil) }
    let kinds = steps.dropLast().flatMap { step -> [Event.Kind] in
      [.step(step.id, attempt: 0, .waiting), .step(step.id, attempt: 1, .started())]
    }
    for event in try events(of: steps, kinds) { log.note(event) }
    let last = Timestamp(microseconds: 12_000_000)
    let soon = last.advanced(by: .milliseconds(14_999))
    #expect(log.heartbeat(at: soon, lastWrite: last) == nil)
    #expect(
      log.heartbeat(at: last.advanced(by: .seconds(15)), lastWrite: last)
        == """
        00:00:27.000 still running: s1 (25.0 s), s2 (23.0 s, usually 1 m 01 s), s3 (21.0 s), \
        s4 (19.0 s), s5 (17.0 s) and 1 more
        """)
  }

  @Test func `a restart of what has changed names no steps`() throws {
    let run = try #require(RunID("abc"))
    var log = PlainLog(style: Style(hasColour: false, hasUnicode: true)) { _ in .zero }
    let plan = RunPlan(workflow: "w", steps: [PlannedStep(id: "a")])
    let requester = Requester(.watch, name: "files: w.yaml", steps: [])
    _ = log.text(
      for: Event(
        time: Timestamp(microseconds: 0), run: run, generation: 1, kind: .runStarted(plan)))
    var event = Event(
      time: Timestamp(microseconds: 0), run: run, generation: 1, kind: .runRestarting(from: []))
    event.by = requester
    #expect(
      log.text(for: event).string == "00:00:00.000 restarting by the watch: files: w.yaml: "
        + "waiting for running steps to stop\n")
  }

  @Test func `that services are up is no sign of life, and a wait for the end has no time`() throws
  {
    var log = PlainLog(style: Style(hasColour: false, hasUnicode: true)) { _ in .zero }
    let steps = [PlannedStep(id: "web"), PlannedStep(id: "until-stopped")]
    let kinds: [Event.Kind] = [
      .step("web", attempt: 0, .waiting), .step("web", attempt: 1, .started()),
      .step("web", attempt: 1, .ready([:])), .step("until-stopped", attempt: 0, .waiting),
      .step("until-stopped", attempt: 1, .pausing(until: .whenStopped)),
    ]
    let shown = try events(of: steps, kinds).map { log.text(for: $0).string }
    #expect(shown.last?.hasSuffix("until-stopped waits until the run is stopped\n") == true)
    let late = Timestamp(microseconds: 90_000_000)
    #expect(log.heartbeat(at: late, lastWrite: late.advanced(by: .seconds(-30))) == nil)
  }

  @Test(arguments: [true, false]) func `the output keeps its colours if there are any`(
    hasColour: Bool
  ) throws {
    let run = try #require(RunID("abc"))
    var log = PlainLog(style: Style(hasColour: hasColour, hasUnicode: false)) { _ in .zero }
    var text = ""
    let kinds: [Event.Kind] = [
      .runStarted(RunPlan(workflow: "w", steps: [PlannedStep(id: "a")])),
      .step("a", attempt: 0, .waiting), .step("a", attempt: 1, .started()),
      .step("a", attempt: 1, .output(.standardOutput, text: "\u{1B}[31mx", isPartial: false)),
    ]
    for kind in kinds {
      let event = Event(time: Timestamp(microseconds: 0), run: run, generation: 1, kind: kind)
      text = log.text(for: event).string
    }
    #expect(text.hasSuffix(hasColour ? " \u{1B}[31mx\u{1B}[0m\n" : "a | x\n"))
  }
}

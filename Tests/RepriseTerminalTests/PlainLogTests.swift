// How events are shown as plain lines.

import Reprise
import Testing

@testable import RepriseTerminal

struct PlainLogTests {
  @Test func `events that a late subscriber has missed are marked`() throws {
    let run = try #require(RunID("abc"))
    let kinds: [Event.Kind] = [
      .runStarted(RunPlan(workflow: "w", steps: [PlannedStep(id: "a")])),
      .step("a", attempt: 0, .ready), .step("a", attempt: 1, .started),
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
      .runStarted(plan), .step("a", attempt: 0, .ready), .step("a", attempt: 1, .started),
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
        #expect(log.heartbeat(at: time)?.string.hasSuffix("still running: a (0 ms)") == true)
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
}

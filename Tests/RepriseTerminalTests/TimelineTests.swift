import Reprise
import Testing

@testable import RepriseTerminal

struct TimelineTests {
  private static let plan = RunPlan(
    workflow: "w",
    steps: [
      PlannedStep(id: "a"), PlannedStep(id: "b", needs: ["a"], label: "x"),
      PlannedStep(id: "c", needs: ["a"]),
    ])

  /// Returns the lines for events at the given seconds.
  private func lines(
    _ events: [(Int64, Event.Kind)], now: Int64 = 0, columns: Int = 43, colour: Bool = false
  ) throws -> [String] {
    var (history, state) = (RunHistory(), RunState())
    var generation = 1
    for (time, kind) in [(0, .runStarted(Self.plan))] + events {
      if case .generationStarted = kind { generation += 1 }
      let event = Event(
        time: Timestamp(microseconds: time * 1_000_000), run: RunID("r1") ?? RunID(),
        generation: generation, kind: kind)
      history.apply(event)
      try state.apply(event)
    }
    return Timeline(
      history, state, now: Timestamp(microseconds: now * 1_000_000),
      style: Style(hasColour: colour, hasUnicode: false)
    ).lines(columns: columns).map(\.string)
  }

  private func ran(
    _ id: String, _ waiting: Int64, _ start: Int64, _ end: Int64,
    _ phase: Event.StepEvent = .succeeded([:])
  ) -> [(Int64, Event.Kind)] {
    [
      (waiting, .step(id, attempt: 0, .waiting)), (start, .step(id, attempt: 1, .started())),
      (end, .step(id, attempt: 1, phase)),
    ]
  }

  @Test func `each step has a bar, and the critical path is marked`() throws {
    let seen = try lines(
      ran("a", 0, 0, 5) + [(5, .step("c", attempt: 0, .waiting))] + ran("b", 5, 5, 15) + [
        (15, .step("c", attempt: 1, .started())),
        (20, .step("c", attempt: 1, .failed(.exited(status: 1)))),
        (20, .runEnded(.failed(step: "c", reason: .exited(status: 1)))),
      ], columns: 38)
    #expect(
      seen == [
        "* a      #####                   5.0 s",
        "  b (x)       ##########        10.0 s",
        "* c           ..........xxxxx    5.0 s",
        "",
        "* critical path, 20.0 s: a -> c (wait…",
      ])
  }

  @Test func `each generation is a band, and the pause before a resume is left out`() throws {
    let seen = try lines(
      ran("a", 0, 0, 10) + [
        (10, .step("b", attempt: 0, .waiting)), (10, .step("b", attempt: 1, .started())),
        (15, .step("b", attempt: 1, .cancelled(.request))),
        (15, .step("c", attempt: 0, .cancelled(.request))),
        (15, .runEnded(.cancelled)), (1000, .runResumed(Self.plan)),
        (1000, .generationStarted(reset: ["b", "c"])),
        (1000, .step("b", attempt: 0, .waiting)),
        (1000, .step("b", attempt: 0, .awaitingApproval("go?"))),
        (1002, .step("b", attempt: 0, .approved([:]))), (1002, .step("b", attempt: 1, .started())),
      ], now: 1005, columns: 46)
    #expect(
      seen == [
        "  generation 1   ---------------        15.0 s",
        "* a              ##########             10.0 s",
        "  b (x)                    /////         5.0 s",
        "  generation 2                  -----    5.0 s",
        "  resumed, 16 m 25 s after generation 1 ended",
        "  b (x)                         ??>>>    3.0 s",
        "",
        "* critical path, 10.0 s: a",
      ])
  }

  @Test(arguments: [1, 10, 20, 43, 200]) func `no line is wider than the output`(
    _ columns: Int
  ) throws {
    let seen = try lines(ran("a", 0, 0, 5), now: 60, columns: columns, colour: true)
    #expect(seen.first?.contains("\u{1B}[36m") == true, "the critical path is cyan")
    let plain = try lines(ran("a", 0, 0, 5), now: 60, columns: columns)
    #expect(plain.allSatisfy { $0.count <= max(columns, 30) })
  }
}

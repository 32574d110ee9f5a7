import Testing

@testable import Reprise

struct RunHistoryTests {
  private let run = RunID()
  private let plan = RunPlan(
    workflow: "w",
    steps: [
      PlannedStep(id: "a"), PlannedStep(id: "b", needs: ["a"]), PlannedStep(id: "c", needs: ["b"]),
    ])

  /// Returns the history of events at the given milliseconds, as their generations count.
  private func history(_ events: [(Int64, Event.Kind)]) -> RunHistory {
    var history = RunHistory()
    var generation = 1
    for (time, kind) in [(0, .runStarted(plan))] + events {
      if case .generationStarted = kind { generation += 1 }
      history.apply(
        Event(
          time: Timestamp(microseconds: time * 1000), run: run, generation: generation, kind: kind))
    }
    return history
  }

  private func ran(_ id: String, _ start: Int64, _ end: Int64) -> [(Int64, Event.Kind)] {
    [
      (start, .step(id, attempt: 0, .waiting)), (start, .step(id, attempt: 1, .started())),
      (end, .step(id, attempt: 1, .succeeded([:]))),
    ]
  }

  @Test func `each generation keeps its attempts and says from where it was restarted`() throws {
    let history = history(
      ran("a", 0, 10) + [
        (10, .step("b", attempt: 0, .waiting)), (10, .step("b", attempt: 1, .started())),
        (3100, .runRestarting(from: ["b", "c"])), (3150, .runRestarting(from: ["b", "c"])),
        (3200, .step("b", attempt: 1, .cancelled(.restart))),
        (3300, .generationStarted(reset: ["b", "c"])),
      ] + ran("b", 3300, 3400) + ran("c", 3400, 3500) + [(3500, .runEnded(.succeeded))])
    #expect(history.generations.map(\.number) == [1, 2])
    let (first, second) = (history.generations[0], history.generations[1])
    #expect(first.attempts.map(\.step) == ["a", "b"])
    #expect(first.attempts.map(\.phase) == [.succeeded([:]), .cancelled(.restart)])
    #expect(first.counts.succeeded == 1 && first.counts.cancelled == 1)
    #expect(first.endedAt == Timestamp(microseconds: 3_300_000) && first.outcome == nil)
    #expect(second.attempts.map(\.step) == ["b", "c"])
    #expect(second.beginning == .restarted(from: ["b"]), "c depends on b")
    #expect(second.words(after: first) == "restarted from b after 3.1 s")
    #expect(second.outcome == .succeeded && second.endedAt == Timestamp(microseconds: 3_500_000))
  }

  @Test func `a retried step has one attempt for each try`() {
    let history = history([
      (0, .step("a", attempt: 0, .waiting)), (5, .step("a", attempt: 1, .started())),
      (10, .step("a", attempt: 1, .retrying(.exited(status: 1), after: .milliseconds(20)))),
      (30, .step("a", attempt: 2, .started())),
    ])
    let attempts = history.generations[0].attempts
    #expect(attempts.map(\.number) == [1, 2])
    #expect(attempts.map(\.phase) == [.failed(.exited(status: 1)), .running])
    #expect(attempts.map(\.retryDelay) == [.milliseconds(20), nil])
    #expect(attempts.map { $0.waitingSince?.microseconds } == [0, nil])
  }

  @Test func `what ran when the engine died ends with the last event before it`() {
    var history = history(
      ran("a", 0, 10) + [
        (10, .step("b", attempt: 0, .waiting)), (12, .step("b", attempt: 1, .started())),
      ])
    #expect(history.generations[0].attempts[1].endedAt == nil)
    var closed = history
    closed.close()
    #expect(closed.generations[0].attempts[1].phase == .cancelled(.interrupted))
    for (time, kind) in [(5000, .runResumed(plan)), (5001, .generationStarted(reset: ["b", "c"]))]
      as [(Int64, Event.Kind)]
    {
      history.apply(
        Event(time: Timestamp(microseconds: time * 1000), run: run, generation: 2, kind: kind))
    }
    #expect(history.generations[0] == closed.generations[0])
    #expect(history.generations[0].endedAt == Timestamp(microseconds: 12_000))
    #expect(
      history.generations[1].words(after: history.generations[0])
        == "resumed, 4.9 s after generation 1 ended")
  }

  @Test func `approvals are kept with their answers`() {
    let history = history([
      (0, .step("a", attempt: 0, .waiting)), (1, .step("a", attempt: 0, .awaitingApproval("go?"))),
      (5, .step("a", attempt: 0, .approved([:]))), (6, .step("a", attempt: 1, .started())),
      (7, .step("a", attempt: 1, .succeeded([:]))),
      (8, .step("b", attempt: 0, .waiting)),
      (8, .step("b", attempt: 0, .awaitingApproval("sure?"))),
      (9, .step("b", attempt: 1, .started())), (9, .step("b", attempt: 1, .failed(.rejected))),
      (9, .step("c", attempt: 0, .waiting)),
      (10, .step("c", attempt: 0, .awaitingApproval("and this?"))),
    ])
    let approvals = history.generations[0].approvals
    #expect(approvals.map(\.text) == ["go?", "sure?", "and this?"])
    #expect(approvals.map(\.answer) == [.approved, .rejected, nil])
    #expect(approvals.map { $0.answeredAt?.microseconds } == [5000, 9000, nil])
  }
}

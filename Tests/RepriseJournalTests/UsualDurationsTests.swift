import Testing

@testable import Reprise
@testable import RepriseJournal

/// How long steps usually take, from the events of earlier runs.
struct UsualDurationsTests {
  private typealias Change = UsualDurations.Change

  /// Events of a run, each at its number of seconds.
  private func medians(_ runs: [[(Int64, Change, String?)]]) -> [String: Duration] {
    var durations = UsualDurations()
    for run in runs {
      durations.beginRun()
      for (second, change, step) in run { durations.add(change, of: step, at: second * 1_000_000) }
    }
    return durations.medians
  }

  @Test func `the names are those of the events`() {
    #expect(Change.started.rawValue == Event.StepEvent.started().name)
    #expect(Change.awaitingApproval.rawValue == Event.StepEvent.awaitingApproval("").name)
    #expect(Change.succeeded.rawValue == Event.StepEvent.succeeded([:]).name)
    let resumed = Event.Kind.runResumed(RunPlan(workflow: "w", steps: []))
    #expect(Change.resumed.rawValue == resumed.name)
  }

  @Test func `the last attempt of each run counts, and of several runs the median`() {
    let runs = [2, 9, 4].map { seconds -> [(Int64, Change, String?)] in
      [(0, .started, "a"), (5, .started, "a"), (5 + seconds, .succeeded, "a")]
    }
    #expect(medians(runs) == ["a": .seconds(4)])
  }

  @Test func `what goes on without an engine does not count`() {
    let run: [(Int64, Change, String?)] = [
      (0, .started, "a"), (0, .started, "b"), (1, .succeeded, "b"), (600, .resumed, nil),
      (601, .succeeded, "a"),
    ]
    #expect(medians([run]) == ["b": .seconds(1)])
  }

  @Test func `the time for approval after the work does not count, nor that before`() {
    let run: [(Int64, Change, String?)] = [
      (0, .awaitingApproval, "a"), (60, .started, "a"), (62, .awaitingApproval, "a"),
      (600, .succeeded, "a"),
    ]
    #expect(medians([run]) == ["a": .seconds(2)])
  }

  @Test func `items share their times, and their step has that of all of them`() {
    let run: [(Int64, Change, String?)] = [
      (0, .started, "a"), (1, .succeeded, "a"), (1, .started, "a[x]/b"), (3, .succeeded, "a[x]/b"),
      (3, .started, "a[y]/b"), (9, .succeeded, "a[y]/b"),
    ]
    let found = medians([run])
    #expect(found["a"] == .seconds(8))
    #expect(found["a[*]/b"] == .seconds(6))
    #expect(found["a[x]/b"] == .seconds(2))
  }
}

import Reprise
import Testing

struct EventJSONTests {
  private func text(_ kind: Event.Kind) throws -> String {
    let run = try #require(RunID("k3v9xq2mab"))
    return try JSONLine.text(
      Event(time: Timestamp(microseconds: 0), run: run, generation: 2, kind: kind))
  }

  private static let plan = RunPlan(
    workflow: "w",
    steps: ["a", "b", "c", "d"].map { PlannedStep(id: $0, needs: []) },
    outline: .sequence([
      .step(StepIndex(0)),
      .parallel([.step(StepIndex(1)), .sequence([.step(StepIndex(2)), .step(StepIndex(3))])]),
    ]))

  /// The format that Documentation/events.md promises; other programs depend on it.
  @Test(arguments: [
    (Event.Kind.runEnded(.succeeded), #""event":"run-ended","generation":2,"outcome":"succeeded""#),
    (
      .runEnded(.failed(step: "a", reason: .exited(status: 3))),
      #""event":"run-ended","generation":2,"outcome":"failed","reason":{"kind":"exited","status":3}"#
    ),
    (
      .runEnded(.timedOut(after: .milliseconds(1500))),
      #""event":"run-ended","generation":2,"outcome":"timed-out","run":"k3v9xq2mab","seconds":1.5"#
    ),
    (
      .runRestarting(from: ["a"]), #""event":"run-restarting","from":["a"],"generation":2"#
    ),
    (
      .runStarted(plan),
      #""outline":[0,{"parallel":[1,[2,3]]}],"steps":[{"id":"a","needs":[]}"#
    ),
    (
      .step("a", attempt: 1, .output(.standardError, text: "x\ny", isPartial: false)),
      #""run":"k3v9xq2mab","step":"a","stream":"stderr","text":"x\ny","time":"#
    ),
    (
      .step("a", attempt: 0, .cancelled(.failure(ofStep: "b"))),
      #"{"attempt":0,"cause":{"kind":"failure","step":"b"},"event":"step-cancelled""#
    ),
  ])
  func `an event has the documented JSON format`(_ kind: Event.Kind, _ part: String) throws {
    let text = try text(kind)
    #expect(text.contains(part), "\(text)")
  }

  @Test func `times are ISO 8601 in UTC with microseconds`() throws {
    #expect(try text(.runEnded(.cancelled)).contains(#""time":"1970-01-01T00:00:00.000000Z""#))
  }

  @Test(
    arguments: [
      (951_782_400_000_001, "2000-02-29T00:00:00.000001Z"),
      (1_795_214_307_012_345, "2026-11-20T22:38:27.012345Z"),
      (-1, "1969-12-31T23:59:59.999999Z"),
    ] as [(Int64, String)])
  func `a timestamp round-trips through its text`(_ microseconds: Int64, _ text: String) {
    #expect(Timestamp(microseconds: microseconds).description == text)
    #expect(Timestamp(text) == Timestamp(microseconds: microseconds))
  }

  @Test(arguments: ["", "2026-11-20", "2026-13-20T22:38:27.012345Z", "2026-11-20T22:38:27.01234xZ"])
  func `an invalid timestamp is refused`(_ text: String) {
    #expect(Timestamp(text) == nil)
  }

  @Test(arguments: ["..", "", "-a", "a/b", "a b", String(repeating: "a", count: 65), "é"])
  func `an invalid run id is refused`(_ text: String) {
    #expect(RunID(text) == nil)
  }

  @Test func `generated run ids are valid and unique`() {
    let ids = (0..<1000).map { _ in RunID() }
    #expect(Set(ids).count == 1000)
    #expect(ids.allSatisfy { RunID($0.description) == $0 })
  }
}

import Reprise
import Testing

@testable import RepriseJournal

struct EventRowTests {
  private static let plan = RunPlan(
    workflow: "w", steps: [PlannedStep(id: "a"), PlannedStep(id: "b", needs: ["a"])])

  static let kinds: [Event.Kind] = [
    .runStarted(plan), .runResumed(plan), .runRestarting(from: nil), .runRestarting(from: ["a"]),
    .generationStarted(reset: nil), .generationStarted(reset: []), .runCancelling(.request),
    .runCancelling(.abandoned("disk")), .runEnded(.succeeded), .runEnded(.cancelled),
    .runEnded(.failed(step: "a", reason: .signalled(signal: 9))), .runEnded(.abandoned("no")),
    .runEnded(.timedOut(after: .seconds(3))), .step("a", attempt: 0, .waiting),
    .step("a", attempt: 1, .started()), .step("a", attempt: 2, .succeeded([:])),
    .step("a", attempt: 2, .succeeded(["x": "\u{0}\n\"'"])),
    .step("a", attempt: 1, .failed(.notStarted("no"))),
    .step("a", attempt: 1, .failed(.threw("x"))),
    .step("a", attempt: 0, .cancelled(.interrupted)), .step("a", attempt: 0, .cancelled(.restart)),
    .step("a", attempt: 0, .skipped("why", ["a": "b"])),
    .step("a", attempt: 1, .retrying(.exited(status: 75), after: .milliseconds(1500))),
  ]

  @Test(arguments: kinds) func `every event round-trips through its row`(_ kind: Event.Kind) throws
  {
    let event = Event(
      time: Timestamp(microseconds: 1_700_000_000_123_456), run: RunID(), generation: 7, kind: kind)
    #expect(try EventRow(event).event(of: event.run) == event)
  }

  @Test func `frequent events need no JSON`() throws {
    for stepEvent in [Event.StepEvent.waiting, .started(), .succeeded([:])] {
      let event = Event(
        time: Timestamp(microseconds: 5), run: RunID(), generation: 1,
        kind: .step("a", attempt: 1, stepEvent))
      #expect(try EventRow(event).json == nil)
    }
  }
}

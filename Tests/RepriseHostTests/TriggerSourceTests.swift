// Tests that each kind of trigger has a source.

import Testing

@testable import RepriseHost
@testable import WorkflowFiles

struct TriggerSourceTests {
  @Test func `each kind of trigger has a source`() {
    for kind in Triggers.kinds {
      #expect(kind is any TriggerSource.Type, "\(kind)")
    }
  }

  @Test func `each cause survives a round trip through JSON`() {
    let causes: [Trigger.Cause] = [
      .manual, .start, .files, .schedule, .stdin(line: "a", data: .number(1)), .socket,
      .after(workflow: "w", run: "r"),
    ]
    for cause in causes {
      let trigger = Trigger(cause, time: "2026", count: 2, paths: ["p"])
      #expect(Trigger(json: trigger.json) == trigger)
    }
  }
}

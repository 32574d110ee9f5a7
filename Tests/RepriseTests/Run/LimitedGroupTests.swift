// Tests runs of groups with a limit whose items have several steps.

import Reprise
import Testing

struct LimitedGroupTests {
  /// The failed step still held the slot when the step after it in its item ended as cancelled.
  @Test(.timeLimit(.minutes(1)))
  func `the next item begins when the first step of an item has failed`() async throws {
    let workflow = try Workflow(
      text: """
        steps:
          - parallel:
              - steps:
                  - { id: a, exec: ["false"] }
                  - { id: b, exec: ["true"] }
              - { id: c, exec: ["true"] }
            max-parallel: 1
            fail-fast: false
        """, file: "w.yaml")
    let run = Engine().start(workflow)
    #expect(await run.outcome == .failed(step: "a", reason: .exited(status: 1)))
    #expect(run.state["c"]?.phase == .succeeded([:]))
  }
}

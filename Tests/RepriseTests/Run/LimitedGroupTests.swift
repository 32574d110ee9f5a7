// Tests runs of groups with a limit whose items have several steps.

import TestSupport
import Testing

@testable import Reprise

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
    #expect(try await run.outcome == .failed(step: "a", reason: .exited(status: 1)))
    #expect(run.state["c"]?.phase == .succeeded([:]))
  }

  @Test func `fail-fast cancels the rest of a group while other steps are stopped for a restart`()
    async throws
  {
    let (stopping, failing) = (Gate(), Gate())
    let begun = Protected<[String]>([])
    let engine = Engine(
      executor: ClosureExecutor { context in
        begun.withLock { $0.append(context.step.id) }
        switch context.step.id {
        case "slow": await stopping.wait()
        case "x":
          await failing.wait()
          throw FailureReason.exited(status: 1)
        default: break
        }
        return [:]
      })
    let run = engine.start(
      try Workflow(
        text: """
          steps:
            - parallel:
                - { id: slow, run: x }
                - id: g
                  max-parallel: 1
                  fail-fast: true
                  parallel: [{ id: x, run: x }, { id: y, run: x }]
          """, file: "w.yaml"))
    await expectEventually("both run") { Set(begun.value) == ["slow", "x"] }
    try await run.perform(.restart(from: ["slow"]))
    await expectEventually("slow is being stopped") { run.state.phase == .restarting }
    failing.open()
    await expectEventually("y is cancelled") { run.state["y"]?.phase.isFinal == true }
    stopping.open()
    _ = try await run.outcomeInTime()
    #expect(run.state["y"]?.phase == .cancelled(.failure(ofStep: "x")))
    #expect(!begun.value.contains("y"))
    #expect(run.state["slow"]?.phase.isSuccess == true)
  }
}

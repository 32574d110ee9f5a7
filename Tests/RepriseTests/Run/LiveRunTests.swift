// An id that is in use.

import Reprise
import Synchronization
import TestSupport
import Testing

/// Runs with the id of another run.
struct LiveRunTests {
  struct Counting: Recorder {
    let count = Protected(0)

    func record(_ events: [Event]) { count.withLock { $0 += events.count } }
    func keep(_ output: Event) {}
  }

  @Test func `an id in use is refused, and is free after the end`() async throws {
    let recorder = Counting()
    let engine = Engine(recorder: recorder)
    let (stream, gate) = AsyncStream<Void>.makeStream()
    let workflow = try Workflow("held") { Step("wait") { _ in for await _ in stream {} } }
    let id = try #require(RunID("mine"))
    let first = engine.start(workflow, id: id)
    await first.reaches(.running, of: "wait")
    // Its three events are recorded in the background.
    await expectEventually("its start is recorded") { recorder.count.value == 3 }
    let recorded = recorder.count.value
    let second = engine.start(workflow, id: id)
    #expect(try await second.outcome == .abandoned("a run with the id \"mine\" is in progress"))
    #expect(throws: ResumeError.inProgress) { try engine.resume(first.state, with: workflow) }
    #expect(recorder.count.value == recorded)
    #expect(first.state.phase == .running)
    gate.finish()
    #expect(try await first.outcome == .succeeded)
    let third = engine.start(try Workflow("next") { Step("only") { _ in } }, id: id)
    #expect(try await third.outcome == .succeeded)
  }
}

extension Run {
  /// Waits for a phase of a step.
  fileprivate func reaches(_ phase: StepPhase, of step: String) async {
    for await state in states.values where state[step]?.phase == phase { return }
  }
}

// The publisher of the events of a run with their states.

import CombineOperators
import Reprise
import TestSupport
import Testing
import WorkflowFiles

/// The events of a run, each with the state that it leads to.
struct RunChangesTests {
  private static func wide(_ count: Int) throws -> Workflow {
    try Workflow("wide") {
      Parallel { for number in 0..<count { Step("s\(number)") { _ in number } } }
    }
  }

  @Test func `each state is the fold of the events up to its own`() async throws {
    for count in [1, 20] {
      let changes = Protected<[RunChange]>([])
      let run = Engine().start(try Self.wide(count))
      let subscription = run.changes.sink { change in changes.withLock { $0.append(change) } }
      #expect(try await run.outcome == .succeeded)
      var state = RunState()
      for change in changes.value {
        try state.apply(change.event)
        #expect(change.state == state)
      }
      #expect(state == run.state)
      withExtendedLifetime(subscription) {}
    }
  }

  @Test func `the state of a change is not ahead of its event`() async throws {
    let gate = Gate()
    let phases = Protected<[StepPhase?]>([])
    let run = Engine().start(
      try Workflow("w") {
        Step("first") { _ in await gate.wait() }
        Step("second") { _ in 2 }
      })
    let subscription = run.changes.sink { change in
      guard case .step("first", _, .succeeded) = change.event.kind else { return }
      // By now, the run has gone on.
      let end = ContinuousClock.now + .seconds(60)
      while run.state["second"]?.phase.isFinal != true, .now < end {}
      phases.withLock { $0 = [change.state["first"]?.phase, change.state["second"]?.phase] }
    }
    gate.open()
    #expect(try await run.outcome == .succeeded)
    #expect(phases.value.last == .pending)
    #expect(phases.value.count == 2)
    withExtendedLifetime(subscription) {}
  }

  @Test func `a late subscriber gets the recap, and the end`() async throws {
    let run = Engine().start(try Self.wide(3))
    #expect(try await run.outcome == .succeeded)
    var last: RunState?
    for await change in run.changes.values { last = change.state }
    #expect(last == run.state)
  }

  /// A copy of all states for each event would be 400 million of them.
  @Test func `20,000 steps need no copy of the state for each event`() async throws {
    let count = Protected(0)
    let run = Engine().start(try Self.wide(20_000))
    let subscription = run.changes.sink { change in
      if case .step(_, _, .succeeded) = change.event.kind { count.withLock { $0 += 1 } }
    }
    #expect(try await run.outcome == .succeeded)
    #expect(count.value == 20_000)
    withExtendedLifetime(subscription) {}
  }
}

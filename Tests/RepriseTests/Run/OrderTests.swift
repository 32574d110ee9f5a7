import Reprise
import TestSupport
import Testing

/// Random graphs in virtual time, where the expected times are known to the microsecond.
struct OrderTests {
  @Test func `in random graphs each step starts at the moment the last of its needs succeeded`()
    async throws
  {
    var generator = SeededGenerator.announced()
    for _ in 0..<rounds(80, soak: 1000) {
      let count = Int.random(in: 1...300, using: &generator)
      let workflow = try randomWorkflow(steps: count, using: &generator)
      let durations = workflow.steps.reduce(into: [:]) { durations, step in
        durations[step.id] = Duration.milliseconds(Int.random(in: 1...50, using: &generator))
      }
      let state = try await run(workflow, durations: durations)
      #expect(state.phase == .ended(.succeeded))
      try expectEarliestStarts(state, workflow, durations)
    }
  }

  @Test(arguments: [1, 2, 7])
  func `as many waiting steps run at once as max-parallel allows`(_ limit: Int) async throws {
    var generator = SeededGenerator.announced()
    var workflow = try randomWorkflow(steps: 60, using: &generator)
    workflow.maxParallel = limit
    let clock = VirtualClock()
    let engine = Engine(
      executor: ClosureExecutor { _ in
        try await clock.sleep(for: .milliseconds(1))
        return [:]
      }, clock: clock)
    let run = engine.start(workflow)
    while run.state.phase.isActive {
      await settle(run, clock)
      let counts = run.state.counts
      #expect(counts.running <= limit)
      #expect(counts.running == limit || counts.waiting == 0)
      clock.advanceToNextWake()
    }
    #expect(try await run.outcome == .succeeded)
  }

  private func run(_ workflow: Workflow, durations: [String: Duration]) async throws -> RunState {
    let clock = VirtualClock()
    let engine = Engine(
      executor: ClosureExecutor { context in
        try await clock.sleep(for: durations[context.step.id] ?? .zero)
        return [:]
      }, clock: clock)
    var workflow = workflow
    workflow.maxParallel = workflow.steps.count
    let run = engine.start(workflow)
    while run.state.phase.isActive {
      await settle(run, clock)
      clock.advanceToNextWake()
    }
    _ = try await run.outcome
    return run.state
  }

  /// Waits until nothing more happens without advancing the clock: every step whose needs have
  /// succeeded runs or waits for a slot, and every running step sleeps.
  private func settle(_ run: Run, _ clock: VirtualClock) async {
    await expectEventually("every step that may run is running") {
      let state = run.state
      let sleeperCount = clock.sleeperCount
      guard state.phase.isActive else { return true }
      // The count belongs to the state only if nothing happened in the meantime.
      guard run.state == state else { return false }
      let graph = run.workflow.graph
      let limit = run.workflow.maxParallel ?? .max
      let mayStart = graph.topologicalOrder.contains { step in
        state.steps[step.position].phase == .pending
          && graph.needs(of: step).allSatisfy {
            state.steps[$0.position].phase == .succeeded([:])
          }
      }
      let placesAreUsed = state.counts.waiting == 0 || state.counts.running == limit
      return !mayStart && placesAreUsed && state.counts.running > 0
        && sleeperCount == state.counts.running
    }
  }

  private func expectEarliestStarts(
    _ state: RunState, _ workflow: Workflow, _ durations: [String: Duration]
  ) throws {
    var ends: [String: Timestamp] = [:]
    for index in workflow.graph.topologicalOrder {
      let step = workflow.steps[index.position]
      let start = step.needs.compactMap { ends[$0] }.max() ?? Timestamp(microseconds: 0)
      ends[step.id] = start.advanced(by: try #require(durations[step.id]))
      #expect(state[step.id]?.startedAt == start)
      #expect(state[step.id]?.endedAt == ends[step.id])
    }
  }
}

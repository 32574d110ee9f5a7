// The estimate of the time until a run ends.

import TestSupport
import Testing

@testable import Reprise

struct RunEstimateTests {
  private func state(
    _ steps: [PlannedStep], maxParallel: Int? = nil, finallyCount: Int = 0,
    _ kinds: [Event.Kind] = []
  ) throws -> RunState {
    var plan = RunPlan(workflow: "w", steps: steps)
    plan.maxParallel = maxParallel
    plan.finallyCount = finallyCount
    var state = RunState()
    let run = RunID()
    for kind in [.runStarted(plan)] + kinds {
      try state.apply(
        Event(time: Timestamp(microseconds: 0), run: run, generation: 1, kind: kind))
    }
    return state
  }

  private func started(_ id: String) -> [Event.Kind] {
    [.step(id, attempt: 0, .waiting), .step(id, attempt: 1, .started())]
  }

  private func rest(_ state: RunState, at second: Int64 = 0) -> Duration? {
    state.expectedRest(at: Timestamp(microseconds: second * 1_000_000), slotCount: 256)
  }

  @Test func `the longest chain of usual durations determines the end`() throws {
    let steps = [
      PlannedStep(id: "a", usualSeconds: 4), PlannedStep(id: "b", needs: ["a"], usualSeconds: 3),
      PlannedStep(id: "c", needs: ["a"], usualSeconds: 9),
      PlannedStep(id: "d", needs: ["b", "c"], usualSeconds: 1),
    ]
    #expect(rest(try state(steps)) == .seconds(14))
    let running = try state(steps, started("a"))
    #expect(rest(running, at: 3) == .seconds(11))
    // A step that is late is expected to need a little more.
    #expect(rest(running, at: 10) == .seconds(11))
  }

  @Test func `slots delay steps`() throws {
    let steps = (0..<6).map { PlannedStep(id: "s\($0)", usualSeconds: 10) }
    #expect(rest(try state(steps)) == .seconds(10))
    #expect(rest(try state(steps, maxParallel: 2)) == .seconds(30))
    #expect(rest(try state(steps, maxParallel: 4, started("s5")), at: 5) == .seconds(20))
  }

  @Test func `steps under finally come last`() throws {
    let steps = [
      PlannedStep(id: "a", usualSeconds: 4), PlannedStep(id: "b", usualSeconds: 6),
      PlannedStep(id: "clean", usualSeconds: 2),
    ]
    #expect(rest(try state(steps, finallyCount: 1)) == .seconds(8))
  }

  @Test func `there is no estimate before most steps have a usual duration`() throws {
    func steps(known: Int) -> [PlannedStep] {
      (0..<10).map { PlannedStep(id: "s\($0)", usualSeconds: $0 < known ? 1 : nil) }
    }
    #expect(rest(try state(steps(known: 7))) == nil)
    #expect(rest(try state(steps(known: 8))) == .seconds(1))
    #expect(rest(RunState()) == nil)
  }

  @Test func `a step's own progress says more than its usual duration`() throws {
    let steps = [PlannedStep(id: "a", usualSeconds: 100)]
    var state = try state(steps, started("a"))
    try state.apply(
      Event(
        time: Timestamp(microseconds: 5_000_000), run: RunID(), generation: 1,
        kind: .step("a", attempt: 1, .progress(0.5, ""))))
    #expect(rest(state, at: 6) == .seconds(4))
  }

  @Test func `the estimate lies between the longest chain and all work in one slot`() throws {
    var generator = SeededGenerator.announced()
    for _ in 0..<100 {
      let count = Int.random(in: 1...40, using: &generator)
      let steps = (0..<count).map { number in
        PlannedStep(
          id: "s\(number)",
          needs: (0..<number).filter { _ in Int.random(in: 0..<6, using: &generator) == 0 }
            .map { "s\($0)" },
          usualSeconds: Double(Int.random(in: 0...20, using: &generator)))
      }
      var ends: [String: Double] = [:]
      for step in steps {
        ends[step.id] = (step.needs.compactMap { ends[$0] }.max() ?? 0) + (step.usualSeconds ?? 0)
      }
      // Less than this is not said of a run that goes on.
      let least = RunState.restMin / .seconds(1)
      let chain = max(ends.values.max() ?? 0, least)
      let work = max(steps.reduce(0) { $0 + ($1.usualSeconds ?? 0) }, least)
      for slots in [1, 2, 5, 100] {
        let rest = try #require(rest(try state(steps, maxParallel: slots))) / .seconds(1)
        #expect(rest >= chain && rest <= work)
        if slots == 1 { #expect(rest == work) }
        if slots == 100 { #expect(rest == chain) }
      }
    }
  }
}

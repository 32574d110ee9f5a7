import Testing

@testable import Reprise

struct CriticalPathTests {
  /// Returns the state of a run whose steps were ready, started and ended at the given
  /// milliseconds.
  private func state(
    _ steps: [(id: String, needs: [String], ready: Int64, start: Int64, end: Int64)]
  ) throws -> RunState {
    var state = RunState()
    let run = RunID()
    func apply(_ time: Int64, _ kind: Event.Kind) throws {
      let event = Event(
        time: Timestamp(microseconds: time * 1000), run: run, generation: 1, kind: kind)
      try state.apply(event)
    }
    let planned = steps.map { PlannedStep(id: $0.id, needs: $0.needs) }
    try apply(0, .runStarted(RunPlan(workflow: "w", steps: planned)))
    for step in steps {
      try apply(step.ready, .step(step.id, attempt: 0, .ready))
      try apply(step.start, .step(step.id, attempt: 1, .started()))
      try apply(step.end, .step(step.id, attempt: 1, .succeeded([:])))
    }
    return state
  }

  @Test func `the path goes through the needs that ended last`() throws {
    let state = try state([
      ("a", [], 0, 0, 10), ("b", ["a"], 10, 10, 20), ("c", ["a"], 10, 15, 90),
      ("d", ["b", "c"], 90, 90, 100), ("aside", [], 0, 0, 50),
    ])
    #expect(state.criticalPath.map(\.step) == ["a", "c", "d"])
    #expect(state.criticalPath[1].duration == .milliseconds(75))
    #expect(state.criticalPath[1].wait == .milliseconds(5))
  }

  @Test func `the path is empty when nothing has ended`() throws {
    #expect(RunState().criticalPath == [])
    #expect(try state([]).criticalPath == [])
  }

  @Test func `a chain of 100,000 steps has a critical path`() throws {
    let steps = (0..<100_000).map { number in
      let time = Int64(number)
      return ("s\(number)", number == 0 ? [] : ["s\(number - 1)"], time, time, time + 1)
    }
    let path = try state(steps).criticalPath
    #expect(path.count == 100_000)
  }
}

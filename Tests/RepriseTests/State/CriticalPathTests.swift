import Testing

@testable import Reprise

struct CriticalPathTests {
  /// Returns the state of a run whose steps waited, started and ended at the given
  /// milliseconds.
  private func state(
    _ steps: [(id: String, needs: [String], waiting: Int64, start: Int64, end: Int64)]
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
      try apply(step.waiting, .step(step.id, attempt: 0, .waiting))
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

  // MARK: What does not run, and what comes last

  /// Returns the state of a run of events, each at its number of milliseconds.
  private func state(
    _ steps: [PlannedStep], finallyCount: Int = 0, _ events: [(Int64, Event.Kind)]
  ) throws -> RunState {
    var plan = RunPlan(workflow: "w", steps: steps)
    plan.finallyCount = finallyCount
    var state = RunState()
    let run = RunID()
    for (time, kind) in [(0, .runStarted(plan))] + events {
      try state.apply(
        Event(
          time: Timestamp(microseconds: time * 1000), run: run, generation: 1, kind: kind))
    }
    return state
  }

  private func ran(_ id: String, _ start: Int64, _ end: Int64) -> [(Int64, Event.Kind)] {
    [
      (start, .step(id, attempt: 0, .waiting)), (start, .step(id, attempt: 1, .started())),
      (end, .step(id, attempt: 1, .succeeded([:]))),
    ]
  }

  @Test func `the path goes through skipped steps`() throws {
    let state = try state(
      [
        PlannedStep(id: "build"), PlannedStep(id: "sign", needs: ["build"]),
        PlannedStep(id: "stamp", needs: ["sign"]), PlannedStep(id: "ship", needs: ["stamp"]),
      ],
      ran("build", 0, 2000) + [
        (2000, .step("sign", attempt: 0, .skipped("if: 1 == 2", [:]))),
        (2000, .step("stamp", attempt: 0, .skipped("step \"sign\" was skipped", [:]))),
      ] + ran("ship", 2001, 2200))
    #expect(state.criticalPath.map(\.step) == ["build", "ship"])
  }

  @Test func `the path goes from steps under finally to the others`() throws {
    let state = try state(
      [
        PlannedStep(id: "a"), PlannedStep(id: "b"), PlannedStep(id: "clean"),
        PlannedStep(id: "page", needs: ["clean"]),
      ], finallyCount: 2,
      ran("a", 0, 500) + ran("b", 0, 900) + ran("clean", 901, 950) + ran("page", 950, 960))
    #expect(state.criticalPath.map(\.step) == ["b", "clean", "page"])
  }

  @Test func `a service counts until it can be used, and its end does not matter`() throws {
    let state = try state(
      [
        PlannedStep(id: "db", isService: true), PlannedStep(id: "lint"),
        PlannedStep(id: "test", needs: ["db", "lint"]),
      ],
      [
        (0, .step("db", attempt: 0, .waiting)), (0, .step("db", attempt: 1, .started())),
      ] + ran("lint", 0, 100) + [(700, .step("db", attempt: 1, .ready([:])))]
        + ran("test", 700, 1500) + [(1600, .step("db", attempt: 1, .succeeded([:])))])
    #expect(state.criticalPath.map(\.step) == ["db", "test"])
    #expect(state.criticalPath.first?.duration == .milliseconds(700))
  }

  @Test func `the path says what its steps waited for`() throws {
    let approver: [(Int64, Event.Kind)] = [
      (0, .step("a", attempt: 0, .waiting)), (0, .step("a", attempt: 0, .awaitingApproval("go?"))),
      (3000, .step("a", attempt: 0, .approved([:]))), (3500, .step("a", attempt: 1, .started())),
      (4000, .step("a", attempt: 1, .succeeded([:]))),
    ]
    let pooled: [(Int64, Event.Kind)] = [
      (4000, .step("b", attempt: 0, .waiting)), (4100, .runPaused), (4300, .runUnpaused),
      (4500, .step("b", attempt: 1, .waitingForPool("db", text: "waits"))),
      (4600, .step("b", attempt: 1, .waitingForPool("db", text: "still waits"))),
      (5000, .step("b", attempt: 1, .queued(RunnerPlace(runner: "slurm", token: "t"), text: ""))),
      (6000, .step("b", attempt: 1, .started())), (6100, .step("b", attempt: 1, .succeeded([:]))),
    ]
    let state = try state(
      [PlannedStep(id: "a"), PlannedStep(id: "b", needs: ["a"])], approver + pooled)
    let (first, second) = (state.criticalPath[0], state.criticalPath[1])
    #expect(first.waits.map(\.cause) == [.approval, .slot])
    #expect(first.waits.map(\.duration) == [.milliseconds(3000), .milliseconds(500)])
    #expect(first.duration == .milliseconds(500))
    #expect(second.waits.map(\.cause) == [.slot, .pause, .slot, .pool("db"), .runner("slurm")])
    #expect(
      second.waits.map(\.duration) == [100, 200, 200, 500, 1000].map { .milliseconds($0) })
    #expect(RunState.total(of: state.criticalPath) == .milliseconds(6100))
    var joined = RunState()
    for event in state.recap { try joined.apply(event) }
    #expect(joined.criticalPath == state.criticalPath)
  }

  @Test func `retries and their delays are work, and so is the wait of a step that only waits`()
    throws
  {
    let events: [(Int64, Event.Kind)] = [
      (0, .step("a", attempt: 0, .waiting)), (10, .step("a", attempt: 1, .started())),
      (500, .step("a", attempt: 1, .retrying(.exited(status: 1), after: .seconds(1)))),
      (1500, .step("a", attempt: 2, .started())), (2000, .step("a", attempt: 2, .succeeded([:]))),
      (2000, .step("w", attempt: 0, .waiting)),
      (2000, .step("w", attempt: 0, .pausing(until: Timestamp(microseconds: 5_000_000)))),
      (5000, .step("w", attempt: 1, .started())), (5001, .step("w", attempt: 1, .succeeded([:]))),
    ]
    let state = try state([PlannedStep(id: "a"), PlannedStep(id: "w", needs: ["a"])], events)
    #expect(state.criticalPath.map(\.duration) == [.milliseconds(2000), .milliseconds(3001)])
    #expect(state.criticalPath.allSatisfy { $0.waits.isEmpty })
  }

  @Test func `chains of 100,000 skipped steps are passed`() throws {
    let count = 100_000
    let steps = (0..<count).map { PlannedStep(id: "s\($0)", needs: $0 == 0 ? [] : ["s\($0 - 1)"]) }
    let skipped = (1..<(count - 1)).map { number in
      (Int64(5), Event.Kind.step("s\(number)", attempt: 0, .skipped("x", [:])))
    }
    let state = try state(steps, ran("s0", 0, 5) + skipped + ran("s\(count - 1)", 6, 9))
    #expect(state.criticalPath.map(\.step) == ["s0", "s\(count - 1)"])
  }
}

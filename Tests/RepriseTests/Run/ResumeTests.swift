import TestSupport
import Testing

@testable import Reprise

/// Runs that are resumed after any of their events.
struct ResumeTests {
  private static func diamond() throws -> Workflow {
    try Workflow(
      name: "diamond",
      steps: [
        Workflow.Step(id: "a", action: .exec(["-"])),
        Workflow.Step(id: "b", needs: ["a"], action: .exec(["-"])),
        Workflow.Step(id: "c", needs: ["a"], action: .exec(["-"])),
        Workflow.Step(id: "d", needs: ["b", "c"], action: .exec(["-"])),
      ])
  }

  private static func events(of workflow: Workflow, _ executor: ClosureExecutor) async throws
    -> [Event]
  {
    let memory = RecorderTests.Memory()
    let run = Engine(executor: executor, recorder: memory).start(workflow)
    _ = try await run.outcome
    return memory.events.value
  }

  @Test func `after any last recorded event, succeeded steps are not run again`()
    async throws
  {
    let workflow = try Self.diamond()
    let all = try await Self.events(of: workflow, ClosureExecutor { ["by": $0.step.id] })
    for length in 1...all.count {
      var state = RunState()
      for event in all.prefix(length) { try state.apply(event) }
      let done = Set(state.steps.filter(\.phase.isSuccess).map(\.id))
      let begun = Protected<[String]>([])
      let inputs = Protected<[String: StepOutputs]>([:])
      let executor = ClosureExecutor { context in
        begun.withLock { $0.append(context.step.id) }
        inputs.withLock { $0.merge(context.inputs) { $1 } }
        return ["by": context.step.id]
      }
      let run = try Engine(executor: executor).resume(state, with: workflow)
      #expect(try await run.outcome == .succeeded, "after \(length) events")
      #expect(run.id == state.run && run.state.generation == 2)
      let missing = Set(["a", "b", "c", "d"]).subtracting(done)
      #expect(Set(begun.value) == missing)
      #expect(begun.value.count == 4 - done.count, "each once")
      #expect(inputs.value.allSatisfy { $1 == ["by": $0] }, "outputs are kept")
    }
  }

  @Test func `a run without any event cannot be resumed`() throws {
    let workflow = try Self.diamond()
    #expect(throws: ResumeError.neverStarted) { try Engine().resume(RunState(), with: workflow) }
  }

  @Test func `a failed step runs again, followed by its dependents`() async throws {
    let workflow = try Self.diamond()
    let failing = ClosureExecutor { context in
      if context.step.id == "b" { throw FailureReason.exited(status: 7) }
      return [:]
    }
    var state = RunState()
    for event in try await Self.events(of: workflow, failing) { try state.apply(event) }
    #expect(state.phase == .ended(.failed(step: "b", reason: .exited(status: 7))))
    let begun = Protected<[String]>([])
    let executor = ClosureExecutor { context in
      begun.withLock { $0.append(context.step.id) }
      return [:]
    }
    let memory = RecorderTests.Memory()
    let run = try Engine(executor: executor, recorder: memory).resume(state, with: workflow)
    #expect(try await run.outcome == .succeeded)
    let again: [String] = begun.value
    #expect(again == ["b", "d"])
    for event in memory.events.value { try state.apply(event) }
    #expect(state == run.state, "the record of both parts folds to the state of the run")
  }

  @Test
  func `an observer of a resumed run receives only the events after the resume`()
    async throws
  {
    struct Hearing: EngineObserver, RunObserver {
      let heard = Protected<[Event]>([])

      func runStarted(_ run: RunID, of workflow: Workflow) -> (any RunObserver)? { self }

      func receive(_ event: Event) { heard.withLock { $0.append(event) } }

      func observe(_ context: StepContext, _ attempt: StepAttempt) async throws -> StepOutputs {
        try await attempt(context)
      }
    }
    let workflow = try Self.diamond()
    let failed = Engine(executor: ClosureExecutor { _ in throw FailureReason.exited(status: 7) })
      .start(workflow)
    _ = try await failed.outcome
    let (memory, hearing) = (RecorderTests.Memory(), Hearing())
    let executor = ClosureExecutor { context in
      context.report("hello")
      return [:]
    }
    var engine = Engine(executor: executor, recorder: memory)
    engine.observer = hearing
    let run = try engine.resume(failed.state, with: workflow)
    for await _ in run.events.values {}
    #expect(try await run.outcome == .succeeded)
    #expect(hearing.heard.value.filter { !$0.isOutput } == memory.events.value)
    #expect(hearing.heard.value.filter(\.isOutput) == memory.output.value)
    #expect(memory.output.value.count == workflow.graph.count)
  }

  @Test func `a succeeded step stays succeeded when the file adds a need to it`()
    async throws
  {
    var state = RunState()
    let old = try Self.diamond()
    for event in try await Self.events(of: old, ClosureExecutor { _ in [:] }).dropLast(4) {
      try state.apply(event)
    }
    #expect(state["b"]?.phase.isSuccess == true && state["d"]?.phase.isSuccess == false)
    let new = try Workflow(
      name: "diamond",
      steps: [Workflow.Step(id: "new", action: .exec(["-"]))]
        + old.steps.map { step in
          var step = step
          if step.id == "b" { step.needs.append("new") }
          return step
        })
    let executor = ClosureExecutor { context in
      if context.step.id == "new" { throw FailureReason.exited(status: 9) }
      return [:]
    }
    let run = try Engine(executor: executor).resume(state, with: new)
    #expect(try await run.outcome == .failed(step: "new", reason: .exited(status: 9)))
    #expect(run.state["d"]?.phase.isSuccess == true)
  }

  @Test(arguments: ["failed", "cancelled", "interrupted"])
  func `a resumed run counts attempts from one, however the step ended`(_ end: String)
    async throws
  {
    let workflow = try Workflow(
      name: "w",
      steps: [
        Workflow.Step(
          id: "a", action: .exec(["-"]),
          retry: Retry(limit: 1, delay: end == "failed" ? .zero : .seconds(600)))
      ])
    let memory = RecorderTests.Memory()
    let failing = ClosureExecutor { _ in throw FailureReason.exited(status: 1) }
    let first = Engine(executor: failing, recorder: memory).start(workflow)
    if end != "failed" {
      await expectEventually("it waits for its second attempt") { first.state["a"]?.retry != nil }
    }
    let interrupted = first.state
    if end != "failed" { first.cancel() }
    _ = try await first.outcome
    let state = end == "interrupted" ? interrupted : first.state
    let attempts = Protected<[Int]>([])
    let executor = ClosureExecutor { context in
      attempts.withLock { $0.append(context.attempt) }
      if context.attempt == 1 { throw FailureReason.exited(status: 1) }
      return [:]
    }
    let clock = VirtualClock()
    let run = try Engine(executor: executor, clock: clock).resume(state, with: workflow)
    let outcome = Task { try await run.outcome }
    await expectEventually("the run is over") {
      clock.advanceToNextWake()
      if case .ended = run.state.phase { return true }
      return false
    }
    #expect(try await outcome.value == .succeeded)
    #expect(attempts.value == [1, 2], "all attempts are available again")
  }

  @Test func `a resumed run can be restarted from the top`() async throws {
    let workflow = try Self.diamond()
    var state = RunState()
    for event in try await Self.events(of: workflow, ClosureExecutor { _ in [:] }).dropLast(2) {
      try state.apply(event)
    }
    let begun = Protected<[String]>([])
    let gate = Gate()
    let executor = ClosureExecutor { context in
      begun.withLock { $0.append("\(context.step.id)\(context.generation)") }
      if context.generation == 2 { await gate.wait() }
      return [:]
    }
    let run = try Engine(executor: executor).resume(state, with: workflow)
    await expectEventually("d runs") { begun.value == ["d2"] }
    run.restart()
    gate.open()
    #expect(try await run.outcome == .succeeded)
    let expected: Set<String> = ["d2", "a3", "b3", "c3", "d3"]
    #expect(Set(begun.value) == expected)
  }
}

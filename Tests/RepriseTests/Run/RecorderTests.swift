import Dispatch
import TestSupport
import Testing

@testable import Reprise

/// When events become durable, and what waits for that.
struct RecorderTests {
  struct DiskFull: Error, CustomStringConvertible {
    var description: String { "the disk is full" }
  }

  /// A recorder in memory that blocks or fails on request.
  final class Memory: Recorder {
    let events = Protected<[Event]>([])
    let batches = Protected(0)
    let failsAt: @Sendable (Event) -> Bool
    let holdsUp: DispatchSemaphore?
    let holdsUpOutput: DispatchSemaphore?
    let recordsOutput: Bool

    init(
      holdsUp: DispatchSemaphore? = nil, holdsUpOutput: DispatchSemaphore? = nil,
      recordsOutput: Bool = true,
      failsAt: @escaping @Sendable (Event) -> Bool = { _ in false }
    ) {
      self.holdsUp = holdsUp
      self.holdsUpOutput = holdsUpOutput
      self.recordsOutput = recordsOutput
      self.failsAt = failsAt
    }

    func record(_ events: [Event]) throws {
      holdsUp?.wait()
      if events.contains(where: failsAt) { throw DiskFull() }
      self.events.withLock { $0 += events }
      batches.withLock { $0 += 1 }
    }

    let output = Protected<[Event]>([])

    func keep(_ output: Event) throws {
      holdsUpOutput?.wait()
      guard recordsOutput else { throw DiskFull() }
      self.output.withLock { $0.append(output) }
    }

    func hasSuccess(of step: String) -> Bool {
      events.value.contains { event in
        if case .step(step, _, .succeeded) = event.kind { true } else { false }
      }
    }
  }

  private static func chain(_ count: Int) throws -> Workflow {
    try Workflow(
      name: "chain",
      steps: (0..<count).map { number in
        Workflow.Step(
          id: "s\(number)", needs: number == 0 ? [] : ["s\(number - 1)"], action: .exec(["-"]))
      })
  }

  @Test(arguments: [
    Intervention.cancel(), .cancel(now: true), .cancel(steps: ["go"]), .restart(), .pause,
    .approve(), .approve(isApproved: false), .set(steps: ["go"], .skipped),
    .set(steps: ["end"], .skipped),
  ])
  func `an intervention is answered when it is recorded`(_ intervention: Intervention) async throws
  {
    let memory = Memory()
    let engine = Engine(executor: ClosureExecutor { _ in [:] }, recorder: memory)
    let workflow = try Workflow("w") {
      Step("go", approval: "Go?")
      Step("end") { _ in }
    }
    let run = engine.start(workflow)
    await expectEventually("it asks") { !run.state.awaitingApproval.isEmpty }
    try await run.perform(intervention)
    let kinds = memory.events.value.dropFirst().filter { $0.by != nil }.map(\.kind)
    #expect(!kinds.isEmpty, "the event that names who has asked")
    run.cancel()
    _ = try await run.outcome
  }

  @Test func `an intervention that cannot be recorded is refused`() async throws {
    let memory = Memory(failsAt: { $0.kind == .runCancelling(.request) })
    let engine = Engine(executor: ClosureExecutor { _ in [:] }, recorder: memory)
    let run = engine.start(try Workflow("w") { Step("go", approval: "Go?") })
    await expectEventually("it asks") { !run.state.awaitingApproval.isEmpty }
    await #expect(
      throws: InterventionRefusal("the run cannot be recorded: the disk is full")
    ) { try await run.perform(.cancel()) }
    _ = try await run.outcome
  }

  @Test func `an end that cannot be recorded is not published`() async throws {
    let memory = Memory(failsAt: { event in
      if case .runEnded = event.kind { true } else { false }
    })
    let engine = Engine(executor: ClosureExecutor { _ in [:] }, recorder: memory)
    let run = engine.start(try Self.chain(2))
    let seen = Protected<[RunOutcome]>([])
    let events = run.events.sink { event in
      if case .runEnded(let outcome) = event.kind { seen.withLock { $0.append(outcome) } }
    }
    #expect(try await run.outcome == .abandoned("the disk is full"))
    await expectEventually("the end is published") { !seen.value.isEmpty }
    #expect(seen.value == [.abandoned("the disk is full")])
    #expect(run.state.phase == .ended(.abandoned("the disk is full")))
    events.cancel()
  }

  /// A user who sees that a run is over may remove its logs.
  @Test func `a run is not over before all of its output is stored`() async throws {
    let held = DispatchSemaphore(value: 0)
    let memory = Memory(holdsUpOutput: held)
    let engine = Engine(
      executor: ClosureExecutor { context in
        for number in 0..<50 { context.report("line \(number)") }
        return [:]
      }, recorder: memory)
    let run = engine.start(try Self.chain(1))
    await expectEventually("its step is recorded") { memory.hasSuccess(of: "s0") }
    for _ in 0..<5000 { await Task.yield() }
    #expect(run.state.phase == .running)
    for _ in 0..<50 { held.signal() }
    #expect(try await run.outcome == .succeeded)
    #expect(memory.output.value.count == 50)
  }

  @Test func `a restart is accepted while the end waits for output to be stored`() async throws {
    let held = DispatchSemaphore(value: 0)
    let memory = Memory(holdsUpOutput: held)
    let engine = Engine(
      executor: ClosureExecutor { context in
        context.report("hello")
        return [:]
      }, recorder: memory)
    let run = engine.start(try Self.chain(1))
    await expectEventually("its step is recorded") { memory.hasSuccess(of: "s0") }
    run.restart()
    await expectEventually("the run has restarted") { run.state.generation == 2 }
    for _ in 0..<2 { held.signal() }
    #expect(try await run.outcome == .succeeded)
    #expect(run.state.generation == 2)
  }

  @Test func `a success is durable before its dependents start`() async throws {
    let memory = Memory()
    let tooEarly = Protected<[String]>([])
    let executor = ClosureExecutor { context in
      let missing = context.step.needs.filter { !memory.hasSuccess(of: $0) }
      tooEarly.withLock { $0 += missing }
      return [:]
    }
    let run = Engine(executor: executor, recorder: memory).start(try Self.chain(200))
    #expect(try await run.outcome == .succeeded)
    #expect(tooEarly.value == [])
  }

  @Test func `when a run is over, all events except output have been recorded in order`()
    async throws
  {
    let memory = Memory()
    let executor = ClosureExecutor { context in
      context.report("hello")
      return ["step": context.step.id]
    }
    let run = Engine(executor: executor, recorder: memory).start(try Self.chain(20))
    let outcome = try await run.outcome
    var state = RunState()
    for event in memory.events.value { try state.apply(event) }
    #expect(state.phase == .ended(outcome))
    #expect(state.steps.allSatisfy { $0.phase == .succeeded(["step": $0.id]) })
    let count: Int = memory.events.value.count
    #expect(count == 62)
    #expect(memory.output.value.count == 20)
  }

  @Test func `many events share one batch while the recorder is busy`() async throws {
    let semaphore = DispatchSemaphore(value: 0)
    let memory = Memory(holdsUp: semaphore)
    let workflow = try Workflow(
      name: "fan", steps: (0..<100).map { Workflow.Step(id: "s\($0)", action: .exec(["-"])) })
    let run = Engine(executor: ClosureExecutor { _ in [:] }, recorder: memory).start(workflow)
    semaphore.signal()
    await expectEventually("all steps are done") { run.state.counts.succeeded == 100 }
    for _ in 0..<100 { semaphore.signal() }
    #expect(try await run.outcome == .succeeded)
    #expect(memory.batches.value < 10, "one batch for the start, then nearly all at once")
  }

  @Test func `a run is abandoned when recording fails`() async throws {
    let memory = Memory { event in
      if case .step("s5", _, .succeeded) = event.kind { true } else { false }
    }
    let begun = Protected<[String]>([])
    let executor = ClosureExecutor { context in
      begun.withLock { $0.append(context.step.id) }
      return [:]
    }
    let run = Engine(executor: executor, recorder: memory).start(try Self.chain(20))
    #expect(try await run.outcome == .abandoned("the disk is full"))
    let expected: [String] = (0...5).map { "s\($0)" }
    #expect(begun.value == expected)
    #expect(memory.hasSuccess(of: "s4") && !memory.hasSuccess(of: "s5"))
  }

  @Test func `a run is abandoned when storing output fails`() async throws {
    let gate = Gate()
    let executor = ClosureExecutor { context in
      context.report("hello")
      await gate.wait()
      return [:]
    }
    let memory = Memory(recordsOutput: false)
    let run = Engine(executor: executor, recorder: memory).start(try Self.chain(3))
    await expectEventually("the run is ending") { run.state.phase != .running }
    gate.open()
    #expect(try await run.outcome == .abandoned("the disk is full"))
  }

  @Test func `a slot is released before the success is durable`() async throws {
    let semaphore = DispatchSemaphore(value: 1)
    let memory = Memory(holdsUp: semaphore)
    var workflow = try Workflow(
      name: "fan", steps: (0..<3).map { Workflow.Step(id: "s\($0)", action: .exec(["-"])) })
    workflow.maxParallel = 1
    let run = Engine(executor: ClosureExecutor { _ in [:] }, recorder: memory).start(workflow)
    await expectEventually("all steps are done") { run.state.counts.succeeded == 3 }
    for _ in 0..<100 { semaphore.signal() }
    #expect(try await run.outcome == .succeeded)
  }
}

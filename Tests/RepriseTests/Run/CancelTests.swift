import Reprise
import TestSupport
import Testing

struct CancelTests {
  private static func chain(_ count: Int) throws -> Workflow {
    try Workflow(
      name: "chain",
      steps: (0..<count).map {
        Workflow.Step(id: "s\($0)", needs: $0 == 0 ? [] : ["s\($0 - 1)"], action: .run("true"))
      })
  }

  /// Steps that run until they are cancelled.
  private static let endless = ClosureExecutor { _ in
    while true {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  @Test func `cancelling stops the running steps and starts no others`() async throws {
    let run = Engine(executor: Self.endless).start(try Self.chain(3))
    await expectEventually("the first step runs") { run.state.counts.running == 1 }
    run.cancel()
    #expect(try await run.outcome == .cancelled)
    #expect(run.state.steps.allSatisfy { $0.phase == .cancelled(.request) })
    #expect(run.state.steps.map(\.attempt) == [1, 0, 0])
  }

  @Test func `a run whose last reference is dropped is cancelled`() async throws {
    var run: Run? = Engine(executor: Self.endless).start(try Self.chain(2))
    let events = try #require(run?.events)
    run = nil
    var all: [Event] = []
    for await event in events.values { all.append(event) }
    #expect(all.last?.kind == .runEnded(.cancelled))
    // A subscriber that joins after the end learns it from the end.
    let cancelling = all.first { $0.kind == .runCancelling(.request) }
    #expect((cancelling ?? all.last)?.by == Requester(.release))
  }

  @Test func `a subscriber that joins after the end learns who has cancelled the run`() async throws
  {
    let run = Engine(executor: Self.endless).start(try Self.chain(2))
    let events = run.events
    run.cancel()
    #expect(try await run.outcome == .cancelled)
    var last: Event?
    for await event in events.values { last = event }
    #expect(last?.kind == .runEnded(.cancelled))
    #expect(last?.by != nil)
    #expect(last?.by == run.state.phaseRequester)
  }

  @Test func `a step that succeeds despite a cancel counts as succeeded`() async throws {
    let gate = Gate()
    let engine = Engine(
      executor: ClosureExecutor { _ in
        await gate.wait()
        return ["done": "yes"]
      })
    let run = engine.start(try Self.chain(2))
    await expectEventually("the first step runs") { run.state.counts.running == 1 }
    run.cancel()
    await expectEventually("the run is being cancelled") {
      run.state.phase == .cancelling(.request)
    }
    gate.open()
    #expect(try await run.outcome == .cancelled)
    #expect(run.state.steps.map(\.phase) == [.succeeded(["done": "yes"]), .cancelled(.request)])
  }

  @Test func `killing calls the kill handlers of the running steps`() async throws {
    let engine = Engine(
      executor: ClosureExecutor { context in
        let gate = Gate()
        await context.withKillHandler({ gate.open() }, operation: { await gate.wait() })
        throw CancellationError()
      })
    let run = engine.start(try Self.chain(2))
    await expectEventually("the first step runs") { run.state.counts.running == 1 }
    run.cancel()
    await expectEventually("the run is being cancelled") {
      run.state.phase == .cancelling(.request)
    }
    #expect(run.state.counts.running == 1)
    run.kill()
    #expect(try await run.outcome == .cancelled)
  }

  @Test func `a run that exceeds its timeout is cancelled with that cause`() async throws {
    let clock = VirtualClock()
    var workflow = try Self.chain(2)
    workflow.timeout = .seconds(90)
    let run = Engine(executor: Self.endless, clock: clock).start(workflow)
    await expectEventually("the first step runs") { run.state.counts.running == 1 }
    await expectEventually("the timeout is set") { clock.sleeperCount == 1 }
    clock.advanceToNextWake()
    #expect(try await run.outcome == .timedOut(after: .seconds(90)))
    #expect(run.state.steps.allSatisfy { $0.phase == .cancelled(.runTimedOut) })
  }

  @Test func `cancelling a subscription to the cold publisher cancels its run`() async throws {
    let witness = Witness()
    let engine = Engine(
      executor: ClosureExecutor { context in
        try await witness.watch(context) {
          while true {
            try Task.checkCancellation()
            await Task.yield()
          }
        }
      })
    let publisher = engine.publisher(for: try Self.chain(2))
    #expect(witness.current.begun.isEmpty)
    let subscription = publisher.sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    await expectEventually("the first step runs") { witness.current.alive.count == 1 }
    subscription.cancel()
    await expectEventually("the first step is gone") { witness.current.alive.isEmpty }
    #expect(witness.current.begun.count == 1)
  }

  @Test func `each subscription to the cold publisher starts its own run`() async throws {
    let engine = Engine(executor: ClosureExecutor { _ in [:] })
    let publisher = engine.publisher(for: try Self.chain(2))
    var runs: Set<RunID> = []
    for _ in 0..<3 {
      for try await event in publisher.values { runs.insert(event.run) }
    }
    #expect(runs.count == 3)
  }
}

import Reprise
import TestSupport
import Testing

/// Requests to a live run for some of its steps.
struct InterventionTests {
  /// Steps that run until they are cancelled, except those whose id begins with `quick` or `bad`.
  private static let executor = ClosureExecutor { context in
    if context.step.id.hasPrefix("quick") || context.generation > 1 { return ["from": "it"] }
    if context.step.id.hasPrefix("bad") { throw FailureReason.exited(status: 3) }
    while true {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  private static func start(_ steps: [(id: String, needs: [String])]) throws -> Run {
    Engine(executor: executor).start(
      try Workflow(
        name: "w",
        steps: steps.map { Workflow.Step(id: $0.id, needs: $0.needs, action: .run("true")) }))
  }

  @Test func `cancelling a step stops it and its dependents, and the run goes on`() async throws {
    let run = try Self.start([
      ("slow", []), ("after", ["slow"]), ("last", ["after"]), ("other", []), ("quick", ["other"]),
    ])
    await expectEventually("both branches run") { run.state.counts.running == 2 }
    let answer = try await run.perform(.cancel(steps: ["slow"], now: false))
    #expect(answer.description == "step \"slow\": being cancelled; the run continues")
    await expectEventually("the dependents are cancelled") { run.state.counts.cancelled == 3 }
    #expect(run.state["slow"]?.phase == .cancelled(.request))
    #expect(run.state["after"]?.phase == .cancelled(.cancellation(ofStep: "slow")))
    #expect(run.state["last"]?.phase == .cancelled(.cancellation(ofStep: "slow")))
    #expect(run.state["other"]?.phase == .running && run.state.phase == .running)
    let restarted = try await run.perform(.restart(from: [":cancelled", "other"]))
    #expect(restarted.generation == 2 && restarted.steps?.count == 5)
    #expect(
      restarted.description == "generation 2 of run \(run.id) begins: 5 steps run again")
    #expect(await run.outcome == .succeeded)
  }

  @Test func `a pending step that is cancelled never starts`() async throws {
    let run = try Self.start([("slow", []), ("next", ["slow"]), ("last", ["next"])])
    await expectEventually("the first step runs") { run.state.counts.running == 1 }
    try await run.perform(.cancel(steps: ["next"], now: false))
    await expectEventually("it is cancelled") {
      run.state["next"]?.phase == .cancelled(.request)
    }
    try await run.perform(.cancel(steps: ["slow"], now: false))
    #expect(await run.outcome == .cancelled)
    #expect(run.state["next"]?.attempt == 0)
    #expect(run.state["last"]?.phase == .cancelled(.cancellation(ofStep: "next")))
  }

  @Test func `a second request for the same step kills it`() async throws {
    let gate = Gate()
    let isKilled = Protected(false)
    let run = Engine(
      executor: ClosureExecutor { context in
        await context.withKillHandler {
          isKilled.withLock { $0 = true }
          gate.open()
        } operation: {
          await gate.wait()
        }
        try Task.checkCancellation()
        return [:]
      }
    ).start(try Workflow(name: "w", steps: [Workflow.Step(id: "a", action: .run("true"))]))
    await expectEventually("it runs") { run.state.counts.running == 1 }
    try await run.perform(.cancel(steps: ["a"], now: false))
    #expect(!isKilled.value)
    try await run.perform(.cancel(steps: ["a"], now: false))
    #expect(await run.outcome == .cancelled)
    #expect(isKilled.value)
  }

  @Test func `several steps are restarted at once, by id, pattern and phase`() async throws {
    let run = try Self.start([
      ("bad-1", []), ("bad-2", []), ("slow-1", []), ("slow-2", []), ("end", ["bad-1", "slow-1"]),
    ])
    await expectEventually("two have failed") { run.state.counts.failed == 2 }
    let answer = try await run.perform(.restart(from: [":failed"]))
    #expect(answer.steps == ["bad-1", "bad-2", "end"])
    await expectEventually("they have run again") { run.state.counts.succeeded == 2 }
    #expect(run.state["slow-1"]?.phase == .running)
    #expect(try await run.perform(.restart(from: ["slow-*"])).generation == 3)
    #expect(await run.outcome == .succeeded)
  }

  @Test func `a request that cannot be met is refused with the reason`() async throws {
    let run = try Self.start([("slow", []), ("quick", [])])
    await expectEventually("one step has ended") { run.state.counts.succeeded == 1 }
    for (request, reason) in [
      (Intervention.cancel(steps: ["quick"], now: false), "step \"quick\": already ended"),
      (.restart(from: [":failed"]), "no step matches \":failed\" now"),
      (.restart(from: ["test-*"]), "no step matches \"test-*\" now"),
      (.restart(from: [":odd"]), "there is no selector \":odd\""),
      (.restart(from: ["slwo"]), "there is no step \"slwo\"; did you mean \"slow\"?"),
      (.approve(step: "slow", isApproved: true), "step \"slow\" is not waiting for approval"),
    ] {
      let refusal = await #expect(throws: InterventionRefusal.self) {
        try await run.perform(request)
      }
      #expect(refusal?.description.hasPrefix(reason) == true, "\(String(describing: refusal))")
    }
    run.cancel()
    let late = await #expect(throws: InterventionRefusal.self) {
      try await run.perform(.restart(from: []))
    }
    #expect(["the run is", "the run has"].contains { late?.description.hasPrefix($0) == true })
    _ = await run.outcome
    await #expect(throws: InterventionRefusal("the run has ended")) {
      try await run.perform(.cancel(steps: [], now: false))
    }
  }
}

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
    #expect(try await run.outcome == .succeeded)
  }

  @Test func `a pending step that is cancelled never starts`() async throws {
    let run = try Self.start([("slow", []), ("next", ["slow"]), ("last", ["next"])])
    await expectEventually("the first step runs") { run.state.counts.running == 1 }
    try await run.perform(.cancel(steps: ["next"], now: false))
    await expectEventually("it is cancelled") {
      run.state["next"]?.phase == .cancelled(.request)
    }
    try await run.perform(.cancel(steps: ["slow"], now: false))
    #expect(try await run.outcome == .cancelled)
    #expect(run.state["next"]?.attempt == 0)
    #expect(run.state["last"]?.phase == .cancelled(.cancellation(ofStep: "next")))
  }

  @Test func `an intervention is answered once it has been done`() async throws {
    let run = try Self.start([("slow", []), ("next", ["slow"])])
    await expectEventually("the first step runs") { run.state.counts.running == 1 }
    // The answer is given where the run is driven, so nothing else happens to the run until it returns.
    let seen = await withCheckedContinuation { continuation in
      run.perform(.set(steps: ["next"], .skipped), by: .api) { _ in
        continuation.resume(returning: run.state["next"]?.isSetByHand)
      }
    }
    #expect(seen == true)
    run.cancel()
    _ = try await run.outcome
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
    #expect(try await run.outcome == .cancelled)
    #expect(isKilled.value)
  }

  @Test func `several steps are restarted at once, by id, pattern and phase`() async throws {
    let run = try Self.start([
      ("bad-1", []), ("bad-2", []), ("slow-1", []), ("slow-2", []), ("end", ["bad-1", "slow-1"]),
    ])
    await expectEventually("two have failed, and the others run") {
      run.state.counts.failed == 2 && run.state.counts.running == 2
    }
    let answer = try await run.perform(.restart(from: [":failed"]))
    #expect(answer.steps == ["bad-1", "bad-2", "end"])
    await expectEventually("they have run again") { run.state.counts.succeeded == 2 }
    #expect(run.state["slow-1"]?.phase == .running)
    #expect(try await run.perform(.restart(from: ["slow-*"])).generation == 3)
    #expect(try await run.outcome == .succeeded)
  }

  @Test func `a failed step that is set to succeeded does not run again, but its dependents do`()
    async throws
  {
    let run = try Self.start([("bad", []), ("quick", ["bad"]), ("slow", [])])
    await expectEventually("it has failed, and the other branch runs") {
      run.state.counts.failed == 1 && run.state.counts.running == 1
    }
    let ann = Requester(.command, name: "reprise set", user: "ann", comment: "did it myself")
    let answer = try await run.perform(
      .set(steps: ["bad"], .succeeded(["from": "ann"])), by: ann)
    #expect(
      answer.description
        == "step \"bad\" counts as succeeded; generation 2 begins with the steps that depend on it")
    await expectEventually("its dependent runs") { run.state.counts.succeeded == 2 }
    let bad = try #require(run.state["bad"])
    #expect(bad.phase == .succeeded(["from": "ann"]) && bad.attempt == 0 && bad.isSetByHand)
    #expect(bad.interventions.last?.by == ann.naming(steps: ["bad"]))
    #expect(run.state["slow"]?.phase == .running, "other branches go on")
    var late = RunState()
    for event in run.state.recap { try late.apply(event) }
    #expect(late["bad"] == bad)
    run.cancel()
    _ = try await run.outcome
  }

  @Test func `a running step that is skipped is stopped, and its dependents run`() async throws {
    let run = try Self.start([("slow", []), ("quick", ["slow"])])
    await expectEventually("it runs") { run.state.counts.running == 1 }
    let ann = Requester(.command, name: "reprise skip", user: "ann")
    let collector = EventCollector(run)
    let answer = try await run.perform(.set(steps: ["slow"], .skipped), by: ann)
    #expect(answer.description == "step \"slow\" counts as skipped" && answer.generation == nil)
    #expect(try await run.outcome == .succeeded)
    let skips = await collector.all().filter { event in
      if case .step("slow", _, .skipped) = event.kind { true } else { false }
    }
    #expect(skips.map(\.by) == [ann.naming(steps: ["slow"])])
    #expect(run.state["slow"]?.phase == .skipped("on request", [:]))
    #expect(run.state["slow"]?.interventions.last?.by == ann.naming(steps: ["slow"]))
    #expect(run.state["quick"]?.phase.isSuccess == true && run.state.generation == 1)
  }

  @Test func `a pending step that is set keeps its result when its turn comes`() async throws {
    let run = try Self.start([("slow", []), ("bad", ["slow"]), ("quick", ["bad"])])
    await expectEventually("the first runs") { run.state.counts.running == 1 }
    try await run.perform(.set(steps: ["bad"], .succeeded([:])))
    await expectEventually("it has its result") { run.state["bad"]?.phase == .succeeded([:]) }
    #expect(run.state["quick"]?.phase == .pending, "it waits for the first")
    try await run.perform(.set(steps: ["slow"], .succeeded([:])))
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["bad"]?.attempt == 0)
  }

  @Test func `a result that was set is forgotten when the step is restarted`() async throws {
    let run = try Self.start([("first", []), ("bad", []), ("quick", ["bad"])])
    await expectEventually("it has failed") { run.state.counts.failed == 1 }
    try await run.perform(.set(steps: ["bad"], .skipped))
    await expectEventually("it is skipped") { run.state["quick"]?.phase.isSuccess == true }
    try await run.perform(.restart(from: ["bad", "first"]))
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["bad"]?.attempt == 1 && run.state["bad"]?.isSetByHand == false)
  }

  @Test func `a restart before the next generation outweighs a result that is to be set`()
    async throws
  {
    let gate = Gate()
    let run = Engine(
      executor: ClosureExecutor { context in
        guard context.step.id == "bad" || context.generation > 1 else {
          await gate.wait()
          try Task.checkCancellation()
          return [:]
        }
        if context.generation == 1 { throw FailureReason.exited(status: 3) }
        return [:]
      }
    ).start(
      try Workflow(
        name: "w",
        steps: ["bad", "stubborn"].map { Workflow.Step(id: $0, action: .run("true")) }))
    await expectEventually("one has failed, and the other runs") {
      run.state.counts.failed == 1 && run.state.counts.running == 1
    }
    // The next generation waits for the stubborn step.
    try await run.perform(.restart(from: ["stubborn"]))
    #expect(try await run.perform(.set(steps: ["bad"], .skipped)).generation == 2)
    try await run.perform(.restart(from: ["bad"]))
    gate.open()
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["bad"]?.attempt == 1 && run.state["bad"]?.isSetByHand == false)
  }

  @Test func `in a pause nothing new starts, also after a restart, and the record says who paused`()
    async throws
  {
    let run = try Self.start([("quick-1", []), ("slow", []), ("quick-2", ["slow"])])
    await expectEventually("the first has ended, the second runs") {
      run.state.counts.succeeded == 1 && run.state.counts.running == 1
    }
    let ann = Requester(.command, name: "reprise pause", user: "ann")
    let answer = try await run.perform(.pause, by: ann)
    #expect(
      answer.description == "run \(run.id) is paused: nothing new starts until it is unpaused")
    await expectEventually("it is paused") { run.state.isPaused }
    #expect(run.state.pauseRequester == ann && run.state["slow"]?.phase == .running)
    #expect(try await run.perform(.pause).description == "run \(run.id) is already paused")
    try await run.perform(.restart(from: []))
    await expectEventually("two steps wait in generation 2") {
      run.state.generation == 2 && run.state.counts.waiting == 2
    }
    var late = RunState()
    for event in run.state.recap { try late.apply(event) }
    #expect(late.isPaused && late.pauseRequester == ann)
    #expect(run.state.counts.running == 0 && run.state.counts.final == 0)
    #expect(try await run.perform(.unpause).description == "run \(run.id) continues")
    #expect(try await run.outcome == .succeeded)
    #expect(!run.state.isPaused)
  }

  @Test func `cancelling a paused run ends the pause, so that steps under finally run`()
    async throws
  {
    let run = Engine(executor: Self.executor).start(
      try Workflow(
        text: """
          steps: [{ id: slow, run: x }]
          finally: [{ id: quick-clean, run: x }]
          """, file: "w.yaml"))
    await expectEventually("it runs") { run.state.counts.running == 1 }
    try await run.perform(.pause)
    run.cancel()
    await expectEventually("it ends") { run.state.phase == .ended(.cancelled) }
    #expect(run.state["quick-clean"]?.phase.isSuccess == true && !run.state.isPaused)
  }

  @Test func `a resumed run takes results that are set by hand`() async throws {
    let run = try Self.start([("bad", []), ("quick", ["bad"])])
    #expect(try await run.outcome != .succeeded)
    let resumed = try Engine(executor: Self.executor).resume(
      run.state, with: run.workflow, setting: ["bad": .succeeded(["from": "ann"])],
      by: Requester(.key, name: "D"))
    #expect(try await resumed.outcome == .succeeded)
    let bad = try #require(resumed.state["bad"])
    #expect(bad.phase == .succeeded(["from": "ann"]) && bad.isSetByHand && bad.attempt == 0)
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
      (.restart(from: ["zz"]), "there is no step \"zz\"; there are: slow, quick"),
      (.approve(step: "slow", isApproved: true), "step \"slow\" is not waiting for approval"),
      (
        .set(steps: ["quick"], .skipped),
        "step \"quick\": already succeeded; restart from it instead"
      ),
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
    _ = try await run.outcome
    await #expect(throws: InterventionRefusal("the run has ended")) {
      try await run.perform(.cancel(steps: [], now: false))
    }
  }

  @Test func `who asked for what is in the events, and in the state of late subscribers`()
    async throws
  {
    let ann = Requester(.command, name: "reprise restart", process: 12, user: "ann")
    let approval = Requester(.program, name: "bot", comment: "checked")
    var go = Workflow.Step(id: "go", action: .run("true"))
    go.extras.approval = "Go?"
    let others = ["slow", "other"].map { Workflow.Step(id: $0, action: .run("true")) }
    let run = Engine(executor: Self.executor).start(try Workflow(name: "w", steps: others + [go]))
    await expectEventually("it waits for approval") { run.state.awaitingApproval.count == 1 }
    #expect(run.state.awaitingApproval.map(\.id) == ["go"])
    try await run.perform(.approve(step: nil, isApproved: true), by: approval)
    await expectEventually("it is approved") { run.state["go"]?.phase == .running }
    let answer = run.state["go"]?.interventions.first
    #expect(answer?.kind == .approved("Go?") && answer?.by == approval.naming(steps: ["go"]))
    try await run.perform(.cancel(steps: ["other"], now: false), by: ann)
    await expectEventually("it is cancelled") { run.state.counts.cancelled == 1 }
    #expect(run.state["other"]?.interventions.first?.by?.user == "ann")
    let events = EventCollector(run)
    try await run.perform(.restart(from: ["slow"]), by: ann)
    await expectEventually("the generation begins") { run.state.generation == 2 }
    #expect(run.state.generationRequester == ann.naming(steps: ["slow"]))
    var late = RunState()
    for event in run.state.recap { try late.apply(event) }
    #expect(late.generationRequester == run.state.generationRequester)
    #expect(late["go"]?.interventions == run.state["go"]?.interventions)
    #expect(late["other"]?.interventions == run.state["other"]?.interventions)
    run.cancel()
    _ = try await run.outcome
    let restarting = await events.all().first { $0.kind == .runRestarting(from: ["slow"]) }
    #expect(restarting?.by == ann.naming(steps: ["slow"]))
    #expect(run.state.phase == .ended(.cancelled))
  }
}

import TestSupport
import Testing
import WorkflowFiles

@testable import Reprise

/// Live runs that take another version of their workflow.
struct ReloadTests {
  private static func workflow(_ text: String) throws -> Workflow {
    try Workflow(text: text, file: "reload.yaml")
  }

  private static func echo(_ context: StepContext) -> String {
    context.step.action.kind.declared.joined()
  }

  /// An engine whose steps named in `gates` wait for their gate in generation 1.
  private static func engine(_ gates: [String: Gate], _ witness: Witness = Witness()) -> Engine {
    Engine(
      executor: ClosureExecutor { context in
        try await witness.watch(context) {
          if context.generation == 1, let gate = gates[context.step.id] {
            try await gate.waitUnlessCancelled()
          }
          return ["ran": echo(context)]
        }
      })
  }

  private static func ran(_ run: Run, _ step: String) -> String? {
    if case .succeeded(let outputs)? = run.state[step]?.phase { outputs["ran"] } else { nil }
  }

  @Test func `a whole reload runs the new workflow and nothing of the old one`() async throws {
    let gate = Gate()
    let run = Self.engine(["b": gate]).start(
      try Self.workflow("steps: [{ id: a, run: a1 }, { id: b, run: b1 }, { id: gone, run: x }]"))
    let collector = EventCollector(run)
    await expectEventually("b runs") { run.state["b"]?.phase == .running }
    let next = try Self.workflow("steps: [{ id: new, run: n }, { id: a, run: a2 }]")
    #expect(try await run.restart(with: next))
    #expect(try await run.outcome == .succeeded)
    #expect(run.state.steps.map(\.id) == ["new", "a"])
    #expect(Self.ran(run, "a") == "run: a2")
    #expect(run.workflow == next)
    let events = await collector.all()
    #expect(
      events.map(\.kind).contains(
        .runReloaded(
          RunPlan(next), WorkflowChanges(added: ["new"], removed: ["b", "gone"], changed: ["a"]))))
    var state = RunState()
    for event in events { try state.apply(event) }
    #expect(state == run.state)
    #expect(state.recap.first?.kind == .runStarted(RunPlan(next)))
  }

  @Test func `steps that go on keep their events, results and slots at new positions`()
    async throws
  {
    let gate = Gate()
    let old = """
      max-parallel: 2
      steps:
        - { id: build, run: b }
        - { id: server, run: s, needs: [] }
        - { id: last, run: l, needs: [server, build] }
      """
    let run = Self.engine(["server": gate]).start(try Self.workflow(old))
    await expectEventually("build is over") { run.state["build"]?.phase.isSuccess == true }
    await expectEventually("server runs") { run.state["server"]?.phase == .running }
    let next = try Self.workflow(
      """
      max-parallel: 2
      steps:
        - { id: first, run: f }
        - { id: second, run: f, needs: [build] }
        - { id: server, run: s, needs: [] }
        - { id: build, run: b, needs: [] }
        - { id: last, run: l2, needs: [server, second] }
      """)
    #expect(await run.reload(next, .changed) { _ in true })
    await expectEventually("the new steps are over") {
      run.state["second"]?.phase.isSuccess == true && run.state["first"]?.phase.isSuccess == true
    }
    #expect(run.state.generation == 2)
    #expect(run.state["server"]?.phase == .running)
    #expect(run.state["last"]?.phase == .pending)
    gate.open()
    #expect(try await run.outcome == .succeeded)
    #expect(Self.ran(run, "last") == "run: l2")
  }

  @Test func `a step that goes on frees its slot when it ends`() async throws {
    let (goesOn, together) = (Gate(), Gate())
    let engine = Engine(
      executor: ClosureExecutor { context in
        try await (context.step.id == "server" ? goesOn : together).waitUnlessCancelled()
        return [:]
      })
    let run = engine.start(
      try Self.workflow("max-parallel: 2\nsteps: [{ id: server, run: s }]"))
    await expectEventually("server runs") { run.state["server"]?.phase == .running }
    let next = "{ id: c, run: c, needs: [server] }, { id: d, run: d, needs: [server] }"
    let workflow = try Self.workflow("max-parallel: 2\nsteps: [{ id: server, run: s }, \(next)]")
    #expect(await run.reload(workflow, .changed) { _ in true })
    goesOn.open()
    await expectEventually("both run at once") { run.state.counts.running == 2 }
    together.open()
    await expectEventually("it ends") { run.state.phase == .ended(.succeeded) }
  }

  @Test func `a removed step is gone before anything new starts`() async throws {
    let stopping = Gate()
    let gone = Protected(false)
    let engine = Engine(
      executor: ClosureExecutor { context in
        guard context.step.id == "gone" else { return ["after": "\(gone.value)"] }
        while !Task.isCancelled { await Task.yield() }
        await stopping.wait()
        gone.withLock { $0 = true }
        throw CancellationError()
      })
    let run = engine.start(try Self.workflow("steps: [{ id: gone, run: x }]"))
    await expectEventually("it runs") { run.state["gone"]?.phase == .running }
    #expect(
      await run.reload(try Self.workflow("steps: [{ id: new, run: x }]"), .changed) { _ in true })
    await expectEventually("the restart waits") { run.state.phase == .restarting }
    #expect(run.state.steps.map(\.id) == ["gone"])
    stopping.open()
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["new"]?.phase == .succeeded(["after": "true"]))
  }

  @Test func `a new step whose need is over runs`() async throws {
    let gate = Gate()
    let run = Self.engine(["b": gate]).start(
      try Self.workflow("steps: [{ id: a, run: x }, { id: b, run: x, needs: [] }]"))
    await expectEventually("a is over, and b runs") {
      run.state["a"]?.phase.isSuccess == true && run.state["b"]?.phase == .running
    }
    let next = try Self.workflow(
      "steps: [{ id: a, run: x }, { id: b, run: x, needs: [] }, { id: c, run: x, needs: [a] }]")
    #expect(await run.reload(next, .changed) { _ in true })
    await expectEventually("c runs") { run.state["c"]?.phase.isSuccess == true }
    #expect(run.state["b"]?.phase == .running)
    gate.open()
    #expect(try await run.outcome == .succeeded)
  }

  @Test func `a restart of a step by its id finds it after a reload has moved it`() async throws {
    let gate = Gate()
    let witness = Witness()
    let run = Self.engine(["a": gate, "b": gate], witness).start(
      try Self.workflow("steps: [{ parallel: [{ id: a, run: x }, { id: b, run: x }] }]"))
    await expectEventually("both run") { run.state.counts.running == 2 }
    let next = try Self.workflow(
      "steps: [{ parallel: [{ id: n, run: x }, { id: b, run: x }, { id: a, run: x }] }]")
    #expect(await run.reload(next, .changed) { _ in true })
    try run.restart(from: "a")
    await expectEventually("a runs again") {
      witness.current.begun.contains { $0.step == "a" && $0.generation > 1 }
    }
    gate.open()
    #expect(try await run.outcome == .succeeded)
    #expect(witness.current.begun.filter { $0.step == "b" }.count == 1)
    #expect(witness.current.overlaps.isEmpty)
  }

  @Test func `reloads at random moments neither lose a step nor overlap`() async throws {
    var generator = SeededGenerator.announced()
    for round in 0..<rounds(60, soak: 5000) {
      let witness = Witness()
      let most = Protected(0)
      let engine = Engine(
        executor: ClosureExecutor { context in
          try await witness.watch(context) {
            most.withLock { $0 = max($0, witness.current.alive.count) }
            for _ in 0..<30 where !Task.isCancelled { await Task.yield() }
            try Task.checkCancellation()
            return ["ran": Self.echo(context)]
          }
        })
      let run = engine.start(try Self.randomWorkflow(using: &generator))
      let collector = EventCollector(run)
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        for _ in 0..<Int.random(in: 0...200, using: &generator) { await Task.yield() }
        let next = try Self.randomWorkflow(using: &generator)
        let extents: [ReloadExtent] = [
          .whole, .changed, .changed, .from(next.graph.ids.suffix(1)),
        ]
        let extent = extents[Int.random(in: 0..<extents.count, using: &generator)]
        if Bool.random(using: &generator) { try? run.restart(from: "s2") }
        _ = await run.reload(next, extent) { _ in true }
      }
      #expect(try await run.outcome == .succeeded, "round \(round)")
      #expect(witness.current.overlaps.isEmpty, "round \(round)")
      #expect(witness.current.alive.isEmpty, "round \(round)")
      #expect(most.value <= 3, "round \(round)")
      let events = await collector.all()
      var state = RunState()
      for event in events { try state.apply(event) }
      #expect(state == run.state)
      #expect(state.steps.map(\.id) == run.workflow.graph.ids)
      #expect(state.steps.allSatisfy { $0.phase.isSuccess })
    }
  }

  private static func randomWorkflow(using generator: inout SeededGenerator) throws -> Workflow {
    var steps: [Workflow.Step] = []
    for name in (0..<7).shuffled(using: &generator).map({ "s\($0)" })
    where Int.random(in: 0..<4, using: &generator) > 0 || name == "s2" {
      let needs = steps.map(\.id).filter { _ in Int.random(in: 0..<4, using: &generator) == 0 }
      let text = "echo \(Int.random(in: 0..<3, using: &generator))"
      steps.append(Workflow.Step(id: name, needs: needs, action: .run(text)))
    }
    return try Workflow(name: "w", maxParallel: 3, steps: steps)
  }
}

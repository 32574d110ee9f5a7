import Reprise
import Synchronization
import TestSupport
import Testing

struct RestartTests {
  private static func workflow() throws -> Workflow {
    try Workflow(
      text: """
        steps:
          - { id: a, run: "true" }
          - parallel:
              - { id: b1, run: "true" }
              - { id: b2, run: "true" }
              - { id: b3, run: "true" }
          - { id: c, run: "true" }
          - { id: d, run: "true" }
        """, file: "restart.yaml")
  }

  /// An engine whose steps yield several times before they end or stop.
  private static func engine(_ witness: Witness, turns: Int = 30) -> Engine {
    Engine(
      executor: ClosureExecutor { context in
        try await witness.watch(context) {
          for _ in 0..<turns where !Task.isCancelled { await Task.yield() }
          if Task.isCancelled {
            for _ in 0..<turns { await Task.yield() }
            throw CancellationError()
          }
          return ["from": "\(context.step.id)@\(context.generation)"]
        }
      })
  }

  @Test(arguments: [1, 6])
  func `restarts at any moment neither lose a slot nor use one twice`(
    _ stepCount: Int
  ) async throws {
    let inside = Protected(0)
    let most = Protected(0)
    let engine = Engine(
      executor: ClosureExecutor { _ in
        let count = inside.withLock { inside in
          inside += 1
          return inside
        }
        most.withLock { $0 = max($0, count) }
        for _ in 0..<5 { await Task.yield() }
        inside.withLock { $0 -= 1 }
        return [:]
      })
    let workflow = try Workflow(
      text: "max-parallel: 2\nsteps: [{ id: s, foreach: { from: 1, to: \(stepCount) }, run: x }]",
      file: "w.yaml")
    for round in 0..<rounds(100, soak: 5000) {
      let run = engine.start(workflow)
      for _ in 0..<20 {
        for _ in 0..<Int.random(in: 0..<30) { await Task.yield() }
        if Bool.random() {
          run.restart()
        } else {
          try run.restart(from: "s[\(Int.random(in: 0..<stepCount))]")
        }
      }
      #expect(try await run.outcome == .succeeded, "round \(round)")
    }
    #expect(most.value <= 2)
  }

  @Test func `restarts at random moments never let generations overlap`() async throws {
    var generator = SeededGenerator.announced()
    let workflow = try Self.workflow()
    for _ in 0..<scaled(20) {
      let witness = Witness()
      let run = Self.engine(witness).start(workflow)
      let collector = EventCollector(run)
      var asked = 0
      while asked < 10, run.state.phase.isActive {
        for _ in 0..<Int.random(in: 0...300, using: &generator) { await Task.yield() }
        run.restart()
        asked += 1
      }
      #expect(try await run.outcome == .succeeded)
      #expect(witness.current.overlaps.isEmpty)
      #expect(witness.current.alive.isEmpty)
      let events = await collector.all()
      expectNoOldEvents(events)
      let last = try #require(events.last)
      #expect(events.filter { $0.generation == last.generation }.succeededSteps.count == 6)
    }
  }

  @Test func `restarts during a restart are coalesced`() async throws {
    let gate = Gate()
    let engine = Engine(
      executor: ClosureExecutor { context in
        if context.generation == 1 {
          await gate.wait()
          throw CancellationError()
        }
        return [:]
      })
    let run = engine.start(try Self.workflow())
    let collector = EventCollector(run)
    await expectEventually("the first step runs") { run.state.counts.running == 1 }
    for _ in 0..<100 { run.restart() }
    await expectEventually("the restart waits") { run.state.phase == .restarting }
    for _ in 0..<100 { run.restart() }
    gate.open()
    #expect(try await run.outcome == .succeeded)
    let events = await collector.all()
    #expect(events.last?.generation == 2)
    #expect(events.filter { $0.kind == .generationStarted(reset: nil) }.count == 1)
  }

  @Test func `a restart waits until the stopped steps have ended`() async throws {
    let gate = Gate()
    let engine = Engine(
      executor: ClosureExecutor { context in
        if context.generation == 1 { await gate.wait() }
        try Task.checkCancellation()
        return [:]
      })
    let run = engine.start(try Self.workflow())
    await expectEventually("the first step runs") { run.state.counts.running == 1 }
    run.restart()
    await expectEventually("the restart waits") { run.state.phase == .restarting }
    #expect(run.state.generation == 1)
    #expect(run.state["a"]?.phase == .running)
    gate.open()
    #expect(try await run.outcome == .succeeded)
    #expect(run.state.generation == 2)
  }

  @Test func `a restart from a step keeps upstream results and other branches`()
    async throws
  {
    var generator = SeededGenerator.announced()
    for _ in 0..<scaled(100) {
      let graph = try randomWorkflow(steps: 40, using: &generator)
      let aside = (0..<10).map { position in
        Workflow.Step(
          id: "aside\(position)", needs: position == 0 ? [] : ["aside\(position - 1)"],
          action: .run("true"))
      }
      let workflow = try Workflow(name: "with branch", steps: graph.steps + aside)
      let witness = Witness()
      let inputs = Protected<[String: [String: StepOutputs]]>([:])
      let engine = Engine(
        executor: ClosureExecutor { context in
          inputs.withLock { $0[context.step.id] = context.inputs }
          return try await witness.watch(context) {
            let turns = context.step.id.hasPrefix("aside") ? 120 : 10
            for _ in 0..<turns where !Task.isCancelled { await Task.yield() }
            try Task.checkCancellation()
            return ["from": "\(context.step.id)@\(context.generation)"]
          }
        })
      let run = engine.start(workflow)
      let restarted = "s\(Int.random(in: 0..<40, using: &generator))"
      for _ in 0..<Int.random(in: 0...200, using: &generator) { await Task.yield() }
      try run.restart(from: restarted)
      #expect(try await run.outcome == .succeeded)

      let affected = Set(
        workflow.graph.withDependents([try #require(workflow.graph.index(of: restarted))])
          .map { workflow.graph.id(of: $0) })
      let notes = witness.current
      #expect(notes.overlaps.isEmpty)
      for step in workflow.steps where !affected.contains(step.id) {
        #expect(notes.begun.filter { $0.step == step.id }.count == 1, "\(step.id) ran again")
      }
      for step in workflow.steps {
        let generations = inputs.withLock { $0[step.id] }?.values.compactMap { $0["from"] } ?? []
        #expect(generations.count == step.needs.count)
        // Outputs of a restarted step are from its last generation.
        for text in generations {
          let parts = text.split(separator: "@").map(String.init)
          let last = notes.begun.last { $0.step == parts[0] }?.generation
          #expect(last.map(String.init) == parts[1])
        }
      }
    }
  }

  @Test func `a restart after the end does nothing`() async throws {
    let run = Self.engine(Witness()).start(try Self.workflow())
    #expect(try await run.outcome == .succeeded)
    run.restart()
    #expect(run.state.phase == .ended(.succeeded))
    #expect(run.state.generation == 1)
  }

  @Test func `a restart from an unknown step is refused with a suggestion`() async throws {
    let run = Self.engine(Witness()).start(try Self.workflow())
    #expect(throws: SelectionError.self) { try run.restart(from: "b4") }
    #expect(try await run.outcome == .succeeded)
  }

  @Test func `a cancel during a restart wins`() async throws {
    let gate = Gate()
    let engine = Engine(
      executor: ClosureExecutor { _ in
        await gate.wait()
        throw CancellationError()
      })
    let run = engine.start(try Self.workflow())
    await expectEventually("the first step runs") { run.state.counts.running == 1 }
    run.restart()
    await expectEventually("the restart waits") { run.state.phase == .restarting }
    run.cancel()
    run.restart()
    gate.open()
    #expect(try await run.outcome == .cancelled)
    #expect(run.state.generation == 1)
  }
}

/// Expects that no event of an old generation comes after the first of a new one.
func expectNoOldEvents(_ events: [Event]) {
  for (earlier, later) in zip(events, events.dropFirst()) {
    #expect(earlier.generation <= later.generation, "\(earlier) then \(later)")
    #expect(earlier.time <= later.time, "\(earlier) then \(later)")
  }
}

extension [Event] {
  var succeededSteps: [String] {
    compactMap { event in
      if case .step(let id, _, .succeeded) = event.kind { id } else { nil }
    }
  }
}

import TestSupport
import Testing

@testable import Reprise

/// Services: steps that run while others need them.
struct ServiceTests {
  /// Runs services until they are stopped, and records what starts.
  private struct Stage {
    let started = Protected<[String]>([])
    /// The errors of the attempts of services, in order; they run until stopped afterwards.
    let failures = Protected<[FailureReason]>([])
    let gate = Gate()
    /// Opened when a service that has a failure left should fail.
    let trouble = Gate()
    let body: @Sendable (StepContext) async throws -> StepOutputs

    init(
      failures: [FailureReason] = [],
      _ body: @escaping @Sendable (StepContext) async throws -> StepOutputs = { _ in [:] }
    ) {
      self.failures.withLock { $0 = failures }
      self.body = body
    }

    var engine: Engine { Engine(executor: executor) }

    var executor: ClosureExecutor {
      ClosureExecutor { [self] context in
        started.withLock { $0.append(context.step.id) }
        guard context.step.action.isService else { return try await body(context) }
        context.reportReady(outputs: ["port": "5\(context.attempt)"])
        if let failure = failures.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
          try await trouble.waitUnlessCancelled()
          throw failure
        }
        try await Gate().waitUnlessCancelled()
        return [:]
      }
    }
  }

  private static func workflow(_ text: String) throws -> Workflow {
    try Workflow(text: text, file: "w.yaml")
  }

  private static let simple = """
    max-parallel: 1
    steps:
      - { id: db, service: ./db }
      - { id: test, exec: [test, "${{ steps.db.outputs.port }}"] }
      - { id: report, run: x }
    """

  @Test func `a service runs while steps need it, holds no slot, and is then stopped`()
    async throws
  {
    let phases = Protected<[StepPhase?]>([])
    let words = Protected<[String]>([])
    let runs = Protected<Run?>(nil)
    let stage = Stage { context in
      if case .exec(let command) = context.resolved.action { words.withLock { $0 = command } }
      phases.withLock { $0.append(runs.value?.state["db"]?.phase) }
      return [:]
    }
    let gated = Gate()
    let engine = Engine(
      executor: ClosureExecutor { context in
        await gated.wait()
        return try await stage.executor.execute(context)
      })
    let run = engine.start(try Self.workflow(Self.simple))
    runs.withLock { $0 = run }
    gated.open()
    #expect(try await run.outcome == .succeeded)
    #expect(stage.started.value == ["db", "test", "report"])
    #expect(phases.value == [.running, .running])
    #expect(words.value == ["test", "51"])
    #expect(run.state["db"]?.phase == .succeeded(["port": "51"]))
    runs.withLock { $0 = nil }
  }

  @Test func `services that need services are stopped in the opposite order`() async throws {
    let stage = Stage()
    let run = stage.engine.start(
      try Self.workflow(
        """
        steps:
          - { id: db, service: x }
          - { id: api, service: x }
          - { id: idle, needs: [], service: x }
          - { id: test, needs: api, run: x }
        """))
    #expect(try await run.outcome == .succeeded)
    let ends = ["test", "api", "db"].map { run.state[$0]?.endedAt ?? Timestamp(microseconds: 0) }
    #expect(ends == ends.sorted())
    #expect(run.state["idle"]?.phase.isSuccess == true)
  }

  @Test func `a service that fails stops the steps that use it`() async throws {
    let stage = Stage(failures: [.exited(status: 0)]) { context in
      if context.step.id == "other" { return [:] }
      try await Gate().waitUnlessCancelled()
      return [:]
    }
    stage.trouble.open()
    let run = stage.engine.start(
      try Self.workflow(
        """
        steps:
          - { id: other, run: x }
          - { id: db, service: x }
          - { id: test, run: x }
          - { id: last, run: x }
          - { id: alarm, needs: db, if: failure(), run: x }
        """))
    #expect(try await run.outcome == .failed(step: "db", reason: .exited(status: 0)))
    #expect(run.state["test"]?.phase == .cancelled(.failure(ofStep: "db")))
    #expect(run.state["last"]?.phase == .cancelled(.failure(ofStep: "db")))
  }

  @Test func `a service with restart runs again, and the steps that use it go on`() async throws {
    let over = Gate()
    let stage = Stage(failures: [.exited(status: 1), .exited(status: 1)]) { _ in
      await over.wait()
      return [:]
    }
    stage.trouble.open()
    let run = stage.engine.start(
      try Self.workflow(
        """
        max-parallel: 1
        steps:
          - { id: db, service: x, restart: { limit: 3, delay: 0s } }
          - { id: test, run: x }
        """))
    await expectEventually("the third attempt") {
      run.state["db"]?.attempt == 3 && run.state["db"]?.isReady == true
    }
    over.open()
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["db"]?.phase == .succeeded(["port": "53"]))
  }

  @Test func `a restart from a step starts an ended service again, and no other step`()
    async throws
  {
    let waits = Gate()
    let stage = Stage { context in
      if context.step.id == "slow" { try await waits.waitUnlessCancelled() }
      return [:]
    }
    let run = stage.engine.start(
      try Self.workflow(
        """
        steps:
          - parallel:
              - steps:
                  - { id: db, service: x }
                  - parallel:
                      - { id: one, run: x }
                      - { id: two, run: x }
              - { id: slow, run: x }
        """))
    await expectEventually("the service ends, and the other step has begun") {
      run.state["db"]?.phase.isSuccess == true && stage.started.value.contains("slow")
    }
    stage.started.withLock { $0 = [] }
    try run.restart(from: "two")
    await expectEventually("the second end") {
      run.state.generation == 2 && run.state["db"]?.phase.isSuccess == true
    }
    waits.open()
    #expect(try await run.outcome == .succeeded)
    #expect(stage.started.value == ["db", "two"])
  }

  @Test func `a restart from a step leaves a running service alone`() async throws {
    let first = Gate()
    let stage = Stage { context in
      if context.step.id == "two", context.generation == 1 {
        try await first.waitUnlessCancelled()
      }
      return [:]
    }
    let run = stage.engine.start(
      try Self.workflow(
        "steps: [{ id: db, service: x }, { id: one, run: x }, { id: two, run: x }]"))
    await expectEventually("two runs") { run.state["two"]?.phase == .running }
    try run.restart(from: "two")
    #expect(try await run.outcome == .succeeded)
    #expect(stage.started.value == ["db", "one", "two", "two"])
  }

  @Test func `a restart from a service restarts what needs it`() async throws {
    let stage = Stage { context in
      if context.step.id == "test", context.generation == 1 {
        try await Gate().waitUnlessCancelled()
      }
      return [:]
    }
    let run = stage.engine.start(
      try Self.workflow(
        "steps: [{ id: a, run: x }, { id: db, service: x }, { id: test, run: x }]"))
    await expectEventually("test runs") { run.state["test"]?.phase == .running }
    try run.restart(from: "db")
    #expect(try await run.outcome == .succeeded)
    #expect(stage.started.value == ["a", "db", "test", "db", "test"])
  }

  @Test func `a resumed run starts a service only if a step that is left uses it`() async throws {
    let workflow = try Self.workflow(
      """
      steps:
        - { id: used, service: x }
        - { id: done, run: x }
        - { id: fails, run: x }
        - { id: unused, needs: [], service: x }
        - { id: only, needs: unused, run: x }
      """)
    let memory = RecorderTests.Memory()
    let first = Stage { context in
      if context.step.id == "fails" { throw FailureReason.exited(status: 1) }
      return [:]
    }
    let failed = Engine(executor: first.executor, recorder: memory).start(workflow)
    #expect(try await failed.outcome == .failed(step: "fails", reason: .exited(status: 1)))
    var state = RunState()
    for event in memory.events.value { try state.apply(event) }
    let second = Stage()
    let run = try second.engine.resume(state, with: workflow)
    #expect(try await run.outcome == .succeeded)
    #expect(second.started.value == ["used", "fails"])
  }

  @Test(arguments: ["service: x", "run: x"])
  func `when a step in use is cancelled alone, the steps that use it are, too`(_ work: String)
    async throws
  {
    let stage = Stage { context in
      if context.step.id == "db" { context.reportReady() }
      try await Gate().waitUnlessCancelled()
      return [:]
    }
    let run = stage.engine.start(
      try Self.workflow(
        """
        steps:
          - { id: db, \(work) }
          - { id: u, needs: { db: ready }, run: x }
          - { id: v, run: x }
        """))
    await expectEventually("it is in use") { run.state["u"]?.phase == .running }
    try await run.perform(.cancel(steps: ["db"], now: false))
    #expect(try await run.outcomeInTime() == .cancelled)
    for id in ["u", "v"] {
      #expect(run.state[id]?.phase == .cancelled(.cancellation(ofStep: "db")))
    }
  }

  @Test func `a cancel stops a service, and fail-fast leaves it to the steps that use it`()
    async throws
  {
    let stage = Stage { _ in
      try await Gate().waitUnlessCancelled()
      return [:]
    }
    let run = stage.engine.start(try Self.workflow(Self.simple))
    await expectEventually("test runs") { run.state["test"]?.phase == .running }
    run.cancel()
    #expect(try await run.outcome == .cancelled)
    #expect(run.state["db"]?.phase == .cancelled(.request))
    let failing = Stage { _ in throw FailureReason.exited(status: 1) }
    let other = failing.engine.start(try Self.workflow("fail-fast: true\n" + Self.simple))
    #expect(try await other.outcome == .failed(step: "test", reason: .exited(status: 1)))
    #expect(other.state["db"]?.phase.isSuccess == true)
  }
}

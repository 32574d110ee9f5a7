import TestSupport
import Testing

@testable import Reprise
@testable import WorkflowFiles

/// Services in groups with settings, and services that start again.
struct ServiceGroupTests {
  private typealias Stage = FeaturePairTests.Stage

  @Test func `a group gives its mutex back when only its service is left, which others use`()
    async throws
  {
    let stage = Stage()
    let run = try stage.start(
      """
      steps:
        - { id: G, mutex: m, steps: [{ id: db, service: x }, { id: use, run: x }] }
        - { id: D, mutex: m, run: x }
      """)
    await expectEventually("the run is over") { run.state.steps.allSatisfy(\.phase.isFinal) }
    #expect(try await run.outcome == .succeeded)
    #expect(stage.started.value == ["db", "use", "D"])
  }

  @Test func `a group holds its mutex until its service is ready`() async throws {
    let stage = Stage(holding: ["db"])
    let run = try stage.start(
      """
      steps:
        - parallel:
            - id: G
              mutex: m
              max-parallel: 1
              parallel: [{ id: use, run: x }, { id: db, service: x }]
            - { id: D, mutex: m, run: x }
        - { id: last, run: x }
      """)
    await expectEventually("the service starts") { stage.started.value.contains("db") }
    #expect(stage.started.value == ["use", "db"])
    stage.open("db")
    #expect(try await run.outcome == .succeeded)
    #expect(stage.started.value == ["use", "db", "D", "last"])
  }

  @Test func `an item gives its slot back when only its service is left, which others use`()
    async throws
  {
    let stage = Stage()
    let run = try stage.start(
      """
      steps:
        - id: G
          foreach: [1, 2]
          max-parallel: 1
          steps: [{ id: db, service: x }, { id: use, run: x }]
        - { id: D, run: x }
      """)
    await expectEventually("the run is over") { run.state.steps.allSatisfy(\.phase.isFinal) }
    #expect(try await run.outcome == .succeeded)
    #expect(stage.started.value == ["G[0]/db", "G[0]/use", "G[1]/db", "G[1]/use", "D"])
  }

  private static let indirect = """
    steps:
      - { id: db, service: x }
      - { id: migrate, run: x }
      - { id: test, run: x }
    finally: [{ id: f, run: x }]
    """

  @Test func `after a restart, an indirect user waits until its service is ready`() async throws {
    let stage = Stage(holding: ["f"])
    let run = try stage.start(Self.indirect)
    await expectEventually("finally runs") { run.state["f"]?.phase == .running }
    try await run.perform(.restart(from: ["test"]))
    stage.open("f")
    #expect(try await run.outcome == .succeeded)
    let readyAt = try #require(run.state["db"]?.readyAt)
    let startedAt = try #require(run.state["test"]?.startedAt)
    #expect(run.state.generation == 2)
    #expect(readyAt <= startedAt)
  }

  @Test func `in a resumed run, an indirect user waits until its service is ready`() async throws {
    let memory = RecorderTests.Memory()
    let first = Stage(failing: ["test": 1])
    _ = try await (try first.start(Self.indirect, recorder: memory)).outcome
    var state = RunState()
    for event in memory.events.value { try state.apply(event) }
    let second = Stage(holding: ["db"])
    let run = try Engine(executor: second.executor).resume(
      state, with: try Workflow(text: Self.indirect, file: "w.yaml"))
    await expectEventually("the service starts") { run.state["db"]?.phase == .running }
    #expect(run.state["test"]?.phase == .pending)
    second.open("db")
    #expect(try await run.outcome == .succeeded)
    #expect(second.started.value == ["db", "test", "f"])
  }

  @Test func `an indirect user waits for its service when other needs are expanded`() async throws {
    let text = """
      steps:
        - { id: db, service: x }
        - { id: x, needs: { db: ready }, run: x }
        - { id: list, needs: [], run: x }
        - { id: f, needs: [list], foreach: "${{ fromJSON(steps.list.outputs.l) }}", run: x }
        - { id: u, needs: [x, f], run: x }
      """
    let memory = RecorderTests.Memory()
    let first = Stage(holding: ["list"], failing: ["list": 1])
    let interrupted = try first.start(text, recorder: memory)
    await expectEventually("the user ends") { interrupted.state["x"]?.phase.isFinal == true }
    first.open("list")
    _ = try await interrupted.outcome
    var state = RunState()
    for event in memory.events.value { try state.apply(event) }
    let second = Stage(holding: ["db"])
    let run = try Engine(executor: second.executor).resume(
      state, with: try Workflow(text: text, file: "w.yaml"))
    await expectEventually("the items end") { run.state["f[2]"]?.phase.isFinal == true }
    #expect(run.state["u"]?.phase == .pending)
    second.open("db")
    #expect(try await run.outcome == .succeeded)
    #expect(second.started.value.last == "u")
  }

  @Test func `an indirect user does not run if its service does not get ready`() async throws {
    let memory = RecorderTests.Memory()
    let first = Stage(failing: ["test": 1])
    _ = try await (try first.start(Self.indirect, recorder: memory)).outcome
    var state = RunState()
    for event in memory.events.value { try state.apply(event) }
    let executor = ClosureExecutor { context in
      if context.step.action.isService { throw FailureReason.exited(status: 3) }
      return [:]
    }
    let run = try Engine(executor: executor).resume(
      state, with: try Workflow(text: Self.indirect, file: "w.yaml"))
    #expect(try await run.outcome == .failed(step: "db", reason: .exited(status: 3)))
    #expect(run.state["test"]?.phase == .cancelled(.failure(ofStep: "db")))
  }

  @Test func `a restart of a service includes the steps that still wait to use it`() async throws {
    let stage = Stage(holding: ["slow"])
    let run = try stage.start(
      """
      steps:
        - { id: slow, run: x }
        - { id: db, service: x }
        - parallel: [{ id: a, run: x }, { id: b, run: x }]
        - { id: last, run: x }
      """)
    defer { run.kill() }
    await expectEventually("slow runs") { run.state["slow"]?.phase == .running }
    try await run.perform(.cancel(steps: ["db"], now: false))
    let answer = try await run.perform(.restart(from: ["a"]))
    try #require(answer.steps == ["db", "a", "b", "last"])
    await expectEventually("they wait again") { run.state.generation == 2 }
    stage.open("slow")
    #expect(try await run.outcome == .succeeded)
    #expect(Set(stage.started.value) == ["slow", "db", "a", "b", "last"])
  }

  @Test func `a restart of a service includes the steps that wait for its end`() async throws {
    let (isStopping, mayEnd) = (Gate(), Gate())
    let executor = ClosureExecutor { context in
      guard context.step.action.isService else { return [:] }
      context.reportReady(outputs: [:])
      try? await Gate().waitUnlessCancelled()
      isStopping.open()
      await mayEnd.wait()
      return [:]
    }
    let run = Engine(executor: executor).start(
      try Workflow(
        text: """
          steps:
            - { id: db, service: x }
            - { id: test, run: x }
            - { id: report, needs: { db: over }, run: x }
          """, file: "w.yaml"))
    defer { run.kill() }
    await isStopping.wait()
    let answer = try await run.perform(.restart(from: ["test"]))
    await expectEventually("the run restarts") { run.state.phase == .restarting }
    mayEnd.open()
    try #require(answer.steps == ["db", "test", "report"])
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["report"]?.phase == .succeeded([:]))
    #expect(run.state.generation == 2)
  }

  @Test func `a service that nothing needs does not wait for a service that it needs`()
    async throws
  {
    let stage = Stage(holding: ["slow"])
    let run = try stage.start(
      """
      steps:
        - { id: db, service: x }
        - { id: test, run: x }
        - { id: app, service: x }
        - { id: slow, needs: [], run: x }
      """)
    await expectEventually("the app is ready") { run.state["app"]?.isReady == true }
    #expect(run.state["db"]?.isReady == true)
    stage.open("slow")
    await expectEventually("the run is over") { run.state.steps.allSatisfy(\.phase.isFinal) }
    #expect(try await run.outcome == .succeeded)
  }

  // MARK: Failures

  /// Fails the service once its user runs, and other steps never.
  private func failing(_ text: String) async throws -> Run {
    let isUsed = Gate()
    let executor = ClosureExecutor { context in
      switch context.step.id {
      case let id where id.hasSuffix("db"):
        context.reportReady(outputs: [:])
        await isUsed.wait()
        throw FailureReason.exited(status: 1)
      case let id where id.hasSuffix("u"):
        isUsed.open()
        try await Gate().waitUnlessCancelled()
      default: break
      }
      return [:]
    }
    let run = Engine(executor: executor).start(try Workflow(text: text, file: "w.yaml"))
    _ = try await run.outcome
    return run
  }

  @Test(arguments: ["service: x", "run: x"])
  func `steps after a group with continue-on-error run although its service has failed`(
    _ work: String
  ) async throws {
    let run = try await failing(
      """
      steps:
        - id: G
          continue-on-error: true
          steps: [{ id: db, \(work) }, { id: u, needs: { db: ready }, run: x }]
        - { id: publish, run: x }
      """)
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["u"]?.phase == .cancelled(.failure(ofStep: "db")))
    #expect(run.state["publish"]?.phase == .succeeded([:]))
  }

  // MARK: Time limits

  @Test func `at the time limit of a group its steps fail, and its service is stopped`()
    async throws
  {
    for _ in 0..<rounds(20, soak: 500) {
      let clock = VirtualClock()
      let executor = ClosureExecutor { context in
        if context.step.action.isService { context.reportReady(outputs: [:]) }
        try await Gate().waitUnlessCancelled()
        return [:]
      }
      let run = Engine(executor: executor, clock: clock).start(
        try Workflow(
          text: """
            steps: [{ id: g, timeout: 8s, steps: [{ id: s, service: x }, { id: a, run: x }] }]
            """, file: "w.yaml"))
      await expectEventually("a runs") { run.state["a"]?.phase == .running }
      await expectEventually("the timer runs") { clock.sleeperCount == 1 }
      clock.advanceToNextWake()
      #expect(try await run.outcome == .failed(step: "a", reason: .timedOut(after: .seconds(8))))
      #expect(run.state["s"]?.phase == .cancelled(.failure(ofStep: "a")))
    }
  }

  @Test func `at the time limit of a group a service that is not ready fails`() async throws {
    let clock = VirtualClock()
    let executor = ClosureExecutor { _ in
      try await Gate().waitUnlessCancelled()
      return [:]
    }
    let run = Engine(executor: executor, clock: clock).start(
      try Workflow(
        text: """
          steps: [{ id: g, timeout: 8s, steps: [{ id: s, service: x }, { id: a, run: x }] }]
          """, file: "w.yaml"))
    await expectEventually("the service runs") { run.state["s"]?.phase == .running }
    await expectEventually("the timer runs") { clock.sleeperCount == 1 }
    clock.advanceToNextWake()
    #expect(try await run.outcome == .failed(step: "s", reason: .timedOut(after: .seconds(8))))
    #expect(run.state["a"]?.phase == .cancelled(.failure(ofStep: "s")))
  }
}

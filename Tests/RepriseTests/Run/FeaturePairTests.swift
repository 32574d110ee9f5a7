import TestSupport
import Testing

@testable import Reprise

/// Features that meet in one run, such as computed items and a service beside them.
struct FeaturePairTests {
  /// Runs steps until their gates open, fails some of them, and records what starts.
  final class Stage: Sendable {
    let started = Protected<[String]>([])
    let seen = Protected<[String: String]>([:])
    private let gates = Protected<[String: Gate]>([:])
    /// The number of failures that a step has left.
    private let failures: Protected<[String: Int]>
    private let items: String

    init(holding held: [String] = [], failing: [String: Int] = [:], items: String = "[1, 2, 3]") {
      gates.withLock { gates in for id in held { gates[id] = Gate() } }
      failures = Protected(failing)
      self.items = items
    }

    func open(_ id: String) { gates.value[id]?.open() }

    var executor: ClosureExecutor {
      ClosureExecutor { [self] context in
        let id = context.step.id
        started.withLock { $0.append(id) }
        if context.step.action.isService {
          try await gates.value[id]?.waitUnlessCancelled()
          context.reportReady(outputs: ["port": "1"])
          try await Gate().waitUnlessCancelled()
        }
        try await gates.value[id]?.waitUnlessCancelled()
        if let text = context.environment["SEEN"] { seen.withLock { $0[id] = text } }
        let fails = failures.withLock { failures in
          guard let left = failures[id], left > 0 else { return false }
          failures[id] = left - 1
          return true
        }
        if fails { throw FailureReason.exited(status: 1) }
        return ["l": items]
      }
    }

    func start(
      _ text: String, clock: any RunClock = SystemClock(), memory: (any StepMemory)? = nil,
      recorder: (any Recorder)? = nil
    ) throws -> Run {
      Engine(executor: executor, clock: clock, recorder: recorder, memory: memory)
        .start(try Workflow(text: text, file: "w.yaml"))
    }
  }

  private static let each = """
    - steps:
        - { id: list, run: x }
        - { id: each, foreach: "${{ fromJSON(steps.list.outputs.l) }}", run: x }
    """

  /// Returns a workflow with branches beside computed items, which come first.
  private static func text(besideItems branches: String) -> String {
    let lines = (each + "\n" + branches).split(separator: "\n").map { "      " + $0 }
    return "steps:\n  - parallel:\n" + lines.joined(separator: "\n") + "\n"
  }

  private func isExpanded(_ run: Run) async {
    await expectEventually("the items are known") { run.state["each[0]"] != nil }
  }

  // MARK: Computed items

  @Test func `a service is needed although computed items have moved it`() async throws {
    let stage = Stage(holding: ["slow"])
    let run = try stage.start(
      Self.text(
        besideItems: """
          - steps:
              - { id: slow, run: x }
              - { id: db, service: x }
              - { id: use, needs: { db: ready }, run: x }
          """))
    await isExpanded(run)
    stage.open("slow")
    #expect(try await run.outcome == .succeeded)
    #expect(stage.started.value.filter { ["db", "use"].contains($0) } == ["db", "use"])
  }

  @Test func `a step that was skipped by hand is found although computed items have moved it`()
    async throws
  {
    let stage = Stage(holding: ["slow"], items: "[1, 2, 3, 4, 5, 6, 7, 8, 9]")
    let run = try stage.start(
      Self.text(
        besideItems: """
          - steps:
              - { id: slow, run: x }
              - { id: last, run: x }
          """))
    await isExpanded(run)
    try await run.perform(.set(steps: ["last"], .skipped))
    stage.open("slow")
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["last"]?.isSetByHand == true)
  }

  private static let retried = """
    - id: A
      retry: { limit: 1, delay: 8s }
      steps: [{ id: a1, run: x }]
    """

  @Test(arguments: [false, true])
  func `what depends on a group waits for its retry, also if other needs run again`(
    isExpanded: Bool
  ) async throws {
    let clock = VirtualClock()
    let stage = Stage(holding: isExpanded ? ["list"] : [], failing: ["a1": 1])
    let branch = isExpanded ? Self.each : "- { id: other, run: x }"
    let lines = (Self.retried + "\n" + branch).split(separator: "\n").map { "      " + $0 }
    let run = try stage.start(
      """
      steps:
        - parallel:
      \(lines.joined(separator: "\n"))
        - { id: D, if: always(), run: x, env: { SEEN: "${{ steps.a1.result }}" } }
      """, clock: clock)
    await expectEventually("the group waits for its retry") { clock.sleeperCount == 1 }
    if isExpanded {
      stage.open("list")
      await expectEventually("the items are over") {
        run.state["each[2]"]?.phase.isSuccess == true
      }
    } else {
      await expectEventually("the other branch is over") {
        run.state["other"]?.phase.isSuccess == true
      }
      try await run.perform(.restart(from: ["other"]))
      await expectEventually("it has run again") {
        run.state.generation == 2 && run.state["other"]?.phase.isSuccess == true
      }
    }
    #expect(!stage.started.value.contains("D"))
    clock.advanceToNextWake()
    #expect(try await run.outcome == .succeeded)
    #expect(stage.started.value.count { $0 == "D" } == 1)
    #expect(stage.seen.value["D"] == "success")
  }

  @Test func `a group that waits for its retry keeps its mutex although items are computed`()
    async throws
  {
    let clock = VirtualClock()
    let stage = Stage(holding: ["list"], failing: ["a1": 1])
    let run = try stage.start(
      Self.text(
        besideItems: """
          - { id: A, mutex: m, retry: { limit: 1, delay: 8s }, steps: [{ id: a1, run: x }] }
          - { id: B, mutex: m, steps: [{ id: b1, run: x }] }
          """), clock: clock)
    await expectEventually("the group waits for its retry") { clock.sleeperCount == 1 }
    stage.open("list")
    await expectEventually("the items are over") { run.state["each[2]"]?.phase.isSuccess == true }
    #expect(!stage.started.value.contains("b1"))
    clock.advanceToNextWake()
    #expect(try await run.outcome == .succeeded)
    #expect(stage.started.value.filter { "a1 b1".contains($0) } == ["a1", "a1", "b1"])
  }

  // MARK: Results that are set by hand

  private static let withFinally = """
    steps:
      - { id: m, run: x }
      - { id: n, needs: [], run: x }
    finally:
      - { id: F, run: x }
      - { id: G, run: x }
    """

  @Test func `a resumed run with the result of a finally step runs it after the others`()
    async throws
  {
    let memory = RecorderTests.Memory()
    let first = Stage(failing: ["m": 1])
    _ = try await (try first.start(Self.withFinally, recorder: memory)).outcome
    var state = RunState()
    for event in memory.events.value { try state.apply(event) }
    let second = Stage(holding: ["m"])
    let run = try Engine(executor: second.executor).resume(
      state, with: try Workflow(text: Self.withFinally, file: "w.yaml"),
      setting: ["F": .succeeded([:])])
    await expectEventually("m runs") { run.state["m"]?.phase == .running }
    // Answered when the start is complete.
    try await run.perform(.unpause)
    #expect(run.state["G"]?.phase == .pending)
    second.open("m")
    #expect(try await run.outcome == .succeeded)
    #expect(second.started.value == ["m", "G"])
  }

  @Test func `a finally step that is set in a restart is no reason to run the next one`()
    async throws
  {
    let (main, stop) = (Gate(), Gate())
    let executor = ClosureExecutor { context in
      switch (context.step.id, context.generation) {
      case ("F", 1): throw FailureReason.exited(status: 1)
      case ("G", 1): await stop.wait()
      case ("m", 2...): try await main.waitUnlessCancelled()
      default: break
      }
      return [:]
    }
    let run = Engine(executor: executor).start(
      try Workflow(
        text: Self.withFinally.replacing("id: F,", with: "id: F, continue-on-error: true,"),
        file: "w.yaml"))
    await expectEventually("G runs") { run.state["G"]?.phase == .running }
    // While G is being stopped, the steps before it are restarted, too.
    try await run.perform(.set(steps: ["F"], .succeeded([:])))
    try await run.perform(.restart(from: ["m"]))
    stop.open()
    await expectEventually("m runs again") {
      run.state.generation == 2 && run.state["m"]?.phase == .running
    }
    // Answered when the restart is complete.
    try await run.perform(.unpause)
    #expect(run.state["F"]?.isSetByHand == true)
    #expect(run.state["G"]?.phase == .pending)
    main.open()
    #expect(try await run.outcome == .succeeded)
    let ends = try ["m", "G"].map { try #require(run.state[$0]?.endedAt) }
    #expect(ends[0] <= ends[1])
  }

  private static let secret = """
    secrets: { token: { env: TOKEN } }
    steps:
      - { id: a, run: x }
      - { id: b, run: x, env: { T: "${{ secrets.token }}" } }
    """

  @Test func `outputs that are set by hand are masked`() async throws {
    let memory = RecorderTests.Memory()
    let stage = Stage(holding: ["a"])
    let workflow = try Workflow(text: Self.secret, file: "w.yaml")
    let secrets = try await Secrets.gather(for: workflow, environment: ["TOKEN": "hunter2hunter2"])
    let engine = Engine(executor: stage.executor, recorder: memory)
    let run = engine.start(workflow, secrets: secrets)
    await expectEventually("a runs") { run.state["a"]?.phase == .running }
    await #expect(throws: InterventionRefusal.self, "the name of an output contains the secret") {
      try await run.perform(.set(steps: ["a"], .succeeded(["hunter2hunter2": "x"])))
    }
    try await run.perform(.set(steps: ["a"], .succeeded(["o": "is hunter2hunter2"])))
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["a"]?.phase == .succeeded(["o": "is ***"]))
    #expect(!"\(memory.events.value)".contains("hunter2"))
  }

  @Test func `outputs that are set for a resumed run are masked`() async throws {
    let memory = RecorderTests.Memory()
    let stage = Stage(failing: ["a": 1])
    let workflow = try Workflow(text: Self.secret, file: "w.yaml")
    let secrets = try await Secrets.gather(for: workflow, environment: ["TOKEN": "hunter2hunter2"])
    let engine = Engine(executor: stage.executor, recorder: memory)
    _ = try await engine.start(workflow, secrets: secrets).outcome
    var state = RunState()
    for event in memory.events.value { try state.apply(event) }
    let run = try engine.resume(
      state, with: workflow, secrets: secrets,
      setting: ["a": .succeeded(["o": "hunter2hunter2", "hunter2hunter2": "x"])])
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["a"]?.phase == .succeeded(["o": "***", "***": "x"]))
    #expect(!"\(memory.events.value)".contains("hunter2"))
  }

  // MARK: Approval afterwards

  @Test func `a step that only waits asks for approval of its work`() async throws {
    let clock = VirtualClock()
    let stage = Stage()
    let text = """
      steps:
        - { id: w, wait: 8s, approval: { message: Deploy?, after: true } }
        - { id: deploy, run: x }
      """
    for isApproved in [true, false] {
      let run = try stage.start(text, clock: clock)
      await expectEventually("the step waits") { clock.sleeperCount == 1 }
      clock.advanceToNextWake()
      await expectEventually("it asks") { run.state["w"]?.approval == "Deploy?" }
      #expect(!stage.started.value.contains("deploy"))
      try run.answer("w", isApproved: isApproved)
      #expect(
        try await run.outcome
          == (isApproved ? .succeeded : .failed(step: "w", reason: .rejected)))
      #expect(stage.started.value.contains("deploy") == isApproved)
      stage.started.withLock { $0 = [] }
    }
  }

  @Test func `a user of a step that is ready waits for the approval of its work`() async throws {
    let ready = Gate()
    let started = Protected<[String]>([])
    let executor = ClosureExecutor { context in
      started.withLock { $0.append(context.step.id) }
      if context.step.id == "a" {
        context.reportReady(outputs: [:])
        ready.open()
      }
      return [:]
    }
    let run = Engine(executor: executor).start(
      try Workflow(
        text: """
          steps:
            - { id: a, run: x, approval: { message: Good?, after: true } }
            - { id: user, needs: { a: ready }, run: x }
          """, file: "w.yaml"))
    await ready.wait()
    await expectEventually("it asks") { run.state["a"]?.approval == "Good?" }
    #expect(started.value == ["a"])
    try run.refuse("a")
    #expect(try await run.outcome == .failed(step: "a", reason: .rejected))
    #expect(started.value == ["a"])
  }

  // MARK: Undoing

  @Test func `a step that was undone is not up to date`() async throws {
    let text = """
      steps:
        - { id: pay, run: x, undo: y, cache: { key: k } }
        - { id: b, run: x }
      """
    let memory = TraceMemory()
    let stage = Stage(failing: ["b": 1])
    #expect(try await (try stage.start(text, memory: memory)).outcome.exitStatus == 1)
    #expect(stage.started.value == ["pay", "b", "pay/undo"])
    #expect(try await (try stage.start(text, memory: memory)).outcome == .succeeded)
    #expect(stage.started.value.suffix(2) == ["pay", "b"])
  }

  @Test func `work of an earlier generation of a run is undone`() async throws {
    let text = """
      steps:
        - id: G
          retry: 1
          steps:
            - { id: pay, run: x, undo: y, cache: { key: k } }
            - { id: b, run: x }
      """
    let memory = TraceMemory()
    let stage = Stage(failing: ["b": 2])
    #expect(try await (try stage.start(text, memory: memory)).outcome.exitStatus == 1)
    #expect(stage.started.value == ["pay", "b", "b", "pay/undo"])
    // What another run has done is left alone.
    let first = Stage()
    #expect(try await (try first.start(text, memory: memory)).outcome == .succeeded)
    let second = Stage(failing: ["b": 2])
    #expect(try await (try second.start(text, memory: memory)).outcome.exitStatus == 1)
    #expect(second.started.value == ["b", "b"])
  }

  // MARK: Pause

  @Test func `a step that gets its place of a pool in a pause starts after the pause`()
    async throws
  {
    let stage = Stage(holding: ["a"])
    let engine = Engine(executor: stage.executor)
    let run = engine.start(
      try Workflow(
        text: """
          pools: { p: 1 }
          steps: [{ parallel: [{ id: a, pool: p, run: x }, { id: b, pool: p, run: x }] }]
          """, file: "w.yaml"))
    await expectEventually("b waits for a place") { run.state["b"]?.waitsForPool != nil }
    try await run.perform(.pause)
    await expectEventually("the run is paused") { run.state.isPaused }
    let other = engine.start(
      try Workflow(text: "pools: { p: 1 }\nsteps: [{ id: c, pool: p, run: x }]", file: "w.yaml"))
    await expectEventually("c waits for a place") { other.state["c"]?.waitsForPool != nil }
    stage.open("a")
    // The step that does not start leaves the place to others.
    await expectEventually("b or c starts") { stage.started.value.count > 1 }
    #expect(stage.started.value == ["a", "c"])
    #expect(try await other.outcome == .succeeded)
    try await run.perform(.unpause)
    #expect(try await run.outcome == .succeeded)
  }
}

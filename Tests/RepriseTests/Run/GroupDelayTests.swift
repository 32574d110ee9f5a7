import Dispatch
import TestSupport
import Testing

@testable import Reprise

/// What is asked for, or happens, while a group waits to run again.
struct GroupDelayTests {
  private static let text = """
    steps:
      - id: G
        mutex: m
        retry: { limit: 1, delay: 60s }
        steps:
          - { id: p, run: x }
          - parallel: [{ id: a, run: x }, { steps: [{ id: b, run: x }, { id: c, run: x }] }]
      - { id: D, mutex: m, run: x }
    """

  private typealias Stage = FeaturePairTests.Stage

  /// Starts the workflow, and waits until its group waits to run again.
  private func start(_ stage: Stage, _ clock: VirtualClock) async throws -> Run {
    let run = try stage.start(Self.text, clock: clock)
    await expectEventually("the other branch runs") { stage.started.value.contains("b") }
    stage.open("a")
    await expectEventually("the delay of the group has begun") {
      run.state["a"]?.phase.name == "failed" && run.state["b"]?.phase.isCancelled == true
        && clock.sleeperCount == 1
    }
    return run
  }

  /// Expects these starts, in this order; those in one list are at the same time, in any order.
  private func expectStarted(
    _ expected: [String]..., on stage: Stage, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var rest = stage.started.value[...]
    let started = expected.map { ids -> [String] in
      defer { rest = rest.dropFirst(ids.count) }
      return rest.prefix(ids.count).sorted()
    }
    #expect(started == expected && rest.isEmpty, sourceLocation: sourceLocation)
  }

  @Test func `a mutex is kept while one of two groups in it still waits to run again`()
    async throws
  {
    let clock = VirtualClock()
    let stage = Stage(holding: [], failing: ["a": 1, "b": 1])
    let run = try stage.start(
      """
      steps:
        - parallel:
            - id: outer
              mutex: m
              parallel:
                - { id: first, retry: { limit: 1, delay: 5s }, steps: [{ id: a, run: x }] }
                - { id: second, retry: { limit: 1, delay: 60s }, steps: [{ id: b, run: x }] }
            - { id: other, mutex: m, run: x }
      """, clock: clock)
    await expectEventually("both wait to run again") { clock.sleeperCount == 2 }
    clock.advanceToNextWake()
    await expectEventually("the first has run again") { run.state["a"]?.phase.isSuccess == true }
    #expect(await finish(run, stage, clock) == .succeeded)
    #expect(stage.started.value.sorted() == ["a", "a", "b", "b", "other"])
    #expect(stage.started.value.last == "other")
  }

  private func finish(
    _ run: Run, _ stage: Stage, _ clock: VirtualClock, opening gate: String = "b"
  ) async -> RunOutcome {
    stage.open(gate)
    await expectEventually("the run is over") {
      clock.advanceToNextWake()
      if case .ended = run.state.phase { return true }
      return false
    }
    guard case .ended(let outcome) = run.state.phase else {
      run.kill()
      return .abandoned("it has not ended")
    }
    return outcome
  }

  @Test(arguments: [HandmadeResult.succeeded([:]), .skipped])
  func `a result that is set by hand takes the place of the retry`(_ result: HandmadeResult)
    async throws
  {
    let (stage, clock) = (Stage(holding: ["a", "b"], failing: ["a": 9]), VirtualClock())
    let run = try await start(stage, clock)
    try await run.perform(.set(steps: ["a"], result))
    #expect(await finish(run, stage, clock) == .succeeded)
    #expect(run.state.generation == 2)
    expectStarted(["p"], ["a", "b"], ["b"], ["c"], ["D"], on: stage)
  }

  @Test(arguments: ["a", "p", "c"])
  func `a restart from one of its steps runs the whole group again, at once and with all retries`(
    from step: String
  ) async throws {
    let (stage, clock) = (Stage(holding: ["a", "b"], failing: ["a": 2]), VirtualClock())
    let run = try await start(stage, clock)
    let answer = try await run.perform(.restart(from: [step]))
    #expect(answer.steps?.sorted() == ["D", "a", "b", "c", "p"])
    #expect(await finish(run, stage, clock) == .succeeded)
    // One restart by hand, and one retry after it.
    #expect(run.state.generation == 3)
    #expect(stage.started.value.count { $0 == "p" } == 3)
    #expect(stage.started.value.count { $0 == "D" } == 1)
  }

  @Test func `a reload that runs the failed step again takes the place of the retry`() async throws
  {
    let (stage, clock) = (Stage(holding: ["a", "b"], failing: ["a": 1]), VirtualClock())
    let run = try await start(stage, clock)
    let fixed = Self.text.replacing("{ id: a, run: x }", with: "{ id: a, run: fixed }")
    let next = try Workflow(text: fixed, file: "w.yaml")
    #expect(await run.reload(next, .changed) { _ in true })
    #expect(await finish(run, stage, clock) == .succeeded)
    #expect(run.state.generation == 2)
    // The third one follows "b" only.
    expectStarted(["p"], ["a", "b"], ["a", "b", "c"], ["D"], on: stage)
  }

  @Test func `what was decided by hand holds after the retry`() async throws {
    let (stage, clock) = (Stage(holding: ["a", "b"], failing: ["a": 1]), VirtualClock())
    let run = try await start(stage, clock)
    try await run.perform(.set(steps: ["c"], .succeeded(["by": "hand"])))
    try await run.perform(.cancel(steps: ["D"], now: false))
    #expect(await finish(run, stage, clock) == .cancelled)
    #expect(run.state.generation == 2)
    #expect(run.state["c"]?.phase == .succeeded(["by": "hand"]))
    #expect(run.state["D"]?.phase == .cancelled(.request))
    expectStarted(["p"], ["a", "b"], ["p"], ["a", "b"], on: stage)
  }

  @Test func `fail-fast gives up the retry of a group, whose clean-up runs`() async throws {
    let (stage, clock) = (Stage(holding: ["z"], failing: ["a": 9, "z": 9]), VirtualClock())
    let run = try stage.start(
      """
      fail-fast: true
      steps:
        - parallel:
            - id: G
              retry: { limit: 1, delay: 60s }
              steps: [{ id: a, run: x }, { id: b, run: x }, { id: t, if: failure(), run: x }]
            - { id: z, run: x }
            - { id: y, needs: b, run: x }
      """, clock: clock)
    await expectEventually("the delay of the group has begun") {
      run.state["a"]?.phase.name == "failed" && clock.sleeperCount == 1
    }
    stage.open("z")
    await expectEventually("it has failed") { run.state["z"]?.phase.name == "failed" }
    let outcome = await finish(run, stage, clock, opening: "none")
    #expect(outcome == .failed(step: "a", reason: .exited(status: 1)))
    #expect(run.state.generation == 1)
    #expect(Set(stage.started.value) == ["a", "z", "t"])
    for step in ["b", "y"] { #expect(run.state[step]?.phase.isCancelled == true) }
  }

  @Test func `fail-fast of items gives up the retry of an item`() async throws {
    let clock = VirtualClock()
    let stage = Stage(holding: ["M[1]/b"], failing: ["M[0]/a": 9, "M[1]/b": 9])
    let run = try stage.start(
      """
      steps:
        - id: M
          foreach: [0, 1]
          fail-fast: true
          steps:
            - { retry: { limit: 1, delay: 60s }, steps: [{ id: a, run: x }] }
            - { id: b, run: x }
      """, clock: clock)
    await expectEventually("the delay of the first item has begun") {
      run.state["M[0]/a"]?.phase.name == "failed" && clock.sleeperCount == 1
    }
    stage.open("M[1]/b")
    await expectEventually("the other one has failed for good") {
      run.state["M[1]/b"]?.phase.name == "failed"
    }
    guard case .failed = await finish(run, stage, clock, opening: "none") else {
      Issue.record("\(run.state.phase)")
      return
    }
    #expect(run.state.generation == 1)
    #expect(stage.started.value.count { $0 == "M[0]/a" } == 1)
    #expect(run.state["M[0]/b"]?.phase == .cancelled(.failure(ofStep: "M[0]/a")))
  }

  @Test func `at the time limit of a group, the groups inside of it have no retries left`()
    async throws
  {
    let (stage, clock) = (Stage(holding: ["b"], failing: ["a": 9]), VirtualClock())
    let run = try stage.start(
      """
      steps:
        - id: G
          timeout: 8s
          parallel:
            - { retry: { limit: 3, delay: 60s }, steps: [{ id: a, run: x }, { id: c, run: x }] }
            - { retry: { limit: 3, delay: 60s }, steps: [{ id: b, run: x }] }
        - { id: D, run: x }
      """, clock: clock)
    await expectEventually("one waits for its retry, the other runs") {
      run.state["a"]?.phase.name == "failed" && run.state["b"]?.phase == .running
        && clock.sleeperCount == 2
    }
    clock.advanceToNextWake()
    await expectEventually("its time is over") { run.state["b"]?.phase.name == "failed" }
    #expect(await finish(run, stage, clock, opening: "none").isFailure)
    #expect(run.state.generation == 1)
    #expect(run.state["b"]?.phase == .failed(.timedOut(after: .seconds(8))))
    #expect(run.state["c"]?.phase == .cancelled(.failure(ofStep: "a")))
    expectStarted(["a", "b"], on: stage)
  }

  @Test func `a group whose time is over has failed, also if what runs is tolerated`() async throws
  {
    let (stage, clock) = (Stage(holding: ["a"]), VirtualClock())
    let run = try stage.start(
      """
      steps:
        - id: G
          timeout: 8s
          steps:
            - { continue-on-error: true, steps: [{ id: a, run: x }] }
            - { id: b, run: x }
        - { id: D, run: x }
      """, clock: clock)
    await expectEventually("it runs") {
      run.state["a"]?.phase == .running && clock.sleeperCount == 1
    }
    #expect(await finish(run, stage, clock, opening: "none").isFailure)
    #expect(run.state["b"]?.phase == .failed(.timedOut(after: .seconds(8))))
    #expect(stage.started.value == ["a"])
  }

  @Test func `a time limit of a group, while a restart is recorded in the delay, lets all go on`()
    async throws
  {
    let hold = DispatchSemaphore(value: 0)
    let memory = RecorderTests.Memory { event in
      if event.generation == 2, case .generationStarted = event.kind { hold.wait() }
      return false
    }
    let (stage, clock) = (Stage(holding: ["b"], failing: ["a": 1]), VirtualClock())
    let run = try stage.start(
      """
      steps:
        - id: G
          timeout: 8s
          parallel:
            - { id: H, retry: { limit: 1, delay: 60s }, steps: [{ id: a, run: x }] }
            - { id: b, run: x }
        - { id: D, if: always(), run: x }
        - { id: E, if: always(), run: x }
      """, clock: clock, recorder: memory)
    await expectEventually("the delay has begun") {
      run.state["b"]?.phase == .running && clock.sleeperCount == 2
    }
    try run.restart(from: "E")
    await expectEventually("the restart is being recorded") { run.state.generation == 2 }
    clock.advanceToNextWake()
    await expectEventually("the retry is given up") {
      run.ledger.decide { $0.groups.retrying.isEmpty }
    }
    // The restart connects E to D, which is connected anew afterwards.
    hold.signal()
    await expectEventually("E runs", within: .seconds(10)) { stage.started.value.contains("E") }
    if !stage.started.value.contains("E") { run.kill() }
    #expect(try await run.outcome == .failed(step: "a", reason: .exited(status: 1)))
    expectStarted(["a", "b"], ["D"], ["E"], on: stage)
  }

  @Test func `at the time limit of a used file, its clean-up runs`() async throws {
    let clock = VirtualClock()
    let started = Protected<[String]>([])
    let executor = ClosureExecutor { context in
      started.withLock { $0.append(context.step.id) }
      if context.step.id == "f/s" { try await Gate().waitUnlessCancelled() }
      return [:]
    }
    let workflow = try Workflow(
      bytes: Array("steps: [{ id: f, uses: ./u.yaml, timeout: 8s }]".utf8), file: "w.yaml",
      sources: .kept([
        "u.yaml": "{ steps: [{ id: s, run: x }], finally: [{ id: clean, run: x }] }"
      ]))
    let run = Engine(executor: executor, clock: clock).start(workflow)
    await expectEventually("the limit is waited for") {
      run.state["f/s"]?.phase == .running && clock.sleeperCount == 1
    }
    clock.advanceToNextWake()
    #expect(try await run.outcome == .failed(step: "f/s", reason: .timedOut(after: .seconds(8))))
    #expect(started.value == ["f/s", "f/clean"])
  }
}

extension RunOutcome {
  fileprivate var isFailure: Bool { if case .failed = self { true } else { false } }
}

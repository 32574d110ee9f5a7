import TestSupport
import Testing

@testable import Reprise

/// Steps that start when what they need is ready, before that ends.
struct EarlyNeedTests {
  /// Runs a workflow whose scripts are words: `ready`, `service`, `fail`, `x`, or names of gates.
  private func run(
    _ text: String, _ gates: [String: Gate] = [:], begun: Protected<[String]> = Protected([])
  ) throws -> Run {
    let engine = Engine(
      executor: ClosureExecutor { context in
        begun.withLock { $0.append(context.step.id) }
        guard case .run(let script) = context.resolved.action else { return [:] }
        for word in script.split(separator: " ") {
          switch word {
          case "ready": context.reportReady(outputs: ["at": "ready"])
          case "service": try await Gate().waitUnlessCancelled()
          case "fail": throw FailureReason.exited(status: 7)
          default:
            await gates[String(word)]?.wait()
            try Task.checkCancellation()
          }
        }
        return ["at": "end", "seen": context.resolved.environment["SEEN"] ?? ""]
      })
    return engine.start(try Workflow(text: text, file: "w.yaml"))
  }

  private func phases(_ state: RunState) -> String {
    state.steps.map { "\($0.id) \($0.phase.name)" }.joined(separator: ", ")
  }

  private static let early = """
    steps:
      - { id: build, run: ready gate }
      - id: test
        needs: { build: ready }
        env: { SEEN: "${{ steps.build.outputs.at }} ${{ steps.build.result }}" }
        run: x
      - { id: publish, needs: [build, test], run: x }
    """

  @Test func `a step starts when a step that it needs is ready, and the others wait for its end`()
    async throws
  {
    let gate = Gate()
    let run = try run(Self.early, ["gate": gate])
    await expectEventually("test has succeeded") { run.state["test"]?.phase.isSuccess == true }
    #expect(run.state["build"]?.isReady == true)
    #expect(run.state["publish"]?.phase == .pending)
    #expect(run.state["test"]?.phase == .succeeded(["at": "end", "seen": "ready success"]))
    gate.open()
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["build"]?.phase == .succeeded(["at": "end", "seen": ""]))
    #expect(run.workflow.steps[1].shownNeeds == ["build (ready)"])
  }

  @Test(arguments: [
    ("x", "build succeeded, test succeeded, publish succeeded"),
    ("fail", "build failed, test cancelled, publish cancelled"),
  ])
  func `without a report, the end of the step decides`(script: String, end: String) async throws {
    let run = try run(Self.early.replacing("ready gate", with: script))
    _ = try await run.outcome
    #expect(phases(run.state) == end)
  }

  /// A regression test: such a step started while the other one was down.
  @Test(arguments: ["run", "service"])
  func `a step does not start between two attempts of a step that it uses`(
    _ kind: String
  ) async throws {
    let (trouble, due, clock) = (Gate(), Gate(), VirtualClock())
    let seen = Protected<[String]>([])
    let engine = Engine(
      executor: ClosureExecutor { context in
        switch context.step.id {
        case "build":
          context.reportReady(outputs: ["at": "\(context.attempt)"])
          if context.attempt == 1 {
            await trouble.wait()
            throw FailureReason.exited(status: 1)
          }
          if kind == "service" { try await Gate().waitUnlessCancelled() }
          return ["at": "\(context.attempt)"]
        case "gate": await due.wait()
        default:
          seen.withLock { $0.append(context.resolved.environment["AT"] ?? "") }
        }
        return [:]
      }, clock: clock)
    let retry = kind == "run" ? "retry" : "restart"
    let run = engine.start(
      try Workflow(
        text: """
          max-parallel: 2
          steps:
            - { id: build, needs: [], \(kind): x, \(retry): { limit: 1, delay: 5s } }
            - { id: gate, needs: [], run: x }
            - id: late
              needs: { build: ready, gate: success }
              env: { AT: "${{ steps.build.outputs.at }}" }
              run: x
          """, file: "w.yaml"))
    await expectEventually("build is ready") { run.state["build"]?.isReady == true }
    trouble.open()
    await expectEventually("build waits") { run.state["build"]?.retry != nil }
    due.open()
    await expectEventually("late is due") { run.state["late"]?.phase != .pending }
    #expect(seen.value == [])
    let outcome = Task { try await run.outcome }
    await expectEventually("the run is over") {
      clock.advanceToNextWake()
      if case .ended = run.state.phase { return true }
      return false
    }
    #expect(try await outcome.value == .succeeded)
    #expect(seen.value == ["2"], "\(kind)")
  }

  @Test func `a step that waits for the next attempt of another one can be cancelled`()
    async throws
  {
    let clock = VirtualClock()
    let (trouble, due) = (Gate(), Gate())
    let engine = Engine(
      executor: ClosureExecutor { context in
        if context.step.id == "gate" { await due.wait() }
        guard context.step.id == "db" else { return [:] }
        context.reportReady()
        await trouble.wait()
        throw FailureReason.exited(status: 1)
      }, clock: clock)
    let run = engine.start(
      try Workflow(
        text: """
          steps:
            - { id: db, needs: [], service: x, restart: { limit: 9, delay: 1h } }
            - { id: gate, needs: [], run: x }
            - { id: late, needs: [db, gate], run: x }
          """, file: "w.yaml"))
    await expectEventually("db is ready") { run.state["db"]?.isReady == true }
    trouble.open()
    await expectEventually("db waits") { run.state["db"]?.retry != nil }
    due.open()
    await expectEventually("late is due") { run.state["late"]?.phase == .waiting }
    run.cancel()
    #expect(try await run.outcome == .cancelled)
    #expect(run.state["late"]?.startedAt == nil)
  }

  @Test func `steps that started early are cancelled when the step fails`() async throws {
    let (gate, never) = (Gate(), Gate())
    let run = try run(
      """
      steps:
        - { id: build, run: ready gate fail }
        - { id: done, needs: { build: ready }, run: x }
        - { id: early, needs: { build: ready }, run: never }
        - { id: after, needs: [done], run: never }
        - { id: spared, needs: { done: over }, run: other }
        - { id: report, needs: { early: over }, run: x }
      """, ["gate": gate, "never": never, "other": never])
    await expectEventually("all run") {
      ["early", "after", "spared"].allSatisfy { run.state[$0]?.phase == .running }
    }
    gate.open()
    await expectEventually("the failure has its consequences") {
      run.state["build"]?.phase == .failed(.exited(status: 7))
    }
    never.open()
    #expect(try await run.outcome == .failed(step: "build", reason: .exited(status: 7)))
    #expect(
      phases(run.state) == "build failed, done succeeded, early cancelled, after cancelled, "
        + "spared succeeded, report succeeded")
  }

  @Test func `a restart of a step that started early leaves the other one running`() async throws {
    let (gate, first) = (Gate(), Gate())
    let begun = Protected<[String]>([])
    let run = try run(
      Self.early.replacing("run: x", with: "run: first"), ["gate": gate, "first": first],
      begun: begun)
    await expectEventually("test runs") { run.state["test"]?.phase == .running }
    try run.restart(from: "test")
    first.open()
    await expectEventually("test has run again") {
      run.state.generation == 2 && run.state["test"]?.phase.isSuccess == true
    }
    #expect(run.state["build"]?.isReady == true)
    gate.open()
    #expect(try await run.outcome == .succeeded)
    #expect(begun.value == ["build", "test", "test", "publish"])
  }

  @Test func `a step that is ready is enough for any of several needs`() async throws {
    let gate = Gate()
    let run = try run(
      """
      steps:
        - { id: db, needs: [], service: ready gate }
        - { id: file, needs: [], run: gate }
        - { id: use, needs: { any: [db, file] }, run: x }
      """, ["gate": gate])
    await expectEventually("use has succeeded") { run.state["use"]?.phase.isSuccess == true }
    #expect(run.state["file"]?.phase == .running)
    gate.open()
    #expect(try await run.outcome == .succeeded)
  }

  @Test func `a step can wait for the end of a service, which does not wait for it`() async throws {
    let begun = Protected<[String]>([])
    let run = try run(
      """
      steps:
        - { id: db, service: ready service }
        - { id: use, run: x }
        - { id: logs, needs: { db: over }, run: x }
        - { id: report, needs: logs, run: x }
      """, begun: begun)
    #expect(try await run.outcome == .succeeded)
    #expect(begun.value == ["db", "use", "logs", "report"])
  }

  @Test func `an item of a group begins when a service outside of it is ready`() async throws {
    let run = try run(
      """
      steps:
        - { id: db, service: ready service }
        - parallel:
            - steps: [{ id: a1, run: x }, { id: a2, needs: [a1, db], run: x }]
            - steps: [{ id: b1, run: x }, { id: b2, needs: { b1: success, db: ready }, run: x }]
          max-parallel: 1
      """)
    #expect(try await run.outcome == .succeeded)
    #expect(run.state.steps.allSatisfy { $0.phase.isSuccess })
  }

  @Test func `fail-fast with a number counts the items and branches of a group`() async throws {
    let run = try run(
      """
      max-parallel: 1
      steps:
        - parallel:
            - steps: [{ id: a, run: fail }, { id: a2, run: x }]
            - steps: [{ id: b, run: x, continue-on-error: true }, { id: b2, run: x }]
            - { id: c, run: fail }
            - { id: d, run: x }
          max-parallel: 1
          fail-fast: 2
      """)
    _ = try await run.outcome
    #expect(
      phases(run.state)
        == "a failed, a2 cancelled, b succeeded, b2 succeeded, c failed, d cancelled")
  }

  @Test func `the expansion of a step keeps which needs are alternatives`() async throws {
    let gate = Gate()
    let run = try run(
      """
      steps:
        - { id: plan, run: x }
        - { id: each, foreach: "${{ split(steps.plan.outputs.at, 'n') }}", run: x }
        - { id: slow, needs: each, run: gate }
        - { id: quick, needs: each, run: x }
        - { id: use, needs: { any: [slow, quick] }, run: x }
      """, ["gate": gate])
    await expectEventually("use has succeeded") { run.state["use"]?.phase.isSuccess == true }
    #expect(run.state["slow"]?.phase == .running)
    gate.open()
    #expect(try await run.outcome == .succeeded)
  }
}

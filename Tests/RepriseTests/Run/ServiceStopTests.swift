import TestSupport
import Testing

@testable import Reprise

/// The order in which services are stopped.
struct ServiceStopTests {
  /// Services that say when they are asked to end, and end when they are let.
  private struct Stage {
    let log = Protected<[String]>([])
    /// What ends only when its gate is open, or when it is killed.
    let ends: [String: Gate]
    /// What becomes ready only when its gate is open.
    let starts: [String: Gate]
    /// What crashes when its gate is open.
    let crashes: [String: Gate]

    init(
      ends: [String: Gate] = [:], starts: [String: Gate] = [:], crashes: [String: Gate] = [:]
    ) {
      (self.ends, self.starts, self.crashes) = (ends, starts, crashes)
    }

    func start(_ text: String) throws -> Run {
      let executor = ClosureExecutor { context in
        let id = context.step.id
        guard id != "f" else { return note("f runs") }
        try await starts[id]?.waitUnlessCancelled()
        if context.step.action.isService { context.reportReady(outputs: [:]) }
        note("\(id) up")
        do {
          if context.attempt == 1, let crash = crashes[id] {
            try await crash.waitUnlessCancelled()
            throw FailureReason.exited(status: 1)
          }
          try await Gate().waitUnlessCancelled()
        } catch is CancellationError {
          note("\(id) asked")
          if let end = ends[id] {
            await context.withKillHandler({ end.open() }, operation: { await end.wait() })
          }
          note("\(id) down")
          throw CancellationError()
        }
        return [:]
      }
      return Engine(executor: executor).start(try Workflow(text: text, file: "w.yaml"))
    }

    @discardableResult
    private func note(_ line: String) -> StepOutputs {
      log.withLock { $0.append(line) }
      return [:]
    }

    func becomes(_ lines: [String]) async {
      await expectEventually("\(lines)") { log.value == lines }
      #expect(log.value == lines)
    }

    func contains(_ lines: String...) async {
      await expectEventually("\(lines)") { lines.allSatisfy(log.value.contains) }
    }
  }

  private static let three = """
    steps:
      - { id: db, service: x }
      - { id: api, service: x }
      - { id: test, run: x }
    finally: [{ id: f, run: x }]
    """

  @Test func `a cancel stops steps first, and then services in the opposite order of readiness`()
    async throws
  {
    let (test, api) = (Gate(), Gate())
    let stage = Stage(ends: ["test": test, "api": api])
    let run = try stage.start(Self.three)
    var lines = ["db up", "api up", "test up"]
    await stage.becomes(lines)
    run.cancel()
    lines += ["test asked"]
    await stage.becomes(lines)
    #expect(run.state["api"]?.isReady == true)
    test.open()
    lines += ["test down", "api asked"]
    await stage.becomes(lines)
    #expect(run.state["db"]?.isReady == true)
    api.open()
    #expect(try await run.outcomeInTime() == .cancelled)
    #expect(stage.log.value == lines + ["api down", "db asked", "db down", "f runs"])
    #expect(run.state["db"]?.phase == .cancelled(.request))
    #expect(run.state["f"]?.phase.isSuccess == true)
  }

  @Test func `services that do not need one another stop in the opposite order of readiness`()
    async throws
  {
    let (first, second) = (Gate(), Gate())
    let stage = Stage(ends: ["one": first], starts: ["one": second])
    let run = try stage.start(
      "steps: [{ parallel: [{ id: one, service: x }, { id: two, service: x }] }]")
    await stage.becomes(["two up"])
    second.open()
    await stage.becomes(["two up", "one up"])
    run.cancel()
    await stage.becomes(["two up", "one up", "one asked"])
    first.open()
    #expect(try await run.outcomeInTime() == .cancelled)
    #expect(stage.log.value.suffix(3) == ["one down", "two asked", "two down"])
  }

  @Test func `services that no step needs any more stop in the opposite order of readiness`()
    async throws
  {
    let (one, two, work) = (Gate(), Gate(), Gate())
    let stage = Stage(ends: ["two": two], starts: ["two": one], crashes: ["work": work])
    let run = try stage.start(
      """
      steps:
        - parallel: [{ id: one, service: x }, { id: two, service: x }]
        - { id: work, run: x, continue-on-error: true }
      """)
    await stage.becomes(["one up"])
    one.open()
    await stage.becomes(["one up", "two up", "work up"])
    work.open()
    await stage.becomes(["one up", "two up", "work up", "two asked"])
    two.open()
    #expect(try await run.outcomeInTime() == .succeeded)
    #expect(stage.log.value.suffix(3) == ["two down", "one asked", "one down"])
  }

  @Test func `a service waits for no step of another list`() async throws {
    let end = Gate()
    let stage = Stage(ends: ["b": end])
    let run = try stage.start(
      """
      steps:
        - parallel:
            - steps: [{ id: a, service: x }, { id: u, run: x }]
            - steps: [{ id: b, service: x }, { id: v, run: x }]
      """)
    await stage.contains("u up", "v up")
    run.cancel()
    await stage.contains("a down", "b asked")
    end.open()
    #expect(try await run.outcomeInTime() == .cancelled)
  }

  @Test func `a kill stops all services at once`() async throws {
    let api = Gate()
    let stage = Stage(ends: ["api": api])
    let run = try stage.start(Self.three)
    await stage.contains("test up")
    run.cancel()
    await stage.contains("api asked")
    run.kill()
    #expect(try await run.outcomeInTime() == .cancelled)
    #expect(run.state["db"]?.phase == .cancelled(.request))
    #expect(run.state["f"]?.phase.isSuccess == false)
  }

  @Test func `a restart stops services in the opposite order of readiness`() async throws {
    let api = Gate()
    let stage = Stage(ends: ["api": api])
    let run = try stage.start(Self.three)
    await stage.contains("test up")
    try run.restart(from: "db")
    let lines = ["db up", "api up", "test up", "test asked", "test down", "api asked"]
    await stage.becomes(lines)
    api.open()
    await stage.becomes(lines + ["api down", "db asked", "db down", "db up", "api up", "test up"])
    run.cancel()
    #expect(try await run.outcomeInTime() == .cancelled)
    #expect(stage.log.value.suffix(3) == ["db asked", "db down", "f runs"])
  }

  @Test func `a cancel during a restart keeps the order`() async throws {
    let test = Gate()
    let stage = Stage(ends: ["test": test])
    let run = try stage.start(Self.three)
    await stage.contains("test up")
    try run.restart(from: "api")
    await stage.contains("test asked")
    run.cancel()
    test.open()
    #expect(try await run.outcomeInTime() == .cancelled)
    #expect(
      stage.log.value.suffix(6) == [
        "test down", "api asked", "api down", "db asked", "db down", "f runs",
      ])
  }

  @Test func `a service that has started again keeps its place in the order`() async throws {
    let crash = Gate()
    let stage = Stage(crashes: ["db": crash])
    let run = try stage.start(
      "steps: [{ id: db, service: x, restart: { limit: 1, delay: 0s } }, { id: api, service: x }]")
    await stage.becomes(["db up", "api up"])
    crash.open()
    await stage.becomes(["db up", "api up", "db up"])
    run.cancel()
    #expect(try await run.outcomeInTime() == .cancelled)
    #expect(stage.log.value.suffix(4) == ["api asked", "api down", "db asked", "db down"])
  }

  @Test func `a service that crashes while others stop does not start again`() async throws {
    let (api, crash) = (Gate(), Gate())
    let stage = Stage(ends: ["api": api], crashes: ["db": crash])
    let run = try stage.start(
      "steps: [{ id: db, service: x, restart: { limit: 1, delay: 0s } }, { id: api, service: x }]")
    await stage.becomes(["db up", "api up"])
    run.cancel()
    await stage.becomes(["db up", "api up", "api asked"])
    crash.open()
    await expectEventually("it has failed") {
      run.state["db"]?.phase == .failed(.exited(status: 1))
    }
    api.open()
    #expect(try await run.outcomeInTime() == .cancelled)
    #expect(stage.log.value == ["db up", "api up", "api asked", "api down"])
  }
}

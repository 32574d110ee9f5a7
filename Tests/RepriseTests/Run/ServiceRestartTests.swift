import TestSupport
import Testing

@testable import Reprise

/// Services that are started again by hand, while what uses them goes on.
struct ServiceRestartTests {
  /// Services that run until they are stopped, or crash when a gate opens.
  private struct Stage {
    let log = Protected<[String]>([])
    /// Services end only when their gates are open.
    var ends: [String: Gate] = [:]
    /// The first attempts of services fail when their gates are open; later ones, too, at once.
    var crashes: [String: Gate] = [:]
    var attempts = 1...1
    /// Steps end when their gates are open.
    var steps: [String: Gate] = [:]

    func start(_ text: String) throws -> Run {
      let executor = ClosureExecutor { [self] context in
        let id = context.step.id
        log.withLock { $0.append("\(id) \(context.attempt)") }
        guard context.step.action.isService else {
          try await steps[id]?.waitUnlessCancelled()
          return [:]
        }
        context.reportReady(outputs: ["attempt": "\(context.attempt)"])
        if let crash = crashes[id], attempts.contains(context.attempt) {
          try await crash.waitUnlessCancelled()
          throw FailureReason.exited(status: 1)
        }
        do {
          try await Gate().waitUnlessCancelled()
        } catch {
          log.withLock { $0.append("\(id) asked") }
          await ends[id]?.wait()
          throw error
        }
        return [:]
      }
      return Engine(executor: executor).start(try Workflow(text: text, file: "w.yaml"))
    }

    func becomes(_ lines: [String]) async {
      await expectEventually("\(lines)") { log.value == lines }
      #expect(log.value == lines)
    }
  }

  /// How often a service with `restart: { limit: 2 }` runs that fails some time after it is ready.
  @Test(arguments: [(Duration.milliseconds(9900), 3), (.seconds(10), 8)])
  func `failures count anew once the service was ready for ten seconds`(
    _ time: Duration, _ count: Int
  ) async throws {
    let clock = VirtualClock()
    let attempts = Protected(0)
    let other = Gate()
    let executor = ClosureExecutor { context in
      guard context.step.action.isService else {
        try await other.waitUnlessCancelled()
        return [:]
      }
      context.reportReady()
      let number = attempts.withLock { attempts in
        attempts += 1
        return attempts
      }
      if number == 8 {
        other.open()
        try await Gate().waitUnlessCancelled()
      }
      try await clock.sleep(for: time)
      throw FailureReason.exited(status: 1)
    }
    let text = """
      steps:
        - { id: db, service: x, restart: { limit: 2, delay: 1s } }
        - { id: user, run: x }
      """
    let run = Engine(executor: executor, clock: clock)
      .start(try Workflow(text: text, file: "w.yaml"))
    let outcome = try await clock.end(of: run)
    #expect((outcome == .succeeded) == (count == 8))
    #expect(attempts.value == count)
  }

  @Test func `a service that was never alive is not steady`() throws {
    let workflow = try Workflow(
      text: "steps: [{ id: a, service: x, alive: { port: 1, every: 5s, failures: 3 } }]",
      file: "w.yaml")
    // Ten seconds besides the checks that find it dead.
    #expect(workflow.steps[0].extras.service?.steadyTime == .seconds(10 + 3 * (5 + 10)))
  }

  private static let text = """
    steps:
      - { id: db, service: x }
      - { id: first, run: x }
      - { id: second, run: x }
    """

  @Test func `a service starts again, and its users go on but do not start before it is ready`()
    async throws
  {
    let (db, first) = (Gate(), Gate())
    let stage = Stage(ends: ["db": db], steps: ["first": first])
    let run = try stage.start(Self.text)
    await stage.becomes(["db 1", "first 1"])
    let answer = try await run.perform(.restartServices(["db"]))
    #expect(answer.description == "step \"db\": starts again; what uses it goes on")
    #expect(answer.steps == ["db"])
    await stage.becomes(["db 1", "first 1", "db asked"])
    first.open()
    await expectEventually("the first step has ended") {
      run.state["first"]?.phase.isSuccess == true
    }
    await expectEventually("the second step waits") { run.state["second"]?.phase == .waiting }
    // A second request changes nothing.
    try await run.perform(.restartServices(["db"]))
    db.open()
    #expect(try await run.outcomeInTime() == .succeeded)
    #expect(stage.log.value == ["db 1", "first 1", "db asked", "db 2", "second 1", "db asked"])
    #expect(run.state.generation == 1)
    #expect(run.state["db"]?.phase == .succeeded(["attempt": "2"]))
  }

  @Test func `the delay before the next attempt ends, and the limit begins anew`() async throws {
    let (crash, first) = (Gate(), Gate())
    var stage = Stage(crashes: ["db": crash], steps: ["first": first])
    stage.attempts = 1...2
    let run = try stage.start(
      """
      steps:
        - { id: db, service: x, restart: { limit: 1, delay: 1h } }
        - { id: first, run: x }
      """)
    await stage.becomes(["db 1", "first 1"])
    crash.open()
    for attempt in 2...3 {
      await expectEventually("it waits for attempt \(attempt)") { run.state["db"]?.retry != nil }
      try await run.perform(.restartServices(["db"]))
      await expectEventually("attempt \(attempt)") { run.state["db"]?.attempt == attempt }
    }
    first.open()
    #expect(try await run.outcomeInTime() == .succeeded)
    #expect(stage.log.value.filter { $0.hasPrefix("db") } == ["db 1", "db 2", "db 3", "db asked"])
  }

  @Test func `a request between the end of an attempt and the delay after it is not lost`() async {
    var control = StepControl()
    control.open(for: 0)
    _ = control.awaitRestart()
    #expect(control.restart(by: .api) != nil)
    let ticket = control.awaitRestart(countsEarlier: true)
    let isAnswered = Protected(false)
    Task {
      if await ticket.value() != nil { isAnswered.withLock { $0 = true } }
    }
    await expectEventually("the delay ends") { isAnswered.value }
    #expect(control.takeRestart() == .api && control.takeRestart() == nil)
    // One that came before an attempt has begun is what it does.
    _ = control.awaitRestart()
    _ = control.restart(by: .api)
    _ = control.awaitRestart()
    #expect(control.takeRestart() == nil)
  }

  @Test func `a cancel while a service is being stopped to start again ends it`() async throws {
    let (db, first) = (Gate(), Gate())
    let stage = Stage(ends: ["db": db], steps: ["first": first])
    let run = try stage.start(Self.text)
    await stage.becomes(["db 1", "first 1"])
    try await run.perform(.restartServices(["db"]))
    await stage.becomes(["db 1", "first 1", "db asked"])
    run.cancel()
    await expectEventually("it is being cancelled") { run.state.phase == .cancelling(.request) }
    db.open()
    #expect(try await run.outcomeInTime() == .cancelled)
    #expect(run.state["db"]?.phase == .cancelled(.request))
    #expect(stage.log.value == ["db 1", "first 1", "db asked"])
  }

  @Test func `only running services are started again`() async throws {
    let first = Gate()
    let stage = Stage(steps: ["first": first])
    let run = try stage.start(
      """
      steps:
        - steps: [{ id: early, service: x }, { id: short, run: x }]
        - { id: first, run: x }
        - { id: late, service: x }
        - { id: last, run: x }
      """)
    await expectEventually("the first step runs") { run.state["first"]?.phase == .running }
    for (step, problem) in [
      ("first", "not a service"), ("early", "not running"), ("late", "not running"),
    ] {
      await #expect(
        throws: InterventionRefusal("step \"\(step)\": \(problem); restart from it instead")
      ) {
        try await run.perform(.restartServices([step]))
      }
    }
    await #expect(throws: InterventionRefusal("no service is named")) {
      try await run.perform(.restartServices([]))
    }
    first.open()
    #expect(try await run.outcomeInTime() == .succeeded)
  }
}

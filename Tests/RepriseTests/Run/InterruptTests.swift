import TestSupport
import Testing
import WorkflowFiles

@testable import Reprise

/// Runs that their program stops, to resume them later.
struct InterruptTests {
  /// A workflow of a step that waits until it is cancelled, with one before it and one under `finally`.
  private static func workflow(_ done: Protected<[String]>, waits: Bool = true) throws -> Workflow {
    try Workflow("interrupted") {
      Step("first") { _ in done.withLock { $0.append("first") } }
      Step("long") { context in
        if waits { try await context.clock.sleep(for: .seconds(600)) }
        done.withLock { $0.append("long") }
      }
    } finally: {
      Step("clean") { _ in done.withLock { $0.append("clean") } }
    }
  }

  private func start(_ done: Protected<[String]>) async throws -> Run {
    let run = Engine().start(try Self.workflow(done))
    await expectEventually("the long step runs") { run.state["long"]?.phase == .running }
    return run
  }

  @Test func `an interrupted run ends without its steps under finally, and is resumed`()
    async throws
  {
    let done = Protected<[String]>([])
    let run = try await start(done)
    run.interrupt()
    #expect(try await run.outcome == .interrupted)
    #expect(run.state["long"]?.phase == .cancelled(.interrupted))
    #expect(run.state["clean"]?.phase == .cancelled(.interrupted))
    #expect(done.value == ["first"])
    let resumed = try Engine().resume(run.state, with: try Self.workflow(done, waits: false))
    #expect(try await resumed.outcome == .succeeded)
    #expect(done.value == ["first", "long", "clean"])
  }

  @Test func `a cancel is final, also of a run that is being interrupted`() async throws {
    let gate = Gate()
    let run = Engine().start(try Workflow("held") { Step("held") { _ in await gate.wait() } })
    await expectEventually("it runs") { run.state["held"]?.phase == .running }
    run.interrupt()
    await expectEventually("it is being interrupted") {
      run.state.phase == .cancelling(.interrupted)
    }
    run.cancel()
    await expectEventually("it is being cancelled") { run.state.phase == .cancelling(.request) }
    gate.open()
    #expect(try await run.outcome == .cancelled)
  }

  @Test func `a run that is being cancelled is not interrupted, and an ended one stays as it is`()
    async throws
  {
    let done = Protected<[String]>([])
    let run = try await start(done)
    run.cancel()
    run.interrupt()
    #expect(try await run.outcome == .cancelled)
    #expect(done.value == ["first", "clean"])
    run.interrupt()
    #expect(run.state.phase == .ended(.cancelled))
  }

  @Test func `an interruption ends a restart in progress`() async throws {
    let gate = Gate()
    let run = Engine().start(try Workflow("held") { Step("held") { _ in await gate.wait() } })
    await expectEventually("it runs") { run.state["held"]?.phase == .running }
    run.restart()
    await expectEventually("it is being restarted") { run.state.phase == .restarting }
    run.interrupt()
    gate.open()
    #expect(try await run.outcome == .interrupted)
    #expect(run.state.generation == 1)
  }

  /// How a restart that waits for a step ends before its generation begins.
  enum Ending: CaseIterable {
    case death, interruption, abandonment, cancel
  }

  @Test(arguments: Ending.allCases)
  func `a restart that was answered is done when the run is resumed, unless it was cancelled`(
    _ ending: Ending
  ) async throws {
    let gate = Gate()
    let begun = Protected<[String]>([])
    let workflow = try Workflow("held") {
      Step("other") { context in begun.withLock { $0.append("other\(context.generation)") } }
      Step("a", .needs([String]())) { context in
        begun.withLock { $0.append("a\(context.generation)") }
      }
      Step("b", .needs("a")) { context in
        begun.withLock { $0.append("b\(context.generation)") }
        await gate.wait()
        try Task.checkCancellation()
      }
    }
    let run = Engine().start(workflow)
    await expectEventually("b runs") { run.state["b"]?.phase == .running }
    try await run.perform(.restart(from: ["a"]))
    let state = run.state
    #expect(state.phase == .restarting)
    switch ending {
    case .death: break
    case .interruption: run.interrupt()
    case .abandonment: run.abandon(because: "the disk is full")
    case .cancel: run.cancel()
    }
    if ending != .death {
      await expectEventually("it is being stopped") { run.state.phase != .restarting }
    }
    gate.open()
    _ = try await run.outcome
    let last = ending == .death ? state : run.state
    var folded = RunState()
    for event in last.recap { try folded.apply(event) }
    #expect(folded == last)
    begun.withLock { $0 = [] }
    let resumed = try Engine().resume(last, with: workflow)
    #expect(try await resumed.outcome == .succeeded)
    #expect(begun.value == (ending == .cancel ? ["b2"] : ["a2", "b2"]))
  }
}

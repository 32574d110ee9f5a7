import Reprise
import Synchronization
import TestSupport
import Testing

/// Calls that may wait for a disk do not run on the threads of the cooperative pool.
struct BlockingTests {
  /// An engine whose steps run until they are stopped, but only in the first generation.
  private static let engine = Engine(
    executor: ClosureExecutor { context in
      while !Task.isCancelled && context.generation == 1 { await Task.yield() }
      try Task.checkCancellation()
      return [:]
    })

  private static func workflow() throws -> Workflow {
    try Workflow(text: "steps: [{ id: a, run: x }]", file: "w.yaml")
  }

  private static var isInTask: Bool { withUnsafeCurrentTask { $0 != nil } }

  @Test func `a restart is accepted outside of tasks, before it takes effect`() async throws {
    let workflow = try Self.workflow()
    let run = Self.engine.start(workflow)
    let seen = Protected<[String]>([])
    let isDone = await run.reload(workflow, .whole) { _ in
      seen.withLock { $0 = ["\(Self.isInTask)", "\(run.state.phase)", "\(run.state.generation)"] }
      // A request that is made now comes after the restart.
      run.restart()
      return true
    }
    #expect(isDone)
    #expect(seen.value == ["false", "running", "1"])
    #expect(try await run.outcome == .succeeded)
    #expect(run.state.generation == 2)
  }

  @Test func `a restart that is not accepted has no effect`() async throws {
    let workflow = try Self.workflow()
    let run = Self.engine.start(workflow)
    #expect(await !run.reload(workflow, .from(["a"])) { _ in false })
    #expect(run.state.phase == .running)
    run.cancel()
    #expect(try await run.outcome == .cancelled)
    #expect(run.state.generation == 1)
    let isAsked = Protected(false)
    let isDone = await run.reload(workflow, .whole) { _ in
      isAsked.withLock { $0 = true }
      return true
    }
    #expect(!isDone && !isAsked.value)
  }

  private final class Memory: StepMemory {
    let calls = Protected<[String]>([])

    func recall(_ step: String) -> StepTrace? {
      note("recall")
      return nil
    }

    func remember(_ trace: StepTrace, of step: String) { note("remember") }

    private func note(_ call: String) {
      calls.withLock { $0.append(isInTask ? "\(call) in a task" : call) }
    }
  }

  @Test func `the step memory is called outside of tasks`() async throws {
    let memory = Memory()
    let engine = Engine(executor: ClosureExecutor { _ in [:] }, memory: memory)
    let workflow = try Workflow(
      text: "steps: [{ id: a, run: x, cache: { key: k } }]", file: "w.yaml")
    #expect(try await engine.start(workflow).outcome == .succeeded)
    #expect(memory.calls.value == ["recall", "recall", "remember", "recall", "remember"])
  }
}

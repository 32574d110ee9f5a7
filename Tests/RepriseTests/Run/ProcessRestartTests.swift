import ChildProcesses
import Foundation
import Reprise
import TestSupport
import Testing

/// Restarts with real processes, the central promise of the engine.
@Suite(.serialized) struct ProcessRestartTests {
  init() {
    // As the command does: orphans that left their session become children of this process.
    adoptOrphans()
  }

  /// The coordinator with shorter steps; two of them start background processes, one in a new
  /// session.
  private static let text = """
    name: coordinator
    grace: 2s
    steps:
      - { id: step-1, run: sleep 0.02 }
      - parallel:
          - { id: step-2-1, run: "(setsid sleep 0.05 &); sleep 0.04" }
          - { id: step-2-2, run: sleep 0.02 }
          - { id: step-2-3, run: "sleep 0.06 & wait" }
      - { id: step-3, run: sleep 0.02 }
      - { id: step-4, run: sleep 0.02 }
    """

  /// Returns the live processes of older generations of a run.
  private static func older(than generation: Int, of run: RunID) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.filter { Int($0) != nil }.filter { pid in
      let data = FileManager.default.contents(atPath: "/proc/\(pid)/environ") ?? Data()
      let entries = data.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      guard entries.contains("REPRISE_RUN_ID=\(run)") else { return false }
      return !entries.contains("REPRISE_GENERATION=\(generation)")
    }
  }

  /// Runs steps as processes, after a search for processes of older generations.
  private struct WatchingExecutor: Executor {
    let local = LocalExecutor()
    let survivors: Protected<[String]>

    func execute(_ context: StepContext) async throws -> StepOutputs {
      let found = ProcessRestartTests.older(than: context.generation, of: context.run)
      survivors.withLock { $0 += found }
      return try await local.execute(context)
    }
  }

  @Test func `restarts at random moments leave no process of an older generation`() async throws {
    var generator = SeededGenerator.announced()
    let workflow = try Workflow(text: Self.text, file: "coordinator.yaml")
    let survivors = Protected<[String]>([])
    let engine = Engine(executor: WatchingExecutor(survivors: survivors))
    let clock = SystemClock()
    var restarts = 0
    let goal = rounds(60, soak: 1000)
    while restarts < goal {
      let run = engine.start(workflow)
      let collector = EventCollector(run)
      for _ in 0..<10 where restarts < goal && run.state.phase.isActive {
        try await clock.sleep(for: .milliseconds(Int.random(in: 0...130, using: &generator)))
        run.restart()
        restarts += 1
      }
      #expect(try await run.outcome == .succeeded)
      let events = await collector.all()
      expectNoOldEvents(events)
      let last = try #require(events.last).generation
      #expect(events.filter { $0.generation == last }.succeededSteps.count == 6)
      #expect(Self.older(than: 0, of: run.id) == [])
    }
    #expect(survivors.value == [])
  }

  @Test func `a cancelled run leaves no process`() async throws {
    let workflow = try Workflow(
      text: "steps: [{ id: a, run: \"(setsid sleep 70 &); sleep 70 & sleep 70\" }]", file: "w.yaml")
    let run = Engine().start(workflow)
    await expectEventually("the processes run") { Self.older(than: 0, of: run.id).count >= 3 }
    run.cancel()
    #expect(try await run.outcome == .cancelled)
    #expect(Self.older(than: 0, of: run.id) == [])
  }

  @Test func `a grandchild that keeps the output open does not delay the end of its step`()
    async throws
  {
    let workflow = try Workflow(
      text: "steps: [{ id: a, run: \"sleep 70 & echo done\" }]", file: "w.yaml")
    let run = Engine().start(workflow)
    #expect(try await run.outcome == .succeeded)
    let step = try #require(run.state["a"])
    #expect(step.output.lines.map(\.text) == ["done"])
    let (startedAt, endedAt) = (try #require(step.startedAt), try #require(step.endedAt))
    #expect(endedAt - startedAt < promised(.seconds(3), busy: .seconds(30)))
  }

  @Test func `environment, directory and shell come from engine, workflow and step`() async throws {
    let workflow = try Workflow(
      text: """
        env: { A: workflow, B: workflow }
        dir: share
        steps:
          - { id: a, run: 'echo "$A $B $C"; pwd', env: { B: step }, dir: doc }
          - { id: b, run: 'false | true; echo reached', shell: bash }
          - { id: c, exec: [printf, "%s|", "a b", "$A", "*"], needs: [] }
          - { id: d, run: "false\\necho never", needs: [] }
        """, file: "w.yaml")
    let executor = LocalExecutor(
      environment: ["PATH": "/usr/bin:/bin", "C": "engine", "A": "engine"], directory: "/usr")
    let run = Engine(executor: executor).start(workflow)
    _ = try await run.outcome
    let lines = run.state.steps.map { $0.output.lines.map(\.text) }
    #expect(lines[0] == ["workflow step engine", "/usr/share/doc"])
    #expect(lines[1] == [] && run.state["b"]?.phase == .failed(.exited(status: 1)))
    #expect(lines[2] == ["a b|$A|*|"])
    #expect(lines[3] == [] && run.state["d"]?.phase == .failed(.exited(status: 1)))
  }
}

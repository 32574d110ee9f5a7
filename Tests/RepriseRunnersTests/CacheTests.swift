import Foundation
import Reprise
import TestSupport
import Testing

@testable import RepriseRunners

/// The cache, with runners whose files are elsewhere.
struct CacheTests {
  private final class Memory: StepMemory {
    let traces = Protected<[String: StepTrace]>([:])

    func recall(_ step: String) -> StepTrace? { traces.value[step] }
    func remember(_ trace: StepTrace, of step: String) { traces.withLock { $0[step] = trace } }
  }

  private static var far: RunnerCase? {
    RunnerCase.all.first { $0.kind == "ssh" }.map {
      RunnerCase(kind: $0.kind, settings: $0.settings.dropLast() + ", \"files\": \"rsync\"}")
    }
  }

  @Test(.enabled(if: far != nil, "needs ssh: Scripts/runners-test ssh"))
  func `files that are copied there and back are up to date here`() async throws {
    let far = try #require(Self.far)
    let folder = try TemporaryFolder()
    try folder.write("in", "1".utf8)
    let memory = Memory()
    var engine = Engine(executor: LocalExecutor(directory: folder.path), memory: memory)
    StandardRunners.register(with: &engine)
    engine.surroundings = RunnerSurroundings(
      attempts: folder.path + "/.attempts", hostProgram: RunnerCase.program)
    let workflow = try far.workflow(
      """
      steps:
        - { id: a, run: cat in > out; echo ran >> runs, cache: { inputs: [in], makes: [out] } }

      """)
    func phase() async throws -> StepPhase? {
      let run = engine.start(workflow)
      _ = try await run.outcome
      return run.state["a"]?.phase
    }
    #expect(try await phase() == .succeeded([:]))
    #expect(folder.lines("out") == ["1"])
    #expect(try await phase() == .skipped("up to date", [:]))
    try folder.write("in", "2".utf8)
    #expect(try await phase() == .succeeded([:]))
    #expect(folder.lines("out") == ["2"] && folder.lines("runs") == ["ran", "ran"])
  }
}

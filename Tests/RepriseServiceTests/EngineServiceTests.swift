#if ServiceLifecycle
import Logging
import Reprise
import RepriseService
import ServiceLifecycle
import TestSupport
import Testing

/// An engine among the services of a program.
struct EngineServiceTests {
  private func workflow(_ gate: Gate, cleanup: Protected<Int>) throws -> Workflow {
    try Workflow("long") {
      Step("a") { _ in
        defer { cleanup.withLock { $0 += 1 } }
        try await gate.waitOrStop()
      }
    }
  }

  private func group(_ service: EngineService) -> ServiceGroup {
    ServiceGroup(services: [service], logger: Logger(label: "t") { _ in SwiftLogNoOpLogHandler() })
  }

  @Test func `a graceful shutdown cancels the runs and waits until nothing is left of them`()
    async throws
  {
    let ended = Protected(0)
    let service = EngineService(Engine())
    let group = group(service)
    let serving = Task { try await group.run() }
    let runs = try (0..<5).map { _ in try service.start(workflow(Gate(), cleanup: ended)) }
    await expectEventually("all run") { runs.allSatisfy { $0.state.counts.running == 1 } }
    await group.triggerGracefulShutdown()
    try await serving.value
    #expect(ended.value == 5 && service.runCount == 0)
    for run in runs { #expect(await run.outcome == .cancelled) }
    #expect(throws: EngineService.ShuttingDown.self) {
      try service.start(workflow(Gate(), cleanup: ended))
    }
  }

  @Test func `runs may be left to come to their own end`() async throws {
    let gate = Gate()
    let service = EngineService(Engine(), ending: .finishing)
    let group = group(service)
    let serving = Task { try await group.run() }
    let run = try service.start(workflow(gate, cleanup: Protected(0)))
    await expectEventually("it runs") { run.state.counts.running == 1 }
    await group.triggerGracefulShutdown()
    await expectEventually("nothing starts any more") {
      (try? service.start(workflow(gate, cleanup: Protected(0)))) == nil
    }
    #expect(run.state.phase == .running)
    gate.open()
    try await serving.value
    #expect(await run.outcome == .succeeded)
  }
}
#endif

#if ServiceLifecycle
import Dispatch
import Foundation
import Logging
import Reprise
import RepriseService
import ServiceLifecycle
import TestSupport
import Testing

/// An engine as a service of a program.
struct EngineServiceTests {
  private func workflow(_ gate: Gate, cleanup: Protected<Int>) throws -> Workflow {
    try Workflow("long") {
      Step("a") { _ in
        defer { cleanup.withLock { $0 += 1 } }
        try await gate.waitUnlessCancelled()
      }
    }
  }

  private func group(_ service: EngineService) -> ServiceGroup {
    ServiceGroup(services: [service], logger: Logger(label: "t") { _ in SwiftLogNoOpLogHandler() })
  }

  @Test(arguments: [
    (EngineService.Ending.interrupting, RunOutcome.interrupted), (.cancelling, .cancelled),
  ])
  func `a graceful shutdown ends the runs as it was set to, and waits for their end`(
    _ ending: EngineService.Ending, _ outcome: RunOutcome
  ) async throws {
    let ended = Protected(0)
    let service = EngineService(Engine(), ending: ending)
    let group = group(service)
    let serving = Task { try await group.run() }
    let runs = try (0..<5).map { _ in try service.start(workflow(Gate(), cleanup: ended)) }
    await expectEventually("all runs have started") {
      runs.allSatisfy { $0.state.counts.running == 1 }
    }
    await group.triggerGracefulShutdown()
    try await serving.value
    #expect(ended.value == 5 && service.runCount == 0)
    for run in runs { #expect(try await run.outcome == outcome) }
    #expect(throws: EngineService.ShuttingDown.self) {
      try service.start(workflow(Gate(), cleanup: ended))
    }
  }

  @Test func `resumed, triggered and tracked runs end with the service, too`() async throws {
    let ended = Protected(0)
    let service = EngineService(Engine())
    let group = group(service)
    let serving = Task { try await group.run() }
    let events = PassthroughSubject<Int, Never>()
    let subscription = service.runs(of: try workflow(Gate(), cleanup: ended), on: events)
      .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    events.send(1)
    service.track(Engine().start(try workflow(Gate(), cleanup: ended)))
    let failed = Engine().start(try Workflow("long") { Step("a", run: "false") })
    _ = try await failed.outcome
    let resumed = try service.resume(failed.state, with: workflow(Gate(), cleanup: ended))
    #expect(resumed.id == failed.id)
    await expectEventually("all of them run") {
      service.runs.filter { $0.state.counts.running == 1 }.count == 3
    }
    await group.triggerGracefulShutdown()
    try await serving.value
    #expect(ended.value == 3 && service.runCount == 0)
    events.send(2)
    #expect(throws: EngineService.ShuttingDown.self) {
      try service.resume(failed.state, with: workflow(Gate(), cleanup: ended))
    }
    subscription.cancel()
  }

  @Test func `a graceful shutdown may let runs finish`() async throws {
    let gate = Gate()
    let service = EngineService(Engine(), ending: .finishing)
    let group = group(service)
    let serving = Task { try await group.run() }
    let run = try service.start(workflow(gate, cleanup: Protected(0)))
    await expectEventually("it runs") { run.state.counts.running == 1 }
    await group.triggerGracefulShutdown()
    await expectEventually("no run can be started any more") {
      (try? service.start(workflow(gate, cleanup: Protected(0)))) == nil
    }
    #expect(run.state.phase == .running)
    gate.open()
    try await serving.value
    #expect(try await run.outcome == .succeeded)
  }

  @Test func `a shutdown waits for a run that is starting`() async throws {
    let gate = Gate()
    let holding = Holding()
    var engine = Engine()
    engine.observer = holding
    let service = EngineService(engine, ending: .finishing)
    let group = group(service)
    let isOver = Protected(false)
    let serving = Task {
      try await group.run()
      isOver.withLock { $0 = true }
    }
    let workflow = try workflow(gate, cleanup: Protected(0))
    let late = Protected(Run?.none)
    Thread.detachNewThread {
      let run = try? service.start(workflow)
      late.withLock { $0 = run }
    }
    await expectEventually("the run is starting") { holding.isHolding }
    await group.triggerGracefulShutdown()
    await expectEventually("no other run can be started any more") {
      (try? service.start(Workflow("none") { Step("a") { _ in } })) == nil
    }
    await expectEventually("the others are over") { service.runCount == 0 }
    for _ in 0..<1000 { await Task.yield() }
    #expect(!isOver.value)
    holding.release()
    await expectEventually("it runs") { late.value?.state.counts.running == 1 }
    #expect(!isOver.value)
    gate.open()
    try await serving.value
    #expect(try await late.value?.outcome == .succeeded)
  }

  /// Blocks the start of the first run.
  private final class Holding: EngineObserver {
    private let count = Protected(0)
    private let semaphore = DispatchSemaphore(value: 0)

    init() {}

    var isHolding: Bool { count.value > 0 }

    func release() { semaphore.signal() }

    func runStarted(_ run: RunID, of workflow: Workflow) -> (any RunObserver)? {
      let isFirst = count.withLock { count in
        count += 1
        return count == 1
      }
      if isFirst { semaphore.wait() }
      return nil
    }
  }
}
#endif

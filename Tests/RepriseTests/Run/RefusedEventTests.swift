import TestSupport
import Testing

@testable import Reprise

/// Events in an order that the state of a run does not allow.
struct RefusedEventTests {
  private static let text = """
    steps:
      - { id: a, run: x }
      - { id: b, run: x }
    finally: [{ id: f, run: x }]
    """

  /// Starts a run whose step `a` runs until it is stopped.
  private func start(_ recorder: RecorderTests.Memory? = nil) async throws -> Run {
    let executor = ClosureExecutor { context in
      if context.step.id == "f" { return [:] }
      try await Gate().waitUnlessCancelled()
      return [:]
    }
    let engine = Engine(executor: executor, recorder: recorder)
    let run = engine.start(try Workflow(text: Self.text, file: "w.yaml"))
    await expectEventually("a runs") { run.state["a"]?.phase == .running }
    return run
  }

  @Test func `an event that the state refuses abandons the run and stops its steps`() async throws {
    let memory = RecorderTests.Memory()
    let run = try await start(memory)
    let events = EventCollector(run)
    let isRecorded = run.ledger.decide { $0.record(.ready([:]), of: StepIndex(1), attempt: 1) }
    #expect(!isRecorded)
    let outcome = try await run.outcome
    guard case .abandoned(let problem) = outcome else {
      Issue.record("the run has ended as \(outcome)")
      return
    }
    #expect(problem.contains("unexpected order of events"))
    #expect(problem.contains("ready to be used"))
    #expect(outcome.exitStatus == 4)
    #expect(run.state["a"]?.phase == .cancelled(.abandoned(problem)))
    #expect(run.state["f"]?.phase == .cancelled(.abandoned(problem)))
    // The record and the listeners see a valid order, without the refused event.
    var folded = RunState()
    for event in memory.events.value where !event.isOutput { try folded.apply(event) }
    #expect(folded == run.state)
    #expect(await events.all().last?.kind == .runEnded(outcome))
  }

  @Test func `a step whose end the state refuses ends nevertheless`() async throws {
    let run = try await start()
    run.ledger.decide { $0.record(.succeeded([:]), of: StepIndex(1), attempt: 1) }
    guard case .cancelled(.abandoned)? = run.state["b"]?.phase else {
      Issue.record("b is \(String(describing: run.state["b"]?.phase))")
      return
    }
    guard case .abandoned = try await run.outcome else {
      Issue.record("the run has not been abandoned")
      return
    }
  }

  @Test func `an event of a step that the run does not have is refused`() async throws {
    let run = try await start()
    let isRecorded = run.ledger.decide { $0.record(.waiting, of: StepIndex(99), attempt: 1) }
    #expect(!isRecorded)
    run.ledger.decide { $0.record(.step("foreign", attempt: 1, .waiting), of: StepIndex(7)) }
    guard case .abandoned = try await run.outcome else {
      Issue.record("the run has not been abandoned")
      return
    }
  }

  @Test func `an event refused during the end makes the run abandoned`() async throws {
    let run = try await start()
    run.cancel()
    await expectEventually("the run is being cancelled") {
      if case .running = run.state.phase { false } else { true }
    }
    let isLate = run.ledger.decide { page in
      if case .ended = page.state.phase { return true }
      page.record(.runRestarting(from: nil))
      return false
    }
    let outcome = try await run.outcome
    guard !isLate else { return }
    guard case .abandoned = outcome else {
      Issue.record("the run has ended as \(outcome)")
      return
    }
  }
}

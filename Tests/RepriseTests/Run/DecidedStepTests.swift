import TestSupport
import Testing

@testable import Reprise

/// What a person has decided about a step, in a run that was interrupted and goes on.
struct DecidedStepTests {
  /// A question with a step after it, and others beside it.
  private static let text = """
    finally:
      - { id: tidy, run: x }
    steps:
      - id: first
        run: x
      - { id: ask, needs: first, approval: Go?, run: x }
      - { id: after, needs: ask, run: x }
      - { id: beside, needs: first, run: x }
    """

  private static func workflow(_ head: String = "") throws -> Workflow {
    try Workflow(text: head + text, file: "w.yaml")
  }

  /// Runs a workflow until an answer, with a step beside that is released after it.
  ///
  /// - Returns: The events.
  private static func events(
    of workflow: Workflow, _ decide: (Run) async throws -> Void
  ) async throws -> [Event] {
    let memory = RecorderTests.Memory()
    let gate = Gate()
    let executor = ClosureExecutor { context in
      if context.step.id == "beside" {
        await gate.wait()
        try Task.checkCancellation()
      }
      return [:]
    }
    let run = Engine(executor: executor, recorder: memory).start(workflow)
    await expectEventually("it asks, and another step runs") {
      run.state["ask"]?.approval != nil && run.state["beside"]?.phase == .running
    }
    try await decide(run)
    gate.open()
    _ = try await run.outcome
    return memory.events.value
  }

  /// Runs a workflow until its question is refused, and then to its end.
  ///
  /// - Returns: The events, and the position of the refusal among them.
  private static func refusal(
    in workflow: Workflow, by requester: Requester = .api
  ) async throws -> (events: [Event], position: Int) {
    let events = try await events(of: workflow) { run in
      try await run.perform(.approve(step: "ask", isApproved: false), by: requester)
    }
    let position = try #require(
      events.firstIndex {
        if case .step("ask", _, .failed(.rejected)) = $0.kind { true } else { false }
      })
    return (events, position)
  }

  private struct Continued {
    var outcome: RunOutcome?
    var state: RunState
    var begun: [String]
  }

  /// Resumes the run of some events, and answers no question.
  private static func resume(
    _ events: some Sequence<Event>, from step: String? = nil, with workflow: Workflow
  ) async throws -> Continued {
    var state = RunState()
    for event in events { try state.apply(event) }
    if let step { state = state.restarting(from: step) }
    let begun = Protected<[String]>([])
    let memory = RecorderTests.Memory()
    let executor = ClosureExecutor { context in
      begun.withLock { $0.append(context.step.id) }
      return [:]
    }
    let run = try Engine(executor: executor, recorder: memory).resume(state, with: workflow)
    await expectEventually("it ends or asks") {
      !run.state.awaitingApproval.isEmpty || !run.state.phase.isActive
    }
    let asks = run.state.phase.isActive
    let outcome = asks ? nil : try await run.outcome
    var folded = RunState()
    for event in events { try folded.apply(event) }
    if step == nil {
      for event in memory.events.value { try folded.apply(event) }
      if !asks { #expect(folded == run.state, "the record folds to the state of the run") }
    }
    if asks {
      run.cancel()
      _ = try await run.outcome
    }
    return Continued(outcome: outcome, state: run.state, begun: begun.value)
  }

  @Test
  func `a result that was set while its step is being stopped counts when the run is interrupted`()
    async throws
  {
    let memory = RecorderTests.Memory()
    let gate = Gate()
    let workflow = try Workflow(
      text: "steps: [{ id: a, run: x }, { id: b, run: x }]", file: "w.yaml")
    let executor = ClosureExecutor { _ in
      await gate.wait()
      try Task.checkCancellation()
      return [:]
    }
    let run = Engine(executor: executor, recorder: memory).start(workflow)
    await expectEventually("it runs") { run.state["a"]?.phase == .running }
    try await run.perform(.set(steps: ["a"], .succeeded(["value": "hand"])))
    run.interrupt()
    await expectEventually("it is being interrupted") { run.state.phase != .running }
    gate.open()
    #expect(try await run.outcome == .interrupted)
    let continued = try await Self.resume(memory.events.value, with: workflow)
    #expect(continued.outcome == .succeeded && continued.begun == ["b"])
    #expect(continued.state["a"]?.phase == .succeeded(["value": "hand"]))
  }

  private static let failure = RunOutcome.failed(step: "ask", reason: .rejected)

  @Test func `a refused step is not asked again`() async throws {
    let workflow = try Self.workflow()
    let (events, refused) = try await Self.refusal(in: workflow, by: Requester(.key))
    for length in (refused + 1)..<events.count {
      let continued = try await Self.resume(events.prefix(length), with: workflow)
      #expect(continued.outcome == Self.failure, "after \(length) events")
      #expect(continued.state["ask"]?.interventions.last?.by?.kind == .key)
      #expect(continued.state["after"]?.phase == .cancelled(.failure(ofStep: "ask")))
      #expect(!continued.begun.contains("ask") && continued.begun.contains("tidy"))
    }
    let before = try await Self.resume(events.prefix(refused), with: workflow)
    #expect(before.outcome == nil, "without the record of the refusal, it asks")
  }

  @Test func `a refused step is asked again in a run that had ended, or from it`() async throws {
    let workflow = try Self.workflow()
    let (events, _) = try await Self.refusal(in: workflow)
    let ended = try await Self.resume(events, with: workflow)
    #expect(ended.outcome == nil)
    for step in ["ask", "first"] {
      let again = try await Self.resume(events.dropLast(), from: step, with: workflow)
      #expect(again.outcome == nil, "from \(step)")
    }
    let other = try await Self.resume(events.dropLast(), from: "beside", with: workflow)
    #expect(other.outcome == Self.failure)
  }

  @Test func `a refusal that is not recorded again survives a second interruption`() async throws {
    let workflow = try Self.workflow()
    var (events, _) = try await Self.refusal(in: workflow)
    events.removeLast()
    for _ in 0..<2 {
      var state = RunState()
      for event in events { try state.apply(event) }
      let memory = RecorderTests.Memory()
      let run = try Engine(executor: ClosureExecutor { _ in [:] }, recorder: memory)
        .resume(state, with: workflow)
      #expect(try await run.outcome == Self.failure)
      // Interrupted right after the generation has begun.
      events += memory.events.value.prefix(2)
    }
  }

  @Test(arguments: ["beside", "after"])
  func `a step that was cancelled alone does not run again`(_ step: String) async throws {
    let workflow = try Self.workflow()
    let events = try await Self.events(of: workflow) { run in
      try await run.perform(.cancel(steps: [step], now: false), by: Requester(.key))
      try await run.perform(.approve(step: "ask", isApproved: true), by: .api)
    }
    let asked = try #require(
      events.firstIndex {
        switch $0.kind {
        case .step(step, _, .cancelling), .step(step, _, .cancelled): true
        default: false
        }
      })
    let approved = try #require(
      events.firstIndex { if case .step("ask", _, .approved) = $0.kind { true } else { false } })
    for length in (max(asked, approved) + 1)..<events.count {
      var state = RunState()
      for event in events.prefix(length) { try state.apply(event) }
      guard state["ask"]?.phase.isSuccess == true else { continue }
      let continued = try await Self.resume(events.prefix(length), with: workflow)
      #expect(continued.outcome == .cancelled, "after \(length) events")
      #expect(continued.state[step]?.phase == .cancelled(.request))
      #expect(!continued.begun.contains(step))
    }
  }

  @Test func `what a refusal has stopped stays stopped`() async throws {
    let workflow = try Self.workflow("fail-fast: true\n")
    let (events, refused) = try await Self.refusal(in: workflow)
    for length in (refused + 1)..<events.count {
      let continued = try await Self.resume(events.prefix(length), with: workflow)
      #expect(continued.outcome == Self.failure, "after \(length) events")
      #expect(!continued.begun.contains("after"))
    }
  }

  @Test func `a refusal that is tolerated lets the steps after it run`() async throws {
    let text = Self.text.replacing("approval: Go?", with: "approval: Go?, continue-on-error: true")
    let workflow = try Workflow(text: text, file: "w.yaml")
    let (events, refused) = try await Self.refusal(in: workflow)
    let continued = try await Self.resume(events.prefix(refused + 1), with: workflow)
    #expect(continued.outcome == .succeeded)
    #expect(continued.begun.contains("after") && !continued.begun.contains("ask"))
  }
}

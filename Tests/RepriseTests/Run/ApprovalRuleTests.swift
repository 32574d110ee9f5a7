import TestSupport
import Testing

@testable import Reprise

/// Approvals with values, with a time limit, and after the work.
struct ApprovalRuleTests {
  private func start(
    _ approval: String, _ clock: VirtualClock = VirtualClock(), work: String = "",
    ran: Protected<[String]> = Protected([])
  ) throws -> Run {
    let engine = Engine(
      executor: ClosureExecutor { context in
        ran.withLock { $0.append(context.step.id) }
        return context.step.id == "go" ? ["own": "x"] : context.resolved.environment
      }, clock: clock)
    return engine.start(
      try Workflow(
        text: """
          steps:
            - { id: go, \(work)approval: \(approval) }
            - { id: b, env: { V: "${{ toJSON(steps.go.outputs) }}" }, run: x }
          """, file: "w.yaml"))
  }

  private func waits(_ run: Run) async {
    await expectEventually("the step waits for approval") { !run.state.awaitingApproval.isEmpty }
  }

  @Test func `given values become outputs, and wrong ones are refused`() async throws {
    let run = try start("{ message: Go?, values: { why: { type: string }, n: 3 } }")
    await waits(run)
    for values in [[:], ["why": "x", "n": "many"], ["why": "x", "other": "y"]] {
      await #expect(throws: InterventionRefusal.self) {
        try await run.perform(.approve(step: "go", isApproved: true, values: values), by: .api)
      }
    }
    #expect(try !run.approve("go"))
    let empty = Intervention.approve(step: "go", isApproved: true)
    for (requester, hint) in [
      (Requester.api, "give the values in `values`"),
      (Requester(.key), "reprise approve \(run.id) go"),
    ] {
      let refusal = await #expect(throws: InterventionRefusal.self) {
        try await run.perform(empty, by: requester)
      }
      #expect("\(try #require(refusal))".contains(hint))
    }
    try await run.perform(.approve(step: "go", isApproved: true, values: ["why": "x"]), by: .api)
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["go"]?.phase == .succeeded(["why": "x", "n": "3"]))
    #expect(run.state["b"]?.phase == .succeeded(["V": "{\"n\":\"3\",\"why\":\"x\"}"]))
  }

  @Test func `the question names the values, and the API can give them`() async throws {
    let run = try start("{ message: Go?, values: { why: { type: string }, n: 3 } }")
    await waits(run)
    #expect(run.state.awaitingApproval.map(\.approval) == ["Go? [values: why, n=3]"])
    #expect(try run.approve("go", values: ["why": "x", "n": "4"]))
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["go"]?.phase == .succeeded(["why": "x", "n": "4"]))
  }

  @Test func `a rejection after the work is not retried`() async throws {
    let ran = Protected<[String]>([])
    let run = try start("{ message: Good?, after: true }", work: "retry: 3, run: x, ", ran: ran)
    await waits(run)
    #expect(try run.refuse("go"))
    _ = try await run.outcome
    #expect(ran.value == ["go"] && run.state["go"]?.phase == .failed(.rejected))
    #expect(run.state.awaitingApproval.isEmpty)
  }

  @Test func `a declaration in Swift is the same`() throws {
    let values = [
      Parameter(name: "why"), Parameter(name: "n", kind: .integer, defaultValue: .number(3)),
    ]
    let declared = try Workflow("w") {
      Step("go", approval: "Go?", values: values, timeout: .seconds(60), orApprove: false)
      Step("b", run: "x", .approval("Good?", timeout: .seconds(5), after: true))
    }
    let rules = declared.steps.map { $0.extrasIfAny?.approvalRule }
    #expect(Set(rules[0]?.values.map(\.name) ?? []) == ["why", "n"])
    #expect(rules[0]?.timeout == .seconds(60) && rules[0]?.isAfter == false)
    #expect(rules[1]?.timeout == .seconds(5) && rules[1]?.isAfter == true)
  }

  @Test func `values are added to the outputs of the work`() async throws {
    let run = try start("{ message: Go?, values: { n: 3 } }", work: "run: x, ")
    await waits(run)
    #expect(try run.approve("go"))
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["go"]?.phase == .succeeded(["n": "3", "own": "x"]))
  }

  @Test(arguments: [
    "wait: 1ms, ", "run: x, continue-on-error: true, ", "service: x, ",
    "run: x, cache: { key: k }, ",
  ])
  func `values are outputs of every kind of step, however it ends`(_ work: String) async throws {
    let memory = TraceMemory()
    for value in ["first", "second"] {
      let executor = ClosureExecutor { context in
        guard context.step.id == "go" else { return context.resolved.environment }
        if context.step.action.isService {
          context.reportReady(outputs: [:])
          try await Gate().waitUnlessCancelled()
        }
        if context.step.extras.continuesOnError { throw FailureReason.exited(status: 1) }
        return [:]
      }
      let run = Engine(executor: executor, memory: memory).start(
        try Workflow(
          text: """
            steps:
              - { id: go, \(work)approval: { message: Go?, values: { v: { type: string } } } }
              - { id: b, env: { V: "${{ steps.go.outputs.v }}" }, run: x }
            """, file: "w.yaml"))
      await waits(run)
      #expect(try run.approve("go", values: ["v": value]))
      #expect(try await run.outcome == .succeeded)
      #expect(run.state["b"]?.phase == .succeeded(["V": value]))
      var late = RunState()
      for event in run.state.recap { try late.apply(event) }
      #expect(late["go"]?.given == ["v": value])
    }
  }

  @Test(arguments: [("approve", "succeeded"), ("reject", "failed")])
  func `after the time limit, the default is the answer`(_ answer: String, _ end: String)
    async throws
  {
    let clock = VirtualClock()
    let run = try start(
      "{ message: Go?, values: { n: 3 }, timeout: 1d, default: \(answer) }", clock, work: "run: x, "
    )
    await expectEventually("the run is over") {
      clock.advanceToNextWake()
      if case .ended = run.state.phase { return true }
      return false
    }
    #expect(run.state["go"]?.phase.name == end)
    if end == "failed" {
      #expect(run.state["go"]?.phase == .failed(.unmet("nobody has approved it within 24 h 00 m")))
    }
  }

  @Test(arguments: [true, false])
  func `an approval after the work holds up the dependents only`(_ isApproved: Bool) async throws {
    let ran = Protected<[String]>([])
    let run = try start("{ message: Good?, after: true }", work: "run: x, ", ran: ran)
    await waits(run)
    #expect(ran.value == ["go"] && run.state["go"]?.phase == .running)
    var recap = RunState()
    for event in run.state.recap { try recap.apply(event) }
    #expect(recap["go"] == run.state["go"])
    #expect(isApproved ? try run.approve("go") : try run.refuse("go"))
    _ = try await run.outcome
    #expect(
      run.state["go"]?.phase == (isApproved ? .succeeded(["own": "x"]) : .failed(.rejected)))
    #expect(run.state["b"]?.phase.name == (isApproved ? "succeeded" : "cancelled"))
    var end = RunState()
    for event in run.state.recap { try end.apply(event) }
    #expect(end["go"] == run.state["go"])
  }

  @Test func `a cancelled step stops waiting for approval after its work`() async throws {
    let run = try start("{ message: Good?, after: true }", work: "run: x, ")
    await waits(run)
    run.cancel()
    #expect(try await run.outcome == .cancelled)
    #expect(run.state["go"]?.phase == .cancelled(.request))
  }
}

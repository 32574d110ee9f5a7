import TestSupport
import Testing

@testable import Reprise

/// Steps that stop, exclude or wait for one another.
struct LimitTests {
  /// Records how many steps run at once.
  private struct Crowd {
    let most = Protected(0)
    let present = Protected(0)
    let gate = Gate()

    func executor(failing: String? = nil, waiting: Set<String> = []) -> ClosureExecutor {
      ClosureExecutor { [self] context in
        if context.step.id == failing { throw FailureReason.exited(status: 1) }
        if waiting.contains(context.step.id) {
          try await gate.waitUnlessCancelled()
          return [:]
        }
        let now = present.withLock { present in
          present += 1
          return present
        }
        most.withLock { $0 = max($0, now) }
        for _ in 0..<20 { await Task.yield() }
        present.withLock { $0 -= 1 }
        return [:]
      }
    }
  }

  @Test func `steps with the same mutex never run at once`() async throws {
    let crowd = Crowd()
    let run = Engine(executor: crowd.executor()).start(
      try Workflow(
        text: "steps: [{ id: s, foreach: { from: 1, to: 50 }, mutex: m, run: x }]", file: "w.yaml"))
    #expect(try await run.outcome == .succeeded)
    #expect(crowd.most.value == 1)
  }

  @Test func `a foreach runs at most max-parallel steps at once`() async throws {
    let crowd = Crowd()
    let run = Engine(executor: crowd.executor()).start(
      try Workflow(
        text: "steps: [{ id: s, foreach: { from: 1, to: 50 }, max-parallel: 3, run: x }]",
        file: "w.yaml"))
    #expect(try await run.outcome == .succeeded)
    #expect((1...3).contains(crowd.most.value))
  }

  @Test func `fail-fast of a foreach cancels its other steps only`() async throws {
    let crowd = Crowd()
    let run = Engine(
      executor: crowd.executor(failing: "s[1]", waiting: ["s[0]", "s[2]", "other"])
    ).start(
      try Workflow(
        text: """
          steps:
            - parallel:
                - { id: s, foreach: [1, 2, 3, 4], fail-fast: true, run: x }
                - { id: other, run: x }
            - { id: after, run: x }
            - { id: reported, needs: s, if: failure(), run: x }
          """, file: "w.yaml"))
    await expectEventually("the others are gone") {
      run.state["s[0]"]?.phase == .cancelled(.failure(ofStep: "s[1]"))
        && run.state["s[2]"]?.phase == .cancelled(.failure(ofStep: "s[1]"))
        && run.state["reported"]?.phase == .succeeded([:])
    }
    #expect(run.state["other"]?.phase == .running)
    crowd.gate.open()
    #expect(try await run.outcome == .failed(step: "s[1]", reason: .exited(status: 1)))
    #expect(run.state["other"]?.phase == .succeeded([:]))
    #expect(run.state["after"]?.phase == .cancelled(.failure(ofStep: "s[1]")))
  }

  @Test func `fail-fast of a workflow cancels all steps except failure handlers`()
    async throws
  {
    let crowd = Crowd()
    let run = Engine(executor: crowd.executor(failing: "bad", waiting: ["slow"])).start(
      try Workflow(
        text: """
          fail-fast: true
          steps:
            - parallel: [{ id: bad, run: x }, { id: slow, run: x }]
            - { id: reported, if: failure(), run: x }
            - { id: next, needs: slow, run: x }
          finally: [{ id: last, run: x }]
          """, file: "w.yaml"))
    #expect(try await run.outcome == .failed(step: "bad", reason: .exited(status: 1)))
    #expect(run.state["slow"]?.phase == .cancelled(.failure(ofStep: "bad")))
    #expect(run.state["next"]?.phase == .cancelled(.failure(ofStep: "bad")))
    #expect(run.state["reported"]?.phase == .succeeded([:]))
    #expect(run.state["last"]?.phase == .succeeded([:]))
  }

  @Test func `a restart runs the steps that a failure had cancelled`() async throws {
    let tries = Protected(0)
    let engine = Engine(
      executor: ClosureExecutor { context in
        guard context.step.id == "bad" else { return [:] }
        let number = tries.withLock { tries in
          tries += 1
          return tries
        }
        if number == 1 { throw FailureReason.exited(status: 1) }
        return [:]
      })
    let gate = Gate()
    let run = engine.start(
      try Workflow(
        text: """
          fail-fast: true
          steps: [{ id: bad, run: x }, { id: next, run: x }]
          finally: [{ id: hold, approval: Go on?, when: failure }]
          """, file: "w.yaml"))
    await expectEventually("it has failed") { run.state["hold"]?.approval == "Go on?" }
    run.restart()
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["next"]?.phase == .succeeded([:]))
    gate.open()
  }

  @Test(arguments: [true, false])
  func `a restart from a failed step restarts the steps that it had stopped`(
    _ isStopSlow: Bool
  ) async throws {
    let tries = Protected(0)
    let (keepsRunning, isStopping, mayStop) = (Gate(), Gate(), Gate())
    let engine = Engine(
      executor: ClosureExecutor { context in
        switch context.step.id {
        case "bad":
          let number = tries.withLock { tries in
            tries += 1
            return tries
          }
          if number == 1 { throw FailureReason.exited(status: 1) }
        case "beside" where context.generation == 1:
          while !Task.isCancelled { await Task.yield() }
          isStopping.open()
          if isStopSlow { await mayStop.wait() }
          throw CancellationError()
        case "handler":
          await keepsRunning.wait()
        default: break
        }
        return [:]
      })
    let run = engine.start(
      try Workflow(
        text: """
          fail-fast: true
          steps:
            - parallel: [{ id: beside, run: x }, { id: bad, run: x }]
            - { id: after, needs: beside, run: x }
            - { id: handler, needs: bad, if: failure(), run: x }
          """, file: "w.yaml"))
    await isStopping.wait()
    if !isStopSlow {
      await expectEventually("it was stopped") {
        run.state["beside"]?.phase == .cancelled(.failure(ofStep: "bad"))
      }
    }
    try run.restart(from: "bad")
    keepsRunning.open()
    mayStop.open()
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["beside"]?.phase == .succeeded([:]))
    #expect(run.state["after"]?.phase == .succeeded([:]))
  }

  @Test(arguments: [true, false]) func `a step waits for approval`(_ isApproved: Bool)
    async throws
  {
    let ran = Protected<[String]>([])
    let engine = Engine(
      executor: ClosureExecutor { context in
        ran.withLock { $0.append(context.step.id) }
        return [:]
      })
    let run = engine.start(
      try Workflow(
        text: """
          params: { to: production }
          max-parallel: 1
          steps:
            - parallel:
                - { id: go, approval: "Deploy to ${{ params.to }}?", run: x }
                - { id: other, run: x }
            - { id: after, run: x }
          """, file: "w.yaml"))
    await expectEventually("it waits for approval, and the other step has ended") {
      run.state["go"]?.approval == "Deploy to production?"
        && run.state["other"]?.phase == .succeeded([:])
    }
    #expect(throws: SelectionError.self) { try run.approve("gone") }
    #expect(try !run.approve("after"))
    #expect(try isApproved ? run.approve("go") : run.refuse("go"))
    if isApproved {
      #expect(try await run.outcome == .succeeded)
      #expect(Set(ran.value) == ["other", "go", "after"])
    } else {
      #expect(try await run.outcome == .failed(step: "go", reason: .rejected))
      #expect(ran.value == ["other"])
    }
  }

  @Test func `a step that waits for approval can be cancelled`() async throws {
    let run = Engine(executor: ClosureExecutor { _ in [:] }).start(
      try Workflow(text: "steps: [{ id: go, approval: Go? }]", file: "w.yaml"))
    await expectEventually("it waits") { run.state["go"]?.approval != nil }
    run.cancel()
    #expect(try await run.outcome == .cancelled)
    #expect(run.state["go"]?.approval == nil)
  }

  @Test func `an approval given during the waiting event counts`() async throws {
    let engine = Engine(executor: ClosureExecutor { _ in [:] })
    let workflow = try Workflow(text: "steps: [{ id: go, approval: Go? }]", file: "w.yaml")
    for round in 1...rounds(300, soak: 10_000) {
      let run = engine.start(workflow)
      var isHeard = false
      for await event in run.events.values {
        guard case .step("go", _, .awaitingApproval) = event.kind else { continue }
        isHeard = try run.approve("go")
        break
      }
      if !isHeard { run.cancel() }
      #expect(try await run.outcome == .succeeded, "round \(round)")
    }
  }
}

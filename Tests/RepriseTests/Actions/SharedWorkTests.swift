import Reprise
import TestSupport
import Testing

/// Steps that share one execution under a common name.
struct SharedWorkTests {
  private func workflow(_ body: @escaping @Sendable (StepContext) async throws -> Int) throws
    -> Workflow
  {
    try Workflow("share") {
      Parallel {
        for number in 1...3 { Step("s\(number)", .share("x"), perform: body) }
      }
    }
  }

  private func waitForSharing(_ run: Run, count: Int) async {
    await expectEventually("\(count) steps wait for another") {
      run.state.steps.count { $0.isSharing } == count
    }
  }

  @Test func `concurrent steps with one share name run once, and each gets the result`()
    async throws
  {
    let gate = Gate()
    let begun = Protected(0)
    let engine = Engine()
    let workflow = try workflow { _ in
      begun.withLock { $0 += 1 }
      await gate.wait()
      return 42
    }
    // Two runs of one engine share as well.
    let runs = [engine.start(workflow), engine.start(workflow)]
    await expectEventually("all but one wait") {
      runs.flatMap(\.state.steps).count { $0.isSharing } == 5
    }
    gate.open()
    for run in runs {
      #expect(try await run.outcome == .succeeded)
      #expect(
        run.state.steps.map(\.phase) == Array(repeating: .succeeded(["value": "42"]), count: 3))
    }
    #expect(begun.value == 1)
    // The result is not cached.
    #expect(try await engine.start(workflow).outcome == .succeeded)
    #expect(begun.value >= 2)
  }

  @Test func `a failure is shared, too`() async throws {
    let gate = Gate()
    let begun = Protected(0)
    let run = Engine().start(
      try workflow { _ in
        begun.withLock { $0 += 1 }
        await gate.wait()
        throw FailureReason.exited(status: 9)
      })
    await waitForSharing(run, count: 2)
    gate.open()
    _ = try await run.outcome
    #expect(run.state.steps.map(\.phase) == Array(repeating: .failed(.exited(status: 9)), count: 3))
    #expect(begun.value == 1)
  }

  @Test func `when the run that does the work is cancelled, a waiting run takes over`() async throws
  {
    let gate = Gate()
    let begun = Protected<[RunID]>([])
    let ended = Protected<[RunID]>([])
    let engine = Engine()
    let workflow = try Workflow("share") {
      Step("s", .share("x")) { context in
        begun.withLock { $0.append(context.run) }
        defer { ended.withLock { $0.append(context.run) } }
        try await gate.waitUnlessCancelled()
        return "done"
      }
    }
    let first = engine.start(workflow)
    await expectEventually("the first works") { begun.value == [first.id] }
    let second = engine.start(workflow)
    await waitForSharing(second, count: 1)
    first.cancel()
    #expect(try await first.outcome == .cancelled)
    // The closure of the first run has ended when the run is over.
    #expect(ended.value == [first.id])
    await expectEventually("the second works") { begun.value == [first.id, second.id] }
    gate.open()
    #expect(try await second.outcome == .succeeded)
  }

  @Test func `cancelling a waiting run does not cancel the shared work`() async throws {
    let gate = Gate()
    let begun = Protected(0)
    let engine = Engine()
    let workflow = try Workflow("share") {
      Step("s", .share("x")) { _ in
        begun.withLock { $0 += 1 }
        await gate.wait()
      }
    }
    let first = engine.start(workflow)
    // A step that has started has not taken the name yet.
    await expectEventually("the first works") { begun.value == 1 }
    let second = engine.start(workflow)
    await waitForSharing(second, count: 1)
    second.cancel()
    #expect(try await second.outcome == .cancelled)
    gate.open()
    #expect(try await first.outcome == .succeeded)
  }

  @Test func `a step that shares a name but does different work is refused`() async throws {
    let gate = Gate()
    var engine = Engine()
    engine.register("wait") { _ in await gate.wait() }
    let text = """
      steps:
        - parallel:
            - { id: a, call: wait, with: { n: 1 }, share: x }
            - { id: b, call: wait, with: { n: 2 }, share: x }
      """
    let run = engine.start(try Workflow(text: text, file: "w.yaml", actions: engine.actions))
    await expectEventually("one is refused") { run.state.counts.final == 1 }
    gate.open()
    guard case .failed(_, .badValue(let text)) = try await run.outcome else {
      Issue.record("unexpected outcome")
      return
    }
    #expect(text.contains("shares the name \"x\" and does something else"))
  }

  @Test func `the same script for two shells is not the same work`() async throws {
    let gate = Gate()
    let engine = Engine(
      executor: ClosureExecutor { _ in
        await gate.wait()
        return [:]
      })
    let text = """
      steps:
        - parallel:
            - { id: a, run: make all, shell: sh, share: x }
            - { id: b, run: make all, shell: bash, share: x }
      """
    let run = engine.start(try Workflow(text: text, file: "w.yaml"))
    await expectEventually("one is refused") { run.state.counts.final == 1 }
    gate.open()
    guard case .failed(_, .badValue) = try await run.outcome else {
      Issue.record("unexpected outcome")
      return
    }
  }

  @Test func `the output of shared work is available to every step that shares it`() async throws {
    let gate = Gate()
    let begun = Protected(0)
    let engine = Engine()
    let body: @Sendable (StepContext) async throws -> Void = { context in
      begun.withLock { $0 += 1 }
      await gate.wait()
      context.report("the token")
    }
    // The first run does the work, but does not use its output.
    let first = engine.start(try Workflow("first") { Step("s", .share("x"), perform: body) })
    await expectEventually("the first works") { begun.value == 1 }
    let second = engine.start(
      try Workflow("second") {
        Step("s", .share("x"), .outputs(["printed": "${{ stdout }}"]), perform: body)
      })
    await waitForSharing(second, count: 1)
    gate.open()
    #expect(try await second.outcome == .succeeded)
    #expect(second.state["s"]?.phase == .succeeded(["printed": "the token"]))
    #expect(try await first.outcome == .succeeded)
  }

  @Test(arguments: [false, true])
  func `secrets of the run that does the work are masked in shared results`(_ fails: Bool)
    async throws
  {
    let gate = Gate()
    let begun = Protected(0)
    let engine = Engine()
    let workflow = try Workflow("secret", .secret("token", from: .environment("TOKEN"))) {
      Step("s", .share("x")) { context in
        begun.withLock { $0 += 1 }
        await gate.wait()
        let text = "it is \(try context.secret("token"))"
        if fails { throw FailureReason.threw(text) }
        return text
      }
    }
    func start(_ token: String) async throws -> Run {
      let secrets = try await Secrets.gather(for: workflow, environment: ["TOKEN": token])
      return engine.start(workflow, secrets: secrets)
    }
    let first = try await start("hunter2hunter2")
    await expectEventually("the first works") { begun.value == 1 }
    let second = try await start("correcthorse")
    await waitForSharing(second, count: 1)
    gate.open()
    for run in [first, second] {
      _ = try await run.outcome
      let phase = "\(String(describing: run.state["s"]?.phase))"
      #expect(phase.contains("it is ***") && !phase.contains("hunter2"))
    }
  }

  @Test func `what a program had written before its failure is shared, too`() async throws {
    let run = Engine().start(
      try Workflow(
        text: """
          steps:
            - parallel:
                - { id: a, share: s, continue-on-error: true, run: &work "sleep 1; echo o=1 >> $REPRISE_OUTPUT; exit 1" }
                - { id: b, share: s, continue-on-error: true, run: *work }
            - id: c
              env: { A: "${{ steps.a.outputs.o }}", B: "${{ steps.b.outputs.o }}" }
              run: echo "both=$A $B" >> $REPRISE_OUTPUT
          """, file: "w.yaml"))
    await waitForSharing(run, count: 1)
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["c"]?.phase == .succeeded(["both": "1 1"]))
  }
}

extension StepState {
  fileprivate var isSharing: Bool {
    output.lines.contains { $0.text.contains("shares the work of step") }
  }
}

import Reprise
import TestSupport
import Testing

/// Steps that share their work by a name.
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

  @Test func `steps that meet are carried out once, and each gets the result`() async throws {
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
      #expect(await run.outcome == .succeeded)
      #expect(
        run.state.steps.map(\.phase) == Array(repeating: .succeeded(["value": "42"]), count: 3))
    }
    #expect(begun.value == 1)
    // It is no cache.
    #expect(await engine.start(workflow).outcome == .succeeded)
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
    _ = await run.outcome
    #expect(run.state.steps.map(\.phase) == Array(repeating: .failed(.exited(status: 9)), count: 3))
    #expect(begun.value == 1)
  }

  @Test func `when the run that does the work is cancelled, another takes its place`() async throws
  {
    let gate = Gate()
    let begun = Protected<[RunID]>([])
    let ended = Protected<[RunID]>([])
    let engine = Engine()
    let workflow = try Workflow("share") {
      Step("s", .share("x")) { context in
        begun.withLock { $0.append(context.run) }
        defer { ended.withLock { $0.append(context.run) } }
        try await gate.waitOrStop()
        return "done"
      }
    }
    let first = engine.start(workflow)
    await expectEventually("the first works") { begun.value == [first.id] }
    let second = engine.start(workflow)
    await waitForSharing(second, count: 1)
    first.cancel()
    #expect(await first.outcome == .cancelled)
    // Nothing of the first is left when it is over.
    #expect(ended.value == [first.id])
    await expectEventually("the second works") { begun.value == [first.id, second.id] }
    gate.open()
    #expect(await second.outcome == .succeeded)
  }

  @Test func `whoever only waits can be cancelled alone`() async throws {
    let gate = Gate()
    let engine = Engine()
    let workflow = try Workflow("share") {
      Step("s", .share("x")) { _ in await gate.wait() }
    }
    let first = engine.start(workflow)
    await expectEventually("the first works") { first.state.counts.running == 1 }
    let second = engine.start(workflow)
    await waitForSharing(second, count: 1)
    second.cancel()
    #expect(await second.outcome == .cancelled)
    gate.open()
    #expect(await first.outcome == .succeeded)
  }

  @Test func `what shares a name and does something else is refused`() async throws {
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
    guard case .failed(_, .badValue(let text)) = await run.outcome else {
      Issue.record("it ended otherwise")
      return
    }
    #expect(text.contains("shares the name \"x\" and does something else"))
  }
}

extension StepState {
  fileprivate var isSharing: Bool {
    output.lines.contains { $0.text.contains("shares the work of step") }
  }
}

// Tests of workflows in virtual time, as an embedder writes them: with the default settings of the
// compiler.

import Reprise
import RepriseTesting
import Testing

/// Tests of single runs.
struct WorkflowTestTests {
  struct Unavailable: Error {}

  private func release() throws -> Workflow {
    try Workflow("release") {
      Step("build", run: "make")
      Step("upload", run: "./upload", .retry(Retry(limit: 5, delay: .seconds(3600))))
      Step("go", approval: "Publish?")
      Step("publish", run: "./publish")
    }
  }

  @Test func `retries of hours, an approval and a crash take no time`() async throws {
    let start = ContinuousClock.now
    let workflow = try release()
      .replacing("upload") { context in
        guard context.attempt > 3 else { throw Unavailable() }
        return ["url": "https://example.org"]
      }
      .replacingCommands { _ in }
    let test = try WorkflowTest(workflow)
    try await test.advance(until: .waitingForApproval("go"))
    #expect(test.elapsed == .seconds(3 * 3600))
    test.crash()
    try test.resume()
    try await test.approve("go")
    #expect(try await test.outcome() == .succeeded)
    #expect(test.events.starts(of: "build") == 1)
    #expect(test.events.starts(of: "upload") == 4)
    #expect(test.events.retryDelays(of: "upload") == Array(repeating: .seconds(3600), count: 3))
    #expect(test.events.happened(inOrder: "upload succeeded", "run resumed", "publish started"))
    #expect(!test.events.happened(inOrder: "publish started", "run resumed"))
    #expect(ContinuousClock.now - start < .seconds(30))
  }

  @Test func `only a run that has crashed or not succeeded can be resumed`() async throws {
    let workflow = try release().replacing("upload") { _ in }.replacingCommands { _ in }
    let test = try WorkflowTest(workflow)
    try await test.advance(until: .waitingForApproval("go"))
    let early = #expect(throws: WorkflowTestError.self) { try test.resume() }
    #expect(early?.description == "the run goes on: end its engine with crash() before resume()")
    try await test.approve("go")
    #expect(try await test.outcome() == .succeeded)
    let late = #expect(throws: WorkflowTestError.self) { try test.resume() }
    #expect(late?.description == "the run has succeeded, and there is nothing to resume")
  }

  @Test func `a crash in the middle of a step runs this step again, and nothing else`() async throws
  {
    let workflow = try release()
      .replacing("upload") { try await $0.clock.sleep(for: .seconds(60)) }
      .replacingCommands { $0.report("\($0.step.id) of generation \($0.generation)") }
    let test = try WorkflowTest(workflow)
    try await test.advance(until: .started("upload"))
    try await test.advance(by: .seconds(30))
    test.crash()
    try test.resume()
    try await test.approve("go")
    #expect(try await test.outcome() == .succeeded)
    #expect(test.elapsed == .seconds(90))
    #expect(test.events.starts(of: "upload") == 2)
    #expect(test.events.output(of: "build") == ["build of generation 1"])
    #expect(test.events.output(of: "publish") == ["publish of generation 2"])
  }

  @Test func `a refused approval fails the run`() async throws {
    let test = try WorkflowTest(try release().replacingCommands { _ in })
    try await test.refuse("go")
    #expect(try await test.outcome() == .failed(step: "go", reason: .rejected))
    #expect(test.events.starts(of: "publish") == 0)
    #expect(test.events.outcome == .failed(step: "go", reason: .rejected))
  }

  @Test func `an approval takes values`() async throws {
    let text = """
      steps:
        - { id: go, approval: { message: Which?, values: { zone: { description: The zone } } } }
        - { id: use, env: { ZONE: "${{ steps.go.outputs.zone }}" }, run: ./use }
      """
    let workflow = try Workflow(text: text, file: "asks.yml").replacingCommands { context in
      context.environment["ZONE"] ?? "none"
    }
    let test = try WorkflowTest(workflow)
    await #expect(throws: WorkflowTestError.self) { try await test.approve("go") }
    try await test.approve("go", values: ["zone": "north"])
    #expect(try await test.outcome() == .succeeded)
    #expect(try test.state.output(of: "use", as: String.self) == "north")
  }

  @Test func `a run is restarted in the middle of an attempt`() async throws {
    let workflow = try release()
      .replacing("upload") { try await $0.clock.sleep(for: .seconds(60)) }
      .replacingCommands { _ in }
    let test = try WorkflowTest(workflow)
    try await test.advance(until: .started("upload"))
    try await test.restart()
    try await test.approve("go")
    try await test.restart(from: "go")
    test.run.restart()
    try await test.approve("go")
    #expect(try await test.outcome() == .succeeded)
    #expect(test.events.restarts == 3)
    #expect(test.events.starts(of: "build") == 3)
    #expect(test.state.generation == 4)
    await #expect(throws: WorkflowTestError.self) { try await test.restart() }
  }

  @Test func `an action that waits for the run is performed while it advances`() async throws {
    let workflow = try release().replacingCommands { _ in }
    let test = try WorkflowTest(workflow)
    try await test.advance(until: .waitingForApproval("go"))
    let changed = try workflow.replacing("publish") { _ in "changed" }
    #expect(try await test.perform { try await $0.restart(with: changed, from: ["publish"]) })
    try await test.approve("go")
    #expect(try await test.outcome() == .succeeded)
    #expect(try test.state.output(of: "publish", as: String.self) == "changed")
  }

  @Test func `a timeout ends a closure that waits for something else than the clock`() async throws
  {
    let workflow = try Workflow("hangs") {
      Step("ask", .timeout(.seconds(3600))) { _ in
        for await _ in AsyncStream<Int>.makeStream().stream {}
        try Task.checkCancellation()
      }
    }
    let test = try WorkflowTest(workflow, patience: .milliseconds(10))
    let outcome = try await test.outcome()
    #expect(outcome == .failed(step: "ask", reason: .timedOut(after: .seconds(3600))))
    #expect(test.elapsed == .seconds(3600))
  }

  @Test func `time does not advance while a closure works elsewhere`() async throws {
    let workflow = try Workflow("elsewhere") {
      Step("ask", .timeout(.seconds(1))) { _ in
        await Task.detached { await MainActor.run { 7 } }.value
      }
    }
    for _ in 0..<50 {
      let test = try WorkflowTest(workflow, patience: .seconds(60))
      #expect(try await test.outcome() == .succeeded)
      #expect(test.elapsed == .zero)
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `time goes on while a closure waits for a run of its own`() async throws {
    let child = try Workflow("child") {
      Step("one", .retry(Retry(limit: 1, delay: .seconds(60)))) { context in
        for _ in 0..<3 { try await context.clock.sleep(for: .seconds(3600)) }
        if context.attempt == 1 { throw Unavailable() }
      }
    }
    let parent = try Workflow("parent") {
      Step("nested", .timeout(.seconds(86_400))) { context in
        try await context.run(child)
        await Task.detached { await MainActor.run {} }.value
      }
    }
    let test = try WorkflowTest(parent, patience: .seconds(600))
    #expect(try await test.outcome() == .succeeded)
    #expect(test.elapsed == .seconds(6 * 3600 + 60))
  }

  @Test func `a request is carried out before a moment that has come is reached again`()
    async throws
  {
    let workflow = try Workflow("hours") {
      Step("a") { context in try await context.clock.sleep(for: .seconds(3600)) }
    }
    let test = try WorkflowTest(workflow)
    try await test.advance(until: .started("a"))
    test.run.restart()
    try await test.advance(until: .started("a"))
    #expect(test.state.generation == 2 && test.events.starts(of: "a") == 2)
    test.run.cancel()
    #expect(try await test.outcome() == .cancelled)
    #expect(test.elapsed == .zero)
  }

  @Test func `a test stops at later attempts, and says that a crash has ended it`() async throws {
    let workflow = try Workflow("flaky") {
      Step("a", .retry(Retry(limit: 3, delay: .seconds(60)))) { _ in throw Unavailable() }
    }
    let test = try WorkflowTest(workflow)
    try await test.advance(until: .retrying("a"))
    try await test.advance(until: .retrying("a", after: 2))
    #expect(test.elapsed == .seconds(60) && test.state["a"]?.attempt == 2)
    try await test.advance(until: .started("a", attempt: 3))
    #expect(test.elapsed == .seconds(120))
    test.crash()
    let error = await #expect(throws: WorkflowTestError.self) {
      try await test.advance(until: .ended)
    }
    #expect("\(try #require(error))".contains("nothing goes on before resume()"))
  }

  @Test func `replaced steps keep their items, conditions and outputs`() async throws {
    let text = """
      steps:
        - { id: list, run: ./list, outputs: { items: "${{ stdout }}" } }
        - { id: each, foreach: "${{ fromJSON(steps.list.outputs.items) }}", run: ./do }
        - { id: never, if: "1 == 2", run: ./never }
      """
    let workflow = try Workflow(text: text, file: "items.yml")
      .replacing("list") { $0.report("[1, 2, 3]") }
      .replacing("each") { $0.report("item \(try $0.item(as: Int.self))") }
      .replacingCommands { _ in }
    let test = try WorkflowTest(workflow)
    #expect(try await test.outcome() == .succeeded)
    #expect(test.state.steps.count == 6)
    let items = test.state.steps.flatMap { $0.output.lines.map(\.text) }
    #expect(items == ["[1, 2, 3]", "item 1", "item 2", "item 3"])
    #expect(test.events.starts(of: "never") == 0)
  }

  // MARK: Errors

  @Test func `commands are refused, with the names of their steps`() throws {
    let error = #expect(throws: ReplacementError.self) { try WorkflowTest(try release()) }
    #expect(
      error?.description == """
        a test starts no programs, and these steps run commands: build, upload, publish; use \
        workflow.replacing("build") { context in … }, or pass an executor
        """)
  }

  @Test func `an unknown step cannot be replaced`() throws {
    let error = #expect(throws: ReplacementError.self) {
      try release().replacing("biuld") { _ in }
    }
    #expect(
      error?.description == "there is no step \"biuld\"; did you mean \"build\"?")
  }

  @Test func `a run that waits for approval says so`() async throws {
    let test = try WorkflowTest(try release().replacingCommands { _ in })
    let error = await #expect(throws: WorkflowTestError.self) { try await test.outcome() }
    let text = error?.description ?? ""
    #expect(
      text.hasPrefix(
        "nothing more can happen before the run has ended; step \"go\" waits for approval"))
    #expect(text.contains("0.0 seconds: step go, attempt 0: waiting for approval: Publish?"))
  }

  @Test func `a moment that does not come is an error`() async throws {
    let workflow = try Workflow("short") { Step("only") { _ in } }
    let error = await #expect(throws: WorkflowTestError.self) {
      try await WorkflowTest(workflow).advance(until: .retrying("olny"))
    }
    let text = error?.description ?? ""
    #expect(
      text.hasPrefix(
        "the run has ended before step \"olny\" waits for its next attempt; "
          + "the run has no step \"olny\""))
  }
}

// Runs that steps start, and answers with values, in a package with the default settings.

import Reprise
import Synchronization
import TestSupport
import Testing

/// Runs that end with the step that has started them.
struct ChildRunTests {
  struct Broken: Error {}

  @Test func `a step returns the outputs of a run of its own`() async throws {
    let seen = Mutex<[String]>([])
    let child = try Workflow("child") {
      Step("one") { _ in 1 }
      Step("two") { context in try context.input("one", as: Int.self) + 1 }
    }
    let workflow = try Workflow("parent") {
      Step("nested") { context in
        let state = try await context.run(child) { event in
          if case .runEnded = event.kind { seen.withLock { $0.append("\(event.run)") } }
        }
        return try state.output(of: "two", as: Int.self)
      }
    }
    let run = Engine().start(workflow)
    try await run.value()
    #expect(try run.output(of: "nested", as: Int.self) == 2)
    #expect(seen.withLock { $0.count } == 1 && seen.withLock { $0 } != ["\(run.id)"])
    let lines = run.state["nested"]?.output.lines.map(\.text) ?? []
    #expect(lines.dropFirst().prefix(2) == ["child: one succeeded", "child: two succeeded"])
    #expect(lines.last?.hasSuffix("of child: succeeded") == true)
  }

  @Test func `the failure of a run fails its step`() async throws {
    let child = try Workflow("child") { Step("one") { _ in throw Broken() } }
    let workflow = try Workflow("parent") {
      Step("nested") { context in
        do {
          try await context.run(child)
        } catch let failure as RunFailure {
          guard case .failed = failure.outcome else { return }
          throw Broken()
        }
      }
    }
    guard case .failed = try await Engine().start(workflow).outcome else {
      Issue.record("it has not failed")
      return
    }
  }

  @Test(arguments: [false, true])
  func `a run is over when the step that has started it is`(_ isKilled: Bool) async throws {
    let begun = Gate()
    let isOver = Mutex(false)
    let child = try Workflow("child") {
      Step("one") { context in
        begun.open()
        try? await context.clock.sleep(for: .seconds(600))
        isOver.withLock { $0 = true }
      }
    }
    let workflow = try Workflow("parent") { Step("nested") { _ = try await $0.run(child) } }
    let run = Engine().start(workflow)
    await begun.wait()
    if isKilled { run.kill() } else { run.cancel() }
    #expect(try await run.outcome == .cancelled)
    #expect(isOver.withLock { $0 })
    #expect(run.state["nested"]?.phase.name == "cancelled")
  }
}

/// Approvals that ask for values.
struct AnswerTests {
  struct Release: Codable, Sendable, Equatable {
    var version: String
    var count: Int
  }

  private func asking() throws -> Workflow {
    try Workflow("asking") {
      Step(
        "go", approval: "Release?",
        values: [Parameter(name: "version"), Parameter(name: "count", kind: .number)])
      Step("read") { try $0.input("go", as: Release.self).version }
    }
  }

  @Test func `a value is decoded again by the next step`() async throws {
    let run = Engine().start(try asking())
    await expectEventually("it asks") { !run.state.awaitingApproval.isEmpty }
    let answer = Release(version: "1.2", count: 3)
    #expect(try run.answer("go", with: answer).steps == ["go"])
    try await run.value()
    #expect(try run.output(of: "go", as: Release.self) == answer)
    #expect(try run.output(of: "read", as: String.self) == "1.2")
    #expect(throws: InterventionRefusal.self) { try run.answer("go", with: answer) }
  }

  @Test func `a value that is not asked for is refused, and the step goes on waiting`()
    async throws
  {
    let run = Engine().start(try asking())
    await expectEventually("it asks") { !run.state.awaitingApproval.isEmpty }
    #expect(throws: InterventionRefusal.self) { try run.answer("go", with: ["version": "1"]) }
    #expect(throws: InterventionRefusal.self) {
      try run.answer("go", with: ["version": "1", "count": "many"])
    }
    #expect(throws: InterventionRefusal.self) { try run.answer("og", with: "1") }
    #expect(run.state.awaitingApproval.map(\.id) == ["go"])
    run.cancel()
    #expect(try await run.outcome == .cancelled)
  }

  @Test func `the only value of an approval is given alone`() async throws {
    let workflow = try Workflow("asking") {
      Step("go", approval: "Which?", values: [Parameter(name: "version")])
    }
    let run = Engine().start(workflow)
    await expectEventually("it asks") { !run.state.awaitingApproval.isEmpty }
    try run.answer("go", with: "1.2")
    try await run.value()
    #expect(run.state["go"]?.phase.values.outputs["version"] == "1.2")
  }
}

// Parameters of recorded runs, in a package with the default settings of the compiler.

import Reprise
import RepriseJournal
import TestSupport
import Testing

/// What a record keeps of the parameters of a run, and with which it is resumed.
struct DurableParameterTests {
  private struct Broken: Error {}

  @Test func `the record of a run has its parameters without secrets`() async throws {
    let folder = try TemporaryFolder()
    let journal = try Journal(at: folder.path + "/journal")
    func order(_ arguments: Arguments) throws -> Workflow {
      try Workflow(
        "order", .parameter("number", .number), .parameter("size", default: "small"),
        .parameter("url", default: ""), .secret("token", from: .environment("ORDER_TOKEN")),
        with: arguments
      ) {
        Step("charge") { context in try context.parameter("number", as: Int.self) }
      }
    }
    let workflow = try order(
      Arguments(["number": "7", "url": "https://example.org/?key=swordfish"]))
    let secrets = try await Secrets.gather(
      for: workflow, environment: ["ORDER_TOKEN": "swordfish"])
    let run = try await Engine().start(workflow, recordedIn: journal, secrets: secrets)
    try await run.value()
    let record = try await journal.run(run.id)
    #expect(record.parameters == ["number": "7", "size": "small"])
    #expect(try order(Arguments(record.parameters)).name == record.workflow)
  }

  @Test func `a parameter that contained a secret is given again, and compared without it`()
    async throws
  {
    let folder = try TemporaryFolder()
    let journal = try Journal(at: folder.path + "/journal")
    func deploy(_ arguments: [String: String]) throws -> Workflow {
      try Workflow(
        "deploy", .parameter("url", default: "staging"),
        .secret("token", from: .environment("TOKEN")), with: Arguments(arguments)
      ) {
        Step("a") { context in
          if context.generation == 1 { throw Broken() }
          return try context.parameter("url", as: String.self)
        }
      }
    }
    func secrets(_ token: String) async throws -> Secrets {
      try await Secrets.gather(for: deploy([:]), environment: ["TOKEN": token])
    }
    let run = try await Engine().start(
      deploy(["url": "https://swordfish@production"]), recordedIn: journal,
      secrets: secrets("swordfish"))
    _ = try await run.outcome
    let recorded = try await journal.run(run.id).parameters
    #expect(recorded == [:])
    for arguments in [recorded, ["url": "https://swordfish@elsewhere"]] {
      await #expect(throws: JournalError.self) {
        try await Engine().resume(
          run.id, from: journal, with: deploy(arguments), secrets: secrets("swordfish"))
      }
    }
    // The secret may be another one by now.
    let resumed = try await Engine().resume(
      run.id, from: journal, with: deploy(["url": "https://marlin-42@production"]),
      secrets: secrets("marlin-42"))
    try await resumed.value()
  }

  @Test func `a run is resumed only with its own parameters`() async throws {
    let folder = try TemporaryFolder()
    let journal = try Journal(at: folder.path + "/journal")
    func order(_ number: Int) throws -> Workflow {
      try Workflow("order", .parameter("n", .integer), with: Arguments(["n": "\(number)"])) {
        Step("ship") { _ in if number == 1 { throw Broken() } }
      }
    }
    let run = try await Engine().start(order(1), recordedIn: journal)
    _ = try await run.outcome
    do {
      _ = try await Engine().resume(run.id, from: journal, with: order(2))
      Issue.record("accepted")
    } catch let error as JournalError {
      #expect(error.description.contains(#"the run has n = "1", and the workflow "2""#), "\(error)")
    }
    #expect(try await journal.run(run.id).status == .failed)
  }

  @Test func `a restart with other parameters changes those that the run is resumed with`()
    async throws
  {
    let folder = try TemporaryFolder()
    let journal = try Journal(at: folder.path + "/journal")
    let gate = Gate()
    func order(_ target: String) throws -> Workflow {
      try Workflow("order", .parameter("to", .string), with: Arguments(["to": target])) {
        Step("build") { context in try context.parameter("to", as: String.self) }
        Step("ship", .needs("build")) { context in
          if context.generation < 3 { await gate.wait() }
          try Task.checkCancellation()
          let built: String = try context.input("build")
          return "\(built) to \(try context.parameter("to", as: String.self))"
        }
      }
    }
    let run = try await Engine().start(order("one"), recordedIn: journal)
    await expectEventually("it ships") { run.state["ship"]?.phase == .running }
    let restarting = Task { try await run.restart(with: order("two")) }
    await expectEventually("it is being restarted") { run.state.phase == .restarting }
    gate.open()
    #expect(try await restarting.value)
    await expectEventually("the next generation has built") {
      run.state.generation == 2 && run.state["build"]?.phase.isSuccess == true
    }
    run.interrupt()
    _ = try await run.outcome
    let record = try await journal.run(run.id)
    #expect(record.parameters == ["to": "two"])
    await #expect(throws: JournalError.self) {
      try await Engine().resume(run.id, from: journal, with: order("one"))
    }
    let resumed = try await Engine().resume(
      run.id, from: journal, with: order(try #require(record.parameters["to"])))
    #expect(try await resumed.outcome == .succeeded)
    #expect(try resumed.output(of: "ship", as: String.self) == "two to two")
  }
}

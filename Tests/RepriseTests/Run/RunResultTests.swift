import Reprise
import TestSupport
import Testing

/// The results of a run as Swift values.
struct RunResultTests {
  private struct Build: Codable, Equatable, Sendable {
    var version: String
    var size: Int
  }

  private func workflow() throws -> Workflow {
    try Workflow("results") {
      Step("build") { _ in Build(version: "1.2", size: 7) }
      Step("count") { _ in [1, 2, 3] }
      Step("nothing") { _ in }
    }
  }

  @Test func `outputs of a finished run are read with their types`() async throws {
    let run = Engine().start(try workflow())
    try await run.value()
    #expect(try run.output(of: "build", as: Build.self) == Build(version: "1.2", size: 7))
    #expect(try run.output(of: "count") == [1, 2, 3])
    #expect(try run.state.output(of: "count", as: [Int].self) == [1, 2, 3])
  }

  @Test func `what cannot be read is an error that says why`() async throws {
    let run = Engine().start(try workflow())
    try await run.value()
    #expect(throws: OutputError.unknownStep("biuld", known: ["build", "count", "nothing"])) {
      try run.output(of: "biuld", as: Build.self)
    }
    #expect(throws: OutputError.self) { try run.output(of: "build", as: [Int].self) }
    #expect(throws: OutputError.noOutput(step: "nothing")) {
      try run.output(of: "nothing", as: Int.self)
    }
  }

  @Test func `a run that fails throws its outcome, and its steps have no output`() async throws {
    struct Broken: Error {}
    let run = Engine().start(
      try Workflow("fails") { Step("build") { _ -> Int in throw Broken() } })
    let failure = await #expect(throws: RunFailure.self) { try await run.value() }
    #expect(failure?.run == run.id)
    #expect(throws: OutputError.notSucceeded(step: "build", phase: "failed")) {
      try run.output(of: "build", as: Int.self)
    }
  }

  @Test func `a cancelled wait for a value or an exit status says so, and nothing of the run`()
    async throws
  {
    let gate = Gate()
    let number = StepOutput<Int>("wait")
    let run = Engine().start(
      try Workflow("waits") {
        Step(number) { _ in
          await gate.wait()
          return 7
        }
      })
    for wait in [
      Task { try await run.value() },
      Task { _ = try await run.value(of: number) },
      Task { _ = try await run.exitStatus },
    ] {
      wait.cancel()
      await #expect(throws: CancellationError.self) { try await wait.value }
    }
    #expect(run.state.phase == .running)
    gate.open()
    #expect(try await run.value(of: number) == 7)
  }
}

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

  @Test func `cancelling the waiting task differs from a cancelled run`() async throws {
    let gate = Gate()
    let run = Engine().start(try Workflow("waits") { Step("wait") { _ in await gate.wait() } })
    let waiting = Task { try await run.outcomeUnlessCancelled() }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(run.state.phase == .running)
    gate.open()
    #expect(try await run.outcomeUnlessCancelled() == .succeeded)
  }
}

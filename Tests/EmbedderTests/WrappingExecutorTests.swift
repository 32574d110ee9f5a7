// Executors that wrap others, in a package with the default settings of the compiler.

import Reprise
import Synchronization
import Testing

/// Executors that wrap another one, and that execute steps in Swift code.
struct WrappingExecutorTests {
  /// Runs each command by `env`.
  struct Wrapper: Executor {
    let local = LocalExecutor()

    func execute(_ context: StepContext) async throws -> StepOutputs {
      let command = ["/usr/bin/env", "WRAPPED=yes"] + context.commandLine
      return try await local.execute(context.replacing(commandLine: command))
    }
  }

  /// Executes Swift code too, and notes the steps.
  final class Noting: Executor {
    let notes = Mutex<[String]>([])

    func executesSwiftCode(of step: Workflow.Step) -> Bool { step.id != "own" }

    func execute(_ context: StepContext) async throws -> StepOutputs {
      notes.withLock { $0.append(context.step.id) }
      guard context.step.id != "stubbed" else { return ["value": "stub"] }
      return try await context.performSwiftCode()
    }
  }

  @Test func `a wrapper runs another command line`() async throws {
    let workflow = try Workflow("wrapped") {
      Step("plain", run: "printenv WRAPPED")
      Step("script", run: "test \"$WRAPPED\" = yes && echo \"two words\"")
    }
    let run = Engine(executor: Wrapper()).start(workflow)
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["plain"]?.output.lines.map(\.text) == ["yes"])
    #expect(run.state["script"]?.output.lines.map(\.text) == ["two words"])
  }

  @Test func `an executor may execute closures and calls`() async throws {
    let executor = Noting()
    var engine = Engine(executor: executor)
    engine.register("twice") { context in try context.input("closure", as: Int.self) * 2 }
    let workflow = try Workflow("code") {
      Step("closure") { _ in 4 }
      Step("call", call: "twice", .needs("closure"))
      Step("own", .needs("closure")) { context in
        await #expect(throws: FailureReason.self) { try await context.performSwiftCode() }
      }
      Step("stubbed", call: "notRegistered")
    }
    let run = engine.start(workflow)
    #expect(try await run.outcome == .succeeded)
    #expect(try run.output(of: "call", as: Int.self) == 8)
    #expect(try run.output(of: "stubbed", as: String.self) == "stub")
    #expect(Set(executor.notes.withLock { $0 }) == ["closure", "call", "stubbed"])
  }

  @Test func `a sink of events takes a Sendable closure`() async throws {
    let count = Mutex(0)
    let run = Engine().start(try Workflow("one") { Step("only") { _ in } })
    let subscription = run.events.sink { _ in count.withLock { $0 += 1 } }
    #expect(try await run.outcome == .succeeded)
    #expect(count.withLock { $0 } > 2)
    subscription.cancel()
  }
}

// The results of closures, in a package with the default settings of the compiler.

import Reprise
import Testing

/// The results of closure steps.
struct ClosureResultTests {
  struct Encodes: Codable, Sendable { var number = 1 }
  struct Problem: Error {}

  @discardableResult static func number() -> Int { 7 }
  static func nothing() async throws {}

  /// Runs one step, and returns the reason of its failure; nil if it succeeded.
  private func failure(@WorkflowBuilder _ step: () -> [WorkflowItem]) async throws -> FailureReason?
  {
    let run = Engine().start(try Workflow("one", steps: step))
    guard case .failed(_, let reason) = try await run.outcome else { return nil }
    return reason
  }

  @Test func `a closure may end with an optional from try`() async throws {
    let workflow = try Workflow("w") {
      Step("a") { _ in try? Task.checkCancellation() }
      Step("b") { _ in try? { throw CancellationError() }() }
    }
    #expect(try await Engine().start(workflow).outcome == .succeeded)
  }

  @Test func `closures without a result succeed in any form`() async throws {
    let workflow = try Workflow("forms") {
      Step("empty") { _ in }
      Step("void") { _ in () }
      Step("call") { _ in try await Self.nothing() }
      Step("statements") { _ in
        let one = 1
        _ = one
      }
      Step("conditional") { context in
        if context.attempt > 1 { return }
        _ = Self.number()
      }
      Step("report") { context in context.report("hello") }
      Step("function", perform: runs)
    }
    let run = Engine().start(workflow)
    #expect(try await run.outcome == .succeeded)
    for step in run.state.steps { #expect(step.phase == .succeeded([:]), "\(step.id)") }
  }

  @Test func `a closure that only throws fails with its error`() async throws {
    #expect(
      try await failure { Step("x") { _ in throw Problem() } } == .threw("Problem()"))
  }

  @Test func `results that can be encoded are outputs`() async throws {
    let workflow = try Workflow("forms") {
      Step("number") { _ in Self.number() }
      Step("value") { _ in Encodes() }
      Step("optional") { _ in Int?.none }
      Step("list") { _ in [1, 2] }
    }
    let run = Engine().start(workflow)
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["number"]?.phase == .succeeded(["value": "7"]))
    #expect(run.state["value"]?.phase == .succeeded(["number": "1"]))
    #expect(run.state["optional"]?.phase == .succeeded([:]))
    #expect(run.state["list"]?.phase == .succeeded(["value": "[1,2]"]))
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func `a number that is not finite fails the step that returns it`(_ number: Double) async throws {
    struct Holding: Codable, Sendable { var numbers: [Double] }
    let texts = [
      try await failure { Step("x") { _ in number } },
      try await failure { Step("x") { _ in [0.1, number] } },
      try await failure { Step("x") { _ in Holding(numbers: [number]) } },
      try await failure { Step("x") { _ in Value.list([.number(number)]) } },
    ].map { String(describing: $0) }
    for text in texts { #expect(text.contains("is not finite"), "\(text)") }
    #expect(texts[1].contains("at 1 "))
    #expect(texts[2].contains("at numbers.0 "))
  }
}

private func runs(_ context: StepContext) async throws {}

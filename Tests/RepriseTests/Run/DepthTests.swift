import Foundation
import Reprise
import TestSupport
import Testing

/// Runs of 100,000 in-process steps.
///
/// `make test` gives every thread a stack of 512 KiB.
@Suite(.serialized) struct DepthTests {
  private static func chain(_ count: Int) throws -> Workflow {
    try Workflow(
      name: "chain",
      steps: (0..<count).map {
        Workflow.Step(id: "s\($0)", needs: $0 == 0 ? [] : ["s\($0 - 1)"], action: .run("true"))
      })
  }

  private static func fan(_ count: Int) throws -> Workflow {
    let leaves = (1...count).map {
      Workflow.Step(id: "s\($0)", needs: ["s0"], action: .run("true"))
    }
    let last = Workflow.Step(id: "last", needs: leaves.map(\.id), action: .run("true"))
    return try Workflow(
      name: "fan", steps: [Workflow.Step(id: "s0", action: .run("true"))] + leaves + [last])
  }

  /// The resident memory in KiB, or `nil` where the system does not report it.
  private static var residentMemory: Int? {
    let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    return status?.split(separator: "\n").first { $0.hasPrefix("VmRSS") }?
      .split(separator: " ").compactMap { Int($0) }.first
  }

  @Test(arguments: [false, true])
  func `100,000 steps run, and 50,000 fail, without recursion`(
    _ fails: Bool
  ) async throws {
    let engine = Engine(
      executor: ClosureExecutor { context in
        if fails && context.step.id == "s0" { throw FailureReason.exited(status: 1) }
        return [:]
      })
    let count = scaled(fails ? 50_000 : 100_000)
    for workflow in [try Self.chain(count), try Self.fan(count)] {
      let run = engine.start(workflow)
      let outcome = try await run.outcome
      #expect(
        outcome == (fails ? .failed(step: "s0", reason: .exited(status: 1)) : .succeeded))
      #expect(run.state.counts.final == workflow.steps.count)
    }
  }

  @Test func `memory is released after a run`() async throws {
    let workflow = try Self.chain(scaled(20_000))
    let engine = Engine(executor: ClosureExecutor { _ in [:] })
    for _ in 0..<2 { _ = try await engine.start(workflow).outcome }
    guard let before = Self.residentMemory else { return }
    for _ in 0..<4 { _ = try await engine.start(workflow).outcome }
    let after = try #require(Self.residentMemory)
    #expect(after < before + before / 4, "\(before) KiB, then \(after) KiB")
  }
}

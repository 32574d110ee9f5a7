// Tests runs of groups: what a failure in a group with `continue-on-error` or `fail-fast` does.

import TestSupport
import Testing

@testable import Reprise

struct GroupTests {
  private func run(
    _ text: String, failing: Set<String> = []
  ) async throws -> (RunOutcome, RunState, [String]) {
    let order = Protected<[String]>([])
    let executor = ClosureExecutor { context in
      order.withLock { $0.append(context.step.id) }
      for _ in 0..<20 { await Task.yield() }
      if failing.contains(context.step.id) { throw FailureReason.exited(status: 1) }
      return [:]
    }
    let run = Engine(executor: executor).start(try Workflow(text: text, file: "w.yaml"))
    return (try await run.outcome, run.state, order.value)
  }

  private static let tolerant = """
    steps:
      - continue-on-error: true
        steps: [{ id: a, run: x }, { id: b, run: x }, { id: c, run: x }]
      - { id: d, run: x }
    """

  @Test(arguments: ["a", "b", "c"])
  func `the steps after a group with continue-on-error go on`(failing: String) async throws {
    let (outcome, state, order) = try await run(Self.tolerant, failing: [failing])
    #expect(outcome == .succeeded)
    #expect(state["d"]?.phase == .succeeded([:]))
    let steps = ["a", "b", "c"]
    let end = try #require(steps.firstIndex(of: failing))
    #expect(order == Array(steps[...end]) + ["d"])
    for step in steps[(end + 1)...] {
      #expect(state[step]?.phase == .cancelled(.failure(ofStep: failing)))
    }
  }

  @Test(arguments: ["a", "b", "c", "d"])
  func `the result of a group is that of the step which has failed in it`(failing: String)
    async throws
  {
    let (_, state, order) = try await run(
      """
      steps:
        - id: before
          steps: [{ id: a, run: x }]
        - id: checks
          continue-on-error: true
          steps: [{ id: b, run: x, continue-on-error: true }, { id: c, run: x }, { id: d, run: x }]
        - { id: failed, run: x, if: always() && steps.checks.result == 'failure' }
        - { id: stopped, run: x, if: always() && steps.checks.result == 'cancelled' }
      """, failing: [failing])
    #expect(order.contains("failed") == ["c", "d"].contains(failing))
    #expect(order.contains("stopped") == (failing == "a"))
    #expect(state["d"]?.phase == .succeeded([:]) || failing != "b")
  }

  @Test func `an ended run is resumed from a group with all of its steps and dependents`()
    async throws
  {
    let (_, state, _) = try await run(
      """
      steps:
        - { id: a, run: x }
        - id: checks
          steps: [{ id: b, run: x }, { parallel: [{ id: c, run: x }, { id: d, run: x }] }]
        - { id: e, run: x }
      """)
    #expect(state.withDependents(of: "checks") == ["b", "c", "d", "e"])
    #expect(state.withDependents(of: "c") == ["c", "e"])
    #expect(state.withDependents(of: "none") == [])
  }

  @Test func `a failure after a group with continue-on-error fails the run`() async throws {
    let (outcome, _, _) = try await run(Self.tolerant, failing: ["a", "d"])
    #expect(outcome == .failed(step: "d", reason: .exited(status: 1)))
  }

  @Test func `max-parallel of a group counts branches, which run to their ends in order`()
    async throws
  {
    let (outcome, _, order) = try await run(
      """
      steps:
        - max-parallel: 1
          parallel:
            - steps: [{ id: deploy-1, run: x }, { id: verify-1, run: x }]
            - steps: [{ id: deploy-2, run: x }, { id: verify-2, run: x }]
            - { id: deploy-3, run: x }
      """)
    #expect(outcome == .succeeded)
    #expect(order == ["deploy-1", "verify-1", "deploy-2", "verify-2", "deploy-3"])
  }

  @Test func `with fail-fast, no branch begins after one has failed`() async throws {
    let (outcome, state, order) = try await run(
      """
      steps:
        - max-parallel: 1
          fail-fast: true
          parallel:
            - steps: [{ id: deploy-1, run: x }, { id: verify-1, run: x }]
            - steps: [{ id: deploy-2, run: x }, { id: verify-2, run: x }]
      """, failing: ["verify-1"])
    #expect(outcome == .failed(step: "verify-1", reason: .exited(status: 1)))
    #expect(order == ["deploy-1", "verify-1"])
    #expect(state["deploy-2"]?.phase == .cancelled(.failure(ofStep: "verify-1")))
  }

  @Test func `a false condition of a group skips all of its steps`() async throws {
    let (outcome, state, order) = try await run(
      """
      params: { go: false }
      steps:
        - if: params.go
          steps: [{ id: a, run: x }, { id: b, run: x }]
        - { id: c, run: x }
      """)
    #expect(outcome == .succeeded)
    #expect(order == ["c"])
    #expect(state.counts.skipped == 2)
  }
}

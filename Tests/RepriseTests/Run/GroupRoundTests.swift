// Tests runs of groups that repeat until a condition holds.

import TestSupport
import Testing

@testable import Reprise

struct GroupRoundTests {
  // Runs a workflow in virtual time, of which some calls, such as `a 1`, fail. Each step has the number
  // of its calls as output `call`. Returns the outcome, the run, and the calls in their order.
  private func run(
    _ text: String, failing: Set<String> = [], clock: VirtualClock = VirtualClock()
  ) async throws -> (RunOutcome, Run, [String]) {
    let calls = Protected<[String: Int]>([:])
    let order = Protected<[String]>([])
    let executor = ClosureExecutor { context in
      let id = context.step.id
      let call = calls.withLock { calls in
        calls[id, default: 0] += 1
        return calls[id] ?? 0
      }
      order.withLock { $0.append("\(id) \(call)") }
      try await clock.sleep(for: .seconds(1))
      if failing.contains("\(id) \(call)") { throw FailureReason.exited(status: 1) }
      return ["call": "\(call)"]
    }
    let run = Engine(executor: executor, clock: clock).start(
      try Workflow(text: text, file: "w.yaml"))
    return (try await run.outcomeInTime(on: clock), run, order.value)
  }

  private static func polling(_ settings: String) -> String {
    """
    steps:
      - { id: first, run: x }
      - id: g
        \(settings)
        steps: [{ id: a, run: x }, { id: b, run: x }]
      - { id: last, run: x }
    """
  }

  @Test func `a group repeats until its condition is true`() async throws {
    let clock = VirtualClock()
    let (outcome, run, order) = try await run(
      Self.polling("repeat: { until: \"steps.a.outputs.call == '3'\", delay: 10s, limit: 4 }"),
      clock: clock)
    #expect(outcome == .succeeded)
    #expect(order == ["first 1", "a 1", "b 1", "a 2", "b 2", "a 3", "b 3", "last 1"])
    #expect(clock.now.microseconds == 28_000_000)
    #expect(run.state["g/repeat"]?.phase == .succeeded([:]))
    #expect(run.state.generation == 3)
  }

  @Test func `after its last round, a group whose condition is not met has failed`() async throws {
    let (outcome, run, order) = try await run(
      Self.polling("repeat: { while: \"steps.b.outputs.call != '9'\", limit: 1 }"))
    let reason = FailureReason.unmet("still waiting while steps.b.outputs.call != '9'")
    #expect(outcome == .failed(step: "g/repeat", reason: reason))
    #expect(order == ["first 1", "a 1", "b 1", "a 2", "b 2"])
    #expect(run.state["last"]?.phase == .cancelled(.failure(ofStep: "g/repeat")))
  }

  @Test func `a round that fails ends the rounds, and each round has all retries`() async throws {
    let settings = "repeat: { until: \"steps.b.outputs.call == '4'\" }"
    let (outcome, _, order) = try await run(Self.polling(settings), failing: ["b 2"])
    #expect(outcome == .failed(step: "b", reason: .exited(status: 1)))
    #expect(order == ["first 1", "a 1", "b 1", "a 2", "b 2"])
    let (second, _, again) = try await run(
      Self.polling("retry: 1\n    " + settings), failing: ["b 1", "b 3"])
    #expect(second == .succeeded)
    #expect(
      again == ["first 1", "a 1", "b 1", "a 2", "b 2", "a 3", "b 3", "a 4", "b 4", "last 1"])
  }

  @Test func `a condition that cannot be evaluated ends the rounds`() async throws {
    let (outcome, run, order) = try await run(
      Self.polling("repeat: { until: \"steps.a.outputs.none == '1'\" }"))
    #expect(order == ["first 1", "a 1", "b 1"])
    guard case .failed("g/repeat", .badValue) = outcome else {
      Issue.record("\(outcome), \(run.state.steps.map(\.phase))")
      return
    }
  }

  @Test func `the last round of a group with continue-on-error fails nothing`() async throws {
    let (outcome, run, order) = try await run(
      Self.polling("continue-on-error: true\n    repeat: { until: \"1 == 2\", limit: 1 }"))
    #expect(outcome == .succeeded)
    #expect(order == ["first 1", "a 1", "b 1", "a 2", "b 2", "last 1"])
    #expect(run.state["g/repeat"]?.phase.name == "failed")
  }

  @Test func `a group that is skipped has no rounds`() async throws {
    let (outcome, run, order) = try await run(
      Self.polling("if: \"1 == 2\"\n    repeat: { until: \"steps.a.outputs.call == '3'\" }"))
    #expect(outcome == .succeeded)
    #expect(order == ["first 1", "last 1"])
    #expect(run.state["g/repeat"]?.phase.name == "skipped")
  }

  @Test func `each item of a group repeats on its own, written or computed`() async throws {
    for items in ["[1, 2]", "\"${{ fromJSON('[1, 2]') || steps.first.result }}\""] {
      let until = "steps.a.outputs.call == format('{0}', item)"
      let (outcome, run, order) = try await run(
        Self.polling(
          "foreach: \(items)\n    max-parallel: 1\n    repeat: { until: \"\(until)\" }"))
      #expect(outcome == .succeeded)
      #expect(
        order == [
          "first 1", "g[0]/a 1", "g[0]/b 1", "g[1]/a 1", "g[1]/b 1", "g[1]/a 2", "g[1]/b 2",
          "last 1",
        ], "\(items)")
      #expect(run.state["g[1]/repeat"]?.phase == .succeeded([:]))
    }
  }
}

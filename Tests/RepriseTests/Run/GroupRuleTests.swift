// Tests runs of groups with a time limit, retries, a mutex, and items.

import TestSupport
import Testing

@testable import Reprise

struct GroupRuleTests {
  /// What a step does: which of its calls fail, and how long each of them takes.
  private struct Behaviour {
    var failures = 0
    var seconds = 0
  }

  private func start(
    _ text: String, _ behaviours: [String: Behaviour], _ clock: VirtualClock
  ) throws -> (Run, Protected<[String]>) {
    let order = Protected<[String]>([])
    let executor = ClosureExecutor { context in
      let id = context.step.id
      let call = order.withLock { order in
        order.append(id)
        return order.count { $0 == id }
      }
      let behaviour = behaviours[id] ?? Behaviour()
      if behaviour.seconds > 0 { try await clock.sleep(for: .seconds(behaviour.seconds)) }
      if call <= behaviour.failures { throw FailureReason.exited(status: 7) }
      return ["call": "\(call)"]
    }
    let engine = Engine(executor: executor, clock: clock)
    return (engine.start(try Workflow(text: text, file: "w.yaml")), order)
  }

  private func run(
    _ text: String, _ behaviours: [String: Behaviour] = [:], clock: VirtualClock = VirtualClock()
  ) async throws -> (RunOutcome, Run, [String]) {
    let (run, order) = try start(text, behaviours, clock)
    return (try await run.outcomeInTime(on: clock), run, order.value)
  }

  // MARK: Retries

  private static let retried = """
    steps:
      - { id: first, run: x }
      - id: g
        retry: { limit: 2, delay: 5s }
        steps: [{ id: a, run: x }, { id: b, run: x }, { id: c, run: x }]
      - { id: last, run: x }
      - { id: tell, if: failure(), run: x }
    """

  @Test func `after a failure, all steps of the group run again in order`() async throws {
    let clock = VirtualClock()
    let (outcome, run, order) = try await run(
      Self.retried, ["b": Behaviour(failures: 2)], clock: clock)
    #expect(outcome == .succeeded)
    #expect(order == ["first", "a", "b", "a", "b", "a", "b", "c", "last"])
    #expect(run.state.generation == 3)
    #expect(clock.now.microseconds == 10_000_000)
    #expect(run.state["a"]?.phase == .succeeded(["call": "3"]))
  }

  @Test func `branches that run one after the other are retried in order, too`() async throws {
    let (outcome, _, order) = try await run(
      """
      steps:
        - id: g
          retry: 1
          max-parallel: 1
          parallel: [{ id: a, run: x }, { id: b, run: x }, { id: c, run: x }]
      """, ["b": Behaviour(failures: 1)])
    #expect(outcome == .succeeded)
    #expect(order == ["a", "b", "a", "b", "c"])
  }

  @Test func `after its last retry, the group has failed`() async throws {
    let (outcome, run, order) = try await run(Self.retried, ["c": Behaviour(failures: 9)])
    #expect(outcome == .failed(step: "c", reason: .exited(status: 7)))
    #expect(order.count { $0 == "a" } == 3 && order.count { $0 == "c" } == 3)
    #expect(run.state["last"]?.phase == .cancelled(.failure(ofStep: "c")))
    #expect(order.last == "tell" && order.count { $0 == "tell" } == 1)
  }

  @Test func `branches in progress are stopped before the group runs again`() async throws {
    let (outcome, run, order) = try await run(
      """
      fail-fast: true
      steps:
        - retry: 1
          parallel: [{ id: slow, run: x }, { id: quick, run: x }]
        - { id: other, needs: [], run: x }
      """, ["slow": Behaviour(seconds: 50), "quick": Behaviour(failures: 1, seconds: 2)])
    #expect(outcome == .succeeded)
    #expect(order.count { $0 == "slow" } == 2 && order.count { $0 == "quick" } == 2)
    #expect(order.count { $0 == "other" } == 1)
    #expect(run.state.generation == 2)
  }

  @Test func `an inner group is retried first, and again after a retry of the outer one`()
    async throws
  {
    let (outcome, _, order) = try await run(
      """
      steps:
        - retry: 1
          steps:
            - { id: a, run: x }
            - { retry: 1, steps: [{ id: b, run: x }] }
      """, ["b": Behaviour(failures: 9)])
    #expect(outcome == .failed(step: "b", reason: .exited(status: 7)))
    #expect(order == ["a", "b", "b", "a", "b", "b"])
  }

  @Test func `only failures with these exit statuses are retried`() async throws {
    let text = "steps: [{ retry: { limit: 3, for: 8 }, steps: [{ id: a, run: x }] }]"
    let (_, _, order) = try await run(text, ["a": Behaviour(failures: 9)])
    #expect(order == ["a"])
    let (_, _, again) = try await run(
      text.replacing("for: 8", with: "for: 7"), ["a": Behaviour(failures: 9)])
    #expect(again.count == 4)
  }

  @Test func `a tolerated failure retries nothing`() async throws {
    let (outcome, _, order) = try await run(
      """
      steps:
        - retry: 3
          steps:
            - { id: a, continue-on-error: true, run: x }
            - { continue-on-error: true, steps: [{ id: b, run: x }] }
            - { id: c, run: x }
      """, ["a": Behaviour(failures: 9), "b": Behaviour(failures: 9)])
    #expect(outcome == .succeeded)
    #expect(order == ["a", "b", "c"])
  }

  @Test func `the steps under finally run once, after the last attempt`() async throws {
    let (outcome, _, order) = try await run(
      """
      steps: [{ retry: { limit: 1, delay: 3s }, steps: [{ id: a, run: x }] }]
      finally: [{ id: f, run: x }]
      """, ["a": Behaviour(failures: 9)])
    #expect(outcome == .failed(step: "a", reason: .exited(status: 7)))
    #expect(order == ["a", "a", "f"])
  }

  @Test func `a run that is cancelled between two attempts ends at once`() async throws {
    let clock = VirtualClock()
    let executor = ClosureExecutor { _ in throw FailureReason.exited(status: 1) }
    let run = Engine(executor: executor, clock: clock).start(
      try Workflow(
        text: """
          steps: [{ retry: { limit: 1, delay: 1h }, steps: [{ id: a, run: x }] }]
          finally: [{ id: f, run: x }]
          """, file: "w.yaml"))
    await expectEventually("the delay has begun") { clock.sleeperCount == 1 }
    #expect(run.state["f"]?.phase == .pending)
    run.cancel()
    #expect(try await run.outcome == .cancelled)
    await expectEventually("nothing sleeps") { clock.sleeperCount == 0 }
  }

  @Test func `a restart by hand gives a group all of its retries again`() async throws {
    let tries = Protected(0)
    let clock = VirtualClock()
    let executor = ClosureExecutor { context in
      guard context.step.id == "a" else {
        try await clock.sleep(for: .seconds(3600))
        return [:]
      }
      tries.withLock { $0 += 1 }
      throw FailureReason.exited(status: 1)
    }
    let run = Engine(executor: executor, clock: clock).start(
      try Workflow(
        text: """
          steps:
            - parallel:
                - { retry: { limit: 1, delay: 1s }, steps: [{ id: a, run: x }] }
                - { id: z, run: x }
          """, file: "w.yaml"))
    await expectEventually("the delay has begun") { clock.sleeperCount == 2 }
    clock.advanceToNextWake()
    await expectEventually("it has failed again") { tries.value == 2 }
    await expectEventually("it has ended") { run.state["a"]?.phase.isFinal == true }
    try run.restart(from: "a")
    await expectEventually("the delay has begun") { tries.value == 3 && clock.sleeperCount == 2 }
    clock.advanceToNextWake()
    await expectEventually("it has failed again") { tries.value == 4 }
    run.cancel()
    _ = try await run.outcome
  }

  // MARK: Time limits

  /// Runs a workflow; the time advances each time that so many tasks sleep, and the last time not
  /// before a step has ended.
  private func run(
    _ text: String, _ behaviours: [String: Behaviour], advancingAt counts: [Int],
    lastAfter step: String? = nil
  ) async throws -> (RunOutcome, Run, [String]) {
    let clock = VirtualClock()
    let (run, order) = try start(text, behaviours, clock)
    for (position, count) in counts.enumerated() {
      await expectEventually("\(count) tasks sleep") { clock.sleeperCount == count }
      if let step, position == counts.count - 1 {
        await expectEventually("\(step) has ended") { run.state[step]?.phase.isFinal == true }
      }
      clock.advanceToNextWake()
    }
    let outcome = try await run.outcome
    await expectEventually("nothing sleeps") { clock.sleeperCount == 0 }
    return (outcome, run, order.value)
  }

  @Test func `when the time of a group is over, its steps fail or are cancelled`() async throws {
    let (outcome, run, order) = try await run(
      """
      steps:
        - { id: first, run: x }
        - timeout: 10s
          parallel:
            - { id: long, run: x }
            - steps: [{ id: a, run: x }, { id: b, run: x }, { id: c, run: x }]
            - { id: short, run: x }
        - { id: last, run: x }
      """,
      [
        "first": Behaviour(seconds: 60), "long": Behaviour(seconds: 60),
        "a": Behaviour(seconds: 6), "b": Behaviour(seconds: 6),
      ], advancingAt: [1, 3, 3], lastAfter: "short")
    let ends = ["long", "b"].map {
      RunOutcome.failed(step: $0, reason: .timedOut(after: .seconds(10)))
    }
    #expect(ends.contains(outcome))
    #expect(order.count == 5)
    #expect(run.state["a"]?.phase == .succeeded(["call": "1"]))
    #expect(run.state["long"]?.phase == .failed(.timedOut(after: .seconds(10))))
    #expect(run.state["b"]?.phase == .failed(.timedOut(after: .seconds(10))))
    #expect(run.state["c"]?.phase.isCancelled == true)
    #expect(run.state["short"]?.phase == .succeeded(["call": "1"]))
    #expect(run.state["last"]?.phase.isCancelled == true)
  }

  @Test func `a group that ends in time leaves no timer`() async throws {
    let (outcome, _, order) = try await run(
      """
      steps:
        - { timeout: 10s, steps: [{ id: a, run: x }, { id: b, run: x }] }
        - { id: last, run: x }
      """, ["a": Behaviour(seconds: 4), "b": Behaviour(seconds: 4)], advancingAt: [2, 2])
    #expect(outcome == .succeeded)
    #expect(order == ["a", "b", "last"])
  }

  @Test func `a step that waits for its next attempt fails when the time is over`() async throws {
    let (outcome, run, order) = try await run(
      """
      steps:
        - timeout: 10s
          steps: [{ id: a, retry: { limit: 3, delay: 1h }, run: x }, { id: b, run: x }]
      """, ["a": Behaviour(failures: 9)], advancingAt: [2])
    #expect(outcome == .failed(step: "a", reason: .timedOut(after: .seconds(10))))
    #expect(order == ["a"])
    #expect(run.state["b"]?.phase == .cancelled(.failure(ofStep: "a")))
  }

  @Test func `each attempt of a group has the whole time`() async throws {
    let clock = VirtualClock()
    let (run, order) = try start(
      """
      steps:
        - timeout: 10s
          retry: { limit: 1, delay: 7s }
          steps: [{ id: a, run: x }, { id: b, run: x }]
      """, ["a": Behaviour(seconds: 7), "b": Behaviour(seconds: 7)], clock)
    for generation in 1...2 {
      for step in ["a", "b"] {
        await expectEventually("\(step) and the timer sleep") {
          run.state.generation == generation && run.state[step]?.phase == .running
            && clock.sleeperCount == 2
        }
        clock.advanceToNextWake()
      }
      await expectEventually("b has failed") { run.state["b"]?.phase.isFinal == true }
      #expect(run.state["b"]?.phase == .failed(.timedOut(after: .seconds(10))))
      guard generation == 1 else { break }
      await expectEventually("the delay has begun") { clock.sleeperCount == 1 }
      clock.advanceToNextWake()
    }
    #expect(
      try await run.outcome == .failed(step: "b", reason: .timedOut(after: .seconds(10))))
    #expect(order.value == ["a", "b", "a", "b"])
  }

  // MARK: Mutexes and items

  @Test func `a group holds its mutex from its first step to its last`() async throws {
    let (outcome, _, order) = try await run(
      """
      steps:
        - parallel:
            - { mutex: m, steps: [{ id: a, run: x }, { id: b, run: x }] }
            - { mutex: m, steps: [{ id: c, run: x }, { id: d, run: x }] }
            - { id: e, mutex: m, run: x }
      """, ["a": Behaviour(seconds: 1), "c": Behaviour(seconds: 1)])
    #expect(outcome == .succeeded)
    #expect(order == ["a", "b", "c", "d", "e"])
  }

  @Test func `the items of a group run one after the other, and each is retried alone`()
    async throws
  {
    let (outcome, run, order) = try await run(
      """
      steps:
        - id: g
          foreach: [x, y]
          item-id: "${{ item }}"
          max-parallel: 1
          retry: { limit: 1, delay: 1s }
          outputs: { call: "${{ steps.b.outputs.call }}" }
          steps: [{ id: a, run: x }, { id: b, run: x }]
        - { id: last, run: x, outputs: { calls: "${{ join(steps.g.outputs.call, ',') }}" } }
      """, ["g[x]/b": Behaviour(failures: 1)])
    #expect(outcome == .succeeded)
    #expect(order == ["g[x]/a", "g[x]/b", "g[x]/a", "g[x]/b", "g[y]/a", "g[y]/b", "last"])
    #expect(run.state["last"]?.phase == .succeeded(["call": "1", "calls": "2,1"]))
  }

  @Test func `the time of the workflow goes on while a group is retried`() async throws {
    let clock = VirtualClock()
    let (run, order) = try start(
      """
      timeout: 10s
      steps:
        - { retry: { limit: 5, delay: 0s }, steps: [{ id: a, run: x }] }
      """, ["a": Behaviour(failures: 9, seconds: 4)], clock)
    for generation in 1...3 {
      await expectEventually("a sleeps") {
        run.state.generation == generation && run.state["a"]?.phase == .running
          && clock.sleeperCount == 2
      }
      clock.advanceToNextWake()
    }
    #expect(try await run.outcome == .timedOut(after: .seconds(10)))
    #expect(order.value == ["a", "a", "a"])
  }
}

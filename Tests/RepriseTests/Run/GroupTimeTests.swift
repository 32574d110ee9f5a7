// Tests that the time of a group goes on while a group inside of it waits for its retry.

import TestSupport
import Testing

@testable import Reprise

struct GroupTimeTests {
  // Runs a workflow in virtual time. Each step takes the seconds that its script names; `fail` fails at
  // once. Time goes on when the group's timer and a step or a delay wait; when the last step runs, that
  // one waits alone. Returns the run and its starts, as `step second`.
  private func run(_ text: String, last: String = "") async throws -> (Run, [String]) {
    let starts = Protected<[String]>([])
    let clock = VirtualClock()
    let executor = ClosureExecutor { context in
      starts.withLock { $0.append("\(context.step.id) \(clock.now.microseconds / 1_000_000)") }
      if context.step.action.isService {
        context.reportReady(outputs: [:])
        try await Gate().waitUnlessCancelled()
      }
      guard let seconds = context.commandLine.first.flatMap(Int.init) else {
        throw FailureReason.exited(status: 1)
      }
      try await clock.sleep(for: .seconds(seconds))
      return [:]
    }
    let run = Engine(executor: executor, clock: clock).start(
      try Workflow(text: text, file: "w.yaml"))
    await expectEventually("the run is over") {
      let isAtEnd = run.state[last]?.phase == .running
      if clock.sleeperCount >= (isAtEnd ? 1 : 2) { clock.advanceToNextWake() }
      if case .ended = run.state.phase { return true }
      return false
    }
    // A run that does not end has been reported.
    run.kill()
    return (run, starts.value)
  }

  @Test func `the time goes on in the delay before a retry inside, and in the retry`() async throws
  {
    let (run, starts) = try await run(
      """
      steps:
        - id: outer
          timeout: 10s
          steps:
            - { id: inner, retry: { limit: 9, delay: 3s }, steps: [{ id: a, run: 1 }, { id: b, run: fail }] }
        - { id: tell, if: failure(), run: 1 }
      """, last: "tell")
    #expect(starts.dropLast() == ["a 0", "b 1", "a 4", "b 5", "a 8", "b 9"])
    #expect(run.state["b"]?.phase == .failed(.exited(status: 1)))
    #expect(try await run.outcome == .failed(step: "b", reason: .exited(status: 1)))
  }

  @Test func `nothing of a group starts when its time is over in the delay of a retry inside`()
    async throws
  {
    let (run, starts) = try await run(
      """
      steps:
        - id: outer
          timeout: 10s
          continue-on-error: true
          steps:
            - { id: inner, retry: { limit: 1, delay: 1h }, steps: [{ id: a, run: fail }] }
            - { id: b, if: always(), run: 1 }
        - { id: last, run: 1 }
      """, last: "last")
    #expect(starts.map { $0.prefix { $0 != " " } } == ["a", "last"])
    #expect(run.state["b"]?.phase == .cancelled(.failure(ofStep: "a")))
    #expect(try await run.outcome == .succeeded)
  }

  @Test func `a step that succeeds after the time of its group has failed`() async throws {
    let clock = VirtualClock()
    let executor = ClosureExecutor { _ in
      try? await clock.sleep(for: .seconds(20))
      return [:]
    }
    let run = Engine(executor: executor, clock: clock).start(
      try Workflow(
        text: "steps: [{ id: g, timeout: 10s, steps: [{ id: a, run: x }, { id: b, run: x }] }]",
        file: "w.yaml"))
    await expectEventually("the step and the timer wait") { clock.sleeperCount == 2 }
    clock.advanceToNextWake()
    let reason = FailureReason.timedOut(after: .seconds(10))
    #expect(try await run.outcome == .failed(step: "a", reason: reason))
    #expect(run.state["b"]?.phase == .cancelled(.failure(ofStep: "a")))
  }

  @Test func `a service does not start when the steps that use it were cancelled before`()
    async throws
  {
    let (run, starts) = try await run(
      """
      max-parallel: 1
      steps:
        - id: g
          fail-fast: true
          parallel:
            - { id: a, run: fail }
            - steps: [{ id: db, service: x }, { id: b, run: 1 }]
      """)
    #expect(starts == ["a 0"])
    #expect(run.state["db"]?.startedAt == nil && run.state["b"]?.phase.name == "cancelled")
  }

  @Test func `a reload does not start a step of a group whose time is over`() async throws {
    let clock = VirtualClock()
    let stopping = Gate()
    let starts = Protected<[String]>([])
    let executor = ClosureExecutor { context in
      starts.withLock { $0.append(context.step.id) }
      // It takes long to stop.
      if context.step.id == "a" { await stopping.wait() }
      return [:]
    }
    func workflow(_ last: String) throws -> Workflow {
      try Workflow(
        text: """
          steps:
            - id: g
              timeout: 10s
              steps: [{ id: a, run: x }, { id: b, if: always(), run: x }]
            - { id: last, run: \(last) }
          """, file: "w.yaml")
    }
    let run = Engine(executor: executor, clock: clock).start(try workflow("x"))
    await expectEventually("the timer waits") { clock.sleeperCount == 1 && starts.value == ["a"] }
    clock.advanceToNextWake()
    #expect(try await run.restart(with: try workflow("y"), from: ["last"]))
    await expectEventually("the reload has happened") { run.state.generation == 2 }
    stopping.open()
    let reason = FailureReason.timedOut(after: .seconds(10))
    #expect(try await run.outcome == .failed(step: "a", reason: reason))
    #expect(run.state["b"]?.phase == .cancelled(.failure(ofStep: "a")))
    #expect(starts.value == ["a"])
  }
}

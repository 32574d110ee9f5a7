import TestSupport
import Testing

@testable import Reprise

/// Which of the waiting steps starts first, and how many failures stop the others.
struct QueueOrderTests {
  private func order(
    _ text: String, _ usual: [String: Duration] = [:]
  ) async throws -> [String] {
    let started = Protected<[String]>([])
    let engine = Engine(
      executor: ClosureExecutor { context in
        started.withLock { $0.append(context.step.id) }
        return [:]
      })
    let run = engine.start(try Workflow(text: text, file: "w.yaml"), usualDurations: usual)
    #expect(try await run.outcome == .succeeded)
    return started.value
  }

  @Test func `steps of higher priority start first, then those first in the file`() async throws {
    let started = try await order(
      """
      max-parallel: 1
      steps:
        - parallel:
            - { id: a, run: x }
            - { id: b, run: x, priority: -1 }
            - { id: c, run: x, priority: 5 }
            - { id: d, run: x }
            - { id: e, run: x, priority: 5, mutex: m }
      """)
    #expect(started == ["c", "e", "a", "d", "b"])
  }

  private static let chains = """
    max-parallel: 1
    order: longest-path
    steps:
      - parallel:
          - { id: a, run: x }
          - steps: [{ id: b1, run: x }, { id: b2, run: x }]
          - { id: c, run: x }
          - { id: d, run: x, priority: 1 }
    """

  @Test func `the longest chain starts first, by the times of earlier runs`() async throws {
    #expect(try await order(Self.chains) == ["d", "b1", "a", "b2", "c"])
    let usual: [String: Duration] = [
      "a": .seconds(1), "b1": .seconds(1), "b2": .seconds(2), "c": .seconds(9),
    ]
    #expect(try await order(Self.chains, usual) == ["d", "c", "b1", "b2", "a"])
  }

  @Test func `fail-fast with a number stops the others at that failure`() async throws {
    let run = Engine(
      executor: ClosureExecutor { context in
        if context.step.id != "last" { throw FailureReason.exited(status: 1) }
        return [:]
      }
    ).start(
      try Workflow(
        text: """
          max-parallel: 1
          fail-fast: 2
          steps:
            - parallel:
                - { id: tolerated, run: x, continue-on-error: true }
                - { id: one, run: x }
                - { id: two, run: x }
                - { id: last, run: x }
          """, file: "w.yaml"))
    #expect(try await run.outcome == .failed(step: "one", reason: .exited(status: 1)))
    #expect(run.state["two"]?.phase == .failed(.exited(status: 1)))
    #expect(run.state["last"]?.phase == .cancelled(.failure(ofStep: "two")))
  }

  @Test func `fail-fast with a number applies to the instances of a foreach`() async throws {
    let run = Engine(
      executor: ClosureExecutor { context in
        if ["s[0]", "s[1]"].contains(context.step.id) { throw FailureReason.exited(status: 1) }
        return [:]
      }
    ).start(
      try Workflow(
        text: """
          max-parallel: 1
          steps:
            - parallel:
                - { id: s, foreach: [1, 2, 3], fail-fast: 2, run: x }
                - { id: other, run: x }
          """, file: "w.yaml"))
    _ = try await run.outcome
    #expect(run.state["s[2]"]?.phase == .cancelled(.failure(ofStep: "s[1]")))
    #expect(run.state["other"]?.phase == .succeeded([:]))
  }
}

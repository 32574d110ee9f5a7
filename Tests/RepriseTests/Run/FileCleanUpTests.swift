// Steps under `finally` of used files, and outputs of failed steps.

import TestSupport
import Testing

@testable import Reprise

/// Steps under `finally` of a used file.
struct FileCleanUpTests {
  private static let used = """
    params: { n: "1" }
    steps:
      - { id: make, run: make }
      - { id: test, run: test }
    finally:
      - { id: note, if: failure(), run: note }
      - { id: free, env: { RESULT: "${{ steps.test.result }}" }, run: free }
      - { id: roll-back, when: failure, run: back }
    """

  private static func workflow(_ text: String, _ used: String = used) throws -> Workflow {
    try Workflow(bytes: Array(text.utf8), file: "w.yaml", sources: .kept(["u.yaml": used]))
  }

  /// Runs a workflow of which some steps fail.
  ///
  /// - Returns: The state, and the ids of the steps that ran, in order.
  private static func run(
    _ text: String, failing: Set<String> = []
  ) async throws -> (RunState, [String]) {
    let ran = Protected<[String]>([])
    let engine = Engine(
      executor: ClosureExecutor { context in
        ran.withLock { $0.append(context.step.id) }
        if failing.contains(context.step.id) { throw FailureReason.exited(status: 1) }
        return context.resolved.environment
      })
    let run = engine.start(try workflow(text))
    _ = try await run.outcome
    return (run.state, ran.value)
  }

  private static let main = """
    steps:
      - { id: u, uses: ./u.yaml }
      - { id: after, run: x }
    """

  @Test func `they run after the steps of the file and before what depends on it`() async throws {
    let (state, ran) = try await Self.run(Self.main)
    #expect(ran == ["u/make", "u/test", "u/free", "after"])
    #expect(state["u/free"]?.phase == .succeeded(["RESULT": "success"]))
    #expect(state["u/note"]?.phase.name == "skipped")
    #expect(
      state["u/roll-back"]?.phase == .skipped("the steps of its file ended with success", [:]))
  }

  @Test func `they run after a failure, which still cancels what depends on the file`()
    async throws
  {
    let (state, ran) = try await Self.run(Self.main, failing: ["u/make"])
    #expect(ran == ["u/make", "u/note", "u/free", "u/roll-back"])
    #expect(state["u/free"]?.phase == .succeeded(["RESULT": "cancelled"]))
    #expect(state["after"]?.phase == .cancelled(.failure(ofStep: "u/make")))
    #expect(state.phase == .ended(.failed(step: "u/make", reason: .exited(status: 1))))
  }

  @Test func `the failure of one of them does not keep the next from running`() async throws {
    let (state, ran) = try await Self.run(Self.main, failing: ["u/free"])
    #expect(ran == ["u/make", "u/test", "u/free", "u/roll-back"])
    #expect(state["after"]?.phase.name == "cancelled")
  }

  @Test func `they do not run if no step of the file has started`() async throws {
    let (_, ran) = try await Self.run(
      "steps: [{ id: first, run: x }, { id: u, uses: ./u.yaml }]", failing: ["first"])
    #expect(ran == ["first"])
    let (state, none) = try await Self.run("steps: [{ id: u, if: 'false', uses: ./u.yaml }]")
    #expect(none.isEmpty && state.phase == .ended(.succeeded))
  }

  @Test func `each item has its own, which belong to the item`() async throws {
    let (_, ran) = try await Self.run(
      "steps: [{ id: u, foreach: [1, 2], max-parallel: 1, uses: ./u.yaml }]",
      failing: ["u[0]/test"])
    #expect(
      ran == [
        "u[0]/make", "u[0]/test", "u[0]/note", "u[0]/free", "u[0]/roll-back", "u[1]/make",
        "u[1]/test", "u[1]/free",
      ])
  }

  @Test func `a resumed run cleans up again after the steps that it runs again`() async throws {
    let (state, _) = try await Self.run(Self.main, failing: ["u/test"])
    let ran = Protected<[String]>([])
    let engine = Engine(
      executor: ClosureExecutor { context in
        ran.withLock { $0.append(context.step.id) }
        return [:]
      })
    let run = try engine.resume(state, with: try Self.workflow(Self.main))
    #expect(try await run.outcome == .succeeded)
    #expect(ran.value == ["u/test", "u/free", "after"])
  }

  @Test func `they are steps of the file for expressions, and cannot have needs`() throws {
    let error = #expect(throws: WorkflowError.self) {
      try Self.workflow(
        "steps: [{ id: u, uses: ./u.yaml }]",
        "steps: [{ id: a, run: x }]\nfinally: [{ id: b, needs: a, run: x }, { id: a, run: x }]")
    }
    #expect(Set(error?.diagnostics.map(\.code) ?? []) == ["R0217", "R0303"])
  }
}

/// Outputs of steps whose program has failed.
struct FailedOutputTests {
  @Test func `what a failed step has written can be read by steps that run nevertheless`()
    async throws
  {
    let run = Engine().start(
      try Workflow(
        text: """
          steps:
            - { id: a, run: 'echo "at=7" >> $REPRISE_OUTPUT; exit 3' }
            - id: b
              if: failure()
              env: { AT: "${{ steps.a.outputs.at }}", NO: "${{ steps.a.outputs.no || 'none' }}" }
              run: echo "is=$AT $NO" >> $REPRISE_OUTPUT
          finally:
            - id: c
              env: { AT: "${{ steps.a.outputs.at }}" }
              run: echo "is=$AT" >> $REPRISE_OUTPUT
          """, file: "w.yaml"))
    _ = try await run.outcome
    #expect(run.state["a"]?.phase == .failed(.exited(status: 3)))
    #expect(run.state["a"]?.written == ["at": "7"])
    #expect(run.state["b"]?.phase == .succeeded(["is": "7 none"]))
    #expect(run.state["c"]?.phase == .succeeded(["is": "7"]))
    var recap = RunState()
    for event in run.state.recap { try recap.apply(event) }
    #expect(recap["a"] == run.state["a"])
  }

  @Test func `the next attempt begins without them, and a malformed file is no second failure`()
    async throws
  {
    let run = Engine().start(
      try Workflow(
        text: """
          steps:
            - id: a
              retry: { limit: 1, delay: 0s }
              run: |
                if [ $REPRISE_ATTEMPT = 1 ]; then echo "first=1" >> $REPRISE_OUTPUT; fi
                echo "second=2" >> $REPRISE_OUTPUT
                exit 4
            - { id: b, needs: [], run: 'echo "no line" >> $REPRISE_OUTPUT; exit 5' }
          """, file: "w.yaml"))
    _ = try await run.outcome
    #expect(run.state["a"]?.written == ["second": "2"])
    #expect(run.state["b"]?.written == [:])
    #expect(run.state["b"]?.phase == .failed(.exited(status: 5)))
  }

  @Test(arguments: [("2", nil), ("1.5", "a whole number"), ("9", "at most 3"), ("x", "whole")])
  func `a computed parameter has the type and the limits that its file declares`(
    _ value: String, _ problem: String?
  ) async throws {
    let used = """
      params: { n: { type: integer, max: 3 } }
      steps: [{ id: b, env: { N: "${{ params.n }}" }, run: b }]
      """
    let engine = Engine(executor: ClosureExecutor { $0.step.id == "a" ? ["n": value] : [:] })
    let text =
      #"steps: [{ id: a, run: a }, { id: u, uses: ./u.yaml, with: { n: "${{ steps.a.outputs.n }}" } }]"#
    let run = engine.start(
      try Workflow(bytes: Array(text.utf8), file: "w.yaml", sources: .kept(["u.yaml": used])))
    let outcome = try await run.outcome
    if let problem {
      #expect("\(outcome)".contains(problem), "\(outcome)")
    } else {
      #expect(outcome == .succeeded)
    }
  }
}

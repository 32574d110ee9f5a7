import TestSupport
import Testing

@testable import Reprise

/// Variables that steps set for the steps that depend on them.
struct StepVariablesTests {
  private static func run(_ text: String) async throws -> RunState {
    let run = Engine().start(try Workflow(text: text, file: "w.yaml"))
    _ = try await run.outcome
    return run.state
  }

  private static func output(_ state: RunState, _ id: String) -> String? {
    state[id]?.phase.values.outputs["is"]
  }

  @Test func `later steps see the variable, and env of a step takes precedence over it`()
    async throws
  {
    let state = try await Self.run(
      """
      env: { A: workflow, B: workflow }
      steps:
        - id: set
          run: |
            echo A=set >> $REPRISE_ENV
            printf 'TWO<<END\\n1\\n2\\nEND\\n' >> $REPRISE_ENV
        - { id: unrelated, needs: [], run: 'echo "is=$A" >> $REPRISE_OUTPUT' }
        - { id: direct, needs: set, run: 'echo "is=$A $B $(echo $TWO)" >> $REPRISE_OUTPUT' }
        - { id: indirect, needs: direct, run: 'echo "is=$A" >> $REPRISE_OUTPUT' }
        - { id: own, needs: set, env: { A: own }, run: 'echo "is=$A" >> $REPRISE_OUTPUT' }
        - id: expression
          needs: set
          if: env.A == 'set'
          env: { C: "${{ env.A }}" }
          run: echo "is=$C" >> $REPRISE_OUTPUT
      """)
    #expect(Self.output(state, "unrelated") == "workflow")
    #expect(Self.output(state, "direct") == "set workflow 1 2")
    #expect(Self.output(state, "indirect") == "set")
    #expect(Self.output(state, "own") == "own")
    #expect(Self.output(state, "expression") == "set")
    #expect(state["set"]?.phase.values.outputs == ["env.A": "set", "env.TWO": "1\n2"])
  }

  @Test func `the variables of a private group stay inside of it`() async throws {
    let state = try await Self.run(
      """
      steps:
        - { id: set, run: 'echo V=outer >> $REPRISE_ENV' }
        - id: group
          private-env: true
          steps:
            - { id: again, run: 'echo V=inner >> $REPRISE_ENV' }
            - { id: inside, undo: 'echo "is=$V" >> $REPRISE_OUTPUT', run: 'echo "is=$V" >> $REPRISE_OUTPUT' }
        - { id: outside, run: 'echo "is=$V" >> $REPRISE_OUTPUT' }
        - { id: fail, run: 'false' }
      finally:
        - { id: last, run: 'echo "is=$V" >> $REPRISE_OUTPUT' }
      """)
    #expect(Self.output(state, "inside") == "inner")
    #expect(Self.output(state, "outside") == "outer")
    #expect(Self.output(state, "inside/undo") == "inner")
    #expect(Self.output(state, "last") == "outer")
  }

  @Test func `of several steps, the last in the file counts`() async throws {
    let state = try await Self.run(
      """
      steps:
        - parallel:
            - { id: a, run: 'sleep 0.05; echo V=a >> $REPRISE_ENV' }
            - { id: b, run: 'echo V=b >> $REPRISE_ENV' }
        - { id: read, run: 'echo "is=$V" >> $REPRISE_OUTPUT' }
      """)
    #expect(Self.output(state, "read") == "b")
  }

  @Test(arguments: [
    ("REPRISE_RUN_ID=x", "REPRISE_RUN_ID is set by Reprise"), ("a-b=x", "not a valid name"),
    ("hello", "REPRISE_ENV, line 1"), ("1A=x", "REPRISE_ENV, line 1"),
  ]) func `a wrong line fails the step`(_ line: String, _ message: String) async throws {
    let state = try await Self.run("steps: [{ id: a, run: 'echo \(line) >> $REPRISE_ENV' }]")
    guard case .failed(.badOutputs(let reason))? = state["a"]?.phase else {
      Issue.record("\(String(describing: state["a"]))")
      return
    }
    #expect(reason.contains(message))
  }

  @Test func `a resumed run keeps the variables`() async throws {
    let workflow = try Workflow(
      text: """
        steps:
          - { id: set, run: 'echo V=kept >> $REPRISE_ENV' }
          - { id: read, run: 'test $REPRISE_GENERATION = 2; echo "is=$V" >> $REPRISE_OUTPUT' }
        """, file: "w.yaml")
    let memory = RecorderTests.Memory()
    let engine = Engine(recorder: memory)
    _ = try await engine.start(workflow).outcome
    var state = RunState()
    for event in memory.events.value { try state.apply(event) }
    let run = try engine.resume(state, with: workflow)
    #expect(try await run.outcome == .succeeded)
    #expect(Self.output(run.state, "read") == "kept")
  }

  @Test func `steps that undo others, and those under finally, see the variables`() async throws {
    let state = try await Self.run(
      """
      steps:
        - { id: set, run: 'echo V=set >> $REPRISE_ENV' }
        - id: a
          run: echo W=own >> $REPRISE_ENV
          undo: 'echo "is=$V $W ${X:-no}" >> $REPRISE_OUTPUT'
        - { id: b, run: 'echo X=late >> $REPRISE_ENV; exit 1' }
      finally:
        - { id: f, run: 'echo "is=$V $W $X" >> $REPRISE_OUTPUT' }
      """)
    #expect(Self.output(state, "a/undo") == "set own no")
    #expect(Self.output(state, "f") == "set own late")
  }

  @Test func `variables of a step that has failed or is only ready to be used are known`()
    async throws
  {
    let state = try await Self.run(
      """
      steps:
        - { id: v, run: 'echo V=failed >> $REPRISE_ENV; exit 1', continue-on-error: true }
        - { id: r, run: 'echo W=ready >> $REPRISE_ENV; echo ready >> $REPRISE_PROGRESS; sleep 2' }
        - { id: u, needs: { v: success, r: ready }, run: 'echo "is=$V $W" >> $REPRISE_OUTPUT' }
        - id: s
          needs: []
          service: echo X=up >> $REPRISE_ENV; touch $REPRISE_RUN_DIR/up; sleep 60
          ready: { run: test -f $REPRISE_RUN_DIR/up }
        - { id: t, needs: s, run: 'echo "is=$X" >> $REPRISE_OUTPUT' }
      """)
    #expect(Self.output(state, "u") == "failed ready")
    #expect(Self.output(state, "t") == "up")
  }

  @Test func `a variable that is set by hand is passed on`() async throws {
    let run = Engine().start(
      try Workflow(
        text: """
          steps:
            - { id: set, run: sleep 60 }
            - { id: read, run: 'echo "is=$V" >> $REPRISE_OUTPUT' }
          """, file: "w.yaml"))
    await expectEventually("it runs") { run.state["set"]?.phase == .running }
    try await run.perform(.set(steps: ["set"], .succeeded(["env.V": "7"])))
    #expect(try await run.outcome == .succeeded)
    #expect(Self.output(run.state, "read") == "7")
  }

  @Test func `a variable that the file does not set is no warning if a step may set it`() throws {
    let text = """
      steps:
        - { id: a, run: 'echo V=1 >> $REPRISE_ENV' }
        - { id: b, if: env.V == '1', run: ls }
      """
    #expect(try Workflow(text: text, file: "w.yaml").warnings.isEmpty)
    let other = "steps: [{ id: a, run: ls }, { id: b, if: env.V == '1', run: ls }]"
    #expect(try Workflow(text: other, file: "w.yaml").warnings.map(\.code) == ["R0904"])
  }
}

// Tests of the values that the expressions of a step have during a run.

import Testing

@testable import WorkflowFiles

/// Values of `env` and of outputs of other steps, wherever an expression is allowed.
struct StepValueTests {
  private static func values(
    _ environment: [String: String] = [:],
    step: @escaping @Sendable (String) -> StepValues? = { _ in
      StepValues(result: "skipped", outputs: [:])
    }
  ) -> RunValues {
    RunValues(
      run: "r", generation: 1, environment: environment, secrets: { _, _ in "secret" }, step: step,
      status: .success, hashFiles: { _ in "" })
  }

  private static func workflow(_ text: String, _ used: [String: String] = [:]) throws -> Workflow {
    try Workflow(bytes: Array(text.utf8), file: "/w/main.yaml", sources: .kept(used))
  }

  // MARK: Variables

  @Test func `a condition sees the variables of the workflow`() throws {
    let workflow = try Self.workflow(
      "env: {DEPLOY: 'yes'}\nsteps: [{id: a, if: \"env.DEPLOY == 'yes'\", run: x}]\n")
    #expect(try workflow.unmetCondition(of: workflow.steps[0], Self.values()) == nil)
    // They take precedence over variables of the process, as they do for the step itself.
    let values = Self.values(["DEPLOY": "no"])
    #expect(try workflow.unmetCondition(of: workflow.steps[0], values) == nil)
  }

  @Test func `with for a used file sees the variables of the workflow`() throws {
    let workflow = try Self.workflow(
      """
      env: { K: v, L: "${{ env.OUTER }}-${{ run.id }}" }
      steps: [{ id: u, uses: ./u.yaml, with: { p: "${{ env.K }}", q: "${{ env.L }}" } }]
      """,
      [
        "u.yaml":
          "params: {p: {}, q: {}}\nenv: {E: '${{ params.p }} ${{ params.q }}'}\nsteps: [{id: a, run: x}]\n"
      ])
    let step = try workflow.resolved(workflow.steps[0], Self.values(["OUTER": "o"]))
    #expect(step.environment == ["E": "v o-r"])
  }

  @Test func `outputs, share and the key of a cache see the variables of the workflow`() throws {
    let workflow = try Self.workflow(
      """
      env: { K: v }
      steps:
        - { id: a, run: x, outputs: { o: "${{ env.K }}" }, cache: { key: "${{ env.K }}" } }
        - { id: b, run: x, share: "${{ env.K }}", dir: "${{ env.K }}" }
        - { id: c, exec: [echo, "${{ toJSON(env) }}"] }
      """)
    let values = Self.values()
    let step = workflow.steps[0]
    #expect(
      try workflow.outputs(of: step, written: [:], standardOutput: "", values) == ["o": "v"])
    #expect(try workflow.cacheKey(of: step, values) == "v")
    let resolved = try workflow.resolved(workflow.steps[1], values)
    #expect(resolved.share == "v" && resolved.directories == ["v"])
    #expect(
      try workflow.resolved(workflow.steps[2], values).action == .exec(["echo", #"{"K":"v"}"#]))
  }

  @Test func `dir of the workflow sees its variables, which do not see each other`() throws {
    let workflow = try Self.workflow(
      """
      env: { D: sub, PATH: "bin:${{ env.PATH }}" }
      dir: ${{ env.D }}
      steps: [{ id: a, run: x }]
      """)
    let step = try workflow.resolved(workflow.steps[0], Self.values(["PATH": "/bin"]))
    #expect(step.directories == ["sub"])
    #expect(step.environment == ["D": "sub", "PATH": "bin:/bin"])
  }

  @Test func `a variable that cannot be evaluated is an error where it is used`() throws {
    let workflow = try Self.workflow(
      "env: {K: \"${{ fromJSON(env.J).a }}\"}\nsteps: [{id: a, if: \"env.K == 'x'\", run: x}]\n")
    #expect(throws: ResolutionError.self) {
      try workflow.unmetCondition(of: workflow.steps[0], Self.values(["J": "{"]))
    }
  }

  // MARK: Missing outputs

  @Test func `the outputs of a skipped used file may have a fallback`() throws {
    let workflow = try Self.workflow(
      """
      params: { on: false }
      steps:
        - { id: u, if: params.on, uses: ./u.yaml }
        - id: t
          exec: [echo, "${{ steps.u.outputs.x || 'none' }}", "${{ steps.u.result }}"]
        - { id: e, exec: ["${{ steps.u.outputs.x }}"] }
        - { id: v, uses: ./v.yaml, with: { p: "${{ steps.u.outputs.x }}" } }
      """,
      [
        "u.yaml": """
        steps: [{ id: pack, run: x }]
        outputs: { x: "v${{ steps.pack.outputs.x }}", y: "${{ steps.pack.outputs.y }}" }
        """,
        "v.yaml": "params: {p: {}}\nsteps: [{id: a, exec: [\"${{ params.p || 'nothing' }}\"]}]\n",
      ])
    let skipped = Self.values()
    #expect(
      try workflow.resolved(workflow.steps[1], skipped).action
        == .exec(["echo", "none", "skipped"])
    )
    // A parameter whose value is such an output is missing like the output itself.
    #expect(try workflow.resolved(workflow.steps[3], skipped).action == .exec(["nothing"]))
    do {
      _ = try workflow.resolved(workflow.steps[2], skipped)
      Issue.record("was evaluated")
    } catch {
      #expect(
        error.description
          == "exec: the output \"x\" of \"u\": the step \"pack\" has no output \"x\"; "
          + "it was skipped; for a default, write: … || 'something else'")
    }
    // A missing output does not affect the other outputs.
    let half = Self.values(step: { _ in StepValues(result: "success", outputs: ["x": "1"]) })
    #expect(
      try workflow.resolved(workflow.steps[1], half).action == .exec(["echo", "v1", "success"]))
  }

  @Test func `an output of an empty foreach is an empty list`() throws {
    let workflow = try Self.workflow(
      """
      params: { l: "[]" }
      steps:
        - { id: m, foreach: "${{ fromJSON(params.l) }}", run: x }
        - { id: u, foreach: [], uses: ./u.yaml }
        - id: t
          exec:
            - "${{ join(steps.m.outputs.x, ' ') }}"
            - "${{ toJSON(steps.m.outputs.x || 'other') }}"
            - "${{ toJSON(steps.u.outputs.x) }}"
            - "${{ toJSON(steps.m.outputs['x']) }}"
            - "${{ steps.m.result }}"
      """, ["u.yaml": "steps: [{id: a, run: x}]\noutputs: {x: '${{ steps.a.outputs.x }}'}\n"])
    #expect(
      try workflow.resolved(workflow.steps[0], Self.values()).action
        == .exec(["", "[]", "[]", "[]", "success"]))
  }

  @Test func `an output that no step of a foreach wrote is a list of nulls, unless all succeeded`()
    throws
  {
    let workflow = try Self.workflow(
      """
      steps:
        - { id: m, foreach: [1, 2], run: x }
        - { id: u, foreach: [1, 2], uses: ./u.yaml }
        - { id: t, exec: ["${{ toJSON(steps.m.outputs.x) }}", "${{ toJSON(steps.u.outputs.x) }}"] }
      """, ["u.yaml": "steps: [{id: a, run: x}]\noutputs: {x: '${{ steps.a.outputs.x }}'}\n"])
    let step = try #require(workflow.steps.last)
    #expect(
      try workflow.resolved(step, Self.values()).action == .exec(["[null,null]", "[null,null]"]))
    #expect(throws: ResolutionError.self) {
      try workflow.resolved(
        step, Self.values(step: { _ in StepValues(result: "success", outputs: [:]) }))
    }
  }

  @Test(
    arguments: [
      (["t"], "t", "a"), (["p"], "p", "a"), (["c"], "c", "a"), (["u"], "u/x", "a"),
      (["j"], "j", "m"), (["a", "t", "p", "c", "u"], nil, nil), (["o"], nil, nil),
      (["o", "f"], nil, nil),
      (["m", "j"], nil, nil), (["m[0]", "j"], "j", "m"),
    ] as [([String], String?, String?)])
  func `a selection that reads from steps that it leaves out is detected before it runs`(
    _ ids: [String], _ step: String?, _ absent: String?
  ) throws {
    let workflow = try Self.workflow(
      """
      steps:
        - { id: a, run: x }
        - { id: m, foreach: [1, 2], run: x }
        - { id: t, env: { T: "${{ steps.a.outputs.x }}" }, run: x }
        - { id: p, exec: [x, "${{ steps.a.result }}"] }
        - { id: c, if: "steps.a.outputs.x == 'y'", run: x }
        - { id: u, uses: ./u.yaml, with: { q: "${{ steps.a.outputs.x }}" } }
        - { id: j, dir: "${{ join(steps.m.outputs.x, '-') }}", run: x }
        - { id: o, exec: ["${{ steps.a.outputs.x || 'other' }}"] }
      finally: [{ id: f, when: [failure, cancelled], exec: ["${{ steps.a.outputs.x }}"] }]
      """,
      ["u.yaml": "params: {q: {}}\nsteps: [{id: x, exec: ['${{ params.q }}']}]\n"])
    let part = try workflow.selecting(only: ids)
    #expect(part.missingDependencies().first?.step == step)
    #expect(part.missingDependencies().first?.absent == absent)
    // The fallback is used where there is one.
    guard ids == ["o"] else { return }
    #expect(
      try part.resolved(part.steps[0], Self.values(step: { _ in nil })).action == .exec(["other"]))
  }

  @Test func `several steps can be selected together with their dependents`() throws {
    let workflow = try Self.workflow(
      """
      steps:
        - { id: a, run: x, needs: [] }
        - { id: b, run: x, needs: [] }
        - { id: c, run: x, needs: [] }
        - { id: d, run: x, needs: [a] }
      """)
    #expect(try workflow.selecting(from: ["c", "a"]).steps.map(\.id) == ["a", "c", "d"])
    #expect(throws: SelectionError.self) { try workflow.selecting(from: ["a", "x"]) }
  }

  @Test func `a missing output with a computed name behaves like one with a literal name`() throws {
    let workflow = try Self.workflow(
      """
      steps:
        - { id: a, run: x }
        - { id: t, exec: ["${{ steps.a.outputs['x'] || 'none' }}"] }
        - { id: e, exec: ["${{ steps.a.outputs['x'] }}"] }
      """)
    #expect(try workflow.resolved(workflow.steps[1], Self.values()).action == .exec(["none"]))
    #expect(throws: ResolutionError.self) {
      try workflow.resolved(workflow.steps[2], Self.values())
    }
  }
}

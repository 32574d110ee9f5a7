import Testing

@testable import RepriseExport
@testable import WorkflowFiles

/// Values, conditions and limits in exported files that are only known during a run.
struct ExportedValueTests {
  private func export(
    _ steps: String, as format: ExportFormat = .airflow, image: String? = "alpine:3.20"
  ) throws -> Result<String, ExportRefusals> {
    try Workflow(text: "name: Demo\n" + steps, file: "w.yaml", with: Arguments(allowsMissing: true))
      .exported(as: format, image: format == .argo ? image : nil) { ["sh", "-c", $1] }
  }

  private func refusals(_ text: String, as format: ExportFormat = .airflow) throws -> [String] {
    switch try export(text, as: format) {
    case .success(let text):
      Issue.record("exported: \(text)")
      return []
    case .failure(let refusals): return refusals.all.map { "\($0.key): \($0.reason)" }
    }
  }

  @Test(arguments: [
    ("${{ steps.a.outputs.x }}", #"lambda run: run.output("a", "x")"#),
    ("<${{ steps.a.outputs.x }}>", #"lambda run: "<" + run.output("a", "x") + ">""#),
    ("${{ steps.a.result }}-${{ run.id }}", #"lambda run: run.result("a") + "-" + run.id"#),
    ("${{ secrets.token }}", #"lambda run: run.secret("token")"#),
    (
      "${{ fromJSON(steps.a.outputs.x).n > 2 && 'big' || 'small' }}",
      #"lambda run: as_text(either(lambda: (as_number(member(from_json(run.output("a", "x")), "n")) "#
        + #"> 2) and "big", lambda: "small"))"#
    ),
    (
      "${{ join(steps.each.outputs.y, '+') }}",
      #"join_all(run.output_list(["each-0", "each-1"], "y"), "+")"#
    ),
    ("${{ format('{0}:{1}', params.p, steps.a.outputs.x) }}", #""p:" + run.output("a", "x")"#),
    ("${{ steps.used.outputs.o }}", #"lambda run: "o=" + run.output("used-inner", "i")"#),
    ("${{ toJSON(steps.a.outputs) }}", #"lambda run: to_json(run.outputs("a"))"#),
    ("${{ env.FILE }}", #"lambda run: "f" + run.id"#),
    ("${{ lower(params.p) }}", #""p""#), ("${{ !steps.a.outputs.x }}", "not truthy("),
    ("${{ contains(steps.a.outputs.x, 'b') == (params.p == 'p') }}", "equal(contains("),
  ])
  func `a value of a run is a function of it in the file for Airflow`(
    _ value: String, _ code: String
  ) throws {
    let text = try export(
      """
      params: { p: p }
      secrets: { token: { env: TOKEN } }
      env: { FILE: "f${{ run.id }}" }
      workflows:
        used:
          steps: [{ id: inner, run: x }]
          outputs: { o: "o=${{ steps.inner.outputs.i }}" }
      steps:
        - { id: a, run: echo x }
        - { id: each, foreach: [1, 2], run: x }
        - { id: used, uses: "#used" }
        - { id: z, exec: [echo], env: { V: "\(value)" } }
      """
    ).get()
    #expect(text.contains(code), "\(text.suffix(1500))")
  }

  @Test func `conditions, rules and limits of a workflow are arguments in the file for Airflow`()
    throws
  {
    let text = try export(
      """
      params: { deploy: { type: boolean, default: false } }
      grace: 3s
      steps:
        - { id: a, run: x, continue-on-error: true, timeout: 1m, retry: { limit: 1, for: [75, 3] } }
        - { id: b, if: "steps.a.result == 'failure' && params.deploy != true", run: x }
        - { id: c, if: params.deploy, approval: Deploy? }
        - { id: d, foreach: [1, 2, 3], max-parallel: 2, run: x }
        - { id: e, needs: { d: over }, run: x, outputs: { o: "${{ stdout }}" } }
        - { id: s, if: failure() || cancelled(), run: x }
        - { id: t, if: success(), run: x }
      finally:
        - { id: f, when: [failure, cancelled], run: x }
        - { id: g, if: success(), run: x }
      """
    ).get()
    for part in [
      #"condition=lambda run: (run.result("a") == "failure") and True,"#,
      "# It never runs: params.deploy is false.\n",
      "command=[],\n        condition=lambda run: False,",
      "continues=True,\n        grace=timedelta(seconds=3),", "retry_for=[3, 75],",
      "execution_timeout=timedelta(seconds=60),", "max_active_tasks=2,",
      "trigger_rule=\"all_done\"",
      #"computed={"o": lambda run: run.stdout},"#,
      #"condition=lambda run: run.ending() == "failure","#,
      #"condition=lambda run: run.failed(["e"]) or False,"#,
      #"condition=lambda run: not run.failed(["s"]),"#,
      #"condition=lambda run: not (run.ending() == "failure"),"#,
      #"steps["e"], steps["s"], steps["t"], steps["f"], steps["g"]] >> outcome"#,
    ] { #expect(text.contains(part), "\(part)\n\(text.suffix(3000))") }
  }

  @Test(arguments: [
    ("max-parallel: 2, foreach: [1, 2, 3], run: x", true),
    ("max-parallel: 2, foreach: [1, 2, 3], needs: [], run: x", false),
    ("max-parallel: 9, foreach: [1, 2, 3], needs: [], run: x", true),
    ("max-parallel: 1, foreach: [1, 2], steps: [{ id: i, run: x }]", false),
  ])
  func `a limit of a group is that of the workflow if it holds back nothing else`(
    _ keys: String, _ isExported: Bool
  ) throws {
    let text = "steps: [{ id: a, run: x }, { id: b, \(keys) }, { id: c, run: x }]"
    if isExported {
      #expect(try export(text).get().contains("max_active_tasks="))
    } else {
      #expect(try refusals(text).first?.hasPrefix("max-parallel: only the whole workflow") == true)
    }
  }

  @Test(arguments: [
    ("if: \"hashFiles('x') != ''\"", "if: \"hashFiles()\" is only known"),
    ("env: { A: \"${{ steps.a.outputs['x y'] }}\" }", "env.A: no step can have an output"),
    ("env: { A: \"${{ steps.each.result }}\" }", "env.A: the result of a group"),
    ("env: { A: \"${{ lower(steps.a.outputs.x) }}\" }", "env.A: \"lower()\" of a value"),
    ("env: { A: \"${{ secrets.maybe }}\" }", "env.A: the secret \"maybe\" may be missing"),
    ("env: { A: \"${{ length(steps.a.outputs.x) + 1 }}\" }", "env.A: \"length()\""),
    ("needs: { a: over, each: success }", "needs: a step of the other engine"),
    (
      "shell: bash, env: { A: \"$REPRISE_GENERATION\" }",
      "env.A: only Reprise sets REPRISE_GENERATION"
    ),
  ])
  func `a value that would be another one in Airflow is refused`(
    _ keys: String, _ refusal: String
  ) throws {
    let found = try refusals(
      """
      secrets: { maybe: { env: X, required: false } }
      steps:
        - { id: a, run: x }
        - { id: each, foreach: [1, 2], run: x }
        - { id: z, run: x, \(keys) }
      """)
    #expect(found.count == 1 && found[0].hasPrefix(refusal), "\(found)")
  }

  @Test func `outputs are parameters, secrets references and conditions expressions in Argo`()
    throws
  {
    let text = try export(
      """
      secrets: { token: { env: TOKEN } }
      params: { deploy: { type: boolean, default: false } }
      steps:
        - { id: a, run: 'echo "x=1" >> "$REPRISE_OUTPUT"' }
        - { id: b, foreach: [1, 2], exec: [echo, y], outputs: { y: "${{ stdout }}" } }
        - id: c
          if: steps.a.outputs.x == 'it' && steps.a.result != 'failure'
          run: echo "$REPRISE_RUN_ID"
          env: { X: "<${{ steps.a.outputs.x }}> $(HOME)", T: "${{ secrets.token }}" }
        - { id: d, exec: [echo, "${{ join(steps.b.outputs.y, '+') }}", "${{ run.id }}"] }
        - { id: e, if: params.deploy, approval: Deploy? }
      """,
      as: .argo
    ).get()
    for part in [
      "outputs:\n        parameters:\n          - name: \"x\"\n            valueFrom:\n              path: \"/tmp/reprise/x\"",
      "value: \"{{tasks.a.outputs.parameters.x}}\"",
      "value: \"<{{inputs.parameters.a_x}}> $$(HOME)\"",
      "valueFrom:\n              secretKeyRef:\n                name: \"demo\"\n                key: \"token\"",
      "when: \"{{=(tasks['a'].outputs.parameters['x'] == 'it' && !(tasks['a'].status in ['Failed', 'Error']))}}\"",
      "- \"{{inputs.parameters.b-0_y}}+{{inputs.parameters.b-1_y}}\"\n          - \"{{workflow.uid}}\"",
      "- name: \"REPRISE_RUN_ID\"\n            value: \"{{workflow.uid}}\"", "when: \"false\"",
      "image: \"alpine:3.20\"", "printf %s \"$printed\" > \"$folder/y\"",
    ] { #expect(text.contains(part), "\(part)\n\(text)") }
    #expect(!text.contains("TOKEN"))
  }

  @Test(arguments: [
    ("env: { A: \"x${{ secrets.t }}\" }", "env.A: in Argo, a secret can only be the whole value"),
    ("env: { A: \"${{ steps.a.outputs.x || 'y' }}\" }", "env.A: Argo has only the outputs"),
    ("env: { A: \"${{ steps.a.result }}\" }", "env.A: Argo has only the outputs"),
    ("env: { A: \"${{ steps.soft.outputs.x }}\" }", "env.A: Argo has no outputs of a failed step"),
    ("env: { A: \"${{ steps.never.outputs.x }}\" }", "env.A: step \"never\" never runs"),
    ("env: { A: \"{${{ steps.a.outputs.x }}\" }", "env.A: Argo would replace what follows {{"),
    ("env: { A: \"$REPRISE_ATTEMPT\" }", "env.A: only Reprise sets REPRISE_ATTEMPT"),
    ("if: \"contains(steps.a.outputs.x, 'y')\"", "if: a condition in Argo can only compare"),
    ("if: steps.a.result == 'cancelled'", "if: a task in Argo has no result \"cancelled\""),
    ("if: always()", "if: a task in Argo starts when all needs have succeeded"),
    ("needs: { a: over }", "needs: a task in Argo starts when all needs have succeeded"),
    ("outputs: { o: \"<${{ stdout }}>\" }", "outputs.o: in Argo, only the whole standard output"),
    ("dir: x", "dir: a container in Argo has no folder"), ("grace: 1s", "grace: "),
  ])
  func `what Argo would compute differently is refused`(_ keys: String, _ refusal: String) throws {
    let found = try refusals(
      """
      secrets: { t: { env: X } }
      steps:
        - { id: a, run: x }
        - { id: soft, run: x, continue-on-error: true }
        - { id: never, run: x, if: "1 == 2" }
        - { id: z, run: x, \(keys) }
      """, as: .argo)
    #expect(found.count == 1 && found[0].hasPrefix(refusal), "\(found)")
  }

  @Test func `without an image, a step cannot run in Argo`() throws {
    guard case .failure(let found) = try export("steps: [{ id: a, run: x }]", as: .argo, image: nil)
    else {
      Issue.record("exported")
      return
    }
    #expect(found.all.map(\.key) == ["runner"] && found.all[0].reason.contains("--image"))
  }
}

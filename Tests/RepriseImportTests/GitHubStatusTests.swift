import RepriseImport
import Testing

/// Jobs, calls and actions that do not run there, although a part of them tests the status of others.
struct GitHubStatusTests {
  @Test func `a step that always runs does not run if its job does not`() throws {
    let workflow = try imported(
      """
      on: push
      jobs:
        a: { runs-on: x, steps: [{ run: make a }] }
        b: { needs: a, runs-on: x, steps: [{ run: make b }, { if: failure(), run: make report }] }
        c: { needs: a, runs-on: x, steps: [{ if: always(), run: make c }] }
        d: { runs-on: x, steps: [{ run: make d }, { if: always(), run: make e }] }
      """)
    for part in [
      "if: steps.b-make-b.result != 'cancelled' && failure()\n",
      "- id: c-start\n            needs: [a-make-a]\n",
      "if: steps.c-start.result != 'cancelled' && always()\n", "if: always()\n",
    ] { #expect(workflow.text.contains(part), "\(workflow.text)") }
  }

  @Test func `a step that always runs does not run if its action does not`() throws {
    let first = "{ run: make one, shell: bash }"
    let last = "{ if: always(), run: make two, shell: bash }"
    for (steps, start) in [("\(first), \(last)", "make-one"), (last, "start-of-an-action")] {
      let workflow = try importedSteps(
        "- run: make\n- uses: ./a",
        files: ["a/action.yml": "runs: { using: composite, steps: [\(steps)] }"])
      #expect(
        workflow.text.contains("if: steps.\(start).result != 'cancelled' && always()\n"),
        "\(workflow.text)")
    }
  }

  @Test func `an action that runs in any case looks only at its own steps`() throws {
    let workflow = try importedSteps(
      "- run: make\n- { if: always(), uses: ./a }\n- run: make end\n- { if: failure(), uses: ./b }",
      files: [
        "a/action.yml":
          "runs: { using: composite, steps: [{ run: one, shell: bash }, { run: two, shell: bash }] }",
        "b/action.yml":
          "runs: { using: composite, steps: [{ if: true, run: three, shell: bash }] }",
      ])
    for part in [
      "- id: one\n    if: always()\n", "- id: two\n    if: steps.one.result != 'skipped'\n",
      "- id: make-end\n    needs: [make, one, two]\n",
      "- id: start-of-an-action\n    name: start of an action\n    if: failure()\n",
      "- id: three\n    if: steps.start-of-an-action.result != 'skipped'\n",
    ] { #expect(workflow.text.contains(part), "\(part)\n\(workflow.text)") }
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test(arguments: [
    ("failure() || 'x' != 'y'", "always()"),
    ("failure() && false || github.ref == 'x'", "always() && params"),
    ("failure() && false", "\"false\""), ("failure() && true", "failure()"),
  ])
  func `a condition that tests the status does so also where constants decide it`(
    _ condition: String, _ expected: String
  ) throws {
    let step = try importedSteps("- run: make\n- { if: \"${{ \(condition) }}\", run: make it }")
    #expect(step.text.contains("if: \(expected)"), "\(step.text)")
    let job = try imported(
      """
      on: push
      jobs:
        a: { runs-on: x, steps: [{ run: make }] }
        b: { needs: a, if: "${{ \(condition) }}", runs-on: x, steps: [{ run: make it }] }
      """)
    #expect(job.text.contains("if: \(expected)"), "\(job.text)")
  }

  private let caller = """
    on: push
    jobs:
      a: { runs-on: x, steps: [{ run: make a }] }
      b: { needs: a, uses: ./.github/workflows/b.yml }
      c: { needs: b, runs-on: x, steps: [{ run: make c }] }
      d: { needs: b, if: needs.b.result == 'success', runs-on: x, steps: [{ run: make d }] }
    """

  @Test func `a job that always runs does not run if the call of its workflow does not`() throws {
    let called = """
      on: workflow_call
      jobs:
        e: { runs-on: x, steps: [{ run: make e }] }
        f: { needs: e, if: always(), runs-on: x, steps: [{ run: make f }] }
        g: { if: always(), runs-on: x, steps: [{ run: make g }] }
      """
    let workflow = try imported(caller, files: [".github/workflows/b.yml": called])
    let condition = "if: always() && steps.a-make-a.result == 'success'\n"
    #expect(workflow.text.ranges(of: condition).count == 2, "\(workflow.text)")
    let both = try imported(
      caller.replacing("needs: a, uses", with: "needs: a, if: always(), uses"),
      files: [".github/workflows/b.yml": called])
    #expect(
      both.remarks.contains {
        $0.weight == .missing && $0.text.contains("it and the call of its workflow test the status")
      }, "\(both.remarks)")
  }

  @Test func `what needs a call runs if any of its jobs runs`() throws {
    func text(_ other: String) throws -> String {
      let called = """
        on: workflow_call
        jobs:
          e: { runs-on: x, steps: [{ run: make e }] }
          f: { \(other), runs-on: x, steps: [{ run: make f }] }
        """
      return try imported(caller, files: [".github/workflows/b.yml": called]).text
    }
    let skipped = try text("if: github.ref == 'x'")
    #expect(skipped.ranges(of: "if: params.github_ref == 'x'").count == 1, "\(skipped)")
    #expect(skipped.contains("(steps.b-e-make-e.result == 'success' || "), "\(skipped)")
    // A report that is not needed does not keep others from running.
    let report = try text("needs: e, if: failure()")
    #expect(!report.contains("if-skipped"), "\(report)")
    let needed = try text(
      "if: always(), runs-on: x, steps: [{ run: make g }] }\n  g: { needs: f")
    #expect(needed.contains("if-skipped: skip"), "\(needed)")
  }

  @Test func `what needs a call is skipped if none of its jobs runs`() throws {
    let called = "jobs: { e: { if: github.ref == 'x', runs-on: x, steps: [{ run: make e }] } }"
    let workflow = try imported(caller, files: [".github/workflows/b.yml": called])
    #expect(workflow.text.ranges(of: "if: params.github_ref == 'x'").count == 3)
  }

  @Test func `names of inputs, outputs and secrets are found without regard to case`() throws {
    let workflow = try imported(
      """
      on: push
      jobs:
        a:
          uses: ./.github/workflows/b.yml
          with: { Name: bob, version: 3.10, FLAG: true }
          secrets: { token: abc }
      """,
      files: [
        ".github/workflows/b.yml": """
        on:
          workflow_call:
            inputs: { name: { type: string }, version: { type: string }, flag: { type: string } }
        jobs:
          c:
            runs-on: x
            steps:
              - run: "echo ${{ inputs.NAME }} ${{ inputs.version }} $TOKEN"
                if: inputs.flag == 'true' && inputs.version == '3.1' && github.job == 'c'
                env: { TOKEN: "${{ secrets.TOKEN }}" }
              - { uses: ./d, with: { WHAT: all, number: 1.20 } }
        """,
        "d/action.yml": """
        inputs: { what: {}, number: {} }
        runs:
          using: composite
          steps: [{ shell: bash, run: "make ${{ inputs.What }} ${{ inputs.number }}" }]
        """,
      ])
    for part in ["run: echo bob 3.1 $TOKEN\n", "TOKEN: abc\n", "run: make all 1.2\n"] {
      #expect(workflow.text.contains(part), "\(workflow.text)")
    }
    #expect(!workflow.text.contains("if:"), "\(workflow.text)")
  }
}

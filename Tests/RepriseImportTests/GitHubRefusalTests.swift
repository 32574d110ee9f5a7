import RepriseImport
import Testing

/// What has no equivalent fails when it runs; a remark has its line.
struct GitHubRefusalTests {
  /// Expects a step that fails instead of what the original does.
  private func expectRefused(
    _ workflow: ImportedWorkflow, _ reason: String, instead script: String
  ) {
    #expect(workflow.verdict == .inPart, "\(workflow.remarks)")
    #expect(
      workflow.remarks.contains { $0.weight == .missing && $0.text.contains(reason) },
      "\(workflow.remarks)")
    #expect(workflow.text.contains("echo 'not imported: line "), "\(workflow.text)")
    for line in workflow.text.split(separator: "\n") where line.contains(script) {
      #expect(line.drop { $0 == " " }.first == "#", "\(workflow.text)")
    }
  }

  @Test func `a script that needs a service of GitHub fails`() throws {
    let workflow = try importedSteps("- run: curl $ACTIONS_ID_TOKEN_REQUEST_URL")
    expectRefused(workflow, "run: ACTIONS_ID_TOKEN_REQUEST_URL is known to", instead: "run: curl")
    let own = try importedSteps(
      "- run: curl $ACTIONS_CACHE_URL\n  env: { ACTIONS_CACHE_URL: x }")
    #expect(own.verdict == .withNotes, "\(own.remarks)")
  }

  @Test(arguments: [
    ("if: github.weird(1) == 2", "if: github.weird(1)"),
    ("if: needs.x.outputs.y == 'never'", "there is no job"),
    ("if: toJSON(strategy) == ''", "there is no \"strategy\" here"),
    ("background: true", "background: this key"), ("parallel: [{ run: echo a }]", "parallel: this"),
    ("timeout-minutes: soon", "timeout-minutes: soon"),
    ("continue-on-error: \"${{ x() }}\"", "continue-on-error: there is no function"),
    ("working-directory: \"${{ steps.t.outputs.x }}\"", "working-directory: steps.t"),
    ("env: { A: \"${{ x() }}\" }", "env.A: there is no function"), ("env: [a]", "env is no map"),
    ("shell: xonsh {0}", "shell: xonsh {0}"), ("shell: cmd", "shell: cmd"),
    ("shell: pwsh -File {0}", "shell: pwsh -File {0}"),
  ])
  func `a step with a key that has no equivalent fails`(_ key: String, _ reason: String) throws {
    let workflow = try importedSteps(
      """
      - { id: t, uses: acme/setup-x@v1 }
      - run: echo publish
        \(key)
      """)
    expectRefused(workflow, reason, instead: "echo publish")
  }

  @Test func `a step without a script or an action fails`() throws {
    let workflow = try importedSteps(
      "- run: make\n- parallel: [{ run: echo unit }, { run: echo ui }]\n- run: make install")
    expectRefused(workflow, "not only: parallel", instead: "echo unit")
    #expect(workflow.stepCount == 3)
  }

  @Test(arguments: [
    ("    container: { image: \"${{ x() }}\" }\n", "container: there is no function"),
    ("    container: { image: a, options: \"--a 'b c'\" }\n", "container: its options have quotes"),
    ("    container: { image: a, options: \"${{ github.x }}\" }\n", "an expression"),
    ("    container: { image: a, ports: [80] }\n", "container.ports: this key"),
    ("    if: x()\n", "if: x()"), ("    snapshot: { a: b }\n", "snapshot: this key"),
    ("    continue-on-error: \"${{ x() }}\"\n", "continue-on-error"),
    ("    timeout-minutes: \"${{ x() }}\"\n", "timeout-minutes"),
    ("    strategy: { matrix: { a: [\"${{ x() }}\"] } }\n", "strategy: there is no function"),
    ("    strategy: { matrix: { a: { b: c } } }\n", "strategy.matrix.a"),
    ("    services: { db: { image: a, entrypoint: b } }\n", "entrypoint has no equivalent"),
    ("    services: { db: { image: a, ports: [\"53:53/udp\"] } }\n", "has a protocol"),
    ("    container: a\n    services: { db: { image: b } }\n", "db: beside a container"),
    ("    env: text\n", "env: it is no map"),
  ])
  func `all steps of a job with a part that has no equivalent fail`(_ job: String, _ reason: String)
    throws
  {
    let workflow = try importedSteps("- run: echo one\n- { run: echo two, if: always() }", job: job)
    expectRefused(workflow, reason, instead: "echo one")
    expectRefused(workflow, reason, instead: "echo two")
  }

  @Test func `all steps fail if a variable of the workflow has no equivalent`() throws {
    let workflow = try imported(
      "on: push\nenv: { A: \"${{ x() }}\" }\njobs: { a: { runs-on: x, steps: [{ run: echo one }] } }"
    )
    expectRefused(workflow, "env.A", instead: "echo one")
  }

  @Test func `a key without a reader is missing, with its line`() throws {
    let workflow = try imported(
      """
      on:
        workflow_dispatch: { inputs: { a: { type: string, colour: red } } }
      hooks: [{ before: x }]
      jobs:
        a: { runs-on: x, steps: [{ run: make }] }
        b: text
      """)
    let missing = workflow.remarks.filter { $0.weight == .missing }.map { "\($0.line): \($0.text)" }
    #expect(
      missing == [
        "2: on.workflow_dispatch.inputs.a.colour has no equivalent",
        "3: hooks has no equivalent", "6: jobs.b has no equivalent",
      ])
    for text in missing {
      #expect(workflow.text.contains("# missing: " + text.dropFirst(3)), "\(workflow.text)")
    }
  }

  @Test func `a part of a composite action that has no equivalent fails`() throws {
    let action = """
      runs:
        using: composite
        steps: [{ run: echo publish, shell: bash, if: x() }]
      """
    let workflow = try importedSteps("- uses: ./a", files: ["a/action.yml": action])
    expectRefused(workflow, "a/action.yml:3: if: x()", instead: "echo publish")
    #expect(workflow.text.contains("line 3 of a/action.yml: if: x()"), "\(workflow.text)")
    let limited = try importedSteps(
      "- { uses: ./a, timeout-minutes: 5 }",
      files: ["a/action.yml": action.replacing(", if: x()", with: "")])
    expectRefused(limited, "timeout-minutes", instead: "echo publish")
  }

  @Test func `what the language refuses makes its step fail`() throws {
    // A name of a variable that the language keeps for itself.
    let workflow = try importedSteps(
      "- { run: echo one, env: { REPRISE_X: a } }\n- run: echo two")
    #expect(workflow.verdict == .inPart)
    #expect(workflow.text.contains("# left out: env: "), "\(workflow.text)")
    #expect(
      workflow.text.contains("exec: ") || workflow.text.contains("exec:\n"), "\(workflow.text)")
    #expect(!workflow.text.contains("run: echo one"), "\(workflow.text)")
    #expect(workflow.text.contains("run: echo two"))
  }

  @Test func `a key of a workflow that is called is not lost`() throws {
    let workflow = try imported(
      "on: push\njobs: { a: { uses: ./b.yml } }",
      files: [
        "b.yml":
          "on: workflow_call\nconcurrency: x\nhooks: [a]\njobs: { c: { runs-on: x, steps: [{ run: make }] } }"
      ])
    let remarks = workflow.remarks.map { "\($0.weight.rawValue) \($0.text)" }
    #expect(remarks.contains("missing b.yml:3: hooks has no equivalent"), "\(remarks)")
    #expect(
      remarks.contains("note b.yml:2: concurrency of a workflow that is called is left out"),
      "\(remarks)")
  }

  @Test func `blanks at the end of a line stay where they are part of a text`() throws {
    let script = "cat <<EOT  \\na  \\nEOT\\necho 'b \\n' c  \\nls x\\\\ \\nmake"
    let workflow = try importedSteps("- run: \"\(script)\"")
    #expect(
      workflow.text.contains(
        #"run: "cat <<EOT\na  \nEOT\necho 'b \n' c\nls x\\ \nmake\n""#), "\(workflow.text)")
  }
}

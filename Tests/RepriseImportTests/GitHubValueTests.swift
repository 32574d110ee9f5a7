import RepriseImport
import Testing

/// Values that GitHub inserts or knows reach the scripts here, or the step fails.
struct GitHubValueTests {
  private func expect(
    _ workflow: ImportedWorkflow, contains parts: [String],
    verdict: ImportedWorkflow.Verdict = .withNotes
  ) {
    for part in parts { #expect(workflow.text.contains(part), "\(part)\n\(workflow.text)") }
    #expect(workflow.verdict == verdict, "\(workflow.remarks)")
  }

  @Test func `an output of a job can be one of its variables`() throws {
    let workflow = try imported(
      """
      on: push
      jobs:
        a:
          runs-on: x
          env: { FIXED: f }
          outputs: { v: "${{ env.V }}", f: "${{ env.FIXED }}" }
          steps: [{ id: s, run: echo "V=1" >> $GITHUB_ENV }]
        b:
          needs: a
          runs-on: x
          steps: [{ run: "echo ${{ needs.a.outputs.v }} ${{ needs.a.outputs.f }}" }]
      """)
    expect(workflow, contains: ["V: ${{ steps.a-s.outputs.V || '' }}", "run: echo ${V} f"])
    let unknown = try imported(
      """
      on: push
      jobs:
        a:
          runs-on: x
          outputs: { v: "${{ env.V }}" }
          steps: [{ id: s, run: ./variables >> $GITHUB_ENV }, { run: make }]
        b: { needs: a, runs-on: x, steps: [{ run: "echo ${{ needs.a.outputs.v }}" }] }
      """)
    expect(
      unknown, contains: ["private-env: true", "env.V can be set by a script"], verdict: .inPart)
  }

  @Test(arguments: ["python", "python3 -u {0}", "node", "perl"])
  func `values are inserted into scripts of other languages`(_ shell: String) throws {
    let workflow = try importedSteps(
      "- { id: o, run: make }\n- shell: \(shell)\n  run: print(\"${{ steps.o.outputs.x }}\")")
    expect(
      workflow,
      contains: [
        "SCRIPT: print(\"${{ steps.o.outputs.x || '' }}\")", "shell: [sh, -c]",
        shell == "python3 -u {0}" ? "exec python3 -u -c \"$SCRIPT\"" : "exec ", "\"$SCRIPT\"",
      ])
  }

  @Test(arguments: [
    "cat <<'EOT'\\n${{ steps.o.outputs.x }}\\nEOT",
    "cat <<\\\\EOT\\n${{ steps.o.outputs.x }}\\nEOT",
    "echo \\\"`echo '${{ steps.o.outputs.x }}'`\\\"",
  ])
  func `values are inserted where a shell expands no variables`(_ script: String) throws {
    let workflow = try importedSteps("- { id: o, run: make }\n- run: \"\(script)\"")
    expect(workflow, contains: ["SCRIPT: ", "run: exec bash -e -c \"$SCRIPT\""])
  }

  @Test(arguments: [
    ("echo '${{ github.sha }}'", "echo ''\"${SHA}\"''"),
    (
      "echo \\\"$(echo '${{ github.sha }}' \\\"${{ github.sha }}\\\")\\\"",
      "$(echo ''\"${SHA}\"'' \"${SHA}\")"
    ),
    ("cat <<EOT\\n'${{ github.sha }}'\\nEOT\\necho '${{ github.sha }}'", "'${SHA}'"),
    ("cat <<< '${{ github.sha }}'\\necho \\\"${{ github.sha }}\\\"", "echo \"${SHA}\""),
  ])
  func `a value in quotes is a variable that is expanded`(_ script: String, _ expected: String)
    throws
  {
    let workflow = try importedSteps("- run: \"\(script)\"")
    expect(workflow, contains: [expected, "SHA: ${{ params.github_sha }}"])
  }

  @Test func `the steps of a composite action see the variables of the step that uses it`() throws {
    let action = """
      runs:
        using: composite
        steps: [{ run: make, shell: bash, if: env.GIVEN != '1' }, { run: ls, shell: bash }]
      """
    let workflow = try importedSteps(
      "- { uses: ./a, env: { GIVEN: \"1\", OTHER: \"${{ github.actor }}\" } }",
      files: ["a/action.yml": action])
    expect(
      workflow, contains: ["if: \"false\"", "GIVEN: \"1\"", "OTHER: ${{ params.github_actor }}"])
  }

  @Test(arguments: [
    ("gh-pages", "REF: gh-pages"), ("${{ inputs.tag }}", "REF: ${{ params.tag }}"),
    (
      "${{ github.event.pull_request.base.sha }}",
      "REF: ${{ params.github_event_pull_request_base_sha }}"
    ),
    ("${{ github.ref }}", ""), ("${{ github.event.pull_request.head.sha || github.sha }}", ""),
  ])
  func `a checkout of another commit fails if the files here are not of it`(
    _ ref: String, _ expected: String
  ) throws {
    let workflow = try importedSteps(
      "- { uses: actions/checkout@v4, with: { ref: \"\(ref)\" } }\n- run: make")
    expect(workflow, contains: [expected])
    #expect(workflow.text.contains("git rev-parse HEAD") == !expected.isEmpty, "\(workflow.text)")
  }

  @Test func `a checkout of another repository in place of this one fails`() throws {
    let workflow = try importedSteps(
      "- { uses: actions/checkout@v4, with: { repository: a/b } }\n- run: make")
    expect(
      workflow, contains: ["not imported: line 6: uses: actions/checkout@v4"], verdict: .inPart)
  }

  @Test(arguments: [
    ("bin/server &", true), ("(bin/server &)", true), ("nohup a > log 2>&1 &", true),
    ("a &\\nb &\\nwait", false), ("a && b", false), ("a &> log", false), ("echo 'a & b'", false),
    ("curl \\\"x?a=1&b=2\\\"", false), ("x=$(curl \\\"y?a=$(z)&b=2\\\")", false),
    ("a & # b\\nkill $!", false),
    ("trap 'kill %1' EXIT\\na # &", false), ("echo \\\\&", false),
  ])
  func `a process that goes on after its step is a service`(
    _ script: String, _ goesOn: Bool
  ) throws {
    let workflow = try importedSteps("- run: \"\(script)\"\n- run: make test")
    #expect(workflow.text.contains("in the background: a service") == goesOn, "\(workflow.text)")
    #expect(workflow.text.contains("service: |\n      (\n") == goesOn, "\(workflow.text)")
    #expect(workflow.text.contains("report: true\n      timeout: 6h") == goesOn)
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
    // After the last step, nothing uses it.
    let last = try importedSteps("- run: \"\(script)\"")
    #expect(last.verdict == .withNotes, "\(last.remarks)")
  }

  @Test func `the conclusion of a step depends on whether the job goes on after its failure`()
    throws
  {
    let workflow = try importedSteps(
      """
      - { id: a, run: make, continue-on-error: "${{ github.actor == 'x' }}" }
      - { if: steps.a.conclusion == 'success', run: ls }
      """)
    expect(
      workflow,
      contains: [
        "continue-on-error: ${{ params.github_actor == 'x' }}",
        "(steps.a.result == 'failure' && params.github_actor == 'x' && 'success' || steps.a.result)",
      ])
  }

  @Test func `results of all jobs are a list`() throws {
    let workflow = try imported(
      """
      on: push
      jobs:
        a: { runs-on: x, steps: [{ run: make a }] }
        b: { runs-on: x, steps: [{ run: make b }] }
        c:
          needs: [a, b]
          if: always() && contains(needs.*.result, 'failure')
          runs-on: x
          steps: [{ run: "echo ${{ join(needs.*.result, ' ') }}" }]
        d: { needs: [a, b], if: always(), runs-on: x, steps: [{ uses: re-actors/alls-green@v1, with: { jobs: "${{ toJSON(needs) }}" } }] }
      """)
    expect(
      workflow,
      contains: [
        "if: always() && contains(split(format('{0},{1}', steps.a-make-a.result, "
          + "steps.b-make-b.result), ','), 'failure')",
        "RESULTS: ${{ join(split(format(",
      ])
  }

  @Test(arguments: ["job", "workflow"])
  func `a condition on a secret is a command`(_ place: String) throws {
    let variables = "env: { T: \"${{ secrets.KEY }}\" }\n"
    let steps =
      "on: push\n\(place == "workflow" ? variables : "")jobs:\n  a:\n    runs-on: x\n"
      + "\(place == "job" ? "    " + variables : "")    steps: [{ run: make, if: \"env.T != '' && github.actor == 'x'\" }]\n"
    let workflow = try imported(steps)
    expect(
      workflow,
      contains: [
        "run: '[ \"$STEP_CONDITION\" = true ]'",
        "STEP_CONDITION: ${{ secrets.KEY != '' && params.github_actor == 'x' }}", "required: false",
      ])
    let failing = try imported(steps.replacing("env.T", with: "failure() && env.T"))
    #expect(failing.verdict == .inPart)
  }

  @Test func `settings of jobs are computed, and names have the matrix`() throws {
    let workflow = try importedSteps(
      "- { name: \"Test ${{ matrix.v }} on ${{ github.sha }}\", run: make }\n- { run: ls, name: \"X ${{ run_id }}\" }",
      job: """
            strategy: { fail-fast: "${{ github.actor == 'x' }}", max-parallel: 2, matrix: { v: [1, 2], slow: [true] } }
            continue-on-error: ${{ matrix.slow }}
            timeout-minutes: ${{ matrix.v }}
            container: "alpine:${{ matrix.v }}"

        """)
    expect(
      workflow,
      contains: [
        "name: Test ${{ matrix.v }} on ${{ params.github_sha }}", "name: X\n",
        "continue-on-error: ${{ matrix.slow }}", "timeout: ${{ matrix.v }}m",
        "image: alpine:${{ matrix.v }}", "fail-fast: ${{ params.github_actor == 'x' }}",
        "max-parallel: 2", "command -v bash",
      ])
  }

  @Test(arguments: [
    ("group: ci", "policy: queue"), ("group: ci, cancel-in-progress: true", "policy: restart"),
    ("group: ci, cancel-in-progress: \"${{ github.ref }}\"", "policy: queue"),
    ("group: \"${{ github.head_ref || github.run_id }}\"", "each run has a group of its own"),
  ])
  func `concurrency is never guessed`(_ concurrency: String, _ expected: String) throws {
    let workflow = try imported(
      "on: push\nconcurrency: { \(concurrency) }\njobs: { a: { runs-on: x, steps: [{ run: make }] } }"
    )
    expect(workflow, contains: [expected])
  }

  @Test(arguments: [
    ("actions/create-github-app-token@v1", "GITHUB_TOKEN"),
    ("rust-lang/crates-io-auth-action@v1", "CARGO_REGISTRY_TOKEN"),
  ])
  func `the token that an action gives is a secret`(_ uses: String, _ secret: String) throws {
    let workflow = try importedSteps(
      "- { id: t, uses: \(uses) }\n"
        + "- { run: ./publish, env: { TOKEN: \"${{ steps.t.outputs.token }}\" } }")
    #expect(workflow.text.contains("TOKEN: ${{ secrets.\(secret) }}"), "\(workflow.text)")
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }
}

/// Values that only GitHub knows are parameters; one that is never empty there has no default.
struct GitHubParameterTests {
  @Test(arguments: [
    ("push", "run: echo ${{ github.sha }}", "github_sha", true),
    ("push", "if: github.sha != ''", "github_sha", false),
    ("push", "run: echo ${{ github.sha || 'x' }}", "github_sha", false),
    ("push", "run: echo ${{ github.ref }}", "github_ref", false),
    ("push", "run: echo ${{ github.run_number }}", "github_run_number", true),
    ("push", "run: echo ${{ github.head_ref }}", "github_head_ref", false),
    ("pull_request", "run: echo ${{ github.head_ref }}", "github_head_ref", true),
    ("issues", "run: echo ${{ github.event.issue.number }}", "github_event_issue_number", true),
    (
      "[push, issues]", "run: echo ${{ github.event.issue.number }}", "github_event_issue_number",
      false
    ),
    ("push", "run: echo ${{ vars.REGION }}", "REGION", true),
    ("push", "if: startsWith(github.actor, 'x')", "github_actor", false),
    ("push", "if: github.event.x.y", "github_event_x_y", false),
  ])
  func `a value that is never empty there has no default`(
    _ events: String, _ key: String, _ parameter: String, _ isNeeded: Bool
  ) throws {
    let run = key.hasPrefix("run") ? "" : "run: make, "
    let workflow = try imported(
      "on: \(events)\njobs: { a: { runs-on: x, steps: [{ \(run)\(key.replacing(": ", with: ": \"", maxReplacements: 1))\" }] } }"
    )
    let lines = workflow.text.split(separator: "\n").map(String.init)
    let position = try #require(lines.firstIndex(of: "  \(parameter):"))
    let own = lines[(position + 1)...].prefix { $0.hasPrefix("    ") }
    #expect(own.contains { $0.hasPrefix("    default:") } != isNeeded, "\(workflow.text)")
    #expect(
      workflow.remarks.contains { $0.text.hasSuffix("which has no default value") } == isNeeded)
  }

  @Test(arguments: [
    ("inputs.flag == true", "if: params.flag == true"),
    ("github.event.inputs.flag == 'true'", "if: format('{0}', params.flag) == 'true'"),
    ("github.event.inputs.flag", "if: format('{0}', params.flag) != ''"),
    ("'true' == true", "if: \"false\""), ("'' == false", "id: b\n        run: make"),
    ("'1' == 1", "id: b\n        run: make"), ("'A' == 'a'", "id: b\n        run: make"),
  ])
  func `types are compared as there`(_ condition: String, _ expected: String) throws {
    let workflow = try imported(
      """
      on: { workflow_dispatch: { inputs: { flag: { type: boolean } } } }
      jobs:
        a: { runs-on: x, timeout-minutes: 1, steps: [{ id: b, run: make, if: "\(condition)" }] }
      """)
    #expect(workflow.text.contains(expected), "\(workflow.text)")
  }

  @Test func `github as a whole has what is known of it`() throws {
    let workflow = try importedSteps("- { run: echo, env: { ALL: \"${{ toJSON(github) }}\" } }")
    #expect(
      workflow.text.contains("ALL: ${{ toJSON(fromJSON(format('{{\"event_name\":{0},\"ref\":{1}"),
      "\(workflow.text)")
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test func `a job of which nothing runs here is in the summary`() throws {
    let workflow = try imported(
      "on: push\njobs: { a: { runs-on: x, steps: [{ run: make }] }, b: { runs-on: x, steps: [{ uses: actions/stale@v9 }] } }"
    )
    #expect(workflow.text.contains("# job b: nothing of it runs here"), "\(workflow.text)")
    #expect(workflow.text.contains("# actions/stale: works on issues"), "\(workflow.text)")
    #expect(workflow.remarks.contains { $0.text == "job b: nothing of it runs here" })
  }

  @Test func `a variable that a skipped step would have set keeps its value`() throws {
    let workflow = try importedSteps(
      """
      - { if: github.ref == 'x', run: 'echo "MODE=release" >> $GITHUB_ENV' }
      - { if: github.ref == 'x', run: 'echo "NEW=1" >> $GITHUB_ENV' }
      - run: build $MODE $NEW
      """, job: "    env: { MODE: debug }\n")
    #expect(
      workflow.text.contains("MODE: ${{ steps.echo-mode-release.outputs.MODE || 'debug' }}"),
      "\(workflow.text)")
    let notes = workflow.remarks.map(\.text).filter { $0.contains("if this step does not") }
    #expect(
      notes == [
        "GITHUB_ENV: if this step does not set NEW, or to the empty text, NEW is not set later, "
          + "but empty in other languages than those of a shell"
      ])
  }

  @Test func `the id of a run is noted, because it is no number`() throws {
    let workflow = try importedSteps("- run: go test -shuffle=$GITHUB_RUN_ID")
    #expect(workflow.remarks.contains { $0.text.hasPrefix("github.run_id is the id of the run") })
  }

  @Test(arguments: [
    (
      "{ os: [a, b], v: [1, 2] }",
      "(matrix.os == 'a' && matrix.v == 1 && '0' || matrix.os == 'a' && matrix.v == 2 && '1' ||"
    ),
    ("{ include: [{ os: a, f: true }, { os: b, f: true }] }", "matrix.f == true && '1')"),
    (
      "{ c: [{ os: a, f: true }, { os: b }] }",
      "(matrix.c.os == 'a' && '0' || matrix.c.os == 'b' &&"
    ),
  ])
  func `a step knows which item of a matrix it has`(
    _ matrix: String, _ expected: String
  ) throws {
    let workflow = try importedSteps(
      "- run: make\n- run: echo ${{ strategy.job-index }}",
      job: "    strategy: { matrix: \(matrix) }\n")
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
    #expect(workflow.text.contains(expected), "\(workflow.text)")
  }

  @Test(arguments: [
    "{ os: [a, b], exclude: [{ os: a }] }", "{ os: [a, a] }",
    "{ include: [{ os: a, f: true }, { os: a }] }", "{ c: [{ os: a }, { f: true }] }",
    "{ c: [{ os: [a] }] }",
  ])
  func `a step fails if it cannot know which item of a matrix it has`(
    _ matrix: String
  ) throws {
    let workflow = try importedSteps(
      "- run: make\n- run: echo ${{ strategy.job-index }}",
      job: "    strategy: { matrix: \(matrix) }\n")
    #expect(workflow.verdict == .inPart, "\(workflow.text)")
  }
}

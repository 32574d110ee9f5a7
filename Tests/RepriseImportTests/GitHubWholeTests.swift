import RepriseImport
import Testing

/// Values of several jobs or variables together, and outputs that no script names.
struct GitHubWholeTests {
  @Test(arguments: [
    ("id: a, run: ./script", true), ("id: b, run: ./script", false), ("run: ./script", false),
    ("id: a, run: echo x=1 >> $GITHUB_OUTPUT", false),
  ])
  func `a program that sets outputs finds their file under its name there`(
    _ keys: String, _ expected: Bool
  ) throws {
    let workflow = try importedSteps(
      "- { \(keys) }\n- { run: make, env: { X: \"${{ steps.a.outputs.x }}\" } }")
    #expect(
      workflow.text.contains("export GITHUB_OUTPUT=\"$REPRISE_OUTPUT\"") == expected,
      "\(workflow.text)")
  }

  @Test(arguments: [
    ("id: a, run: make &, timeout-minutes: 3", "in the background"),
    ("id: a, run: make &, continue-on-error: true", "in the background"),
    ("id: a, run: \"make &\\necho x=1 >> $GITHUB_OUTPUT\"", "in the background"),
  ])
  func `a process that goes on after a step with limits fails`(
    _ keys: String, _ reason: String
  ) throws {
    let workflow = try importedSteps("- { \(keys) }\n- run: make test")
    #expect(workflow.verdict == .inPart)
    #expect(workflow.remarks.contains { $0.weight == .missing && $0.text.contains(reason) })
  }

  @Test func `a job after one with a service needs its other steps`() throws {
    let workflow = try imported(
      """
      on: push
      jobs:
        a:
          runs-on: x
          steps: [{ id: s, run: make & }, { id: last, if: always(), run: ls }]
        b: { needs: a, runs-on: x, steps: [{ run: pwd }] }
      """)
    #expect(workflow.text.contains("needs: [a-last]"), "\(workflow.text)")
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test(arguments: [
    ("shell: \"nu {0}\", run: ls", "exec nu \"$file\"]"),
    (
      "shell: \"nu {0}\", run: \"ls ${{ github.ref }}\"",
      "printf '%s\\n' \"$SCRIPT\" > \"$file\" && exec nu"
    ),
  ])
  func `a script of another program is a file, as there`(_ keys: String, _ expected: String) throws
  {
    let workflow = try importedSteps("- { \(keys) }")
    #expect(workflow.text.contains(expected), "\(workflow.text)")
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test func `a command of an action keeps its variables beside those of the job`() throws {
    let workflow = try importedSteps(
      "- { uses: docker/login-action@v3, with: { username: \"${{ env.DOCKER_USERNAME }}\" } }",
      job: "    env: { DOCKER_USERNAME: mine }\n")
    #expect(workflow.text.count(of: "DOCKER_USERNAME: mine") == 1, "\(workflow.text)")
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test func `each instance of a matrix has the digest of its own image`() throws {
    let workflow = try importedSteps(
      "- { id: b, uses: docker/build-push-action@v6, with: { tags: a } }\n"
        + "- run: echo ${{ steps.b.outputs.digest }}")
    for part in ["metadata=$(mktemp)\n", "--metadata-file \"$metadata\" --tag \"a\" \".\""] {
      #expect(workflow.text.contains(part), "\(workflow.text)")
    }
  }

  @Test(arguments: [
    ("echo X=1 >> $GITHUB_ENV", "export GITHUB_ENV=\"$REPRISE_ENV\"\n", true),
    ("echo a >> $GITHUB_PATH", "not imported: line 6: GITHUB_PATH: a program adds", false),
    ("make", "run: ci/x.sh all", true),
  ])
  func `a program of the repository that sets variables is read`(
    _ program: String, _ expected: String, _ isComplete: Bool
  ) throws {
    let workflow = try importedSteps(
      "- run: ci/x.sh all\n- run: echo $X", files: ["ci/x.sh": program])
    #expect(workflow.text.contains(expected), "\(workflow.text)")
    #expect((workflow.verdict == .withNotes) == isComplete, "\(workflow.remarks)")
  }

  @Test func `two values that are compared are not both empty by default`() throws {
    let workflow = try importedSteps(
      "- { run: make, if: github.event.pull_request.head.repo.full_name == github.repository }")
    #expect(
      workflow.text.contains("github_repository:\n    description: github.repository"),
      "\(workflow.text)")
  }

  @Test func `a list of a matrix can have values of other jobs`() throws {
    let workflow = try imported(
      """
      on: push
      jobs:
        a:
          runs-on: x
          outputs: { v: "${{ steps.s.outputs.v }}" }
          steps: [{ id: s, run: "echo v=1 >> $GITHUB_OUTPUT" }]
        b:
          needs: a
          runs-on: x
          strategy: { matrix: { k: [tip, "${{ needs.a.outputs.v }}", 3] } }
          steps: [{ run: "make ${{ matrix.k }}" }]
      """)
    #expect(
      workflow.text.contains(
        "format('[{0},{1},{2}]', toJSON('tip'), toJSON(steps.a-s.outputs.v || ''), '3')"),
      "\(workflow.text)")
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test func `needs as a whole has results and outputs`() throws {
    let workflow = try imported(
      """
      on: push
      jobs:
        a:
          runs-on: x
          outputs: { v: "${{ steps.s.outputs.v }}" }
          steps: [{ id: s, run: "echo v=1 >> $GITHUB_OUTPUT" }]
        b: { runs-on: x, steps: [{ id: t, run: ls }] }
        c: { needs: [a, b], if: always(), runs-on: x, steps: [{ run: "echo '${{ toJSON(needs) }}'" }] }
      """)
    for part in [
      "\"a\":{0},\"b\":{1}", "{{\"result\":{0},\"outputs\":{1}}}", "toJSON(steps.a-s.outputs.v",
    ] { #expect(workflow.text.contains(part), "\(workflow.text)") }
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test func `a variable can have a computed name`() throws {
    let workflow = try importedSteps(
      "- run: make ${{ env[matrix.a] }}",
      job: "    env: { X: 1, Y: b }\n    strategy: { matrix: { a: [X, Y] } }\n")
    #expect(workflow.text.contains("toJSON('b')))[matrix.a] || '')"), "\(workflow.text)")
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test(arguments: [("${{ env.V }}", true), ("${{ steps.s.outputs.v }}", false)])
  func `an output that is the same for each instance of a matrix is a value`(
    _ output: String, _ isValue: Bool
  ) throws {
    let workflow = try imported(
      """
      on: push
      jobs:
        a: { runs-on: x, outputs: { v: "${{ steps.p.outputs.v }}" }, steps: [{ id: p, run: ls }] }
        b:
          needs: a
          runs-on: x
          strategy: { matrix: { k: [1, 2] } }
          env: { V: "${{ needs.a.outputs.v }}" }
          outputs: { v: "\(output)" }
          steps: [{ id: s, run: "make ${{ matrix.k }}" }, { run: ls }]
        c: { needs: b, runs-on: x, steps: [{ run: "echo ${{ needs.b.outputs.v }}" }] }
      """)
    #expect(workflow.text.contains("V: ${{ steps.a-p.outputs.v || '' }}"), "\(workflow.text)")
    #expect((workflow.verdict == .withNotes) == isValue, "\(workflow.remarks)")
  }

  @Test(arguments: [
    ("script: \"console.log(1)\"", "", "\"https://github.com/actions/github-script\" \"v7\""),
    ("script: \"core.setOutput('a', context.sha)\"", ", id: s", "GITHUB_SHA: ${{ params."),
    ("script: \"core.exportVariable('a', 1)\"", "", "GITHUB_ENV=\"$REPRISE_ENV\""),
    ("script: \"await github.rest.pulls.create({})\"", "", "INPUT_SCRIPT: await github.rest"),
    ("script: \"await github.rest.issues.create({})\"", "", "works on issues"),
    ("script: \"f(context.payload.issue.number)\"", "", "works on issues"),
    ("script: \"f(context)\"", "", "uses: actions/github-script@v7"),
    ("script: \"github.rest.repos.get(context.payload.x)\"", "", "not imported"),
    ("script: \"core.addPath('x')\"", "", "not imported"),
  ])
  func `a script of the API runs unless it needs the event`(
    _ inputs: String, _ keys: String, _ expected: String
  ) throws {
    let workflow = try importedSteps(
      "- { uses: actions/github-script@v7, with: { \(inputs) }\(keys) }\n- run: make")
    #expect(workflow.text.contains(expected), "\(workflow.text)")
    let fails = expected.contains("uses: ") || expected == "not imported"
    #expect((workflow.verdict == .inPart) == fails, "\(workflow.remarks)")
  }

  @Test func `scripts in the inputs of an action find the variables and files of GitHub`() throws {
    let workflow = try importedSteps(
      """
      - { uses: nick-fields/retry@v3, with: { command: "echo a=$GITHUB_REF >> $GITHUB_OUTPUT" } }
      """)
    for part in ["COMMAND: echo a=$GITHUB_REF >> $REPRISE_OUTPUT", "GITHUB_REF: ${{ params."] {
      #expect(workflow.text.contains(part), "\(workflow.text)")
    }
  }
}

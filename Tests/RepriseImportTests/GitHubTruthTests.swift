// Places where a result ran, and did something else than the workflow does on GitHub.

import RepriseImport
import Testing

struct GitHubTruthTests {
  @Test func `a property of a value of the matrix that is a text is null`() throws {
    let workflow = try importedSteps(
      """
      - run: echo ${{ matrix.python.version || matrix.python }}
      - run: echo ${{ matrix.os.name || 'none' }} ${{ matrix.all.name }}
      """,
      job:
        "    strategy: { matrix: { python: ['3.10', { version: x }], os: [a], all: [{ name: b }] }"
        + " }\n")
    #expect(
      workflow.text.contains(
        "fromJSON(startsWith(toJSON(matrix.python), '{') && toJSON(matrix.python) || '{}').version"
          + " || matrix.python"), "\(workflow.text)")
    #expect(workflow.text.contains("echo none ${NAME}"), "\(workflow.text)")
    #expect(workflow.text.contains("${{ matrix.all.name }}"), "\(workflow.text)")
  }

  @Test func `a step that is skipped adds nothing to PATH`() throws {
    let workflow = try importedSteps(
      "- { id: a, if: github.ref == 'x', run: 'echo /opt/x >> $GITHUB_PATH' }\n- run: x")
    let output = "steps.a.outputs.added-path-1"
    #expect(
      workflow.text.contains(
        "PATH: ${{ (\(output) || '') && format('{0}:', \(output)) || '' }}${{ env.PATH }}"),
      "\(workflow.text)")
  }

  @Test func `a variable of a skipped step is not set later`() throws {
    let workflow = try importedSteps(
      """
      - { if: github.ref == 'x', run: 'echo "NEW=1" >> $GITHUB_ENV' }
      - run: make
      - { run: test, env: { NEW: own } }
      - run: 'echo "NEW=2" >> $GITHUB_ENV'
      - run: last
      """)
    #expect(
      workflow.text.contains("[ -n \"$NEW\" ] || unset NEW\n      make"), "\(workflow.text)")
    #expect(workflow.text.contains("run: test"), "\(workflow.text)")
    #expect(workflow.text.contains("run: last"), "\(workflow.text)")
  }

  @Test(arguments: [
    ("make ${{ matrix.a }}", "{ a: ['-D \"x y\"'] }"),
    ("make ${{ matrix.a }}", "{ a: ['X=`which x`'] }"),
    ("make \"${{ matrix.a.b }}\"", "{ a: [{ b: $HOME }] }"),
    ("make '${{ matrix.a }}'", "{ include: [{ a: \"it's\" }] }"),
    ("${{ matrix.a }} make", "{ a: ['CC=gcc'] }"),
    ("make ${{ matrix.a == 'x' && '--name \"a b\"' || '' }}", "{ a: [x, y] }"),
  ])
  func `a shell reads the syntax of a value that is part of a script`(
    _ script: String, _ matrix: String
  ) throws {
    let workflow = try importedSteps(
      "- run: |\n    \(script)", job: "    strategy: { matrix: \(matrix) }\n")
    #expect(workflow.text.contains("exec bash -e -c \"$SCRIPT\""), "\(workflow.text)")
  }

  @Test(arguments: [
    ("make ${{ matrix.a }}", "{ a: ['-D x*'] }"), ("make \"${{ matrix.a }}\"", "{ a: [\"it's\"] }"),
  ])
  func `a value without syntax is a variable`(_ script: String, _ matrix: String) throws {
    let workflow = try importedSteps(
      "- run: |\n    \(script)", job: "    strategy: { matrix: \(matrix) }\n")
    #expect(workflow.text.contains("${MATRIX_A}") || workflow.text.contains("${A}"))
  }

  @Test func `a job of which all steps are skipped succeeds, unless it is skipped itself`() throws {
    let workflow = try imported(
      """
      on: push
      jobs:
        a: { runs-on: x, steps: [{ run: a, if: github.ref == 'x' }] }
        b: { runs-on: x, if: github.sha == 'y', steps: [{ run: b, if: github.ref == 'x' }] }
        c: { runs-on: x, if: github.sha == 'y', steps: [{ run: c }] }
        d:
          runs-on: x
          needs: [a, b, c]
          if: always()
          steps:
            - run: "echo ${{ needs.a.result }} ${{ needs.b.result }} ${{ needs.c.result }}"
      """)
    #expect(
      workflow.text.contains("steps.a-a.result == 'skipped' && 'success' || steps.a-a.result"),
      "\(workflow.text)")
    #expect(
      workflow.text.contains(
        "(steps.b-b.result == 'skipped' && params.github_sha == 'y') && 'success' || "
          + "steps.b-b.result"), "\(workflow.text)")
    #expect(workflow.text.contains("${{ steps.c-c.result }}"), "\(workflow.text)")
  }

  @Test(arguments: [
    ("{ os: [Windows] }", "shell: [pwsh, -Command]", "job build is meant for windows"),
    (
      "{ os: [Windows, Ubuntu] }", "run: make",
      "job build: combinations for windows run here, too, and scripts without a shell in bash "
        + "instead of PowerShell"
    ),
  ])
  func `systems of a matrix can have a capital letter`(
    _ matrix: String, _ expected: String, _ note: String
  ) throws {
    let workflow = try imported(
      """
      on: push
      jobs:
        build:
          runs-on: ${{ matrix.os }}-latest
          strategy: { matrix: \(matrix) }
          steps: [{ run: make }]
      """)
    #expect(workflow.text.contains(expected), "\(workflow.text)")
    #expect(workflow.remarks.map(\.text).contains(note), "\(workflow.remarks)")
  }

  @Test(arguments: [
    ("{ push: { tags: ['v*'] } }", "tag"), ("release", "tag"), ("[release, push]", "tag"),
    ("{ push: { tags: ['v*'], branches: [main] } }", "branch"), ("[push, release]", "branch"),
  ])
  func `the type of the ref is that of the default event`(
    _ events: String, _ type: String
  ) throws {
    let workflow = try imported(
      "on: \(events)\njobs: { a: { runs-on: x, steps: [{ run: 'a ${{ github.ref_type }}' }] } }")
    #expect(workflow.text.contains("default: \(type)"), "\(workflow.text)")
  }

  @Test func `a commit that a push always has is no empty text`() throws {
    let workflow = try imported(
      """
      on: push
      concurrency: "a-${{ github.event.pull_request.number || github.event.after }}"
      jobs: { a: { runs-on: x, steps: [{ run: make }] } }
      """)
    let note = "is the parameter github_event_after, which has no default value"
    #expect(workflow.remarks.contains { $0.text.hasSuffix(note) }, "\(workflow.remarks)")
  }

  @Test func `a program of the repository gets the variables of GitHub that it reads`() throws {
    let workflow = try importedSteps(
      "- run: ./misc/x.sh",
      files: ["misc/x.sh": "echo $GITHUB_REPOSITORY $RUNNER_NAME $GITHUB_OWN"])
    #expect(
      workflow.text.contains("GITHUB_REPOSITORY: ${{ params.github_repository }}"),
      "\(workflow.text)")
    #expect(!workflow.text.contains("GITHUB_OWN"))
    #expect(
      workflow.remarks.map(\.text).contains(
        "a program of this step reads RUNNER_NAME: not set here"), "\(workflow.remarks)")
  }
}

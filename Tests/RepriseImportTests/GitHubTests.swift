import RepriseImport
import Testing

struct GitHubTests {
  @Test func `scripts, names and variables are kept`() throws {
    let workflow = try importedSteps(
      """
      - uses: actions/checkout@v4
      - id: make
        name: Build it
        run: make all
        env: { MODE: fast }
        timeout-minutes: 5
        working-directory: src
      - run: |
          make test
          make install
      """)
    for part in [
      "run: make all", "MODE: fast", "timeout: 5m", "dir: src", "make test", "make install",
    ] {
      #expect(workflow.text.contains(part), "\(workflow.text)")
    }
    #expect(workflow.stepCount == 2)
    #expect(workflow.verdict == .withNotes)  // A push starts nothing here.
  }

  @Test func `an expression in a script becomes a variable`() throws {
    let workflow = try importedSteps(
      """
      - id: version
        run: echo "::set-output name=tag::$(git describe)"
      - run: ./publish "${{ steps.version.outputs.tag }}" '${{ github.sha }}' ${{ secrets.KEY }}
      """)
    for part in [
      "echo \"tag=$(git describe)\" >> \"$REPRISE_OUTPUT\"",
      "./publish \"${TAG}\" ''\"${SHA}\"'' ${KEY}",
      "TAG: ${{ steps.version.outputs.tag || '' }}", "SHA: ${{ params.github_sha }}",
      "KEY: ${{ secrets.KEY }}", "description: github.sha",
    ] { #expect(workflow.text.contains(part), "\(workflow.text)") }
  }

  @Test(arguments: [
    ("github.event.pull_request.draft == false", "!params.github_event_pull_request_draft"),
    ("github.ref == 'refs/heads/main'", "params.github_ref == 'refs/heads/main'"),
    ("always() && github.actor != 'bot'", "always() && params.github_actor != 'bot'"),
    ("!cancelled()", "always()"),
    ("steps.a.outputs.ok == 'true'", "(steps.a.outputs.ok || '') == 'true'"),
    ("steps.a.outputs.ok", "(steps.a.outputs.ok || '') != ''"),
    ("steps.a.outputs.count > 3", "fromJSON(steps.a.outputs.count || '') > 3"),
    ("steps.a.outputs.ok == true", "(steps.a.outputs.ok || '') == '1'"),
    ("steps.a.outputs.ok != false", "!((steps.a.outputs.ok || '' || '0') == '0')"),
    ("steps.a.outputs.ok == 0", "(steps.a.outputs.ok || '' || '0') == '0'"),
    ("steps.a.outputs.ok == 2", "(steps.a.outputs.ok || '') == '2'"),
    ("contains(github.event.head_commit.message, '[ci]')", "contains(params."),
    ("${{ failure() }}", "failure()"),
    ("job.status == 'failure'", "failure()"),
  ])
  func `a condition is translated`(_ condition: String, _ expected: String) throws {
    let workflow = try importedSteps(
      "- { id: a, run: make }\n- { id: b, if: \"\(condition)\", run: make b }")
    #expect(workflow.text.contains(expected), "\(workflow.text)")
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test func `jobs run in parallel, after those that they need`() throws {
    let workflow = try imported(
      """
      on: push
      jobs:
        build: { runs-on: ubuntu-latest, steps: [{ id: b, run: make }], outputs: { v: "${{ steps.b.outputs.v }}" } }
        lint: { runs-on: ubuntu-latest, steps: [{ run: make lint }] }
        release:
          needs: [build, lint]
          runs-on: ubuntu-latest
          steps: [{ run: "echo ${{ needs.build.outputs.v }}" }]
      """)
    for part in ["parallel:", "# job build", "# job release, needs build, lint"] {
      #expect(workflow.text.contains(part), "\(workflow.text)")
    }
    #expect(workflow.text.contains("V: ${{ steps."), "\(workflow.text)")
  }

  @Test func `a step after one that always runs also needs the steps before`() throws {
    let workflow = try importedSteps(
      """
      - { id: a, run: make }
      - { id: b, if: always(), run: make report }
      - { id: c, run: make install }
      """)
    #expect(workflow.text.contains("needs: [a, b]"), "\(workflow.text)")
  }

  @Test func `variables for later steps become outputs`() throws {
    let workflow = try importedSteps(
      """
      - id: set
        run: |
          echo "VERSION=1" >> $GITHUB_ENV
          { echo A=1; echo B=2
          } >> "$GITHUB_ENV"
          echo "$HOME/bin" >> $GITHUB_PATH
      - if: env.VERSION == '1'
        run: make $VERSION ${{ env.VERSION }}
      """)
    for part in [
      "echo \"VERSION=1\" >> $REPRISE_OUTPUT", "} >> \"$REPRISE_OUTPUT\"",
      "echo \"added-path-1=$HOME/bin\" >> $REPRISE_OUTPUT",
      "VERSION: ${{ steps.set.outputs.VERSION || '' }}", "B: ${{ steps.set.outputs.B || '' }}",
      "format('{0}:', steps.set.outputs.added-path-1) || '' }}${{ env.PATH }}",
      "if: (steps.set.outputs.VERSION || '') == '1'", "make $VERSION ${VERSION}",
    ] { #expect(workflow.text.contains(part), "\(workflow.text)") }
    #expect(workflow.verdict == .withNotes)
  }

  @Test func `a job with a matrix becomes a group for each combination`() throws {
    let workflow = try imported(
      """
      on: push
      jobs:
        a:
          runs-on: ubuntu-latest
          timeout-minutes: 20
          strategy:
            max-parallel: 1
            matrix:
              os: [x, y]
              include: [{ os: x, slow: true }]
          steps:
            - { id: s, run: 'echo "v=$RANDOM" >> $GITHUB_OUTPUT; ./variables >> $GITHUB_ENV' }
            - { if: matrix.slow, run: "echo ${{ steps.s.outputs.v }} ${{ matrix.os }}" }
            - { if: always(), run: ./report }
        b: { needs: a, runs-on: ubuntu-latest, steps: [{ run: "echo ${{ needs.a.result }}" }] }
      """)
    for part in [
      "id: a\n", "matrix:\n          os: [x, \"y\"]", "max-parallel: 1", "fail-fast: true",
      "timeout: 20m", "if: \"!!matrix.slow\"", "V: ${{ steps.a-s.outputs.v || '' }}",
      "MATRIX_OS: ${{ matrix.os }}", "./variables >> $REPRISE_ENV",
      "id: a-end\n", "needs: [a]", "(steps.a.result == 'cancelled' && 'failure' || steps.a.result)",
    ] { #expect(workflow.text.contains(part), "\(part)\n\(workflow.text)") }
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test func `a step alone has the matrix of its job`() throws {
    let workflow = try importedSteps(
      "- run: make ${{ matrix.os }}", job: "    strategy: { matrix: { os: [x, z] } }\n")
    #expect(
      workflow.text.contains("  - id: make\n    matrix:\n      os: [x, z]"), "\(workflow.text)")
  }

  @Test func `an unknown action becomes a step that fails`() throws {
    let workflow = try importedSteps("- uses: some/deploy@v1\n  with: { to: production }")
    #expect(workflow.verdict == .inPart)
    #expect(
      workflow.text.contains(
        """
          # no equivalent, replace this step:
          #   - uses: some/deploy@v1
          #     with:
          #       to: production

        """), "\(workflow.text)")
    let reason = "uses: some/deploy@v1: reprise import --fetch reads it if it is composite"
    #expect(workflow.text.contains("echo 'not imported: line 6: \(reason)' >&2"))
    #expect(workflow.remarks.contains { $0.weight == .missing && $0.text == reason })
  }

  @Test func `inputs become parameters, and a schedule a trigger`() throws {
    let workflow = try imported(
      """
      on:
        workflow_dispatch:
          inputs:
            level: { type: choice, options: [low, high], default: low }
            dry-run: { type: boolean, description: Do nothing }
        schedule: [{ cron: "0 5 * * 1" }]
      concurrency: { group: "${{ github.workflow }}", cancel-in-progress: true }
      jobs:
        a:
          runs-on: ubuntu-latest
          steps: [{ if: "!inputs.dry-run", run: "make ${{ inputs.level }}" }]
      """)
    for part in [
      "level:", "options: [low, high]", "dry_run:", "type: boolean", "cron: ", "time-zone: UTC",
      "group: ${{ workflow.name }}", "policy: restart", "if: \"!params.dry_run\"",
      "LEVEL: ${{ params.level }}",
    ] { #expect(workflow.text.contains(part), "\(workflow.text)") }
  }

  @Test(arguments: [
    "", "jobs: 3", "jobs: {}", "jobs: { a: { steps: [{ uses: actions/checkout@v4 }] } }", "a: [",
    "jobs: { a: { steps: 3 } }", "- a", "jobs: [a]",
  ])
  func `a file with nothing to run is refused`(_ text: String) {
    #expect(throws: ImportError.self) { try imported(text) }
  }
}

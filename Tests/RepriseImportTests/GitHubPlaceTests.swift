import RepriseImport
import Testing

/// What the machines of GitHub provide for steps and jobs: services, artifacts, actions, variables.
struct GitHubPlaceTests {
  @Test func `a composite action becomes its steps`() throws {
    let action = compositeAction(
      last: #"{ if: "inputs.mode == 'slow'", shell: bash, run: make slow, working-directory: sub }"#
    )
    let workflow = try importedSteps(
      """
      - id: use
        uses: ./.github/actions/build
        with: { mode: slow }
        if: github.actor != 'bot'
      - run: cat ${{ steps.use.outputs.file }}
      """, job: "    defaults: { run: { working-directory: src } }\n",
      files: [".github/actions/build/action.yml": action])
    for part in [
      "export GITHUB_OUTPUT=\"$REPRISE_OUTPUT\"", "make all slow\n", "run: make slow", "dir: sub",
      "if: params.github_actor != 'bot'\n", "steps.find.outputs.path || ''", "dir: src",
    ] { #expect(workflow.text.contains(part), "\(workflow.text)") }
    #expect(workflow.stepCount == 3)
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test(arguments: ["./", "$/"])
  func `an action or a workflow of the repository is named by its path`(_ start: String) throws {
    let files = [
      "a/action.yml": "runs: { using: composite, steps: [{ run: make a, shell: bash }] }",
      ".github/workflows/b.yml":
        "on: workflow_call\njobs: { c: { runs-on: x, steps: [{ run: make b }] } }",
    ]
    let workflow = try imported(
      """
      on: push
      jobs:
        a: { runs-on: x, steps: [{ uses: \(start)a }] }
        b: { uses: \(start).github/workflows/b.yml }
      """, files: files)
    for part in ["run: make a", "run: make b"] {
      #expect(workflow.text.contains(part), "\(workflow.text)")
    }
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test func `an action of which nothing runs is not missing, and knows its folder`() throws {
    let files = [
      "a/action.yml": """
      inputs: { x: {} }
      runs:
        using: composite
        steps: [{ uses: actions/cache@v4, with: { path: "${{ inputs.x }}" } }]
      """,
      "b/action.yml": """
      runs:
        using: composite
        steps: [{ run: "$GITHUB_ACTION_PATH/x ${{ github.action_ref }}", shell: bash }]
      """,
    ]
    let workflow = try importedSteps(
      "- { uses: ./a, with: { x: y } }\n- uses: ./b/", files: files)
    #expect(workflow.text.contains("PATH: ${{ format('{0}/{1}', run.working-dir, 'b') }}"))
    #expect(!workflow.text.contains("action_ref"), "\(workflow.text)")
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test func `a job for several systems says what runs its scripts`() throws {
    let workflow = try importedSteps(
      "- run: make", job: "    strategy: { matrix: { os: [windows-latest, ubuntu-latest] } }\n")
    #expect(
      workflow.remarks.contains { $0.text.contains("in bash instead of PowerShell") },
      "\(workflow.remarks)")
  }

  @Test(arguments: [
    ("https://github.com/o/r.git", true), ("git@github.com:o/r", true),
    ("https://github.com/o/other", false), ("https://example.org/o/r", false),
  ])
  func `what is named as an action of this repository is the file here`(
    _ address: String, _ isOwn: Bool
  ) throws {
    let files = [
      ".git/config": "[core]\n\turl = x\n[remote \"origin\"]\n\turl = \(address)\n",
      "a/action.yml": "runs: { using: composite, steps: [{ run: make a, shell: bash }] }",
      ".github/workflows/b.yml":
        "on: workflow_call\njobs: { c: { runs-on: x, steps: [{ run: make b }] } }",
    ]
    let workflow = try imported(
      """
      on: push
      jobs:
        a: { runs-on: x, steps: [{ uses: o/r/a@v1 }, { if: github.repository == 'x/y', run: ls }] }
        b: { uses: o/r/.github/workflows/b.yml@main }
      """, files: files)
    #expect((workflow.verdict == .withNotes) == isOwn, "\(workflow.remarks)")
    #expect(workflow.text.contains("uses: o/r/a@v1: the file here") == isOwn, "\(workflow.text)")
    #expect(workflow.text.contains("default: o/r\n") == isOwn, "\(workflow.text)")
  }

  @Test func `an action in a clone of this repository is its own`() throws {
    let action = "runs: { using: composite, steps: [{ run: make a, shell: bash }] }"
    let workflow = try importedSteps(
      """
      - { uses: actions/checkout@v4, with: { path: src/x } }
      - uses: ./src/x/.github/a
      """, files: [".github/a/action.yml": action])
    #expect(workflow.text.contains("run: make a"), "\(workflow.text)")
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test func `an action without a file is missing, and so is one outside of the repository`()
    throws
  {
    for name in ["./.github/actions/none", "./../other"] {
      let workflow = try importedSteps("- uses: \(name)")
      #expect(workflow.verdict == .inPart)
    }
  }

  @Test func `actions that use themselves end`() throws {
    let action = "runs: { using: composite, steps: [{ uses: ./a }, { run: make, shell: bash }] }"
    let workflow = try importedSteps("- uses: ./a", files: ["a/action.yml": action])
    #expect(workflow.verdict == .inPart)
    #expect(workflow.stepCount < 20)
  }

  @Test func `a workflow of the repository that is called becomes its jobs`() throws {
    let called = """
      on:
        workflow_call:
          inputs: { level: { type: string, default: low }, fast: { type: boolean } }
          outputs: { file: { value: "${{ jobs.make.outputs.file }}" } }
          secrets: { key: { required: true } }
      env: { OWN: "1" }
      jobs:
        make:
          runs-on: ubuntu-latest
          outputs: { file: "${{ steps.m.outputs.f }}" }
          steps: [{ id: m, run: "make ${{ inputs.level }}", env: { KEY: "${{ secrets.key }}" } }]
        check:
          needs: make
          if: "!inputs.fast"
          runs-on: ubuntu-latest
          steps: [{ run: make check }]
      """
    let workflow = try imported(
      """
      on: push
      jobs:
        first: { runs-on: ubuntu-latest, steps: [{ run: ./first }] }
        build:
          needs: first
          name: Build
          permissions: read-all
          if: github.actor != 'bot'
          uses: ./.github/workflows/build.yml
          with: { level: high, unused: x }
          secrets: { key: "${{ secrets.DEPLOY }}" }
        last:
          needs: build
          runs-on: ubuntu-latest
          steps: [{ run: "./last ${{ needs.build.outputs.file }} ${{ needs.build.result }}" }]
      """, files: [".github/workflows/build.yml": called])
    for part in [
      "make high\n", "KEY: ${{ secrets.DEPLOY }}", "OWN: \"1\"", "id: build-check\n",
      "needs: [first-first]", "needs: [build-make-m]", "needs: [build-make-m, build-check-",
      "FILE: ${{ steps.build-make-m.outputs.f || '' }}", "== 'failure') && 'failure' ||",
    ] { #expect(workflow.text.contains(part), "\(part)\n\(workflow.text)") }
    #expect(workflow.text.count(of: "if: params.github_actor != 'bot'") == 3, "\(workflow.text)")
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test func `services start before the steps and are ready when GitHub would say so`() throws {
    let workflow = try importedSteps(
      "- run: make test PORT=${{ job.services.db.ports['5432'] }}",
      job: """
            services:
              db:
                image: postgres:16
                env: { POSTGRES_PASSWORD: secret }
                ports: ["15432:5432"]
                options: >-
                  --health-cmd pg_isready
                  --health-interval 5s
              cache: { image: redis, ports: [6379] }

        """)
    for part in [
      "exec docker run --rm --name \"$REPRISE_RUN_ID-db\" -p 15432:5432 -e POSTGRES_PASSWORD",
      "--health-cmd pg_isready --health-interval 5s \"postgres:16\"", "port: 6379",
      "docker inspect -f", "needs: [db, cache]", "run: make test PORT=15432",
    ] { #expect(workflow.text.contains(part), "\(workflow.text)") }
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test func `services of a matrix run for one combination at a time`() throws {
    let workflow = try importedSteps(
      "- run: make test",
      job: """
            strategy: { matrix: { db: [15, 16] } }
            services: { db: { image: "postgres:${{ matrix.db }}", ports: ["5432:5432"] } }

        """)
    for part in ["max-parallel: 1", "\"postgres:${DB}\"", "DB: ${{ matrix.db }}"] {
      #expect(workflow.text.contains(part), "\(workflow.text)")
    }
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test func `a container has its options and variables`() throws {
    let workflow = try importedSteps(
      "- run: make",
      job: "    container: { image: swift, env: { A: b }, options: --cpus 1, volumes: [/x:/y] }\n")
    for part in ["image: swift", "options: [-v, \"/x:/y\", \"--cpus\", \"1\"]", "A: b"] {
      #expect(workflow.text.contains(part), "\(workflow.text)")
    }
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test func `artifacts are kept in the folder of the run`() throws {
    let workflow = try importedSteps(
      """
      - uses: actions/upload-artifact@v4
        with: { name: app, path: build/app, if-no-files-found: error }
      - uses: actions/upload-artifact@v4
        with:
          path: |
            out/x/**/*.txt
            out/y
      - uses: actions/download-artifact@v4
        with: { name: app, path: "${{ github.workspace }}/got" }
      """)
    for part in [
      "folder=\"$REPRISE_RUN_DIR/artifacts/app\"",
      "tar -C \"build/app\" --exclude '*/.*' -cf - . | tar -xf - -C \"$folder\"",
      "exit 1", "cd \"out\"", "files=(x/**/*.txt y)", "mkdir -p \"got\"",
      "cp -R \"$REPRISE_RUN_DIR/artifacts/app/.\" \"got\"",
    ] { #expect(workflow.text.contains(part), "\(workflow.text)") }
  }

  @Test func `variables whose names are not in the script are added as variables`() throws {
    let steps = "- run: ./variables >> $GITHUB_ENV\n- { if: env.FAST == 'yes', run: make }"
    let workflow = try importedSteps(steps)
    #expect(workflow.text.contains("./variables >> $REPRISE_ENV"))
    #expect(workflow.text.contains("(env.FAST || '') == 'yes'"))
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
    let matrix = try importedSteps(
      steps, job: "    strategy: { matrix: { a: \"${{ fromJSON(github.event.x) }}\" } }\n")
    #expect(matrix.verdict == .inPart)
  }

  @Test func `a matrix can be computed by a job`() throws {
    let workflow = try imported(
      """
      on: push
      jobs:
        plan:
          runs-on: ubuntu-latest
          outputs: { m: "${{ steps.p.outputs.m }}" }
          steps: [{ id: p, run: ./plan }]
        test:
          needs: plan
          runs-on: ubuntu-latest
          strategy:
            matrix: { name: "${{ fromJSON(needs.plan.outputs.m) }}", os: [a, b] }
          steps: [{ run: "./test ${{ matrix.name }} ${{ matrix.os }}" }]
      """)
    for part in [
      "name: ${{ fromJSON(steps.plan-p.outputs.m || '') }}", "NAME: ${{ matrix.name }}",
    ] { #expect(workflow.text.contains(part), "\(workflow.text)") }
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test(arguments: [
    ("runner.os == 'Linux'", "machine.os == 'linux'"),
    ("runner.os != 'macOS'", "machine.os != 'macos'"),
    ("runner.os == 'Windows'", "if: \"false\""),
    ("steps.a.conclusion == 'success'", "(steps.a.result == 'failure' && 'success' ||"),
    ("steps.a.outcome == 'success'", "steps.a.result == 'success'"),
    ("steps.none.outputs.x == 'y'", "if: \"false\""),
    ("matrix.x == 'y'", "if: \"false\""),
  ])
  func `a condition asks this machine and this job`(_ condition: String, _ expected: String)
    throws
  {
    let workflow = try importedSteps(
      "- { id: a, run: make, continue-on-error: true }\n- { if: \"\(condition)\", run: make b }")
    #expect(workflow.text.contains(expected), "\(workflow.text)")
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test func `a failure of any step is the result of a job`() throws {
    let workflow = try imported(
      """
      on: push
      jobs:
        a: { runs-on: ubuntu-latest, steps: [{ run: make }, { run: make test }] }
        b:
          needs: a
          if: always() && needs.a.result == 'failure'
          runs-on: ubuntu-latest
          steps: [{ if: "github.actor == 'x'", run: ./one }, { run: ./two }]
        c: { needs: b, runs-on: ubuntu-latest, steps: [{ run: ./three }] }
      """)
    for part in [
      "(steps.a-make.result == 'failure' || steps.a-make-test.result == 'failure') && 'failure'",
      "id: b-start", "if-skipped: skip", "steps.b-start.result != 'skipped'", "id: a\n",
    ] { #expect(workflow.text.contains(part), "\(workflow.text)") }
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test func `differences are remarks`() throws {
    func remarks(_ steps: String, _ job: String = "") throws -> [String] {
      try importedSteps(steps, job: job).remarks.map { "\($0.weight.rawValue) \($0.text)" }
    }
    let matrix = try remarks(
      "- run: make\n- run: make test",
      "    strategy: { matrix: { a: \"${{ fromJSON(github.event.x) }}\" } }\n")
    #expect(matrix.contains { $0.contains("waits for all combinations") })
    let status = try remarks("- { run: make, if: failure() }\n- { run: make, if: always() }")
    #expect(status.contains { $0.hasPrefix("note success() and failure() look at") })
    #expect(status.contains { $0.hasPrefix("note always(): after a cancellation") })
    let input = try remarks(
      "- { uses: psf/black@stable, with: { src: a, version: 20.8b1, token: x } }")
    #expect(input.contains("note psf/black: left out: version"), "\(input)")
    let windows = try remarks("- { run: dir, shell: cmd }")
    #expect(windows.contains("missing shell: cmd"))
    let never = try remarks("- { run: dir, shell: cmd, if: runner.os == 'Windows' }")
    #expect(never.contains("note never runs here: shell: cmd"))
    let value = try remarks(
      "- { id: v, uses: acme/setup-x@v1 }\n- run: echo ${{ steps.v.outputs.x }}")
    #expect(value.contains { $0.hasPrefix("missing run: steps.v.outputs.x") })
    let other = try remarks("- { uses: actions/checkout@v4, with: { ref: gh-pages } }\n- run: make")
    #expect(other.contains { $0.contains("checkout of gh-pages: it fails if") })
  }
}

extension String {
  /// The number of times that a text occurs.
  func count(of text: String) -> Int { ranges(of: text).count }
}

import RepriseImport
import TestSupport
import Testing

/// Actions and workflows of other repositories, which an import reads if it may.
struct GitHubOtherTests {
  private let commit = String(repeating: "c", count: 40)

  /// Imports with all that it wants of these files, by their names in `uses`.
  private func fetched(
    _ text: String, _ contents: [String: String], files: [String: String] = [:]
  ) throws -> ImportedWorkflow {
    var others: [OtherFile: OtherFile.Answer] = [:]
    while true {
      let workflow = try imported(text, files: files, others: others)
      guard !workflow.wanted.isEmpty else { return workflow }
      for other in workflow.wanted {
        #expect(others[other] == nil)
        others[other] =
          contents["\(other)"].map { .read(Array($0.utf8), path: other.files[0], commit: commit) }
          ?? .failed("git: no such repository")
      }
    }
  }

  private func steps(_ uses: String) -> String {
    "on: push\njobs: { a: { runs-on: x, steps: [{ id: s, uses: \(uses) }] } }"
  }

  private func missing(_ workflow: ImportedWorkflow) -> [String] {
    workflow.remarks.filter { $0.weight == .missing }.map(\.text)
  }

  private let action = "runs: { using: composite, steps: [{ run: make it, shell: bash }] }"

  @Test func `nothing is wanted unless it may be fetched, and the remark says what reads it`()
    throws
  {
    let text = """
      on: push
      jobs:
        a: { runs-on: x, steps: [{ uses: o/r/a@v1 }] }
        b: { uses: o/r/.github/workflows/b.yml@v1 }
      """
    let workflow = try imported(text)
    #expect(workflow.wanted.isEmpty)
    #expect(
      missing(workflow) == [
        "uses: o/r/a@v1: reprise import --fetch reads it if it is composite",
        "uses: o/r/.github/workflows/b.yml@v1: reprise import --fetch reads it",
      ])
    let open = try imported(text, others: [:])
    // The jobs are read before the steps.
    #expect(open.wanted.map(\.path) == [".github/workflows/b.yml", "a"])
    #expect(
      open.wanted.map(\.files) == [[".github/workflows/b.yml"], ["a/action.yml", "a/action.yaml"]])
  }

  @Test func `a large action that many steps use is read once`() throws {
    let list = String(repeating: "1,", count: 99)
    let lists = String(repeating: "*a,", count: 890)
    let large = "a: &a [\(list)]\nb: [\(lists)]\n" + action
    let uses = "runs:\n  using: composite\n  steps:\n"
    let files = [
      "o/r@v1": uses + String(repeating: "    - uses: o/large@v1\n", count: 150),
      "o/large@v1": large,
    ]
    var count = 0
    let time = try threadTime { count = try fetched(steps("o/r@v1"), files).stepCount }
    #expect(count == 150)
    // Each time, it takes about 0.2 s.
    #expect(time < .seconds(15))
  }

  @Test func `a composite action of another repository becomes its steps, with its commit`() throws
  {
    let action = compositeAction(
      last: #"{ shell: bash, run: "echo ${{ github.action_ref }} $GITHUB_ACTION_REPOSITORY" }"#)
    let workflow = try fetched(
      """
      on: push
      jobs:
        a:
          runs-on: x
          steps:
            - run: first
            - { id: use, uses: o/r/a@v1, with: { mode: slow } }
            - run: cat ${{ steps.use.outputs.file }}
            - { uses: o/r/a@v1, with: { mode: fast } }
      """, ["o/r/a@v1": action])
    // A remark is there once, and the comment at each place.
    #expect(workflow.text.matches(of: /# uses: o\/r\/a@v1: read at commit c{40}\n/).count == 2)
    #expect(workflow.remarks.count { $0.text.contains("read at commit") } == 1)
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
    for part in [
      """
        # uses: o/r/a@v1: read at commit \(commit)
        - id: find

      """, "make all slow", "steps.find.outputs.path || ''", "echo v1 ",
      "GITHUB_ACTION_REPOSITORY: o/r",
    ] { #expect(workflow.text.contains(part), "\(workflow.text)") }
  }

  @Test func `a workflow of another repository becomes its jobs, with inputs and secrets`() throws {
    let called = """
      on:
        workflow_call:
          inputs: { count: { type: number, default: 3 }, fast: { type: boolean } }
          outputs: { tag: { value: "${{ jobs.c.outputs.tag }}" } }
      jobs:
        c:
          runs-on: x
          outputs: { tag: "${{ steps.t.outputs.tag }}" }
          env: { TOKEN: "${{ secrets.TOKEN }}" }
          steps:
            - { id: t, run: 'echo "tag=${{ inputs.count }} ${{ inputs.fast }}" >> $GITHUB_OUTPUT' }
      """
    let workflow = try fetched(
      """
      on: push
      jobs:
        b: { uses: "o/r/.github/workflows/b.yml@v1", with: { count: 5 }, secrets: inherit }
        d: { needs: b, runs-on: x, steps: [{ run: "echo ${{ needs.b.outputs.tag }}" }] }
      """, ["o/r/.github/workflows/b.yml@v1": called])
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
    for part in [
      "# uses: o/r/.github/workflows/b.yml@v1: read at commit", "# \(commit)\n",
      "echo \"tag=5 false\"", "TOKEN: ${{ secrets.TOKEN }}", "steps.b-c-t.outputs.tag",
    ] { #expect(workflow.text.contains(part), "\(workflow.text)") }
  }

  @Test func `a path in another repository is one of the same commit, and of a step one here`()
    throws
  {
    let workflow = try fetched(
      "on: push\njobs: { b: { uses: o/r/.github/workflows/b.yml@v1 } }",
      [
        "o/r/.github/workflows/b.yml@v1": """
        on: workflow_call
        jobs:
          c: { uses: ./.github/workflows/c.yml, permissions: { contents: read } }
          d: { runs-on: x, steps: [{ uses: $/a }, { uses: ./a }] }
        """,
        "o/r/.github/workflows/c.yml@\(commit)":
          "on: [push, workflow_call]\njobs: { e: { runs-on: x, steps: [{ run: make e }] } }",
        "o/r/a@\(commit)": action,
      ], files: ["a/action.yml": action.replacing("make it", with: "make here")])
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
    for part in ["run: make e", "run: make it", "run: make here"] {
      #expect(workflow.text.contains(part), "\(workflow.text)")
    }
  }

  @Test func `an action that the import knows, or that is in this repository, is not fetched`()
    throws
  {
    let files = [
      ".git/config": "[remote \"origin\"]\n\turl = https://github.com/o/r\n",
      "a/action.yml": action,
    ]
    let text = """
      on: push
      jobs:
        a: { runs-on: x, steps: [{ uses: actions/cache@v4 }, { uses: o/r/a@v1 }, { uses: ./b }] }
        b: { runs-on: x, steps: [{ uses: Actions/Upload-Artifact@v4, with: { path: "!x" } }] }
      """
    #expect(try imported(text, files: files, others: [:]).wanted.isEmpty)
  }

  @Test(arguments: [
    ("runs: { using: node24, main: x.js }", "an action in JavaScript"),
    ("runs: { using: docker, image: x }", "an action in docker"), ("a: [", "no YAML map"),
    ("on: workflow_call\njobs: {}", "it is no action: it has no runs.using"),
    ("", "no YAML map"),
  ])
  func `an action that is a program is missing, with the reason`(
    _ text: String, _ reason: String
  ) throws {
    let workflow = try fetched(steps("o/r@v1"), ["o/r@v1": text])
    #expect(missing(workflow).count == 1)
    #expect(missing(workflow).first?.contains("uses: o/r@v1: ") == true)
    #expect(missing(workflow).first?.contains(reason) == true, "\(workflow.remarks)")
    #expect(workflow.text.contains("not imported: line 2: uses: o/r@v1: "), "\(workflow.text)")
  }

  @Test func `what cannot be read is missing, with the reason`() throws {
    let workflow = try fetched(steps("o/r@v1"), [:])
    #expect(missing(workflow) == ["uses: o/r@v1: git: no such repository"])
    #expect(workflow.text.contains("uses: o/r@v1: git: no such repository' >&2\n"))
  }

  @Test func `a workflow that cannot be called, or is called for a matrix, is missing`() throws {
    let uses = "o/r/.github/workflows/b.yml@v1"
    let workflow = try fetched(
      "on: push\njobs: { b: { uses: \(uses) } }",
      [uses: "on: push\njobs: { c: { runs-on: x, steps: [{ run: make }] } }"])
    #expect(missing(workflow) == ["uses: \(uses): it is no workflow that can be called"])
    let many = try imported(
      "on: push\njobs: { b: { strategy: { matrix: { a: [1] } }, uses: \(uses) } }", others: [:])
    #expect(many.wanted.isEmpty)
    #expect(missing(many).first == "uses: \(uses): it is called with a strategy")
  }

  @Test func `actions and workflows that use themselves end`() throws {
    let nested = "runs: { using: composite, steps: [{ uses: o/r@v1 }, { uses: o/r@v1 }] }"
    let workflow = try fetched(steps("o/r@v1"), ["o/r@v1": nested])
    #expect(missing(workflow).contains { $0.contains("nest too deep") }, "\(workflow.remarks)")
    let uses = "o/r/.github/workflows/b.yml@v1"
    let calls = try fetched(
      "on: push\njobs: { b: { uses: \(uses) } }",
      [uses: "on: workflow_call\njobs: { c: { uses: \(uses) }, d: { uses: \(uses) } }"])
    #expect(missing(calls).contains { $0.contains("call one another") }, "\(calls.remarks)")
  }

  @Test func `what other files add to a workflow is limited`() throws {
    let many =
      "runs: { using: composite, steps: [\(Array(repeating: "{ uses: o/r@v1 }", count: 2000).joined(separator: ", "))] }"
    let workflow = try fetched(steps("o/r@v1"), ["o/r@v1": many])
    #expect(missing(workflow) == ["uses: o/r@v1: too many jobs and steps of other files"])
    let uses = "o/r/.github/workflows/b.yml@v1"
    let jobs = (0..<2000).map { "j\($0): { uses: \(uses) }" }.joined(separator: ", ")
    let calls = try fetched(
      "on: push\njobs: { b: { uses: \(uses) } }", [uses: "on: workflow_call\njobs: { \(jobs) }"])
    #expect(missing(calls) == ["uses: \(uses): too many jobs and steps of other files"])
    let files = ["a/action.yml": many, ".github/workflows/b.yml": "jobs: { \(jobs) }"]
    let own = try imported(
      """
      on: push
      jobs:
        a: { runs-on: x, steps: [{ uses: ./a }] }
        b: { uses: ./.github/workflows/b.yml }
      """, files: files)
    #expect(missing(own).count { $0.contains("too many jobs and steps") } == 2, "\(own.remarks)")
  }

  @Test func `only so many files of other repositories are wanted`() throws {
    let uses = (0..<120).map { "{ uses: o/r@v\($0) }" }.joined(separator: ", ")
    let text = "on: push\njobs: { a: { runs-on: x, steps: [\(uses)] } }"
    #expect(try imported(text, others: [:]).wanted.count == 100)
    let workflow = try fetched(text, [:])
    #expect(missing(workflow).count { $0.contains("too many files") } == 20)
  }

  @Test func `an action that uses its own files has them from its commit`() throws {
    let action = """
      runs:
        using: composite
        steps: [{ run: "${{ github.action_path }}/x.sh", shell: bash }]
      """
    let workflow = try fetched(steps("o/r/sub/a@v1"), ["o/r/sub/a@v1": action])
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
    for part in [
      "\"https://github.com/o/r\" \(commit)\n", "folder=\"$REPRISE_RUN_DIR/actions/o/r/\(commit)\"",
      "${{ format('{0}/{1}', run.dir, 'actions/o/r/\(commit)/sub/a') }}",
      "# the run fetches the files of o/r from github.com",
    ] { #expect(workflow.text.contains(part), "\(workflow.text)") }
    let without = try fetched(steps("o/r/sub/a@v1"), ["o/r/sub/a@v1": self.action])
    #expect(!without.text.contains("git "), "\(without.text)")
  }

  @Test func `programs of an action write to the files of GitHub, as far as they are known`() throws
  {
    func workflow(_ script: String) throws -> ImportedWorkflow {
      try fetched(
        steps("o/r/sub@v1"),
        [
          "o/r/sub@v1": """
          runs: { using: composite, steps: [{ run: "\(script)", shell: bash }] }
          """,
          "o/r/sub/env.sh@v1": "echo A=b >> $GITHUB_ENV; echo $GITHUB_REPOSITORY",
          "o/r/out.py@v1": "open(os.environ['GITHUB_OUTPUT'])", "o/r/sub/path@v1": "GITHUB_PATH",
        ])
    }
    let environment = try workflow("${{ github.action_path }}/env.sh")
    #expect(environment.verdict == .withNotes, "\(environment.remarks)")
    for part in ["export GITHUB_ENV=\"$REPRISE_ENV\"\n", "GITHUB_REPOSITORY: ${{ params."] {
      #expect(environment.text.contains(part), "\(environment.text)")
    }
    #expect(!environment.text.contains("GITHUB_OUTPUT"))
    let output = try workflow("python3 ${GITHUB_ACTION_PATH}/../out.py")
    #expect(output.text.contains("export GITHUB_OUTPUT=\"$REPRISE_OUTPUT\""), "\(output.text)")
    #expect(!output.text.contains("GITHUB_ENV"))
    let path = try workflow("$GITHUB_ACTION_PATH/path")
    #expect(missing(path).contains { $0.contains("adds folders to PATH") }, "\(path.remarks)")
    for script in ["cd $GITHUB_ACTION_PATH; ./x", "${{github.action_path}}/none"] {
      let unknown = try workflow(script)
      for part in ["export GITHUB_OUTPUT=", "export GITHUB_ENV=", "# if its programs add folders"] {
        #expect(unknown.text.contains(part), "\(unknown.text)")
      }
    }
  }

  @Test func `a program of an action of this repository is read, too`() throws {
    let workflow = try importedSteps(
      "- uses: ./a/b/",
      files: [
        "a/b/action.yml": """
        runs:
          using: composite
          steps: [{ run: "${{ github.action_path }}/env.sh", shell: bash }]
        """, "a/b/env.sh": "echo A=b >> $GITHUB_ENV",
      ])
    #expect(workflow.text.contains("export GITHUB_ENV=\"$REPRISE_ENV\"\n"), "\(workflow.text)")
  }

  @Test func `a key of an action that has no equivalent is a remark`() throws {
    let workflow = try fetched(
      steps("o/r@v1"),
      [
        "o/r@v1": """
        name: a
        runs: { using: composite, steps: [{ run: make, shell: bash }], post: x }
        other: y
        """
      ])
    #expect(
      missing(workflow) == [
        "o/r/action.yml@v1:2: runs.post has no equivalent",
        "o/r/action.yml@v1:3: other has no equivalent",
      ])
  }

  @Test(arguments: [
    "o/r", "o@v1", "./a@v1", "o/../x@v1", "o/r/../x@v1", "-o/r@v1", "o/r@-x", "o/r@+x", "o/r@a..b",
    "o/r@", "o/r@a b", "o/r@a:b", "o/r//a@v1", "docker://a@v1", "o/r@${{ x }}", "o/r/$x@v1",
    "o/r@/a",
  ])
  func `a name that git could read in another way is none`(_ uses: String) {
    #expect(OtherFile(uses) == nil)
  }

  @Test func `a name has a repository, a path and a version`() throws {
    let root = try #require(OtherFile("o/r@main"))
    #expect(root.files == ["action.yml", "action.yaml"])
    let path = try #require(OtherFile("o/r.js/a/b/@feature/x-1"))
    #expect((path.repository, path.path, path.version) == ("o/r.js", "a/b", "feature/x-1"))
  }
}

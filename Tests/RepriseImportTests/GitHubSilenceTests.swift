import RepriseImport
import Testing

/// What a run does to a folder that is not thrown away, and what it must not take for granted.
struct GitHubSilenceTests {
  @Test(arguments: [
    "sudo rm -rf ${GITHUB_WORKSPACE}", "rm -rf \"${{ github.workspace }}\"", "rm -rf ./*",
    "rm -rf * .[!.]*", "test -d x && rm -fr \"$GITHUB_WORKSPACE\"/{*,.*}", "rm -rf .git",
    "cd \"$GITHUB_WORKSPACE\" && rm -rf -- *", "find . -mindepth 1 -delete", "rm -rf $ROOT/",
    "find \"$PWD\" -mindepth 1 ! -name .git -exec rm -rf {} +", "ls -A1 | xargs rm -rf",
    "(cd sub; make)\nrm -rf ./*", "git rm -rf .", "rm -rf ~/*", "rm -rf \"$(pwd)\"/*",
    "sudo -S rm -rf $GITHUB_WORKSPACE", "x\nrm -r -f ./* && y", "find . -delete",
  ])
  func `a script that removes the folder of the repository fails`(_ script: String) throws {
    let lines = script.replacing("\n", with: "\n    ")
    let workflow = try importedSteps(
      "- run: |\n    \(lines)\n  env: { ROOT: \"${{ github.workspace }}\" }")
    #expect(workflow.verdict == .inPart, "\(workflow.text)")
    #expect(
      workflow.text.contains("it removes the folder of the repository"), "\(workflow.text)")
  }

  @Test(arguments: [
    "rm -rf build dist/*", "rm -rf *.log", "cd dist && rm -rf *",
    "rm -rf \"$GITHUB_WORKSPACE/out\"",
    "find . -name '*.o' -delete", "echo 'rm -rf ./*'", "# rm -rf ./*", "rm -rf ~/.cache/x",
    "cat <<END\nrm -rf ./*\nEND", "rm -rf .git/hooks", "find . -empty -delete", "rm -rf $OTHER/*",
    "rm -rf ./build",
  ])
  func `a script that removes other files runs`(_ script: String) throws {
    let lines = script.replacing("\n", with: "\n    ")
    let workflow = try importedSteps("- run: |\n    \(lines)\n")
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test func `a program that removes the folder of the repository makes its step fail`() throws {
    let files = ["ci/clean.sh": "#!/bin/sh\nrm -rf \"$GITHUB_WORKSPACE\"\n"]
    let workflow = try importedSteps("- run: ci/clean.sh", files: files)
    #expect(workflow.verdict == .inPart, "\(workflow.text)")
    let other = try importedSteps(
      "- { run: rm -rf ./*, working-directory: dist }", files: files)
    #expect(other.verdict == .withNotes, "\(other.remarks)")
  }

  @Test(arguments: [
    ("git config --global user.name x", "your settings of git"),
    ("git reset --hard HEAD", "changes that are not committed"),
    ("sudo rm -rf /usr/share/dotnet", "programs of this machine"),
    ("docker image prune --all --force", "what docker has"),
    ("ls /home/runner/work/a/a", "/home/runner is a folder of the machines there"),
  ])
  func `what a script changes outside of its run is a note`(
    _ script: String, _ note: String
  ) throws {
    let workflow = try importedSteps("- run: \(script)")
    #expect(workflow.remarks.contains { $0.text.contains(note) }, "\(workflow.remarks)")
    #expect(workflow.verdict == .withNotes)
  }

  @Test(arguments: [
    ("release: {}", "run: echo $GITHUB_REF", true),
    ("push: { tags: [v1] }", "if: github.ref == 'x'", true),
    ("pull_request: {}", "if: github.ref == 'refs/heads/main'", true),
    ("push: { branches: [main], tags: [v1] }", "run: echo $GITHUB_REF", false),
    ("{ push: {}, release: {} }", "run: echo $GITHUB_REF", true),
    ("{ push: {}, pull_request: {} }", "run: echo $GITHUB_REF", false),
    ("{ push: {}, release: {} }", "if: github.ref == 'refs/heads/main'", false),
    ("push: { branches: [release-*] }", "run: echo $GITHUB_REF", true),
    ("workflow_dispatch: {}", "run: echo $GITHUB_REF", false),
  ])
  func `a ref has no default value that its event cannot have`(
    _ events: String, _ key: String, _ isNeeded: Bool
  ) throws {
    let all = events.hasPrefix("{") ? events : "{ \(events) }"
    let step = key.hasPrefix("run") ? key : "\(key)\n        run: make"
    let workflow = try imported(
      "on: \(all)\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - \(step)\n")
    #expect(
      workflow.remarks.contains { $0.text.hasSuffix("github_ref, which has no default value") }
        == isNeeded, "\(workflow.text)")
  }

  @Test func `a group of runs needs no ref`() throws {
    let workflow = try imported(
      """
      on: pull_request
      concurrency: "${{ github.ref }}"
      jobs: { a: { runs-on: ubuntu-latest, steps: [{ run: make }] } }
      """)
    #expect(workflow.text.contains("default: refs/heads/main"), "\(workflow.text)")
  }

  @Test(arguments: [
    ("zizmorcore/zizmor-action@v0.1", "{}", "GH_TOKEN: ${{ secrets.GITHUB_TOKEN }}"),
    ("zizmorcore/zizmor-action@v0.1", "{}", ": \"${GH_TOKEN:?"),
    ("zizmorcore/zizmor-action@v0.1", "{ online-audits: false }", "zizmor --no-online-audits"),
    ("golangci/golangci-lint-action@v9", "{}", "  golangci-lint config verify\n"),
    (
      "golangci/golangci-lint-action@v9", "{ args: -v --config=x.yml }",
      "golangci-lint config verify --config=x.yml\n"
    ),
    ("golangci/golangci-lint-action@v9", "{ verify: false }", "run: golangci-lint run"),
    ("golangci/golangci-lint-action@v6", "{}", "run: golangci-lint run"),
    ("peter-evans/create-pull-request@v8", "{}", "--base \"$BASE\""),
    ("peter-evans/create-pull-request@v8", "{}", "BODY: Automated changes by"),
    ("peter-evans/create-pull-request@v8", "{}", "BASE=$(git symbolic-ref --quiet --short HEAD)"),
    ("peter-evans/create-pull-request@v8", "{ base: dev }", "BASE: dev"),
    ("peter-evans/create-pull-request@v8", "{ body: \"\" }", "BODY=\n"),
    ("peter-evans/create-pull-request@v8", "{}", "the commit is yours here"),
    ("actions/checkout@v4", "{ ref: dev }", "switch to $branch before the run"),
  ])
  func `the defaults of an action are those that it has there`(
    _ uses: String, _ inputs: String, _ expected: String
  ) throws {
    let workflow = try importedSteps("- uses: \(uses)\n  with: \(inputs)")
    #expect(workflow.text.contains(expected), "\(workflow.text)")
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test func `a file of an action that is left out is missing where it is read`() throws {
    let workflow = try importedSteps(
      """
      - { uses: ossf/scorecard-action@v2, with: { results_file: results.sarif } }
      - { uses: actions/upload-artifact@v4, with: { name: s, path: results.sarif } }
      """)
    #expect(workflow.verdict == .inPart, "\(workflow.text)")
    let reason = "results.sarif is a file of ossf/scorecard-action, which is left out"
    #expect(workflow.text.contains(reason), "\(workflow.text)")
  }

  @Test func `what is not needed for the work itself is a note`() throws {
    let workflow = try imported(
      """
      on: { workflow_call: { outputs: { done: { value: "${{ jobs.a.outputs.d }}" } } } }
      run-name: x
      jobs:
        a:
          runs-on: [self-hosted, big]
          timeout-minutes: 5
          steps: [{ run: make }, { run: rm -r tmp, if: always() }]
      """)
    for part in [
      "on: workflow_call: outputs: done", "run-name is left out", "self-hosted, big",
      "after its time, no step of it runs here",
    ] {
      #expect(workflow.remarks.contains { $0.text.contains(part) }, "\(workflow.remarks)")
    }
    #expect(workflow.verdict == .withNotes)
  }
}

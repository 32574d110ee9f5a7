import RepriseImport
import Testing

/// What scripts and actions find on the machines of GitHub: folders, shells, files that are stored.
struct GitHubMachineTests {
  private let origin = [".git/config": "[remote \"origin\"]\n\turl = https://github.com/o/name\n"]

  @Test(arguments: [
    ("${{ runner.workspace }}/name/docs", "${{ run.working-dir }}/docs"),
    ("${{runner.workspace}}/name", "${{ run.working-dir }}"),
    ("${{ runner.workspace }}/build", "${{ format('{0}/..', run.working-dir) }}/build"),
    ("${{ runner.workspace }}/names", "${{ format('{0}/..', run.working-dir) }}/names"),
  ])
  func `the folder of the machine is the one around that of the repository`(
    _ folder: String, _ expected: String
  ) throws {
    let workflow = try importedSteps(
      "- { run: \"ls '\(folder)/x'\", working-directory: \"\(folder)\" }", files: origin)
    #expect(workflow.text.contains("dir: \(expected)\n"), "\(workflow.text)")
    let isOutside = expected.contains("..")
    #expect(
      workflow.remarks.contains { $0.text.contains("is the folder around this one") } == isOutside)
  }

  @Test func `the folder for temporary files is noted, because it is not emptied`() throws {
    let workflow = try importedSteps("- run: ls ${{ runner.temp }}")
    #expect(workflow.remarks.contains { $0.text.contains("which is not emptied") })
    let program = try importedSteps("- uses: docker/metadata-action@v5\n  with: { images: a }")
    #expect(!program.remarks.contains { $0.text.contains("which is not emptied") })
    #expect(program.text.contains("RUNNER_TEMP: ${{ env.TMPDIR || '/tmp' }}\n"), "\(program.text)")
  }

  @Test func `a script of PowerShell ends at its first error, as there`() throws {
    let workflow = try importedSteps(
      """
      - { shell: pwsh, run: dotnet build }
      - { shell: pwsh, run: "a x\\nb y" }
      """)
    let ends = "variable:\\LASTEXITCODE) { exit $LASTEXITCODE }\n"
    #expect(workflow.text.count(of: "$ErrorActionPreference = 'stop'\n") == 1, "\(workflow.text)")
    #expect(workflow.text.count(of: ends) == 1, "\(workflow.text)")
    #expect(workflow.text.contains("b y\n"), "\(workflow.text)")
  }

  @Test func `a number has the text that it has there`() throws {
    let workflow = try importedSteps(
      """
      - { run: "echo ${{ env.A }}", env: { A: 3.10, B: 010, C: 0x10, D: "3.10", E: 1.5e3, F: 1.2.0 } }
      - { run: "echo ${{ matrix.v == 8 }}" }
      - { uses: ./a, with: { n: 2.0 } }
      """, job: "    strategy: { matrix: { v: [8.0, 007, 1_0] } }\n",
      files: [
        "a/action.yml": """
        inputs: { n: {} }
        runs: { using: composite, steps: [{ run: "make ${{ inputs.n }}", shell: bash }] }
        """
      ])
    for part in [
      "A: 3.1\n", "B: 10\n", "C: 16\n", "D: \"3.10\"\n", "E: 1500\n", "F: \"1.2.0\"\n",
      "echo 3.1\n", "v: [8, 7, \"1_0\"]", "run: make 2\n",
    ] { #expect(workflow.text.contains(part), "\(part)\n\(workflow.text)") }
  }

  @Test func `the shell of an action can be one of its inputs`() throws {
    func text(_ shell: String) throws -> String {
      try importedSteps(
        "- { uses: ./a, with: { shell: '\(shell)' } }",
        files: [
          "a/action.yml": """
          inputs: { shell: { default: sh } }
          runs: { using: composite, steps: [{ run: make, shell: "${{ inputs.shell }}" }] }
          """
        ]
      ).text
    }
    #expect(try text("bash").contains("shell: bash\n"))
    #expect(try text("${{ github.ref }}").contains("not imported"))
  }

  @Test(arguments: [
    ("", "exec sh -e -c"), ("defaults: { run: { shell: bash } }\n", "shell: bash\n"),
  ])
  func `the shell of the workflow is that of a job in a container, too`(
    _ defaults: String, _ expected: String
  ) throws {
    let text = try imported(
      """
      \(defaults)on: push
      jobs: { a: { runs-on: x, container: y, steps: [{ run: make }, { run: make it }] } }
      """
    ).text
    #expect(text.contains(expected), "\(text)")
    #expect(text.contains("exec sh") == defaults.isEmpty, "\(text)")
  }

  @Test(arguments: [
    (
      "obi1kenobi/cargo-semver-checks-action@v2",
      "package: \"a, b\", feature-group: all-features, features: c",
      "check-release --package \"a\" --package \"b\" --features \"c\" --all-features"
    ),
    ("clechasseur/rs-cargo@v5", "command: test, tool: cross", "run: cross test"),
    (
      "docker/build-push-action@v6", "sbom: true, provenance: mode=max",
      "--provenance \"mode=max\" --sbom \"true\" \".\""
    ),
    (
      "docker/build-push-action@v6", "provenance: \"${{ env.P }}\"",
      "[ -z \"$value\" ] || options+=(--provenance \"$value\")"
    ),
    ("docker/bake-action@v5", "sbom: true, push: true", "bake --sbom \"true\" --push"),
  ])
  func `an action has the inputs of its command`(
    _ uses: String, _ inputs: String, _ expected: String
  ) throws {
    let workflow = try importedSteps("- { uses: \(uses), with: { \(inputs) } }")
    #expect(workflow.text.contains(expected), "\(workflow.text)")
  }

  @Test func `a script without a line does nothing`() throws {
    let workflow = try importedSteps("- { run: \"\", shell: pwsh }\n- { run: \" \" }")
    #expect(workflow.text.count(of: "run: \"true\"\n") == 2, "\(workflow.text)")
    #expect(!workflow.text.contains("shell: [pwsh"), "\(workflow.text)")
    #expect(workflow.verdict == .withNotes)
  }

  @Test(arguments: [
    ("actions/upload-artifact@v4", "path: out", true),
    ("actions/upload-artifact@v3", "path: out", true),
    ("actions/upload-artifact@v4.3.6", "path: out", false),
    ("actions/upload-artifact@v2", "path: out", false),
    ("actions/upload-artifact@0123456789", "path: out", true),
    ("actions/upload-artifact@v4", "path: out, include-hidden-files: true", false),
    ("actions/upload-pages-artifact@v3", "path: out", false),
    ("actions/upload-pages-artifact@v4", "path: out", true),
  ])
  func `hidden files are left out of an artifact as its action does`(
    _ uses: String, _ inputs: String, _ leavesOut: Bool
  ) throws {
    let workflow = try importedSteps("- { uses: \(uses), with: { \(inputs) } }")
    #expect(workflow.text.contains("--exclude '*/.*'") == leavesOut, "\(workflow.text)")
  }

  @Test(arguments: [
    (".build/*.zip", "*.zip"), (".env", "cp \".env\""), ("out/.x/y", "y"), ("out/*/.x", ".x"),
  ])
  func `a path that starts in a hidden folder finds nothing, unless it names a file`(
    _ path: String, _ word: String
  ) throws {
    let workflow = try importedSteps(
      "- { uses: actions/upload-artifact@v7, with: { path: \"\(path)\" } }")
    #expect(workflow.text.contains(word) == (word == "y"), "\(workflow.text)")
  }

  @Test func `an input that another action has in common with a checkout is not passed over`()
    throws
  {
    let workflow = try importedSteps(
      "- { uses: helm/kind-action@v1, with: { clean: true, fetch-depth: 0 } }")
    #expect(workflow.remarks.contains { $0.text.contains("clean, fetch-depth: no equivalent") })
  }

  @Test(arguments: [
    ("JamesIves/github-pages-deploy-action@v4", "folder: d", "! -name CNAME ! -name .nojekyll"),
    ("JamesIves/github-pages-deploy-action@v4", "folder: d, target-folder: t", "\"$site/t\""),
    ("peaceiris/actions-gh-pages@v4", "publish_dir: d", "touch \"$site/.nojekyll\""),
    ("peaceiris/actions-gh-pages@v4", "cname: a.b", "echo \"a.b\" > \"$site/CNAME\""),
    ("crazy-max/ghaction-github-pages@v4", "build_dir: d, target_branch: p", "BRANCH: p\n"),
  ])
  func `pages are committed to their branch`(
    _ uses: String, _ inputs: String, _ expected: String
  ) throws {
    let text = try importedSteps("- { uses: \(uses), with: { \(inputs) } }").text
    for part in [expected, "push \"$address\" \"HEAD:refs/heads/$BRANCH\""] {
      #expect(text.contains(part), "\(text)")
    }
  }

  @Test func `pages that are there stay if the step says so`() throws {
    for (uses, inputs) in [
      ("JamesIves/github-pages-deploy-action@v4", "folder: d, clean: false"),
      ("peaceiris/actions-gh-pages@v4", "keep_files: true"),
    ] {
      let workflow = try importedSteps("- { uses: \(uses), with: { \(inputs) } }")
      #expect(!workflow.text.contains("rm -rf {}"), "\(workflow.text)")
      #expect(workflow.verdict == .withNotes)
    }
  }

  @Test func `an object that the event always has is no question`() throws {
    func text(_ events: String) throws -> String {
      try imported(
        """
        on: \(events)
        jobs: { a: { if: github.event.pull_request, runs-on: x, steps: [{ run: make }] } }
        """
      ).text
    }
    #expect(!(try text("[pull_request, pull_request_target]")).contains("if:"))
    #expect(try text("[pull_request, push]").contains("if: params.github_event_pull_request\n"))
  }

  @Test func `one of several values of an event is a whole one`() throws {
    let condition = "contains(github.event.pull_request.labels.*.name, 'a b')"
    let workflow = try importedSteps("- { run: make, if: \"\(condition)\" }")
    let parameter = "params.github_event_pull_request_labels_name"
    #expect(
      workflow.text.contains("if: contains(split(\(parameter), ','), 'a b')\n"),
      "\(workflow.text)")
    #expect(workflow.remarks.contains { $0.text.contains("several values have commas") })
  }

  @Test func `a value of an action is no variable that its command reads`() throws {
    let workflow = try importedSteps(
      "- { uses: docker/login-action@v3, with: { password: \"${{ secrets.GITHUB_TOKEN }}\" } }")
    #expect(!workflow.remarks.contains { $0.text.contains("is not set, except by you") })
  }
}

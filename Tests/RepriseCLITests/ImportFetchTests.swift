import Foundation
import Testing

/// `reprise import --fetch`: actions and workflows of other repositories, which git reads from a folder
/// in place of github.com.
struct ImportFetchTests {
  private let scenario: Scenario
  /// Says that the folder is github.com, and that no settings of this machine count.
  private let environment: [String: String]

  init() throws {
    scenario = try Scenario()
    try scenario.write("", to: "temporary/empty")
    environment = [
      "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_COUNT": "1",
      "GIT_CONFIG_KEY_0": "url.file://\(scenario.folder.path)/hub/.insteadOf",
      "GIT_CONFIG_VALUE_0": "https://github.com/",
      "TMPDIR": scenario.folder.appendingPathComponent("temporary").path,
    ]
  }

  /// Commits files to a repository at a tag, and returns the id of the commit.
  private func commit(
    _ files: [String: String], to repository: String = "o/r", tag: String = "v1"
  ) async throws -> String {
    let folder = "hub/" + repository
    for (path, text) in files { try scenario.write(text, to: "\(folder)/\(path)") }
    let ended = try await scenario.shell(
      """
      export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
      cd \(folder) && git init --quiet 2>/dev/null && git add . && git update-index --chmod=+x -- *.sh
      git -c user.name=a -c user.email=b commit --quiet --message x && git tag --force \(tag) >/dev/null
      git config uploadpack.allowAnySHA1InWant true && git config uploadpack.allowFilter true
      git rev-parse HEAD
      """
    ).succeeds()
    return ended.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private func fetch(
    _ text: String, _ others: [String: String] = [:]
  ) async throws -> Scenario.Ended {
    try scenario.write(text, to: ".github/workflows/ci.yml")
    // As within a hook of git.
    let hook = ["GIT_DIR": "/dev/null", "GIT_OBJECT_DIRECTORY": "/dev/null", "GIT_WORK_TREE": "/"]
    let ended = try await scenario.reprise(
      "import", ".github/workflows/ci.yml", "--fetch", "--output", "w.yaml", "--force",
      environment: environment.merging(hook) { $1 }.merging(others) { $1 })
    let left = try FileManager.default.contentsOfDirectory(
      atPath: scenario.folder.appendingPathComponent("temporary").path)
    #expect(left == ["empty"])
    return ended
  }

  private func job(_ uses: String) -> String {
    "on: push\njobs: { a: { runs-on: x, steps: [{ uses: \(uses) }] } }"
  }

  @Test func `an action is read at its version, and runs with its own files`() async throws {
    let first = try await commit([
      "a/action.yaml": """
      inputs: { name: {} }
      runs:
        using: composite
        steps:
          - { run: '"${{ github.action_path }}/../x.sh" ${{ inputs.name }}', shell: bash }
          - { uses: o/other/sub@v1 }
      """, "x.sh": "#!/bin/sh\necho \"$1\" >> log; echo \"SEEN=$1\" >> \"$GITHUB_ENV\"\n",
    ])
    let other = try await commit(
      ["sub/action.yml": "runs: { using: composite, steps: [{ run: touch made, shell: bash }] }"],
      to: "o/other")
    _ = try await commit(["a/action.yaml": "none"])
    // A version is a tag, a branch or a commit.
    _ = try await scenario.shell("cd hub/o/r && git tag --force v1 \(first)").succeeds()
    for version in ["v1", first] {
      let step = "o/r/a@\(version), with: { name: \(version) } }, { run: echo $SEEN >> seen"
      let ended = try await fetch(job(step)).succeeds()
      #expect(ended.errors.contains("uses: o/r/a@\(version): read at commit \(first)\n"))
      #expect(ended.errors.contains("uses: o/other/sub@v1: read at commit \(other)\n"))
      #expect(!scenario.has("log") || version != "v1", "nothing runs while it is imported")
      try await scenario.reprise("run", "w.yaml", environment: environment).succeeds()
    }
    #expect(scenario.read("log") == "v1\n\(first)\n")
    #expect(scenario.read("seen") == scenario.read("log"))
    #expect(scenario.has("made"))
  }

  @Test func `what cannot be read is missing with the words of git`() async throws {
    _ = try await commit([
      "action.yml": "runs: { using: node24 }", ".github/workflows/b.yml": "on: push\njobs: {}",
    ])
    for (uses, reason) in [
      ("o/none@v1", "git: "), ("o/r@v2", "git: couldn't find remote ref v2"),
      ("o/r/a@v1", "there is no a/action.yml and no a/action.yaml at "),
      ("o/r@v1", "an action in JavaScript"),
    ] {
      let ended = try await fetch(job(uses)).fails(with: 1)
      #expect(
        ended.errors.contains("ci.yml:2: missing: uses: \(uses): \(reason)"), "\(ended.errors)")
      #expect(scenario.read("w.yaml").contains("not imported: line 2: uses: \(uses): "))
    }
  }

  @Test func `a password in an address is in no message`() async throws {
    let ended = try await fetch(
      job("o/r@v1"),
      [
        "GIT_CONFIG_KEY_0": "url.https://user:password@127.0.0.1:1/.insteadOf",
        "https_proxy": "", "HTTPS_PROXY": "",
      ]
    ).fails(with: 1)
    #expect(ended.errors.contains("uses: o/r@v1: git: "), "\(ended.errors)")
    #expect(ended.errors.contains("://127.0.0.1:1/o/r"), "\(ended.errors)")
    #expect(!(ended.errors + scenario.read("w.yaml")).contains("password"), "\(ended.errors)")
  }

  @Test func `a workflow with another of its repository is read at one commit`() async throws {
    let id = try await commit([
      ".github/workflows/b.yml":
        "on: workflow_call\njobs: { c: { uses: ./.github/workflows/c.yml } }",
      ".github/workflows/c.yml":
        "on: workflow_call\njobs: { d: { runs-on: x, steps: [{ run: touch made }] } }",
    ])
    let ended = try await fetch("on: push\njobs: { a: { uses: o/r/.github/workflows/b.yml@v1 } }")
      .succeeds()
    #expect(ended.errors.contains("uses: ./.github/workflows/c.yml: read at commit \(id)\n"))
    try await scenario.reprise("run", "w.yaml").succeeds()
    #expect(scenario.has("made"))
  }

  @Test func `only files of GitHub are fetched, and only if the file is named`() async throws {
    try scenario.write("a:\n\ttouch b\n", to: "Makefile")
    let make = try await scenario.reprise("import", "Makefile", "--fetch").fails(with: 2)
    #expect(make.errors.hasPrefix("error: --fetch is for workflows of GitHub Actions"))
    try await scenario.reprise("import", "--fetch").fails(with: 2)
  }
}

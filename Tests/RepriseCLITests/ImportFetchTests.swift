import Foundation
import RepriseImport
import TestSupport
import Testing

@testable import RepriseCLI

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

  /// The environment of git within this process.
  private var whole: [String: String] {
    ProcessInfo.processInfo.environment.merging(environment) { $1 }
  }

  /// Reads files of other repositories, and returns the contents or the reasons.
  private func read(_ uses: [String], _ repositories: OtherRepositories) async -> [String] {
    defer { repositories.remove() }
    var answers: [String] = []
    for file in uses.compactMap({ OtherFile($0) }) {
      switch await repositories.read(file) {
      case .read(let bytes, _, _): answers.append(String(decoding: bytes, as: UTF8.self))
      case .failed(let reason): answers.append(reason)
      }
    }
    return answers
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

  @Test func `new repositories of the user can have another format`() async throws {
    _ = try await commit(["action.yml": "runs: { using: composite, steps: [{ run: a }] }"])
    let ended = try await fetch(job("o/r@v1"), ["GIT_DEFAULT_HASH": "sha256"])
    #expect(ended.errors.contains("uses: o/r@v1: read at commit "), "\(ended.errors)")
  }

  @Test func `what is too large is not read`() async throws {
    let text = String((0..<40_000).map { _ in "abcdefghijklmnop".randomElement() ?? "a" })
    _ = try await commit(["action.yml": text, "small/action.yml": "a"])
    var limits = OtherRepositories.Limits()
    limits.file = 1000
    let files = try OtherRepositories(environment: whole, limits: limits)
    let sized = await read(["o/r@v1", "o/r/small@v1"], files)
    #expect(sized == ["action.yml is larger than 1000 bytes", "a"])
    // Without the filter, the server sends all files.
    _ = try await scenario.shell("git -C hub/o/r config uploadpack.allowFilter false").succeeds()
    limits = OtherRepositories.Limits(size: 10_000)
    let repositories = try OtherRepositories(environment: whole, limits: limits)
    let answers = await read(["o/r@v1", "o/r/small@v1"], repositories)
    #expect(answers == Array(repeating: "more than 10000 bytes would be fetched", count: 2))
  }

  /// Variables with which git asks a server that never answers, and notes its process in a file.
  private func silence() throws -> [String: String] {
    let folder = scenario.folder.path
    try scenario.write("echo $$ >> '\(folder)/asked'; exec sleep 600", to: "silent.sh")
    return [
      "GIT_CONFIG_KEY_0": "url.ssh://silent/.insteadOf",
      "GIT_SSH_COMMAND": "sh '\(folder)/silent.sh'", "GIT_SSH_VARIANT": "ssh",
    ]
  }

  @Test func `a server that does not answer is asked once`() async throws {
    var limits = OtherRepositories.Limits()
    limits.time = .seconds(2)
    let repositories = try OtherRepositories(
      environment: whole.merging(try silence()) { $1 }, limits: limits)
    let answers = await read(["o/r@v1", "o/r@v2", "o/other@v1"], repositories)
    let second = "not fetched, since git got no answer within 2 s before"
    #expect(answers == ["git got no answer within 2 s", second, second])
    #expect(scenario.read("asked").split(separator: "\n").count == 1)
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a signal ends git, and nothing is left`(_ signal: Int32) async throws {
    try scenario.write(job("o/r@v1"), to: ".github/workflows/ci.yml")
    let command = try scenario.start(
      ["import", ".github/workflows/ci.yml", "--fetch", "--output", "w.yaml"],
      environment: environment.merging(try silence()) { $1 })
    await expectEventually("git asks the server") { scenario.read("asked").hasSuffix("\n") }
    command.send(signal)
    try await command.end().fails(with: 128 + signal)
    let asking = try #require(Int32(scenario.read("asked").dropLast()))
    await expectEventually("what git has started has ended") { kill(asking, 0) != 0 }
    #expect(!scenario.has("w.yaml"))
    let temporary = scenario.folder.appendingPathComponent("temporary").path
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary) == ["empty"])
  }

  @Test func `a remark about fetched text is one line`() async throws {
    _ = try await commit([
      "action.yml": """
      runs: { using: composite, steps: [{ uses: "x\\e[31m\\r\\nw.yml: full\\n- a" }] }
      """
    ])
    let ended = try await fetch(job("o/r@v1")).fails(with: 1)
    #expect(ended.errors.contains("o/r/action.yml@v1:1: uses: x"), "\(ended.errors)")
    for text in [ended.errors, scenario.read("w.yaml")] {
      #expect(!text.contains("\u{1b}"))
      #expect(!text.split(whereSeparator: \.isNewline).contains { $0.hasPrefix("w.yml: full") })
      #expect(!text.split(whereSeparator: \.isNewline).contains("- a"))
    }
  }

  @Test func `only files of GitHub are fetched, and only if the file is named`() async throws {
    try scenario.write("a:\n\ttouch b\n", to: "Makefile")
    let make = try await scenario.reprise("import", "Makefile", "--fetch").fails(with: 2)
    #expect(make.errors.hasPrefix("error: --fetch is for workflows of GitHub Actions"))
    try await scenario.reprise("import", "--fetch").fails(with: 2)
  }
}

// What well-known actions of GitHub are on one machine: nothing, a remark, or a command.

import YAML

/// What a step of GitHub Actions is here.
enum ActionEquivalent {
  /// Nothing to do: the files are there.
  case nothing
  /// Nothing to do, with a remark.
  case note(String)
  /// A script, in the syntax of GitHub Actions, with variables for values that users write.
  case script(String, env: [(String, String)] = [], note: String? = nil)
  /// Nothing is known about it.
  case missing(String)

  /// Returns the equivalent of a step.
  init(_ step: SourceNode) {
    if let run = step["run"]?.text {
      self = .script(run)
    } else if let uses = step["uses"]?.text {
      if uses.hasPrefix("docker://") {
        self = Self.container(String(uses.dropFirst(9)), step)
        return
      }
      let name = String(uses.prefix { $0 != "@" })
      let inputs = Inputs(node: step["with"])
      let missing = ActionEquivalent.missing("uses: \(uses)")
      if let artifact = Self.artifact(name, inputs, isFirstVersion: uses.hasSuffix("@v1")) {
        self = artifact
      } else if name.hasPrefix("./") {
        self = missing
      } else {
        self =
          Self.further(name, inputs, step) ?? Self.tool(name, inputs)
          ?? Self.command(name, inputs) ?? missing
      }
      remark(unread: inputs, of: name)
    } else {
      self = .missing("a step has \"run\" or \"uses\"")
    }
  }

  /// Adds a remark about the inputs of an action that its command does not use.
  private mutating func remark(unread inputs: Inputs, of name: String) {
    guard case .script(let text, let environment, let note) = self, !inputs.unread.isEmpty else {
      return
    }
    let unread = "\(name): left out: \(inputs.unread.joined(separator: ", "))"
    self = .script(text, env: environment, note: note.map { "\($0); \(unread)" } ?? unread)
  }

  /// The inputs of an action.
  final class Inputs {
    /// Inputs about the storage and the login of GitHub, which a command does not need.
    private static let ignored: Set = [
      "token", "github-token", "github_token", "GITHUB_TOKEN", "repo-token", "repo_token",
      "fetch-depth", "persist-credentials", "clean", "retention-days", "compression-level",
      "overwrite", "if-no-files-found", "ssh-key",
    ]

    let node: SourceNode?
    private var read: Set<String> = []

    init(node: SourceNode?) { self.node = node }

    /// The names of the inputs that no one has asked for.
    var unread: [String] {
      (node?.pairs ?? []).compactMap(\.key.text)
        .filter { !read.contains($0) && !Self.ignored.contains($0) }
    }

    subscript(name: String) -> String? {
      read.insert(name)
      guard let text = node?[name]?.text, !text.isEmpty else { return nil }
      return text
    }

    /// Returns the command that changes to the folder of an input.
    func folder(_ name: String = "working-directory") -> String {
      self[name].map { "cd \"\($0)\"\n" } ?? ""
    }
  }

  /// Parts of the names of actions that work on issues and pull requests, instead of on files.
  private static let worksOnGitHub = [
    "stale", "labeler", "lock-", "issue", "comment", "assign", "semantic-pull-request",
    "release-drafter", "automerge", "first-interaction", "compressed-size", "size-limit",
    "require-allow-edits", "rebase", "add-to-project", "dependency-review", "slash-command",
    "action-welcome", "bundlewatch", "label-", "backport", "update-pr-", "request-review",
    "merge-dependabot", "danger-js",
  ]

  /// Returns the equivalent of an action that prepares the machine, or that only GitHub needs.
  private static func tool(_ name: String, _ inputs: Inputs) -> ActionEquivalent? {
    switch name {
    case "actions/checkout": return checkout(inputs)
    case "actions/cache", "actions/cache/save", "actions/cache/restore", "Swatinem/rust-cache",
      "satackey/action-docker-layer-caching", "c-hive/gha-npm-cache", "c-hive/gha-yarn-cache",
      "RevoluPowered/cache":
      return .note("cache: files stay where they are between runs")
    case "codecov/codecov-action", "coverallsapp/github-action", "github/codeql-action/init",
      "github/codeql-action/analyze", "github/codeql-action/autobuild",
      "github/codeql-action/upload-sarif", "codecov/test-results-action":
      return .note("\(name): a service for repositories on GitHub, left out")
    case "gradle/wrapper-validation-action", "gradle/actions/wrapper-validation",
      "step-security/harden-runner", "styfle/cancel-workflow-action",
      "rust-lang/simpleinfra/github-actions/cancel-outdated-builds",
      "n1hility/cancel-previous-runs", "lewagon/wait-on-check-action",
      "jitterbit/await-check-suites":
      return .note("\(name): protects or cancels runs on GitHub, left out")
    case "actions-rs/toolchain", "dtolnay/rust-toolchain", "hecrj/setup-rust-action":
      return .note("install Rust \(inputs["toolchain"] ?? "")".trimmed + " once")
    case "volta-cli/action", "jurplel/install-qt-action", "mozilla/msvc-dev-cmd",
      "ilammy/msvc-dev-cmd", "taiki-e/install-action", "extractions/netlify-cli",
      "jetli/wasm-pack-action", "webfactory/ssh-agent", "crazy-max/ghaction-docker-buildx",
      "reactivecircus/android-emulator-runner-setup", "Homebrew/actions/git-user-config",
      "aws-actions/configure-aws-credentials", "azure/login", "ilteoood/docker_buildx",
      "sigstore/cosign-installer", "mymindstorm/setup-emsdk", "shimataro/ssh-key-action",
      "s4u/maven-settings-action", "hendrikmuhs/ccache-action", "expo/expo-github-action":
      return .note("\(name): install it once")
    default: break
    }
    let last = name.split(separator: "/").dropFirst().joined(separator: "/")
    if worksOnGitHub.contains(where: { last.contains($0) }) {
      return .note("\(name): works on issues and pull requests, which stay on GitHub")
    }
    if last.contains("setup-") || last == "setup" || last.hasSuffix("/setup") {
      let version = inputs.node?.pairs.first { $0.key.text?.contains("version") == true }
      let text = version?.value.text.map { " (\(version?.key.text ?? "") \($0))" } ?? ""
      return .note("\(name)\(text): must be installed on this machine")
    }
    return nil
  }

  /// Returns the command that an action runs.
  private static func command(_ name: String, _ inputs: Inputs) -> ActionEquivalent? {
    let arguments =
      inputs["args"].map { " " + $0.split { $0.isNewline }.joined(separator: " ") } ?? ""
    switch name {
    case "bahmutov/npm-install":
      let install = "if [ -f yarn.lock ]; then yarn --frozen-lockfile; else npm ci; fi"
      return .script(inputs.folder() + (inputs["install-command"] ?? install))
    case "actions-rs/cargo":
      let toolchain = inputs["toolchain"].map { "+\($0) " } ?? ""
      let program = inputs["use-cross"] == "true" ? "cross" : "cargo"
      return .script("\(program) \(toolchain)\(inputs["command"] ?? "build")\(arguments)")
    case "actions-rs/clippy-check": return .script("cargo clippy\(arguments)")
    case "actions-rs/audit-check": return .script("cargo audit")
    case "actions-rs/grcov": return .script("grcov .")
    case "golangci/golangci-lint-action":
      return .script(inputs.folder() + "golangci-lint run\(arguments)")
    case "goreleaser/goreleaser-action":
      return .script(inputs.folder("workdir") + "goreleaser\(arguments)")
    case "pre-commit/action":
      return .script(
        "pre-commit run --show-diff-on-failure \(inputs["extra_args"] ?? "--all-files")")
    case "CultureHQ/actions-yarn", "borales/actions-yarn":
      return .script("yarn \(inputs["cmd"] ?? inputs["args"] ?? "install")")
    case "GabrielBB/xvfb-action", "coactions/setup-xvfb":
      return inputs["run"].map { .script(inputs.folder() + "xvfb-run -a \($0)") }
    case "microsoft/playwright-github-action": return .script("npx playwright install-deps")
    case "gaurav-nelson/github-action-markdown-link-check":
      let config = inputs["config-file"].map { " --config \"\($0)\"" } ?? ""
      return .script(
        "find . -name '*.md' -print0 | xargs -0 -n1 npx markdown-link-check -q\(config)")
    case "ad-m/github-push-action":
      let force = inputs["force"] == "true" ? " --force" : ""
      return .script("git push\(force) origin \"HEAD:\(inputs["branch"] ?? "main")\"")
    case "stefanzweifel/git-auto-commit-action":
      return .script(
        "git add \(inputs["file_pattern"] ?? ".")\ngit diff --cached --quiet || git commit -m \"$MESSAGE\"\ngit push",
        env: [("MESSAGE", inputs["commit_message"] ?? "Apply automatic changes")])
    default: return build(name, inputs) ?? release(name, inputs) ?? deploy(name, inputs)
    }
  }

  private static func build(_ name: String, _ inputs: Inputs) -> ActionEquivalent? {
    let folder = inputs.folder("build-root-directory")
    switch name {
    case "gradle/gradle-build-action", "gradle/actions/setup-gradle",
      "eskatos/gradle-command-action":
      return inputs["arguments"].map {
        .script(folder + "./gradlew \($0)")
      } ?? .note("\(name): must be installed on this machine")
    case "nick-invision/retry", "nick-fields/retry":
      return inputs["command"].map {
        .script($0, note: "\(name): use \"retry\" and \"timeout\" of the step")
      }
    case "docker/login-action", "azure/docker-login": return dockerLogin(inputs)
    case "docker/build-push-action": return dockerBuild(inputs)
    default: return nil
    }
  }

  private static func dockerLogin(_ inputs: Inputs) -> ActionEquivalent {
    .script(
      "echo \"$DOCKER_PASSWORD\" | docker login --username \"$DOCKER_USERNAME\" --password-stdin "
        + (inputs["registry"] ?? inputs["login-server"] ?? ""),
      env: [
        ("DOCKER_USERNAME", inputs["username"] ?? ""),
        ("DOCKER_PASSWORD", inputs["password"] ?? ""),
      ])
  }

  static func dockerBuild(_ inputs: Inputs) -> ActionEquivalent? {
    // The first version of the action has other inputs.
    guard inputs["repository"] == nil else { return nil }
    var words = "docker buildx build"
    for (key, option) in [
      ("file", "--file"), ("platforms", "--platform"), ("target", "--target"),
      ("outputs", "--output"),
    ] {
      if let value = inputs[key] { words += " \(option) \"\(value)\"" }
    }
    for (key, option) in [
      ("tags", "--tag"), ("build-args", "--build-arg"), ("labels", "--label"),
      ("cache-from", "--cache-from"), ("cache-to", "--cache-to"),
    ] {
      guard let value = inputs[key] else { continue }
      if value.contains("type=gha") { continue }
      for line in value.split(whereSeparator: \.isNewline) where !String(line).trimmed.isEmpty {
        // An expression can be a list with a comma or a line for each element.
        words += " \(option) \"\(String(line).trimmed)\""
      }
    }
    if inputs["push"] == "true" { words += " --push" }
    if inputs["load"] == "true" { words += " --load" }
    let push = inputs["push"].map { $0.contains("${{") } ?? false
    return .script(
      words + " \"\(inputs["context"] ?? ".")\"",
      note: push ? "push: \(inputs["push"] ?? ""): add --push to the command if it is true" : nil)
  }
}

extension String? {
  /// The text, or the empty one.
  var orEmpty: String { self ?? "" }
}

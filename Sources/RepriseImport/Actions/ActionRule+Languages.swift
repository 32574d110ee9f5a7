// Actions of single languages and of checks in an image: each is the command that it runs.

extension ActionRule {
  static let languages = [
    ActionRule("julia-actions/julia-buildpkg") {
      .script("julia --project=\"\($0["project"] ?? "@.")\" -e 'using Pkg; Pkg.build()'")
    },
    ActionRule("julia-actions/julia-runtest", ignoring: ["annotate"]) {
      guard $0.isUnset("prefix", or: ""), let isCovered = boolean($0["coverage"] ?? "true") else {
        return nil
      }
      return .script(
        "julia --project=\"\($0["project"] ?? "@.")\" --check-bounds=yes "
          + "-e 'using Pkg; Pkg.test(coverage=\(isCovered))'")
    },
    ActionRule("clechasseur/rs-cargo") { inputs in
      inputs["command"].map {
        .script(inputs.folder() + "\(inputs["tool"] ?? "cargo") \($0)\(inputs.words("args"))")
      }
    },
    ActionRule("clechasseur/rs-clippy-check", "auguwu/clippy-action") {
      .script($0.folder() + "cargo clippy\($0.words("args"))")
    },
    ActionRule("tox-dev/action-pre-commit-uv") {
      .script(
        "pre-commit run --show-diff-on-failure --color=always "
          + ($0["extra_args"] ?? "--all-files"))
    },
    ActionRule("pypa/gh-action-pip-audit", ignoring: ["summary"]) { inputs in
      let files = (inputs["inputs"] ?? "").split(whereSeparator: \.isWhitespace)
      // Files of requirements have an option, folders have none.
      guard files.allSatisfy({ $0.hasSuffix(".txt") }) else { return nil }
      let options = files.map { " --requirement \"\($0)\"" }.joined()
      return .script("pip-audit\(options)\(inputs.flag("local", "--local"))")
    },
    ActionRule("orhun/git-cliff-action", ignoring: ["version"]) { inputs in
      .script(
        """
        output=${OUTPUT:-git-cliff/CHANGELOG.md}
        mkdir -p "$(dirname "$output")"
        git-cliff --config "\(inputs["config"] ?? "cliff.toml")"\(inputs.words("args")) --output "$output"
        {
          echo "changelog=$output"
          printf 'content<<END_OF_CONTENT\\n%s\\nEND_OF_CONTENT\\n' "$(cat "$output")"
        } >> "$REPRISE_OUTPUT"

        """)
    },
    ActionRule("jreleaser/release-action", ignoring: ["version"]) { inputs in
      inputs["arguments"].map { .script(inputs.folder() + "jreleaser \($0)") }
    },
    ActionRule("superfly/flyctl-actions") { inputs in
      inputs["args"].map { .script("flyctl \($0)") }
    },
    ActionRule("fossas/fossa-action", ignoring: ["branch"]) {
      let command = $0.is("run-tests") ? "test" : "analyze"
      return .script("fossa \(command)", env: [("FOSSA_API_KEY", $0["api-key"] ?? "")])
    },
    ActionRule("wagoid/commitlint-github-action") {
      .script(
        "npx commitlint --from \"$(git merge-base \"origin/$BASE\" HEAD)\""
          + $0.option("configFile", "--config"),
        env: [("BASE", "${{ github.base_ref || github.event.repository.default_branch }}")],
        note: "\($0.name): compares with github_base_ref, or the default branch")
    },
    ActionRule("bufbuild/buf-action") { $0.is("setup_only") ? installed($0) : nil },
    ActionRule("dorny/test-reporter", "phoenix-actions/test-reporting") {
      $0.is("fail-on-error", "false") ? .note("\($0.name): shows results on GitHub, left out") : nil
    },
    ActionRule(
      "super-linter/super-linter", "super-linter/super-linter/slim", "github/super-linter",
      "github/super-linter/slim"
    ) { linter($0) },
  ]

  private static func boolean(_ text: String) -> Bool? {
    ["true": true, "false": false][text]
  }

  /// Runs the image of a linter with the variables of the step, as its documentation says.
  private static func linter(_ inputs: ActionInputs) -> ActionEquivalent? {
    let version = inputs.uses.split(separator: "@").dropFirst().first.map(String.init) ?? ""
    // The images have the names of releases, not of commits.
    guard version.first == "v", version.count < 12 else { return nil }
    let kind = inputs.name.hasSuffix("/slim") ? "slim-" : ""
    let owner = inputs.name.split(separator: "/").first ?? ""
    let names = (inputs.step["env"]?.pairs ?? []).compactMap(\.key.text)
    return .script(
      "docker run --rm -e RUN_LOCAL=true\(names.map { " -e \($0)" }.joined()) "
        + "-v \"$PWD:/tmp/lint\" \"ghcr.io/\(owner)/super-linter:\(kind)\(version)\"",
      note: "\(inputs.name): runs in docker, and looks at all files unless it is told otherwise")
  }

  /// Whether an action of reviewdog fails for what it finds; otherwise it only shows it on GitHub.
  static func fails(_ inputs: ActionInputs) -> Bool {
    !inputs.isUnset("fail_on_error") || !inputs.isUnset("fail_level", or: "none")
  }
}

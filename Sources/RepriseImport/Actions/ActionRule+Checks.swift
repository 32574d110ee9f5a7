// Actions that check files: each is the command that it runs.

extension ActionRule {
  static let checks = [
    ActionRule(
      "golangci/golangci-lint-action",
      ignoring: ["version", "skip-cache", "skip-save-cache", "install-mode", "cache"]
    ) {
      guard $0.isUnset("install-only") else { return installed($0) }
      guard let verify = verification($0) else { return nil }
      let run = $0.folder() + verify + "golangci-lint run\($0.words("args"))"
      guard !$0.isUnset("only-new-issues") else { return .script(run) }
      guard $0.is("only-new-issues") else { return nil }
      return .script(
        run + " --new-from-merge-base \"origin/$BASE\"",
        env: [("BASE", "${{ github.base_ref || github.event.repository.default_branch }}")],
        note: "\($0.name): compares with github_base_ref, or the default branch")
    },
    ActionRule("j178/prek-action", ignoring: ["cache", "prek-version", "show-verbose-logs"]) {
      guard $0.isUnset("install-only") else { return installed($0) }
      return .script(
        $0.folder() + "prek run --show-diff-on-failure --color=always "
          + ($0["extra-args"] ?? $0["extra_args"] ?? "--all-files"))
    },
    ActionRule("codespell-project/actions-codespell") { inputs in
      var words = "codespell --count"
      for name in ["check_filenames", "check_hidden"] where inputs[name] != nil {
        words += " --\(name.replacing("_", with: "-"))"
      }
      for (name, option) in [
        ("builtin", "builtin"), ("config", "config"), ("exclude_file", "exclude-file"),
        ("ignore_words_file", "ignore-words"), ("ignore_words_list", "ignore-words-list"),
        ("uri_ignore_words_list", "uri-ignore-words-list"),
      ] { words += inputs.words(name).isEmpty ? "" : " --\(option)\(inputs.words(name))" }
      words += " --skip \(inputs["skip"] ?? "./.git")\(inputs.words("path"))"
      return .script(words + (inputs["only_warn"] == nil ? "" : " || true"))
    },
    ActionRule("wjdp/htmltest-action") {
      let quiet = $0["skip_external"] == nil ? "" : " -s"
      return .script(
        "htmltest\($0.words("path"))\($0.option("config", "-c"))"
          + "\($0.option("log_level", "-l"))\(quiet)")
    },
    ActionRule("gitleaks/gitleaks-action") { _ in
      .script(
        "gitleaks detect --redact -v --exit-code=2",
        note: "gitleaks/gitleaks-action: looks at all commits, not only at those of the event")
    },
    ActionRule("pre-commit/action") {
      .script("pre-commit run --show-diff-on-failure \($0["extra_args"] ?? "--all-files")")
    },
    ActionRule("gaurav-nelson/github-action-markdown-link-check", ignoring: ["use-quiet-mode"]) {
      .script(
        "find . -name '*.md' -print0 | xargs -0 -n1 npx markdown-link-check -q"
          + $0.option("config-file", "--config"))
    },
    ActionRule("brpaz/hadolint-action", "hadolint/hadolint-action") {
      guard $0["recursive"] == nil else { return nil }
      return .script("hadolint\($0.option("config", "-c")) \"\($0["dockerfile"] ?? "Dockerfile")\"")
    },
    ActionRule("psf/black", ignoring: ["version"]) {
      .script("black \($0["options"] ?? "--check --diff") \($0["src"] ?? ".")")
    },
    ActionRule("astral-sh/ruff-action", "chartboost/ruff-action", ignoring: ["version"]) {
      .script("ruff \($0["args"] ?? "check") \"\($0["src"] ?? ".")\"")
    },
    ActionRule("avto-dev/markdown-lint") {
      .script("npx markdownlint-cli\($0.option("config", "--config")) \($0["args"] ?? ".")")
    },
    ActionRule("DavidAnson/markdownlint-cli2-action") {
      let globs = ($0["globs"] ?? "*.{md,markdown}").split(whereSeparator: \.isNewline)
        .map { "\"\($0.trimmed)\"" }.joined(separator: " ")
      return .script(
        "npx markdownlint-cli2\($0.option("config", "--config"))\($0.flag("fix", "--fix")) \(globs)"
      )
    },
    ActionRule("crate-ci/typos", ignoring: ["isolated"]) {
      .script(
        "typos\($0.option("config", "--config"))\($0.flag("write_changes", "--write-changes")) "
          + ($0["files"] ?? ".").onOneLine)
    },
    ActionRule("lycheeverse/lychee-action", ignoring: ["lycheeVersion"]) {
      guard $0.isUnset("fail", or: "true"), $0["output"] == nil else { return nil }
      return .script("lychee \(($0["args"] ?? "--verbose --no-progress './**/*.md'").onOneLine)")
    },
    ActionRule("ludeeus/action-shellcheck", ignoring: ["version", "format"]) {
      guard $0["check_together"] == nil, $0["ignore"] == nil else { return nil }
      return .script(
        "git ls-files -- \"\($0["scandir"] ?? ".")\" | grep -E '[.](sh|bash|ksh)$' | xargs shellcheck"
          + ($0["severity"].map { " --severity=\($0)" } ?? ""),
        note: "\($0.name): checks the files with the extension of a shell script")
    },
    ActionRule("norio-nomura/action-swiftlint") {
      .script("swiftlint lint\($0.words("args"))")
    },
    ActionRule("apache/skywalking-eyes", "apache/skywalking-eyes/header", ignoring: ["log"]) {
      .script(
        "license-eye -c \"\($0["config"] ?? ".licenserc.yaml")\" header \($0["mode"] ?? "check")")
    },
    ActionRule("skx/github-action-tester") {
      .script("./\($0["script"] ?? ".github/run-tests.sh")")
    },
    ActionRule(
      "golang/govulncheck-action",
      ignoring: ["go-version-input", "go-version-file", "check-latest", "cache", "repo-checkout"]
    ) {
      .script(
        $0.folder("work-dir") + "govulncheck\($0.option("output-format", "-format")) "
          + ($0["go-package"] ?? "./...") + $0.option("output-file", ">"))
    },
    ActionRule(
      "obi1kenobi/cargo-semver-checks-action",
      ignoring: ["rust-toolchain", "prefix-key", "shared-key"]
    ) { semanticVersions($0) },
    ActionRule("actions-rust-lang/rustfmt") {
      .script("cargo fmt --all\($0.option("manifest-path", "--manifest-path")) -- --check")
    },
    ActionRule("actions-rust-lang/audit") { _ in .script("cargo audit") },
    ActionRule("bnjbvr/cargo-machete") { .script("cargo machete\($0.words("args"))") },
    ActionRule(
      "dominikh/staticcheck-action",
      ignoring: ["version", "install-go", "cache-key", "min-go-version", "use-cache"]
    ) {
      .script(
        $0.folder() + "staticcheck -checks \"\($0["checks"] ?? "inherit")\""
          + $0.option("build-tags", "-tags") + " ./...")
    },
    ActionRule("securego/gosec") { inputs in inputs["args"].map { .script("gosec \($0)") } },
    ActionRule("isort/isort-action", ignoring: ["isortVersion", "isort-version"]) {
      let options = $0["configuration"] ?? "--check-only --diff"
      return .script("isort \(options) \($0["sortPaths"] ?? $0["sort-paths"] ?? ".")")
    },
    ActionRule("jakebailey/pyright-action", ignoring: ["version", "annotate"]) {
      .script(
        $0.folder() + "npx pyright\($0.option("project", "--project"))\($0.words("extra-args"))")
    },
    ActionRule(
      "SonarSource/sonarqube-scan-action", "SonarSource/sonarcloud-github-action",
      ignoring: ["scannerVersion"]
    ) {
      .script(
        "sonar-scanner" + ($0["projectBaseDir"].map { " -Dsonar.projectBaseDir=\"\($0)\"" } ?? "")
          + $0.words("args"))
    },
    ActionRule("EmbarkStudios/cargo-deny-action", ignoring: ["rust-version"]) {
      .script(
        "cargo deny --log-level \($0["log-level"] ?? "warn") --manifest-path "
          + "\"\($0["manifest-path"] ?? "./Cargo.toml")\" \($0["arguments"] ?? "--all-features") "
          + "\($0["command"] ?? "check")\($0.words("command-arguments"))")
    },
    ActionRule("bufbuild/buf-lint-action", ignoring: ["buf_token"]) {
      .script("buf lint \"\($0["input"] ?? ".")\"")
    },
    ActionRule("bufbuild/buf-breaking-action", ignoring: ["buf_token"]) { inputs in
      inputs["against"].map {
        .script("buf breaking \"\(inputs["input"] ?? ".")\" --against \"\($0)\"")
      }
    },
    ActionRule("creyD/prettier_action", ignoring: ["prettier_version"]) {
      guard $0["same_commit"] == nil, $0["only_changed"] == nil else { return nil }
      let commit =
        $0.is("dry")
        ? "git diff --exit-code"
        : "git add -A\ngit diff --cached --quiet || { git commit -m \"$MESSAGE\" && git push; }"
      return .script(
        "npx prettier \($0["prettier_options"] ?? "--write **/*.js")\n\(commit)",
        env: [("MESSAGE", $0["commit_message"] ?? "Prettified Code!")])
    },
  ]

  /// Returns the command that checks the configuration of golangci-lint first, if there is one, as
  /// the action does since version 7; nil if it is not known whether it does.
  private static func verification(_ inputs: ActionInputs) -> String? {
    guard inputs.isUnset("verify", or: "true") else {
      return inputs.is("verify", "false") ? "" : nil
    }
    guard inputs.isSince(7) else { return "" }
    let option =
      (inputs["args"] ?? "").firstMatch(of: /--config=[^ \n]+/).map { " \($0.output)" } ?? ""
    return "if golangci-lint config path\(option) > /dev/null 2>&1; then\n"
      + "  golangci-lint config verify\(option)\nfi\n"
  }

  private static func semanticVersions(_ inputs: ActionInputs) -> ActionEquivalent? {
    var words = "cargo semver-checks check-release"
    for name in ["package", "exclude", "features"] {
      // An expression could be several.
      guard let list = inputs[name] else { continue }
      guard !list.contains("${{") else { return nil }
      for value in list.split(separator: ",") { words += " --\(name) \"\(value.trimmed)\"" }
    }
    if let group = inputs["feature-group"] {
      let known = ["all-features", "default-features", "only-explicit-features"]
      guard known.contains(group) else { return nil }
      words += " --\(group)"
    }
    for name in [
      "manifest-path", "release-type", "baseline-version", "baseline-rev", "baseline-root",
    ] { words += inputs.option(name, "--\(name)") }
    return .script(
      words + inputs.option("rust-target", "--target") + inputs.flag("verbose", "--verbose"))
  }
}

// Actions that build or test: each is the command that it runs.

extension ActionRule {
  static let builds = [
    ActionRule("bahmutov/npm-install", ignoring: ["useLockFile", "useRollingCache"]) {
      .script($0.folder() + ($0["install-command"] ?? npmInstall))
    },
    ActionRule("actions-rs/cargo") {
      let toolchain = $0["toolchain"].map { "+\($0) " } ?? ""
      let program = $0.is("use-cross") ? "cross" : "cargo"
      return .script("\(program) \(toolchain)\($0["command"] ?? "build")\($0.words("args"))")
    },
    ActionRule("actions-rs/clippy-check", ignoring: ["name"]) {
      .script("cargo clippy\($0.words("args"))")
    },
    ActionRule("actions-rs/audit-check", "rustsec/audit-check") {
      .script(
        "cargo audit",
        note:
          "\($0.name): reads Cargo.lock as it is here, not with the newest versions, prints what "
          + "it finds, and opens no issues for it")
    },
    ActionRule("actions-rs/grcov") { _ in .script("grcov .") },
    ActionRule("goreleaser/goreleaser-action", ignoring: ["version", "distribution"]) {
      guard $0.isUnset("install-only") else { return installed($0) }
      return .script($0.folder("workdir") + "goreleaser\($0.words("args"))")
    },
    ActionRule("CultureHQ/actions-yarn", "borales/actions-yarn") {
      .script("yarn \($0["cmd"] ?? $0["args"] ?? "install")")
    },
    ActionRule("GabrielBB/xvfb-action", "coactions/setup-xvfb") { inputs in
      inputs["run"].map { .script(inputs.folder() + "xvfb-run -a \($0)") }
    },
    ActionRule("microsoft/playwright-github-action") { _ in
      .script("npx playwright install-deps")
    },
    ActionRule("reactivecircus/android-emulator-runner", ignoring: emulator) { inputs in
      // It has a shell of its own for each line.
      let lines = (inputs["script"] ?? "").split(whereSeparator: \.isNewline)
        .map { String($0).trimmed }.filter { !$0.isEmpty && $0.first != "#" }
      guard !lines.isEmpty else { return nil }
      let commands = lines.map { "sh -c '\($0.inSingleQuotes)'\n" }.joined()
      return .script(
        inputs.folder() + commands, note: "\(inputs.name): needs an Android emulator that runs")
    },
    ActionRule("cypress-io/github-action", ignoring: ["cache-key", "install-command"]) {
      cypress($0)
    },
    ActionRule(
      "gradle/gradle-build-action", "gradle/actions/setup-gradle", "eskatos/gradle-command-action",
      ignoring: ["gradle-version", "cache-read-only", "cache-disabled", "cache-encryption-key"]
    ) { inputs in
      let folder = inputs.folder("build-root-directory")
      return inputs["arguments"].map { .script(folder + "./gradlew \($0)") } ?? installed(inputs)
    },
    ActionRule("nick-invision/retry", "nick-fields/retry") { retry($0) },
    ActionRule("PyO3/maturin-action", ignoring: ["sccache", "maturin-version", "rust-toolchain"]) {
      // Other images have the compilers of a target, and the libraries of manylinux.
      guard $0.isUnset("manylinux", or: "off"), $0["container"] == nil else { return nil }
      let target = $0.option("target", "--target")
      return .script(
        $0.folder() + "maturin \($0["command"] ?? "build")\(target)\($0.words("args"))")
    },
    ActionRule("pypa/cibuildwheel", ignoring: ["extras"]) {
      let folder = $0["package-dir"] ?? "."
      let output = $0["output-dir"] ?? "wheelhouse"
      return .script(
        "cibuildwheel --output-dir \"\(output)\"\($0.option("only", "--only"))"
          + "\($0.option("config-file", "--config-file")) \"\(folder)\"")
    },
    ActionRule(
      "hynek/build-and-inspect-python-package", ignoring: ["attest-build-provenance-github"]
    ) {
      // The folder of the artifact that it stores.
      .script(
        """
        folder="$REPRISE_RUN_DIR/artifacts/Packages\($0["upload-name-suffix"] ?? "")"
        mkdir -p "$folder"
        SOURCE_DATE_EPOCH=$(git log -1 --pretty=%ct) python3 -m build --outdir "$folder" "\($0["path"] ?? ".")"
        check-wheel-contents "$folder"/*.whl
        twine check --strict "$folder"/*
        echo "dist=$folder" >> "$REPRISE_OUTPUT"

        """, note: "\($0.name): needs build, twine and check-wheel-contents")
    },
    ActionRule("ramsey/composer-install", ignoring: ["ignore-cache", "custom-cache-key"]) {
      let versions = $0["dependency-versions"] ?? "locked"
      let commands = [
        "locked": "install", "highest": "update",
        "lowest": "update --prefer-lowest --prefer-stable",
      ]
      guard let command = commands[versions] else { return nil }
      return .script(
        $0.folder() + "composer \(command) --no-interaction --no-progress"
          + $0.words("composer-options"))
    },
    ActionRule("crazy-max/ghaction-upx", ignoring: ["version"]) { inputs in
      guard inputs.isUnset("install-only") else { return installed(inputs) }
      guard let files = inputs["files"] ?? inputs["file"] else { return nil }
      return .script("upx\(inputs.words("args")) \(files.onOneLine)")
    },
    ActionRule("CodSpeedHQ/action", ignoring: ["mode", "runner-version", "instruments"]) { inputs in
      inputs["run"].map {
        .script(
          inputs.folder() + $0, note: "\(inputs.name): runs the benchmarks without its service")
      }
    },
    ActionRule("helm/kind-action", ignoring: ["version", "kubectl_version", "verbosity"]) {
      .script(
        "kind create cluster --name \"\($0["cluster_name"] ?? "chart-testing")\""
          + $0.option("config", "--config") + $0.option("node_image", "--image")
          + " --wait \"\($0["wait"] ?? "60s")\"",
        note: "\($0.name): the cluster is there after the run, too")
    },
  ]

  private static let npmInstall =
    "if [ -f yarn.lock ]; then yarn --frozen-lockfile; else npm ci; fi"
  private static let emulator: Set = [
    "api-level", "target", "arch", "profile", "cores", "ram-size", "heap-size", "disk-size",
    "avd-name", "force-avd-creation", "emulator-options", "disable-animations", "emulator-build",
    "ndk", "cmake", "channel", "sdcard-path-or-size", "enable-hw-keyboard",
  ]

  private static func retry(_ inputs: ActionInputs) -> ActionEquivalent? {
    guard let command = inputs["command"], inputs.isUnset("shell", or: "bash"),
      inputs.isUnset("retry_on", or: "any")
    else { return nil }
    let limit = inputs["timeout_seconds"] ?? inputs["timeout_minutes"].map { $0 + "m" }
    return .script(
      """
      attempt=1
      until \(limit.map { "timeout \"\($0)\" " } ?? "")bash -e -o pipefail -c "$COMMAND"; do
        [ "$attempt" -lt "\(inputs["max_attempts"] ?? "3")" ] || exit 1
        attempt=$((attempt + 1))
        sleep "\(inputs["retry_wait_seconds"] ?? "10")"
      done
      """, env: [("COMMAND", command)], note: "\(inputs.name): by hand, \"retry\" of the step")
  }

  private static func cypress(_ inputs: ActionInputs) -> ActionEquivalent? {
    // A server in the background would be stopped with its step; here it is the same step.
    var lines = inputs["working-directory"].map { ["cd \"\($0)\""] } ?? []
    if !inputs.is("install", "false") { lines.append(npmInstall) }
    if let build = inputs["build"] { lines.append(build) }
    if let start = inputs["start"] {
      lines += start.split(separator: ",").map { "\($0.trimmed) &" }
    }
    if let address = inputs["wait-on"] { lines.append("npx wait-on \"\(address)\"") }
    let options = ["browser", "spec", "project", "config", "env"]
      .map { inputs.option($0, "--\($0)") }.joined()
    let flags = inputs.flag("headless", "--headless") + inputs.flag("record", "--record")
    if !inputs.is("runTests", "false") {
      lines.append(inputs["command"] ?? "npx cypress run" + options + flags)
    }
    if inputs["start"] != nil { lines.append("kill $(jobs -p)") }
    return .script(lines.joined(separator: "\n"))
  }
}

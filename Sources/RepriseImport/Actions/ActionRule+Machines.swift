// Actions that set up this machine for later steps, or work on another one.

extension ActionRule {
  static let machines = [
    ActionRule("actions-rust-lang/setup-rust-toolchain") { rust($0) },
    ActionRule("taiki-e/setup-cross-toolchain-action", ignoring: ["runner", "wine", "qemu"]) {
      inputs in
      guard let target = inputs["target"] else { return installed(inputs) }
      return .script(
        "echo \"CARGO_BUILD_TARGET=\(target)\" >> \"$GITHUB_ENV\"",
        note: "\(inputs.name): the linker and the libraries of the target must be installed")
    },
    ActionRule("astral-sh/setup-uv") { uv($0) },
    ActionRule("conda-incubator/setup-miniconda", "mamba-org/setup-micromamba") { inputs in
      let files = ["environment-file", "environment-name", "activate-environment"]
      guard let environment = files.lazy.compactMap({ inputs[$0] }).first else {
        return installed(inputs)
      }
      return .note(
        "\(inputs.name): create the environment \(environment) once, and activate it before a run")
    },
    ActionRule("Homebrew/actions/cache-homebrew-prefix", ignoring: ["uninstall"]) {
      .note("\($0.name): install once: \(($0["install"] ?? "").onOneLine)")
    },
    ActionRule("redhat-actions/podman-login", ignoring: ["auth_file_path"]) {
      .script(
        "echo \"$PODMAN_PASSWORD\" | podman login --username \"$PODMAN_USERNAME\" --password-stdin "
          + "\"\($0["registry"] ?? "")\"",
        env: [
          ("PODMAN_USERNAME", $0["username"] ?? ""), ("PODMAN_PASSWORD", $0["password"] ?? ""),
        ])
    },
    ActionRule("google-github-actions/get-gke-credentials") { inputs in
      inputs["cluster_name"].map {
        .script(
          "gcloud container clusters get-credentials \"\($0)\""
            + inputs.option("location", "--location") + inputs.option("project_id", "--project"),
          note: "\(inputs.name): changes the configuration of kubectl on this machine")
      }
    },
    ActionRule("azure/cli", ignoring: ["azcliversion"]) { inputs in
      inputs["inlineScript"].map {
        .script($0, note: "\(inputs.name): with the az of this machine")
      }
    },
    ActionRule("appleboy/ssh-action", ignoring: ["timeout", "command_timeout"]) { ssh($0) },
  ]

  /// Selects a toolchain of Rust for later steps, as the default of the machine does there.
  static func rust(_ inputs: ActionInputs) -> ActionEquivalent? {
    // The version of the action is that of the toolchain, unless it is a branch or a commit.
    let version = inputs.uses.split(separator: "@").dropFirst().first.map(String.init) ?? ""
    let isToolchain =
      inputs.name.hasPrefix("dtolnay/") && version != "master" && version.count < 40
    let given = inputs["toolchain"] ?? inputs["toolchain-version"] ?? inputs["rust-version"]
    let toolchain = given ?? (isToolchain ? version : "")
    guard !toolchain.withoutExpressions.trimmed.contains(" ") else { return nil }
    let parts = ["target", "targets", "component", "components", "profile"].compactMap { name in
      inputs[name].map { "\(name) \($0.onOneLine)" }
    }
    let note =
      "install Rust \(([toolchain] + parts).filter { !$0.isEmpty }.joined(separator: ", "))".trimmed
      + " once"
    // Some take the version of a file of the repository, as rustup does here, or only install one.
    let isOverride = inputs.name == "actions-rs/toolchain" && inputs.is("override")
    let isDefault = inputs.name != "actions-rs/toolchain" || inputs.is("default")
    var script = ""
    if !toolchain.isEmpty, isOverride || isDefault {
      // A file of the repository comes before the default of the machine, but after the variable.
      let file = """
        if [ -e rust-toolchain.toml ] || [ -e rust-toolchain ]; then toolchain=$(rustup show active-toolchain); fi

        """
      script = """
        toolchain="\(toolchain)"
        \(isOverride ? "" : file)rustup run "${toolchain%% *}" rustc --version
        echo "RUSTUP_TOOLCHAIN=${toolchain%% *}" >> "$GITHUB_ENV"

        """
    }
    for name in inputs.names { _ = inputs[name] }
    guard inputs.name == "actions-rust-lang/setup-rust-toolchain" else {
      return script.isEmpty ? .note(note) : .script(script, note: note)
    }
    let flags = inputs.step["with"]?["rustflags"]?.text ?? "-D warnings"
    if !flags.isEmpty { script += "echo \"RUSTFLAGS=${RUSTFLAGS-$FLAGS}\" >> \"$GITHUB_ENV\"\n" }
    return script.isEmpty ? .note(note) : .script(script, env: [("FLAGS", flags)], note: note)
  }

  /// Sets the version of Python for later commands of uv, and the environment that is active.
  private static func uv(_ inputs: ActionInputs) -> ActionEquivalent? {
    let python = inputs["python-version"]
    let isActive = !inputs.isUnset("activate-environment")
    guard !isActive || inputs.is("activate-environment") else { return nil }
    var script = python.map { "echo \"UV_PYTHON=\($0)\" >> \"$GITHUB_ENV\"\n" } ?? ""
    if isActive {
      let version = inputs.option("python-version", "--python")
      script += """
        uv venv --allow-existing\(version) "\(inputs["venv-path"] ?? "$PWD/.venv")"
        echo "VIRTUAL_ENV=\(inputs["venv-path"] ?? "$PWD/.venv")" >> "$GITHUB_ENV"
        echo "\(inputs["venv-path"] ?? "$PWD/.venv")/bin" >> "$GITHUB_PATH"

        """
      script = inputs.folder() + script
    }
    // The others are about where it is installed from.
    for name in inputs.names { _ = inputs[name] }
    guard !script.isEmpty, case .note(let note) = installed(inputs) else {
      return installed(inputs)
    }
    return .script(script, note: note)
  }

  private static func ssh(_ inputs: ActionInputs) -> ActionEquivalent? {
    guard let host = inputs["host"], let script = inputs["script"], !host.contains(","),
      let key = inputs["key"], inputs["password"] == nil, inputs.isUnset("sync")
    else { return nil }
    let user = inputs["username"].map { " -l \"\($0)\"" } ?? " -l root"
    return .script(
      """
      key=$(mktemp)
      trap 'rm -f "$key"' EXIT
      printf '%s\\n' "$SSH_KEY" > "$key"
      ssh -i "$key" -p "\(inputs["port"] ?? "22")" -o StrictHostKeyChecking=accept-new\(user) "\(host)" "$COMMANDS"

      """, env: [("SSH_KEY", key), ("COMMANDS", script)],
      note: "\(inputs.name): accepts the key of a host that is not known yet")
  }
}

// Actions that build images or run containers, as commands of docker.

extension ActionRule {
  static let containers = [
    ActionRule("docker/login-action", "azure/docker-login", ignoring: ["logout", "ecr"]) {
      .script(
        "echo \"$DOCKER_PASSWORD\" | docker login --username \"$DOCKER_USERNAME\" --password-stdin "
          + ($0["registry"] ?? $0["login-server"] ?? ""),
        env: [
          ("DOCKER_USERNAME", $0["username"] ?? ""), ("DOCKER_PASSWORD", $0["password"] ?? ""),
        ])
    },
    ActionRule(
      "docker/build-push-action", ignoring: ["builder", "github-token"]
    ) { $0["repository"] == nil ? build($0) : buildAndPush($0) },
    ActionRule("docker/bake-action", ignoring: ["builder"]) {
      guard $0.step["id"] == nil else { return nil }
      var words = "docker buildx bake"
      for (name, option) in [("files", "--file"), ("set", "--set")] {
        for line in ($0[name] ?? "").split(whereSeparator: \.isNewline) {
          words += " \(option) \"\(line.trimmed.inDoubleQuotes)\""
        }
      }
      for name in ["provenance", "sbom"] {
        // An empty value is none there, and an error here.
        guard $0[name]?.contains("${{") != true else { return nil }
        words += $0.option(name, "--\(name)")
      }
      words +=
        $0.flag("push", "--push") + $0.flag("load", "--load")
        + $0.flag("pull", "--pull")
      let targets = ($0["targets"] ?? "").replacing(",", with: " ").onOneLine
      return .script($0.folder("workdir") + "\(words) \(targets)".trimmed)
    },
    ActionRule("addnab/docker-run-action") { inputs in
      guard let image = inputs["image"], let run = inputs["run"], inputs["registry"] == nil else {
        return nil
      }
      let shell = inputs["shell"] ?? "sh"
      return .script(
        "docker run --rm\(inputs.words("options")) --entrypoint=\(shell) \"\(image)\" -c \"$SCRIPT\"",
        env: [("SCRIPT", run)])
    },
  ]

  /// Returns the equivalent of `uses: docker://IMAGE`.
  static func container(_ inputs: ActionInputs) -> ActionEquivalent {
    let image = inputs.uses.dropFirst("docker://".count)
    var words = ["docker run --rm --workdir /github/workspace -v \"$PWD:/github/workspace\""]
    var environment: [(String, String)] = []
    for pair in inputs.step["env"]?.pairs ?? [] { words.append("-e \(pair.key.text ?? "")") }
    for name in inputs.names where name != "args" {
      guard name != "entrypoint" else {
        words.append("--entrypoint \"\(inputs[name] ?? "")\"")
        continue
      }
      let variable = "INPUT_" + StepNames.identifier(name).uppercased()
      guard variable == "INPUT_" + name.uppercased(), let value = inputs[name] else {
        return .missing("uses: docker://\(image): \(name)")
      }
      words.append("-e \(variable)")
      environment.append((variable, value))
    }
    return .script(
      words.joined(separator: " ") + " \"\(image)\"" + inputs.words("args"), env: environment,
      note: "docker://\(image): runs in docker, without the variables and the socket of GitHub")
  }

  private static func build(_ inputs: ActionInputs) -> ActionEquivalent? {
    var words = "docker buildx build"
    var digest = ""
    var lists = ""
    var environment: [(String, String)] = []
    if inputs.step["id"] != nil {
      // Combinations of a matrix build at the same time.
      lists = "metadata=$(mktemp)\n"
      words += " --metadata-file \"$metadata\""
      digest =
        "\necho \"digest=$(jq -r '.[\"containerimage.digest\"]' \"$metadata\")\" >> \"$REPRISE_OUTPUT\""
    }
    for (key, option) in [
      ("file", "--file"), ("platforms", "--platform"), ("target", "--target"),
      ("outputs", "--output"), ("network", "--network"),
    ] { words += inputs.option(key, option) }
    for (key, option) in [
      ("tags", "--tag"), ("build-args", "--build-arg"), ("labels", "--label"),
      ("cache-from", "--cache-from"), ("cache-to", "--cache-to"),
      ("build-contexts", "--build-context"), ("annotations", "--annotation"),
      ("provenance", "--provenance"), ("sbom", "--sbom"),
    ] {
      guard let value = inputs[key], !value.contains("type=gha") else { continue }
      guard !value.hasComputedLine else {
        environment.append((key.uppercased().replacing("-", with: "_"), value))
        lists += list(environment[environment.count - 1].0, option, hasCommas: key == "tags")
        continue
      }
      for line in value.split(whereSeparator: \.isNewline) where !line.trimmed.isEmpty {
        let parts = key == "tags" ? line.split(separator: ",") : [line]
        words += parts.map { " \(option) \"\($0.trimmed.inDoubleQuotes)\"" }.joined()
      }
    }
    words += inputs.flag("pull", "--pull") + inputs.flag("no-cache", "--no-cache")
    // Whether it is pushed can depend on the event.
    for (key, option) in [("push", "--push"), ("load", "--load")] {
      guard let value = inputs[key], value != "false" else { continue }
      words += value == "true" ? " \(option)" : " \"--\(key)=\(value)\""
    }
    if !environment.isEmpty {
      lists = "options=()\n" + lists
      words += " \"${options[@]}\""
    }
    return .script(
      lists + words + " \"\(inputs["context"] ?? ".")\"" + digest, env: environment,
      note: notes(ofBuild: inputs))
  }

  /// What a build does in another way there, if no input says how.
  private static func notes(ofBuild inputs: ActionInputs) -> String? {
    var notes: [String] = []
    if inputs["context"] == nil, inputs.isSince(2) {
      notes.append("builds from the files here, not from a clone of its own")
    }
    if inputs["provenance"] == nil, inputs.isSince(4), !inputs.isUnset("push") {
      notes.append("attests the build as buildx does by default, not as one of GitHub")
    }
    return notes.isEmpty ? nil : "\(inputs.name): \(notes.joined(separator: "; "))"
  }

  /// Returns the commands that add an option for each element of a list that is known in the run.
  private static func list(_ variable: String, _ option: String, hasCommas: Bool) -> String {
    let lines = hasCommas ? "$(printf '%s' \"$\(variable)\" | tr , '\\n')" : "$\(variable)"
    return """
      while read -r value; do
        [ -z "$value" ] || options+=(\(option) "$value")
      done <<< "\(lines)"

      """
  }

  /// The first version of `docker/build-push-action`.
  private static func buildAndPush(_ inputs: ActionInputs) -> ActionEquivalent? {
    guard let repository = inputs["repository"], inputs.isUnset("tag_with_ref"),
      inputs.isUnset("tag_with_sha"), inputs.isUnset("add_git_labels")
    else { return nil }
    let image = (inputs["registry"].map { $0 + "/" } ?? "") + repository
    let tags = (inputs["tags"] ?? "latest").split(separator: ",").map { "\(image):\($0.trimmed)" }
    var lines: [String] = []
    if inputs["username"] != nil {
      lines.append(
        "echo \"$DOCKER_PASSWORD\" | docker login --username \"$DOCKER_USERNAME\" --password-stdin"
          + inputs.words("registry"))
    }
    var build = "docker build" + tags.map { " --tag \"\($0)\"" }.joined()
    build += inputs.option("dockerfile", "--file") + inputs.option("target", "--target")
    for argument in (inputs["build_args"] ?? "").split(separator: ",") {
      build += " --build-arg \"\(argument.trimmed)\""
    }
    lines.append(build + " \"\(inputs["path"] ?? ".")\"")
    if !inputs.is("push", "false") { lines += tags.map { "docker push \"\($0)\"" } }
    return .script(
      lines.joined(separator: "\n"),
      env: [
        ("DOCKER_USERNAME", inputs["username"] ?? ""),
        ("DOCKER_PASSWORD", inputs["password"] ?? ""),
      ])
  }
}

extension String {
  /// Whether one of its lines is an expression alone, which can have several lines.
  fileprivate var hasComputedLine: Bool {
    split(whereSeparator: \.isNewline).contains { line in
      line.trimmed.hasPrefix("${{") && line.trimmed.hasSuffix("}}")
        && line.ranges(of: "${{").count == 1
    }
  }
}

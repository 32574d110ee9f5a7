// Further actions that are a command: clouds, notifications, checks, and the API of GitHub.

import YAML

extension ActionEquivalent {
  /// The outputs that the command of an action writes.
  static func outputs(_ step: SourceNode) -> [String] {
    let name = String((step["uses"]?.text ?? "").prefix { $0 != "@" })
    return switch name {
    case "aws-actions/amazon-ecr-login": ["registry"]
    case "docker/build-push-action": ["digest"]
    default: []
    }
  }

  /// Parts of scripts of `actions/github-script` that work on issues and pull requests.
  private static let parts = [
    "github.issues.", "github.pulls.", "github.rest.issues.", "github.rest.pulls.",
    "github.reactions.", "context.issue", "context.payload.",
  ]

  /// Returns the equivalent of an action; nil if it is not known here.
  static func further(_ name: String, _ inputs: Inputs, _ step: SourceNode) -> ActionEquivalent? {
    switch name {
    case "actions/github-script":
      // A script whose values others read is more than a remark.
      guard let script = inputs["script"], step["id"] == nil, !script.contains("setOutput"),
        !script.contains("exportVariable"), parts.contains(where: script.contains)
      else { return nil }
      return .note("\(name): works on issues and pull requests, which stay on GitHub")
    case "actions/setup-node" where inputs["registry-url"] != nil:
      return .note("\(name): must be installed on this machine, with the login of npm")
    case "azure/aks-set-context": return kubernetes(inputs)
    case "aws-actions/amazon-ecr-login":
      return .script(
        """
        account=$(aws sts get-caller-identity --query Account --output text)
        registry="$account.dkr.ecr.$(aws configure get region || echo "$AWS_REGION").amazonaws.com"
        aws ecr get-login-password | docker login --username AWS --password-stdin "$registry"
        echo "registry=$registry" >> "$GITHUB_OUTPUT"
        """)
    case "Homebrew/actions/git-try-push":
      let force = inputs["force"] == "true" ? " --force" : ""
      return .script(
        "git push\(force) \(inputs["remote"] ?? "origin") \"\(inputs["branch"] ?? "HEAD")\"")
    case "liskin/gh-problem-matcher-wrap": return inputs["run"].map { .script($0) }
    case "reactivecircus/android-emulator-runner":
      return inputs["script"].map {
        .script($0, note: "\(name): needs an Android emulator that runs")
      }
    case "changesets/action": return changesets(inputs)
    case "crowdin/github-action": return crowdin(inputs)
    case "cypress-io/github-action": return cypress(inputs)
    default:
      return notify(name, inputs, step) ?? check(name, inputs) ?? docker(name, inputs, step)
        ?? publish(name, inputs)
    }
  }

  /// Actions that send a message, or start another workflow.
  private static func notify(_ name: String, _ inputs: Inputs, _ step: SourceNode)
    -> ActionEquivalent?
  {
    switch name {
    case "k0kubun/action-slack":
      // The payload is an expression of JavaScript.
      return .script(
        "curl -fsS -H 'Content-Type: application/json' --data \"$(node -p \"JSON.stringify($PAYLOAD)\")\" \"$SLACK_WEBHOOK_URL\"",
        env: [("PAYLOAD", inputs["payload"] ?? "{}")])
    case "rtCamp/action-slack-notify":
      return .script(
        "jq -n --arg text \"$SLACK_MESSAGE\" '{text: $text}' | curl -fsS -H 'Content-Type: application/json' --data @- \"$SLACK_WEBHOOK\"",
        env: step["env"]?["SLACK_MESSAGE"] == nil
          ? [("SLACK_MESSAGE", "${{ github.workflow }}: ${{ github.ref }}")] : [],
        note: "\(name): the message has its text only")
    case "peter-evans/repository-dispatch":
      return .script(
        "echo \"{\\\"event_type\\\": \\\"$TYPE\\\", \\\"client_payload\\\": $PAYLOAD}\" | gh api \"repos/$REPOSITORY/dispatches\" --input -",
        env: [
          ("TYPE", inputs["event-type"] ?? ""), ("PAYLOAD", inputs["client-payload"] ?? "{}"),
          ("REPOSITORY", inputs["repository"] ?? "${{ github.repository }}"),
          ("GH_TOKEN", inputs["token"] ?? "${{ secrets.GITHUB_TOKEN }}"),
        ])
    case "benc-uk/workflow-dispatch" where inputs["inputs"] == nil:
      return .script(
        "gh workflow run \"$WORKFLOW\" --ref \"$REF\"",
        env: [
          ("WORKFLOW", inputs["workflow"] ?? ""), ("REF", inputs["ref"] ?? "${{ github.ref }}"),
          ("GH_TOKEN", inputs["token"] ?? "${{ secrets.GITHUB_TOKEN }}"),
        ])
    default: return nil
    }
  }

  /// Actions that check files.
  private static func check(_ name: String, _ inputs: Inputs) -> ActionEquivalent? {
    switch name {
    case "brpaz/hadolint-action", "hadolint/hadolint-action":
      guard inputs["recursive"] == nil else { return nil }
      return .script("hadolint \"\(inputs["dockerfile"] ?? "Dockerfile")\"")
    case "psf/black":
      return .script("black \(inputs["options"] ?? "--check --diff") \(inputs["src"] ?? ".")")
    case "avto-dev/markdown-lint":
      let rules = inputs["config"].map { " --config \"\($0)\"" } ?? ""
      return .script("npx markdownlint-cli\(rules) \(inputs["args"] ?? ".")")
    case "lycheeverse/lychee-action":
      return .script(
        "lychee \((inputs["args"] ?? "--verbose --no-progress './**/*.md'").onOneLine)")
    case "ludeeus/action-shellcheck":
      guard inputs["check_together"] == nil, inputs["ignore"] == nil else { return nil }
      return .script(
        "git ls-files -- \"\(inputs["scandir"] ?? ".")\" | grep -E '[.](sh|bash|ksh)$' | xargs shellcheck",
        note: "\(name): checks the files with the extension of a shell script")
    case "norio-nomura/action-swiftlint":
      return .script("swiftlint lint \((inputs["args"] ?? "").onOneLine)".trimmed)
    case "apache/skywalking-eyes":
      return .script(
        "license-eye -c \"\(inputs["config"] ?? ".licenserc.yaml")\" header \(inputs["mode"] ?? "check")"
      )
    case "skx/github-action-tester":
      return .script("./\(inputs["script"] ?? ".github/run-tests.sh")")
    case "creyD/prettier_action":
      guard inputs["same_commit"] == nil, inputs["only_changed"] == nil else { return nil }
      let commit =
        inputs["dry"] == "true"
        ? "git diff --exit-code"
        : "git add -A\ngit diff --cached --quiet || { git commit -m \"$MESSAGE\" && git push; }"
      return .script(
        "npx prettier \(inputs["prettier_options"] ?? "--write **/*.js")\n\(commit)",
        env: [("MESSAGE", inputs["commit_message"] ?? "Prettified Code!")])
    default: return nil
    }
  }

  private static func kubernetes(_ inputs: Inputs) -> ActionEquivalent {
    var script = ""
    if inputs["creds"] != nil {
      script = """
        value() { printf '%s' "$CREDENTIALS" | jq -r ".$1"; }
        az login --service-principal -u "$(value clientId)" -p "$(value clientSecret)" \\
          --tenant "$(value tenantId)"

        """
    }
    return .script(
      script
        + "az aks get-credentials --resource-group \"$RESOURCE_GROUP\" --name \"$CLUSTER\" --overwrite-existing",
      env: [
        ("CREDENTIALS", inputs["creds"] ?? ""), ("CLUSTER", inputs["cluster-name"] ?? ""),
        ("RESOURCE_GROUP", inputs["resource-group"] ?? ""),
      ], note: "azure/aks-set-context: changes the configuration of kubectl on this machine")
  }

  /// Publishes packages, or opens a pull request with their next versions.
  private static func changesets(_ inputs: Inputs) -> ActionEquivalent {
    .script(
      """
      if ls .changeset/*.md 2> /dev/null | grep -qv README; then
        branch=$(git branch --show-current)
        git switch -C "changeset-release/$branch"
        \(inputs["version"] ?? "npx changeset version")
        git add -A
        git commit -m "\(inputs["commit"] ?? "Version Packages")"
        git push --force origin HEAD
        gh pr create --base "$branch" --fill || true
      else
        \(inputs["publish"] ?? "true")
      fi
      """, note: "changesets/action: leaves the branch with the next versions")
  }

  private static func crowdin(_ inputs: Inputs) -> ActionEquivalent {
    var lines: [String] = []
    let config = inputs["config"].map { " --config \"\($0)\"" } ?? ""
    if inputs["upload_sources"] ?? "true" == "true" {
      lines.append("crowdin upload sources\(config)")
    }
    if inputs["upload_translations"] == "true" {
      lines.append("crowdin upload translations\(config)")
    }
    if inputs["download_translations"] == "true" {
      let language = inputs["download_language"].map { " --language \"\($0)\"" } ?? ""
      lines.append("crowdin download\(language)\(config)")
    }
    return .script(
      lines.isEmpty ? "true" : lines.joined(separator: "\n"),
      note: "crowdin/github-action: commits nothing, and opens no pull request")
  }

  private static func cypress(_ inputs: Inputs) -> ActionEquivalent {
    var lines = inputs["working-directory"].map { ["cd \"\($0)\""] } ?? []
    if inputs["install"] != "false" {
      lines.append("if [ -f yarn.lock ]; then yarn --frozen-lockfile; else npm ci; fi")
    }
    if let build = inputs["build"] { lines.append(build) }
    if let start = inputs["start"] {
      lines += start.split(separator: ",").map { "\($0.trimmed) &" }
    }
    if let address = inputs["wait-on"] { lines.append("npx wait-on \"\(address)\"") }
    var command = inputs["command"] ?? "npx cypress run"
    if inputs["command"] == nil {
      for key in ["browser", "spec", "project", "config", "env"] {
        if let value = inputs[key] { command += " --\(key) \"\(value.onOneLine)\"" }
      }
      if inputs["headless"] == "true" { command += " --headless" }
      if inputs["record"] == "true" { command += " --record" }
    }
    if inputs["runTests"] != "false" { lines.append(command) }
    return .script(lines.joined(separator: "\n"))
  }

  private static func docker(_ name: String, _ inputs: Inputs, _ step: SourceNode)
    -> ActionEquivalent?
  {
    switch name {
    case "addnab/docker-run-action":
      guard let image = inputs["image"], let run = inputs["run"], inputs["registry"] == nil else {
        return nil
      }
      return .script(
        "docker run --rm \((inputs["options"] ?? "").onOneLine) --entrypoint=\(inputs["shell"] ?? "sh") \"\(image)\" -c \"$SCRIPT\"",
        env: [("SCRIPT", run)])
    case "docker/build-push-action" where inputs["repository"] == nil && step["id"] != nil:
      guard case .script(let text, let environment, let note)? = dockerBuild(inputs) else {
        return nil
      }
      let command = "docker buildx build"
      let file = "\"$REPRISE_RUN_DIR/\(StepNames.identifier(step["id"]?.text ?? "")).json\""
      return .script(
        text.replacing(command, with: "\(command) --metadata-file \(file)")
          + "\necho \"digest=$(jq -r '.[\"containerimage.digest\"]' \(file))\" >> \"$GITHUB_OUTPUT\"",
        env: environment, note: note)
    case "docker/build-push-action": return dockerBuildAndPush(inputs)
    default: return nil
    }
  }

  /// The first version of `docker/build-push-action`.
  private static func dockerBuildAndPush(_ inputs: Inputs) -> ActionEquivalent? {
    guard let repository = inputs["repository"], inputs["tag_with_ref"] != "true",
      inputs["tag_with_sha"] != "true", inputs["add_git_labels"] != "true"
    else { return nil }
    let image = (inputs["registry"].map { $0 + "/" } ?? "") + repository
    let tags = (inputs["tags"] ?? "latest").split(separator: ",").map { "\(image):\($0.trimmed)" }
    var lines: [String] = []
    if inputs["username"] != nil {
      lines.append(
        "echo \"$DOCKER_PASSWORD\" | docker login --username \"$DOCKER_USERNAME\" --password-stdin \(inputs["registry"] ?? "")"
          .trimmed)
    }
    var build = "docker build" + tags.map { " --tag \"\($0)\"" }.joined()
    if let file = inputs["dockerfile"] { build += " --file \"\(file)\"" }
    if let target = inputs["target"] { build += " --target \"\(target)\"" }
    for argument in (inputs["build_args"] ?? "").split(separator: ",") {
      build += " --build-arg \"\(argument.trimmed)\""
    }
    lines.append(build + " \"\(inputs["path"] ?? ".")\"")
    if inputs["push"] != "false" { lines += tags.map { "docker push \"\($0)\"" } }
    return .script(
      lines.joined(separator: "\n"),
      env: [
        ("DOCKER_USERNAME", inputs["username"] ?? ""),
        ("DOCKER_PASSWORD", inputs["password"] ?? ""),
      ])
  }
}

extension Substring {
  /// The text without blanks around it.
  var trimmed: String { String(self).trimmed }
}

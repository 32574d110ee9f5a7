// Actions that send messages, start workflows, or use a cloud.

extension ActionRule {
  static let messages = [
    ActionRule("k0kubun/action-slack") {
      // The payload is an expression of JavaScript.
      .script(
        "curl -fsS -H 'Content-Type: application/json' --data \"$(node -p \"JSON.stringify($PAYLOAD)\")\" \"$SLACK_WEBHOOK_URL\"",
        env: [("PAYLOAD", $0["payload"] ?? "{}")])
    },
    ActionRule("rtCamp/action-slack-notify") {
      .script(
        "jq -n --arg text \"$SLACK_MESSAGE\" '{text: $text}' | curl -fsS -H 'Content-Type: application/json' --data @- \"$SLACK_WEBHOOK\"",
        env: $0.step["env"]?["SLACK_MESSAGE"] == nil
          ? [("SLACK_MESSAGE", "${{ github.workflow }}: ${{ github.ref }}")] : [],
        note: "\($0.name): the message has its text only")
    },
    ActionRule("peter-evans/repository-dispatch") {
      .script(
        "echo \"{\\\"event_type\\\": \\\"$TYPE\\\", \\\"client_payload\\\": $PAYLOAD}\" | gh api \"repos/$REPOSITORY/dispatches\" --input -",
        env: [
          ("TYPE", $0["event-type"] ?? ""), ("PAYLOAD", $0["client-payload"] ?? "{}"),
          ("REPOSITORY", $0["repository"] ?? "${{ github.repository }}"),
          ("GH_TOKEN", $0["token"] ?? "${{ secrets.GITHUB_TOKEN }}"),
        ])
    },
    ActionRule("benc-uk/workflow-dispatch") {
      let values = $0["inputs"]
      let command = "gh workflow run \"$WORKFLOW\" --ref \"$REF\"\($0.option("repo", "--repo"))"
      return .script(
        values == nil ? command : "printf '%s' \"$INPUTS\" | \(command) --json",
        env: [
          ("INPUTS", values ?? ""),
          ("WORKFLOW", $0["workflow"] ?? ""), ("REF", $0["ref"] ?? "${{ github.ref }}"),
          ("GH_TOKEN", $0["token"] ?? "${{ secrets.GITHUB_TOKEN }}"),
        ])
    },
    ActionRule("mikefarah/yq") { inputs in
      inputs["cmd"].map {
        .script(
          """
          result=$(eval "$COMMAND")
          printf '%s\\n' "$result"
          printf 'result<<END_OF_RESULT\\n%s\\nEND_OF_RESULT\\n' "$result" >> "$REPRISE_OUTPUT"

          """, env: [("COMMAND", $0)])
      }
    },
    ActionRule("azure/aks-set-context") { kubernetes($0) },
    ActionRule("aws-actions/amazon-ecr-login") { _ in
      .script(
        """
        account=$(aws sts get-caller-identity --query Account --output text)
        registry="$account.dkr.ecr.$(aws configure get region || echo "$AWS_REGION").amazonaws.com"
        aws ecr get-login-password | docker login --username AWS --password-stdin "$registry"
        echo "registry=$registry" >> "$GITHUB_OUTPUT"
        """)
    },
    ActionRule("liskin/gh-problem-matcher-wrap", ignoring: ["linters"]) {
      $0["run"].map { .script($0) }
    },
    ActionRule("crowdin/github-action") { crowdin($0) },
    ActionRule("tsickert/discord-webhook") { inputs in
      guard let address = inputs["webhook-url"], let content = inputs["content"] else { return nil }
      return .script(
        "jq -n --arg content \"$CONTENT\" '{content: $content}' | curl -fsS -H 'Content-Type: application/json' --data @- \"$WEBHOOK\"",
        env: [("CONTENT", content), ("WEBHOOK", address)])
    },
    ActionRule("fkirc/skip-duplicate-actions", ignoring: duplicates) {
      .script(
        "echo should_skip=false >> \"$REPRISE_OUTPUT\"",
        note: "\($0.name): looks for runs on GitHub; a run here is never a duplicate")
    },
  ]

  private static let duplicates: Set = [
    "paths_ignore", "paths", "paths_filter", "cancel_others", "skip_after_successful_duplicate",
    "do_not_skip", "concurrent_skipping", "skip_concurrent_trigger",
  ]

  /// The outputs that the command of an action writes.
  static func outputs(_ step: SourceNode) -> [String] {
    switch (step["uses"]?.text ?? "").prefix(while: { $0 != "@" }).lowercased() {
    case "aws-actions/amazon-ecr-login": ["registry"]
    case "docker/build-push-action": ["digest"]
    case "mikefarah/yq": ["result"]
    case "changesets/action": ["hasChangesets"]
    case "peter-evans/create-pull-request": pullRequestOutputs
    case "tj-actions/changed-files", "step-security/changed-files": changedFilesOutputs
    case "orhun/git-cliff-action": ["changelog", "content"]
    case "rickstaa/action-create-tag": ["tag_exists"]
    case "release-plz/action", "marcoieni/release-plz-action":
      ["pr", "prs", "prs_created", "releases", "releases_created"]
    case "hynek/build-and-inspect-python-package": ["dist"]
    case "fkirc/skip-duplicate-actions": ["should_skip"]
    case "stefanzweifel/git-auto-commit-action": ["changes_detected", "commit_hash"]
    default: []
    }
  }

  private static func kubernetes(_ inputs: ActionInputs) -> ActionEquivalent {
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

  private static func crowdin(_ inputs: ActionInputs) -> ActionEquivalent? {
    // What it commits, or proposes, would be missing.
    guard inputs.is("create_pull_request", "false"), inputs.isUnset("push_translations") else {
      return nil
    }
    var lines: [String] = []
    let config = inputs.option("config", "--config")
    if inputs["upload_sources"] ?? "true" == "true" {
      lines.append("crowdin upload sources\(config)")
    }
    if inputs.is("upload_translations") { lines.append("crowdin upload translations\(config)") }
    if inputs.is("download_translations") {
      let language = inputs.option("download_language", "--language")
      lines.append("crowdin download\(language)\(config)")
    }
    return .script(lines.isEmpty ? "true" : lines.joined(separator: "\n"))
  }
}

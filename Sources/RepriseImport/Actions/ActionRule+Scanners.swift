// Actions that look for weak points in files and images: each is the program that does it.

extension ActionRule {
  static let scanners = [
    ActionRule(
      "zizmorcore/zizmor-action",
      ignoring: ["version", "token", "advanced-security", "annotations", "color"]
    ) {
      // With the page of GitHub for its results, it fails for none of them.
      let reports = $0["advanced-security"] ?? "true"
      let option =
        reports == "true"
        ? " --no-exit-codes"
        : reports == "false" ? "" : " $([ \"$REPORTS\" != true ] || echo --no-exit-codes)"
      let isOnline = $0.isUnset("online-audits", or: "true")
      guard isOnline || $0.is("online-audits", "false") else { return nil }
      // The token of the run is the default there, and without one it leaves out these audits.
      let token = $0.step["with"]?["token"] == nil ? "${{ github.token }}" : $0["token"] ?? ""
      let isGiven = isOnline && !token.isEmpty
      return .script(
        (isGiven ? ": \"${GH_TOKEN:?zizmor asks GitHub, and needs a token}\"\n" : "")
          + "zizmor" + (isOnline ? "" : " --no-online-audits") + option
          + $0.option("persona", "--persona")
          + $0.option("min-severity", "--min-severity")
          + $0.option("min-confidence", "--min-confidence") + $0.option("config", "--config")
          + " \(($0["inputs"] ?? ".").onOneLine)",
        env: [("GH_TOKEN", token), ("REPORTS", reports.contains("${{") ? reports : "")],
        note: reports == "false" ? nil : "\($0.name): prints what it finds, and uploads no report")
    },
    ActionRule(
      "snyk/actions/golang", "snyk/actions/node", "snyk/actions/python", "snyk/actions/maven",
      "snyk/actions/gradle", "snyk/actions/php", "snyk/actions/ruby", "snyk/actions/dotnet"
    ) {
      .script("snyk \($0["command"] ?? "test")\($0.words("args"))")
    },
    ActionRule("bufbuild/buf-push-action") {
      .script(
        "cd \"\($0["input"] ?? ".")\"\nbuf push", env: [("BUF_TOKEN", $0["buf_token"] ?? "")])
    },
    ActionRule("christian-korneck/update-container-description-action") { inputs in
      guard let repository = inputs["destination_container_repo"] else { return nil }
      let names = ["DOCKER_USER", "DOCKER_PASS", "DOCKER_APIKEY"].map { " -e \($0)" }.joined()
      // An empty name of the file has a meaning, and is not that of a missing one.
      let file = inputs.step["with"]?["readme_file"]?.text ?? "README.md"
      _ = inputs["readme_file"]
      return .script(
        "docker run --rm -v \"$PWD:/myvol\" --workdir /myvol\(names) chko/docker-pushrm:1 "
          + "--provider \"\(inputs["provider"] ?? "dockerhub")\" --short \"$SHORT\" "
          + "--file \"\(file)\" --debug \"\(repository)\"",
        env: [("SHORT", inputs["short_description"] ?? "")])
    },
    ActionRule(
      "aquasecurity/trivy-action",
      ignoring: ["cache", "cache-dir", "version", "skip-setup-trivy", "token-setup-trivy"]
    ) { trivy($0) },
    ActionRule("cloudflare/wrangler-action", ignoring: ["wranglerVersion", "gitHubToken"]) {
      guard let command = $0["command"], !command.contains("\n") else { return nil }
      return .script(
        $0.folder("workingDirectory") + "npx wrangler \(command)",
        env: [
          ("CLOUDFLARE_API_TOKEN", $0["apiToken"] ?? ""),
          ("CLOUDFLARE_ACCOUNT_ID", $0["accountId"] ?? ""),
        ])
    },
  ]

  private static func trivy(_ inputs: ActionInputs) -> ActionEquivalent? {
    let kind = inputs["scan-type"] ?? "image"
    let target = inputs["image-ref"] ?? inputs["scan-ref"]
    guard kind != "image" || target != nil else { return nil }
    // By default, a report of this form has all findings.
    let isLimited = inputs.is("limit-severities-for-sarif") || !inputs.is("format", "sarif")
    let severities = inputs.option("severity", "--severity")
    var words = "trivy \(kind)"
    for (name, option) in [
      ("format", "--format"), ("output", "--output"),
      ("exit-code", "--exit-code"), ("scanners", "--scanners"), ("vuln-type", "--pkg-types"),
      ("timeout", "--timeout"), ("ignore-policy", "--ignore-policy"), ("template", "--template"),
      ("skip-dirs", "--skip-dirs"), ("skip-files", "--skip-files"), ("trivy-config", "--config"),
    ] { words += inputs.option(name, option) }
    words += isLimited ? severities : ""
    words += inputs.flag("ignore-unfixed", "--ignore-unfixed")
    return .script("\(words) \"\(target ?? ".")\"")
  }
}

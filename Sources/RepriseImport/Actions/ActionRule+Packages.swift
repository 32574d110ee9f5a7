// Actions that publish packages by a program of their own: each is that program.

extension ActionRule {
  static let packages = [
    ActionRule(
      "release-plz/action", "MarcoIeni/release-plz-action", ignoring: ["version", "backend"]
    ) { releasePlz($0) },
    ActionRule("vedantmgoyal2009/winget-releaser", "vedantmgoyal9/winget-releaser") { winget($0) },
    ActionRule("crazy-max/ghaction-chocolatey") { inputs in
      inputs["args"].map { .script("choco \($0)") }
    },
  ]

  private static func releasePlz(_ inputs: ActionInputs) -> ActionEquivalent? {
    let command = inputs["command"] ?? ""
    guard ["", "release", "release-pr"].contains(command) else { return nil }
    var options = inputs.option("config", "--config") + inputs.option("registry", "--registry")
    options += inputs.option("manifest_path", "--manifest-path")
    options += inputs.option("project_manifest", "--project-manifest")
    options += " --forge \"\(inputs["forge"] ?? "github")\""
    options += inputs["verbose"] == nil ? "" : " -v"
    let token = inputs["token"]
    let publishing =
      (token == nil ? "" : " --token \"$REGISTRY_TOKEN\"")
      + (inputs["dry_run"] == nil ? "" : " --dry-run")
    var script = ""
    if command != "release" {
      script += """
        result=$(release-plz release-pr --git-token "$GITHUB_TOKEN" --repo-url "https://github.com/$REPOSITORY"\(options) -o json)
        echo "$result"
        printf '%s' "$result" | jq -r '"prs=\\(.prs | tojson)", "pr=\\(.prs[0] // {} | tojson)", "prs_created=\\(.prs | length > 0)"' >> "$REPRISE_OUTPUT"

        """
    }
    if command != "release-pr" {
      script += """
        result=$(release-plz release --git-token "$GITHUB_TOKEN"\(options)\(publishing) -o json)
        echo "$result"
        printf '%s' "$result" | jq -r '"releases=\\(.releases | tojson)", "releases_created=\\(.releases | length > 0)"' >> "$REPRISE_OUTPUT"

        """
    }
    let own = inputs.step["env"]?["GITHUB_TOKEN"] != nil
    return .script(
      script,
      env: [("REPOSITORY", "${{ github.repository }}"), ("REGISTRY_TOKEN", token ?? "")]
        + (own ? [] : [("GITHUB_TOKEN", "${{ github.token }}")]),
      note: "\(inputs.name): needs release-plz, cargo-semver-checks and jq")
  }

  /// Proposes the installers of a release to the repository of WinGet.
  private static func winget(_ inputs: ActionInputs) -> ActionEquivalent? {
    // Otherwise it removes earlier versions.
    guard inputs.isUnset("max-versions-to-keep", or: "0"), let name = inputs["identifier"],
      inputs["release-repository"] == nil
    else { return nil }
    return .script(
      """
      release=$(gh release view "$TAG" --repo "$REPOSITORY" --json tagName,assets)
      urls=$(printf '%s' "$release" | jq -r --arg pattern "$PATTERN" '.assets[] | select(.name | test($pattern; "i")) | .url')
      tag=$(printf '%s' "$release" | jq -r .tagName)
      komac sync-fork
      komac update "$IDENTIFIER" --version "${VERSION:-${tag#v}}"\(inputs.option("release-notes-url", "--release-notes-url")) --submit --urls $urls
      komac cleanup --only-merged

      """,
      env: [
        ("IDENTIFIER", name), ("VERSION", inputs["version"] ?? ""),
        ("PATTERN", inputs["installers-regex"] ?? ".(exe|msi|msix|appx)(bundle){0,1}$"),
        ("TAG", inputs["release-tag"] ?? "${{ github.event.release.tag_name || github.ref_name }}"),
        ("REPOSITORY", "${{ github.repository }}"),
        ("KOMAC_FORK_OWNER", inputs["fork-user"] ?? "${{ github.repository_owner }}"),
        ("GITHUB_TOKEN", inputs["token"] ?? ""),
      ], note: "\(inputs.name): needs komac, gh and jq")
  }
}

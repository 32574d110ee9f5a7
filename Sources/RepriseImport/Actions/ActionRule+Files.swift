// Actions that bring files: checkouts and artifacts.

extension ActionRule {
  static let files = [
    ActionRule("actions/checkout", ignoring: checkoutIgnored) { checkout($0) },
    ActionRule("actions/upload-artifact", "actions/upload-pages-artifact") { upload($0) },
    ActionRule(
      "actions/upload-artifact/merge",
      ignoring: ["include-hidden-files", "retention-days", "compression-level"]
    ) { inputs in
      let name = inputs["name"] ?? "merged-artifacts"
      let separates = inputs.is("separate-directories")
      let deletes = inputs.is("delete-merged")
      guard separates || inputs.isUnset("separate-directories"),
        deletes || inputs.isUnset("delete-merged")
      else { return nil }
      return GitHubArtifact.download(
        GitHubArtifact.Selection(
          pattern: inputs["pattern"] ?? "*", merges: !separates, exception: name, deletes: deletes),
        path: "$REPRISE_RUN_DIR/artifacts/\(name)"
      ).map { .script($0, note: keeps(inputs)) }
    },
    ActionRule("geekyeggo/delete-artifact", ignoring: ["failOnError"]) { inputs in
      guard inputs.isUnset("useGlob", or: "true"), let names = inputs["name"] else { return nil }
      return .script(
        "cd \"$REPRISE_RUN_DIR/artifacts\"\nrm -rf -- \(names.onOneLine)", note: keeps(inputs))
    },
    ActionRule("actions/download-artifact", ignoring: ["digest-mismatch"]) { inputs in
      guard inputs["artifact-ids"] == nil else { return nil }
      if let run = inputs["run-id"] { return downloadFromGitHub(inputs, run) }
      guard inputs["repository"] == nil else { return nil }
      let path = inputs["path"] ?? (inputs.uses.hasSuffix("@v1") ? inputs["name"] : nil)
      guard inputs["name"] == nil else {
        _ = (inputs["pattern"], inputs["merge-multiple"])
        return .script(
          GitHubArtifact.download(name: inputs["name"], path: path), note: keeps(inputs))
      }
      return GitHubArtifact.download(
        GitHubArtifact.Selection(
          pattern: inputs["pattern"] ?? "*", merges: inputs.is("merge-multiple"),
          opensSingle: inputs.isSince(5)),
        path: path
      ).map { .script($0, note: keeps(inputs)) }
    },
  ]

  private static func upload(_ inputs: ActionInputs) -> ActionEquivalent? {
    // The pages are one archive there, whose content these are.
    let isPages = inputs.name == "actions/upload-pages-artifact"
    for name in ["retention-days", "compression-level"] { _ = inputs[name] }
    guard let includesHidden = hidden(inputs, isPages) else { return nil }
    let upload = GitHubArtifact.Upload(
      name: inputs["name"] ?? (isPages ? "github-pages" : "artifact"),
      fails: inputs.is("if-no-files-found", "error"), withHidden: includesHidden,
      replaces: inputs.is("overwrite"))
    return GitHubArtifact.upload(upload, paths: inputs["path"] ?? (isPages ? "_site" : ""))
      .map { .script($0, note: keeps(inputs) + ", with older ones that are there") }
  }

  /// Whether an artifact has hidden files; nil if that is not known.
  private static func hidden(_ inputs: ActionInputs, _ isPages: Bool) -> Bool? {
    if let value = inputs["include-hidden-files"] { return ["true": true, "false": false][value] }
    // Since versions 4.4 and 3.2, or 4 of that for pages, it leaves them out; a commit is a new one.
    let version = inputs.uses.split(separator: "@").last ?? ""
    let numbers = version.drop { $0 == "v" }.split(separator: ".").map { Int($0) }
    guard version.first == "v", let first = numbers.first, let major = first else { return false }
    let minor = numbers.count > 1 ? numbers[1] ?? 9 : 9
    return isPages ? major < 4 : major < 3 || major == 3 && minor < 2 || major == 4 && minor < 4
  }

  private static let checkoutIgnored: Set = [
    "submodules", "lfs", "sparse-checkout", "sparse-checkout-cone-mode", "fetch-tags", "filter",
    "show-progress", "set-safe-directory", "ssh-known-hosts", "ssh-strict", "ssh-user",
    "github-server-url",
  ]

  /// Parts of expressions that name the commit or the repository of the event, which is here.
  private static let ofEvent: Set = [
    "github.ref", "github.ref_name", "github.sha", "github.head_ref", "github.repository",
    "github.event.after", "github.event.pull_request.head.sha",
    "github.event.pull_request.head.ref", "github.event.pull_request.head.repo.full_name",
    "github.event.workflow_run.head_sha", "github.event.workflow_run.head_branch",
    "github.event.repository.full_name",
  ]

  /// Returns the command that fetches the artifacts of a run on GitHub.
  private static func downloadFromGitHub(
    _ inputs: ActionInputs, _ run: String
  ) -> ActionEquivalent? {
    guard inputs.isUnset("merge-multiple") else { return nil }
    return .script(
      "gh run download \"$RUN\" --repo \"$REPOSITORY\"" + inputs.option("name", "--name")
        + inputs.option("pattern", "--pattern") + " --dir \"\(inputs["path"] ?? ".")\"",
      env: [
        ("RUN", run), ("REPOSITORY", inputs["repository"] ?? "${{ github.repository }}"),
        ("GH_TOKEN", inputs["github-token"] ?? "${{ github.token }}"),
      ],
      note:
        "\(inputs.name): of a run on GitHub, from there; it fails if the files are here already")
  }

  private static func keeps(_ inputs: ActionInputs) -> String {
    "\(inputs.name): the files are kept in the folder of the run"
  }

  /// Whether a ref or repository is that of the event, whose files are those here.
  private static func isOfEvent(_ text: String) -> Bool {
    guard text.contains("${{") else { return false }
    guard let template = try? GitHubTemplate(text), let value = template.single else {
      return false
    }
    return isOfEvent(value)
  }

  private static func isOfEvent(_ expression: GitHubExpression) -> Bool {
    switch expression {
    case .path(let root, let accesses):
      let names = accesses.compactMap { if case .name(let name) = $0 { name } else { nil } }
      return ofEvent.contains(([root] + names).joined(separator: "."))
    case .binary("||", let left, let right): return isOfEvent(left) && isOfEvent(right)
    case .text(let text): return text.isEmpty
    case .null, .boolean, .number, .call, .not, .binary: return false
    }
  }

  /// Returns the equivalent of a checkout: the files are there, except those of other folders.
  private static func checkout(_ inputs: ActionInputs) -> ActionEquivalent? {
    // About the history and the login, which are those of the clone here.
    for name in ["fetch-depth", "persist-credentials", "clean", "ssh-key"] { _ = inputs[name] }
    let ref = inputs["ref"].flatMap { isOfEvent($0) ? nil : $0 }
    let repository = inputs["repository"].flatMap { isOfEvent($0) ? nil : $0 }
    let submodules = !inputs.isUnset("submodules")
    if let path = inputs["path"], path != ".", path != "./" {
      var clone = "git clone" + (submodules ? " --recurse-submodules" : "")
      let checkout = ref.map { " && git -C \"$clone\" checkout --quiet \"\($0)\"" } ?? ""
      if let repository {
        clone += " \"https://github.com/\(repository)\" \"$clone\"\(checkout)"
      } else if ref == nil {
        // The commit here, also if it is not there yet. What is pushed goes there.
        clone +=
          " . \"$clone\"\ngit -C \"$clone\" remote set-url origin \"$(git remote get-url origin)\""
      } else {
        clone += " \"$(git remote get-url origin)\" \"$clone\"\(checkout)"
      }
      // Jobs that run at the same time need it as a whole.
      return .script(
        """
        if [ ! -e "\(path)" ]; then
        clone="\(path).$$"
        \(clone)
        [ -e "\(path)" ] && rm -rf "$clone" || mv "$clone" "\(path)"
        fi
        """,
        note: "checkout: \(path) is cloned once, with the credentials of git on this machine")
    }
    // Other files in this folder are another run.
    guard repository == nil else { return nil }
    guard let ref else {
      return submodules ? .note("checkout: fetch the submodules once") : .nothing
    }
    return .script(
      """
      [ -z "$REF" ] || [ "$(git rev-parse HEAD)" = "$(git rev-parse "$REF^{commit}")" ] || {
        echo "switch to $REF before the run: the files here are of another commit" >&2
        exit 1
      }
      branch=${REF#refs/heads/}
      for name in "refs/heads/$branch" "refs/remotes/origin/$branch"; do
        [ -n "$REF" ] && git show-ref --quiet --verify "$name" || continue
        [ "$(git symbolic-ref --quiet --short HEAD)" = "$branch" ] || {
          echo "switch to $branch before the run: another branch is checked out" >&2
          exit 1
        }
      done
      """, env: [("REF", ref)],
      note: "checkout of \(ref): it fails if the files here are of another commit or branch")
  }
}

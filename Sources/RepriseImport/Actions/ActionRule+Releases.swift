// Actions that push commits, or create releases and pull requests, as commands of git and gh.

extension ActionRule {
  /// The token of a command of gh: that of the step, which is in a variable or an input.
  static func token(_ inputs: ActionInputs) -> (String, String) {
    let own = inputs.step["env"]?["GITHUB_TOKEN"]?.text
    let given = inputs["token"] ?? inputs["repo_token"]
    return ("GH_TOKEN", own ?? given ?? "${{ secrets.GITHUB_TOKEN }}")
  }

  static let releases = [
    ActionRule("Homebrew/actions/git-try-push", ignoring: ["tries", "directory"]) {
      .script(
        "git push\($0.flag("force", "--force")) \($0["remote"] ?? "origin") \"\($0["branch"] ?? "HEAD")\""
      )
    },
    ActionRule("ad-m/github-push-action", ignoring: ["github_token"]) {
      .script("git push\($0.flag("force", "--force")) origin \"HEAD:\($0["branch"] ?? "main")\"")
    },
    ActionRule("stefanzweifel/git-auto-commit-action", ignoring: author) {
      autoCommit($0)
    },
    ActionRule("EndBug/add-and-commit", ignoring: author) {
      commit($0, add: $0["add"], message: $0["message"] ?? "Commit from GitHub Actions")
    },
    ActionRule("softprops/action-gh-release", ignoring: ["name", "fail_on_unmatched_files"]) {
      release(
        $0, tag: $0["tag_name"], title: $0["name"],
        files: ($0["files"] ?? "").split(whereSeparator: \.isNewline).joined(separator: " "),
        options: $0.option("body_path", "--notes-file")
          + $0.option("target_commitish", "--target")
          + $0.flag("generate_release_notes", "--generate-notes"))
    },
    ActionRule("ncipollo/release-action", ignoring: ["allowUpdates", "replacesArtifacts"]) {
      release(
        $0, tag: $0["tag"], title: $0["name"],
        files: ($0["artifacts"] ?? $0["artifact"] ?? "").split(separator: ",")
          .map { $0.trimmed }.joined(separator: " "),
        options: $0.option("bodyFile", "--notes-file") + $0.option("commit", "--target")
          + $0.flag("generateReleaseNotes", "--generate-notes"))
    },
    ActionRule("actions/create-release") {
      release(
        $0, tag: $0["tag_name"], title: $0["release_name"], files: "",
        options: $0.option("body_path", "--notes-file") + $0.option("commitish", "--target"))
    },
    ActionRule("yyx990803/release-tag") {
      let tag = $0["tag_name"] ?? "${{ github.ref_name }}"
      return .script(
        "gh release create \"${TAG#refs/tags/}\" --title \"${TITLE#refs/tags/}\" --notes \"$NOTES\"",
        env: [
          token($0), ("TAG", tag), ("TITLE", $0["release_name"] ?? tag),
          ("NOTES", $0["body"] ?? ""),
        ])
    },
    ActionRule("zofrex/mirror-branch") {
      $0["target-branch"].map { .script("git push --force origin \"HEAD:\($0)\"") }
    },
    ActionRule("changesets/action", ignoring: ["title", "createGithubReleases"]) {
      changesets($0)
    },
  ]

  /// Inputs about the person who commits, who is the one of this machine here.
  private static let author: Set = [
    "commit_user_name", "commit_user_email", "commit_author", "author_name", "author_email",
    "committer_name", "committer_email", "default_author",
  ]
  private static func commit(
    _ inputs: ActionInputs, add: String?, message: String?
  ) -> ActionEquivalent {
    .script(
      "git add \(add ?? ".")\ngit diff --cached --quiet || git commit -m \"$MESSAGE\"\ngit push",
      env: [("MESSAGE", message ?? "Apply automatic changes")])
  }

  /// Commits what has changed, if anything has, and pushes it to a branch.
  private static func autoCommit(_ inputs: ActionInputs) -> ActionEquivalent {
    let branch = inputs["branch"]
    let push = branch == nil ? "git push origin" : "git push --set-upstream origin \"HEAD:$BRANCH\""
    return .script(
      """
      if [ -z "$(git status -s -- \(inputs["file_pattern"] ?? "."))" ]; then
        echo changes_detected=false >> "$REPRISE_OUTPUT"
        exit
      fi
      echo changes_detected=true >> "$REPRISE_OUTPUT"
      \(branch == nil ? "" : "git checkout \"$BRANCH\" --\n")git add \(inputs["file_pattern"] ?? ".")
      git commit\(inputs.words("commit_options")) -m "$MESSAGE"
      echo "commit_hash=$(git rev-parse HEAD)" >> "$REPRISE_OUTPUT"
      \(push)\(inputs.words("push_options"))

      """,
      env: [
        ("MESSAGE", inputs["commit_message"] ?? "Apply automatic changes"),
        ("BRANCH", branch ?? ""),
      ])
  }

  /// Creates a release unless it is there, as these actions do, and adds files to it.
  static func release(
    _ inputs: ActionInputs, tag: String?, title: String?, files: String, options: String
  ) -> ActionEquivalent {
    let body = inputs["body"]
    var create =
      "gh release create \"${TAG#refs/tags/}\"" + (title == nil ? "" : " --title \"$TITLE\"")
    create += options
    if body != nil || !options.contains("notes") { create += " --notes \"$NOTES\"" }
    create += inputs.flag("draft", "--draft") + inputs.flag("prerelease", "--prerelease")
    if let latest = inputs["make_latest"] ?? inputs["makeLatest"], latest != "legacy" {
      create += " --latest=\(latest)"
    }
    var script = "gh release view \"${TAG#refs/tags/}\" > /dev/null 2>&1 || \(create)\n"
    if !files.isEmpty { script += "gh release upload \"${TAG#refs/tags/}\" \(files) --clobber\n" }
    var environment = [token(inputs), ("TAG", tag ?? "${{ github.ref_name }}")]
    if let title { environment.append(("TITLE", title)) }
    if let body { environment.append(("NOTES", body)) }
    return .script(
      script, env: environment, note: "\(inputs.name): a release that exists keeps its text")
  }

  /// Publishes packages, or opens a pull request with their next versions.
  private static func changesets(_ inputs: ActionInputs) -> ActionEquivalent {
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
        echo hasChangesets=true >> "$REPRISE_OUTPUT"
      else
        echo hasChangesets=false >> "$REPRISE_OUTPUT"
        \(inputs["publish"] ?? "true")
      fi
      """, note: "changesets/action: leaves the branch with the next versions")
  }
}

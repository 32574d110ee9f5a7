// Actions that look at changed files, propose them, or mark a commit, as commands of git and gh.

extension ActionRule {
  static let changes = [
    ActionRule("tj-actions/changed-files", "step-security/changed-files", ignoring: ofHistory) {
      changedFiles($0)
    },
    ActionRule("peter-evans/create-pull-request", ignoring: pullRequest) { proposal($0) },
    ActionRule("rickstaa/action-create-tag") { createTag($0) },
    ActionRule("actions/upload-release-asset", ignoring: ["upload_url", "asset_content_type"]) {
      inputs in
      guard let path = inputs["asset_path"] else { return nil }
      return .script(
        upload("\"\(path)\"", as: inputs["asset_name"]),
        env: [token(inputs), ("TAG", "${{ github.ref_name }}")])
    },
    ActionRule("svenstaro/upload-release-action", ignoring: ["overwrite", "release_name"]) {
      inputs in
      guard let file = inputs["file"], inputs["release_id"] == nil, inputs["repo_name"] == nil,
        inputs.isUnset("promote")
      else { return nil }
      let isPattern = inputs.is("file_glob")
      guard isPattern || inputs.isUnset("file_glob") else { return nil }
      let tag = inputs["tag"] ?? "${{ github.ref }}"
      let made = release(
        inputs, tag: tag, title: inputs["release_name"], files: "",
        options: inputs.option("target_commit", "--target"))
      guard case .script(let text, let environment, let note) = made else { return nil }
      // The name of an asset is not used for several files.
      let name = isPattern ? nil : inputs["asset_name"]
      _ = inputs["asset_name"]
      return .script(
        text + upload(isPattern ? file : "\"\(file)\"", as: name), env: environment, note: note)
    },
  ]

  static let pullRequestOutputs = [
    "pull-request-url", "pull-request-number", "pull-request-operation", "pull-request-branch",
    "pull-request-head-sha",
  ]
  static let changedFilesOutputs = [
    "any_changed", "any_modified", "any_deleted", "only_changed", "added_files", "deleted_files",
    "modified_files", "renamed_files", "all_changed_files", "all_changed_files_count",
    "all_modified_files", "all_modified_files_count", "all_changed_and_modified_files",
  ]

  private static let pullRequest: Set = [
    "labels", "assignees", "reviewers", "team-reviewers", "milestone", "author", "committer",
    "delete-branch", "sign-commits",
  ]
  private static let ofHistory: Set = [
    "fetch_additional_submodule_history", "skip_initial_fetch", "use_rest_api", "api_url",
    "quotepath", "fetch_depth",
  ]

  /// Adds a file to the release of the tag, under another name if one is given.
  private static func upload(_ files: String, as name: String?) -> String {
    let command = "gh release upload \"${TAG#refs/tags/}\""
    guard let name else { return "\(command) \(files) --clobber\n" }
    return """
      folder=$(mktemp -d)
      cp \(files) "$folder/\(name)"
      \(command) "$folder/\(name)" --clobber
      rm -r "$folder"

      """
  }

  private static func createTag(_ inputs: ActionInputs) -> ActionEquivalent? {
    guard inputs["gpg_private_key"] == nil, inputs["gpg_passphrase"] == nil else { return nil }
    let (isForced, fails) = (
      inputs.is("force_push_tag"), inputs.isUnset("tag_exists_error", or: "true")
    )
    let force = isForced ? " --force" : ""
    let exists = isForced ? "" : "[ \"$exists\" = false ] || exit \(fails ? 1 : 0)\n"
    return .script(
      """
      tag=${TAG// /_}
      exists=$([ -n "$(git tag -l "$tag")" ] && echo true || echo false)
      echo "tag_exists=$exists" >> "$REPRISE_OUTPUT"
      \(exists)git tag\(force) -a "$tag" -m "${MESSAGE:-Release $tag}" "\(inputs["commit_sha"] ?? "HEAD")"
      git push\(force)\(inputs.flag("no_verify_tag", "--no-verify")) origin "$tag"

      """, env: [("TAG", inputs["tag"] ?? ""), ("MESSAGE", inputs["message"] ?? "")])
  }

  /// Commits what has changed to a branch, and opens or updates its pull request.
  private static func proposal(_ inputs: ActionInputs) -> ActionEquivalent? {
    let suffixes = [
      "": "", "random": "-$RANDOM$RANDOM", "timestamp": "-$(date +%s)",
      "short-commit-hash": "-$(git rev-parse --short HEAD)",
    ]
    guard let suffix = suffixes[inputs["branch-suffix"] ?? ""] else { return nil }
    let body = inputs["body-path"].map { "BODY=$(cat \"\($0)\")\n" } ?? ""
    let given = inputs.step["with"]?["body"] == nil ? automatic : inputs["body"] ?? ""
    let start = (given.isEmpty ? "BODY=\n" : "") + base(inputs)
    return .script(
      """
      \(inputs.folder("path"))\(start)\(suffix.isEmpty ? "" : "BRANCH=$BRANCH\(suffix)\n")\(body)report() { echo "pull-request-$1=$2" >> "$REPRISE_OUTPUT"; }
      git add \((inputs["add-paths"] ?? "-A").onOneLine)
      if git diff --cached --quiet && [ "$(git rev-list --count "origin/$BASE..HEAD")" = 0 ]; then
        report operation none
        exit
      fi
      start=$(git symbolic-ref --quiet --short HEAD || git rev-parse HEAD)
      git switch -C "$BRANCH"
      git diff --cached --quiet || git commit\(inputs.flag("signoff", "--signoff")) -m "$MESSAGE"
      git push --force -u origin "$BRANCH"
      if [ "$(gh pr view "$BRANCH" --json state --jq .state 2> /dev/null)" = OPEN ]; then
        gh pr edit "$BRANCH" --title "$TITLE" --body "$BODY" --base "$BASE"
        report operation updated
      else
        gh pr create --head "$BRANCH" --title "$TITLE" --body "$BODY" --base "$BASE"\(inputs.flag("draft", "--draft"))
        report operation created
      fi
      url=$(gh pr view "$BRANCH" --json url --jq .url)
      report url "$url"
      report number "${url##*/}"
      report branch "$BRANCH"
      report head-sha "$(git rev-parse HEAD)"
      git checkout --quiet "$start"

      """,
      env: [
        ("BRANCH", inputs["branch"] ?? "create-pull-request/patch"),
        ("MESSAGE", inputs["commit-message"] ?? "[create-pull-request] automated change"),
        ("TITLE", inputs["title"] ?? "Changes by create-pull-request action"),
        ("BODY", given), ("BASE", inputs["base"] ?? ""), token(inputs),
      ],
      note:
        "\(inputs.name): the commit is yours here, with your settings of git, and has all that is "
        + "not in the branch of origin")
  }

  /// The text of a pull request that has no other.
  private static let automatic =
    "Automated changes by [create-pull-request]"
    + "(https://github.com/peter-evans/create-pull-request) GitHub action"

  /// Returns the commands that set the branch which a pull request is for: the one that is here, or
  /// one that has the same commit, because the changes belong to it.
  private static func base(_ inputs: ActionInputs) -> String {
    guard inputs["base"] != nil else {
      return """
        BASE=$(git symbolic-ref --quiet --short HEAD) || {
          echo "no branch is checked out that the pull request could be for" >&2
          exit 1
        }

        """
    }
    return """
      [ "$(git symbolic-ref --quiet --short HEAD)" = "$BASE" ] ||
        [ "$(git rev-parse HEAD)" = "$(git rev-parse --verify --quiet "origin/$BASE")" ] || {
        echo "switch to $BASE before the run: the pull request is for this branch" >&2
        exit 1
      }

      """
  }

  /// Lists the files that differ from the branch that the commit would be merged into.
  private static func changedFiles(_ inputs: ActionInputs) -> ActionEquivalent? {
    guard inputs.isUnset("json"), inputs.isUnset("since_last_remote_commit"),
      let files = patterns(inputs["files"]), let ignored = patterns(inputs["files_ignore"])
    else { return nil }
    var words = files.map {
      $0.first == "!" ? "':(glob,exclude)\($0.dropFirst())'" : "':(glob)\($0)'"
    }
    words += ignored.map { "':(glob,exclude)\($0)'" }
    let paths = words.joined(separator: " ")
    let branch = "origin/${{ github.base_ref || github.event.repository.default_branch }}"
    return .script(
      """
      base=$(git merge-base "$BASE" HEAD)
      [ "$base" != "$(git rev-parse HEAD)" ] || base=$(git rev-parse HEAD^)
      changed() { git diff --name-only "--diff-filter=$1" "$base" HEAD -- "${@:2}"; }
      list() {
        mapfile -t found < <(changed "$2" \(paths))
        text=
        for file in "${found[@]}"; do text+="${text:+$SEPARATOR}$file"; done
        printf '%s<<END_OF_LIST\\n%s\\nEND_OF_LIST\\n' "$1" "$text" >> "$REPRISE_OUTPUT"
      }
      any() { echo "$1=$([ "$2" -gt 0 ] && echo true || echo false)" >> "$REPRISE_OUTPUT"; }
      list added_files A
      list modified_files M
      list renamed_files R
      list deleted_files D
      any any_deleted "${#found[@]}"
      list all_changed_and_modified_files ACMRD
      list all_modified_files ACMRD
      any any_modified "${#found[@]}"
      echo "all_modified_files_count=${#found[@]}" >> "$REPRISE_OUTPUT"
      list all_changed_files ACMR
      any any_changed "${#found[@]}"
      echo "all_changed_files_count=${#found[@]}" >> "$REPRISE_OUTPUT"
      mapfile -t all < <(changed ACMR)
      any only_changed "$(( ${#found[@]} > 0 && ${#found[@]} == ${#all[@]} ))"

      """,
      env: [("BASE", inputs["base_sha"] ?? branch), ("SEPARATOR", inputs["separator"] ?? " ")],
      note: "\(inputs.name): "
        + (inputs["base_sha"] == nil
          ? "compares with github_base_ref, or the default branch" : "compares commits of git"))
  }

  /// Returns lines of patterns; nil if one of them has another meaning in git.
  private static func patterns(_ text: String?) -> [String]? {
    let lines = (text ?? "").split(whereSeparator: \.isNewline).map { String($0).trimmed }
      .filter { !$0.isEmpty }
    let isKnown = lines.allSatisfy { line in
      !line.contains(where: { "{}()@+'\\$".contains($0) })
        && line.split(separator: "/").allSatisfy { !$0.contains("**") || $0 == "**" || $0 == "!**" }
    }
    return isKnown ? lines : nil
  }
}

// Actions that publish packages and sites: each is the command that does it.

extension ActionRule {
  static let sites = [
    ActionRule("mhausenblas/mkdocs-deploy-gh-pages") { _ in .script("mkdocs gh-deploy --force") },
    ActionRule("netlify/actions/cli") {
      $0["args"].map { .script("npx netlify-cli \($0.onOneLine)") }
    },
    ActionRule(
      "nwtgck/actions-netlify",
      ignoring: [
        "production-branch", "deploy-message", "alias", "enable-pull-request-comment",
        "enable-commit-comment", "enable-commit-status", "overwrites-pull-request-comment",
        "enable-github-deployment", "github-deployment-environment",
      ]
    ) {
      .script(
        "npx netlify-cli deploy --dir \"\($0["publish-dir"] ?? ".")\"\($0.flag("production-deploy", "--prod"))",
        note: "\($0.name): comments on no pull request")
    },
    ActionRule("dswistowski/surge-sh-action") {
      .script(
        "npx surge \"\($0["project"] ?? ".")\" \"\($0["domain"] ?? "")\"",
        env: [("SURGE_LOGIN", $0["login"] ?? ""), ("SURGE_TOKEN", $0["token"] ?? "")])
    },
    ActionRule("crazy-max/ghaction-github-pages", ignoring: ["committer"]) { inputs in
      guard let folder = inputs["build_dir"], inputs.isUnset("jekyll", or: "true") else {
        return nil
      }
      return pages(
        inputs, folder: folder, branch: inputs["target_branch"],
        message: inputs["commit_message"], note: "; the history of the branch is kept")
    },
    ActionRule("peaceiris/actions-gh-pages", ignoring: pagesIgnored) { inputs in
      let withJekyll = inputs["disable_nojekyll"] ?? inputs["enable_jekyll"] ?? "false"
      guard inputs.isUnset("keep_files", or: "false") || inputs.is("keep_files"),
        ["true", "false"].contains(withJekyll)
      else { return nil }
      var last = withJekyll == "true" ? "" : "touch \"$site/.nojekyll\"\n"
      if let name = inputs["cname"] {
        last += "echo \"\(name.inDoubleQuotes)\" > \"$site/CNAME\"\n"
      }
      return pages(
        inputs, folder: inputs["publish_dir"] ?? "public", branch: inputs["publish_branch"],
        target: inputs["destination_dir"], keeps: inputs.is("keep_files") ? nil : [], last: last,
        message: inputs["full_commit_message"] ?? inputs["commit_message"])
    },
    ActionRule("JamesIves/github-pages-deploy-action", ignoring: pagesIgnored) { inputs in
      guard let folder = inputs["folder"] ?? inputs["FOLDER"] else { return nil }
      let cleans = inputs["clean"] ?? inputs["CLEAN"] ?? "true"
      guard ["true", "false"].contains(cleans) else { return nil }
      return pages(
        inputs, folder: folder, branch: inputs["branch"] ?? inputs["BRANCH"],
        target: inputs["target-folder"],
        keeps: cleans == "true" ? ["CNAME", ".nojekyll"] : nil, message: inputs["commit-message"])
    },
    ActionRule("JS-DevTools/npm-publish", ignoring: ["access", "registry"]) {
      // It publishes only a version that is not there yet.
      .script(
        """
        name=$(jq -r .name package.json) version=$(jq -r .version package.json)
        npm view "$name@$version" version > /dev/null 2>&1 || npm publish
        """, env: [("NODE_AUTH_TOKEN", $0["token"] ?? "")],
        note: "\($0.name): uses the login of npm on this machine")
    },
    ActionRule(
      "pypa/gh-action-pypi-publish",
      ignoring: ["attestations", "print-hash", "print_hash", "verbose", "verify-metadata"]
    ) {
      let skips = $0["skip_existing"] ?? $0["skip-existing"]
      let address = $0["repository_url"] ?? $0["repository-url"]
      let folder = $0["packages_dir"] ?? $0["packages-dir"] ?? "dist"
      return .script(
        "twine upload" + (skips == "true" ? " --skip-existing" : "")
          + (address.map { " --repository-url \"\($0)\"" } ?? "") + " \(folder)/*",
        env: [
          ("TWINE_USERNAME", $0["user"] ?? "__token__"),
          ("TWINE_PASSWORD", $0["password"] ?? "${{ secrets.PYPI_TOKEN }}"),
        ])
    },
  ]

  private static let pagesIgnored: Set = [
    "deploy_key", "personal_token", "user_name", "user_email", "force_orphan", "git-config-name",
    "git-config-email", "single-commit", "ACCESS_TOKEN", "SINGLE_COMMIT", "ssh-key",
  ]

  /// Commits a folder to a branch that has nothing else, and pushes it.
  ///
  /// - Parameters:
  ///   - inputs: The inputs of the action.
  ///   - folder: The folder.
  ///   - branch: The branch; nil for the usual one.
  ///   - target: The folder in the branch; nil for all of it.
  ///   - keeps: The files that stay in the branch if the folder has none of the name; nil for all.
  ///   - last: Commands that add files.
  ///   - message: The message of the commit; nil for any.
  ///   - note: The end of the note.
  /// - Returns: The commands.
  private static func pages(
    _ inputs: ActionInputs, folder: String, branch: String?, target: String? = nil,
    keeps: [String]? = [], last: String = "", message: String?, note: String = ""
  ) -> ActionEquivalent {
    let place = "$site" + (target.map { "/" + $0.inDoubleQuotes } ?? "")
    let kept = ([".git"] + (keeps ?? [])).map { " ! -name \($0)" }.joined()
    let cleaning =
      keeps == nil ? "" : "find \"\(place)\" -mindepth 1 -maxdepth 1\(kept) -exec rm -rf {} +\n"
    let name = branch ?? "gh-pages"
    return .script(
      """
      site=$(mktemp -d)
      trap 'rm -rf "$site"' EXIT
      address=$(git remote get-url origin)
      git clone --quiet --depth 1 --branch "$BRANCH" "$address" "$site" ||
        git init --quiet --initial-branch "$BRANCH" "$site"
      for name in user.name user.email; do git -C "$site" config "$name" "$(git config "$name")"; done
      mkdir -p "\(place)"
      \(cleaning)tar -C "\(folder.inDoubleQuotes)" --exclude ./.git --exclude ./.github -cf - . | tar -C "\(place)" -xf -
      \(last)git -C "$site" add --all
      git -C "$site" diff --cached --quiet || git -C "$site" commit --quiet -m "$MESSAGE"
      git -C "$site" push "$address" "HEAD:refs/heads/$BRANCH"

      """, env: [("BRANCH", name), ("MESSAGE", message ?? "Deploy to \(name)")],
      note: "\(inputs.name): pushes as you" + note)
  }
}

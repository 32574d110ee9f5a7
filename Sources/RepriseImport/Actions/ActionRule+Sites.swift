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
    ActionRule("crazy-max/ghaction-github-pages", ignoring: ["commit_message", "committer"]) {
      inputs in
      inputs["build_dir"].map {
        .script(
          "npx gh-pages --dist \"\($0)\" --branch \"\(inputs["target_branch"] ?? "gh-pages")\"")
      }
    },
    ActionRule(
      "peaceiris/actions-gh-pages", "JamesIves/github-pages-deploy-action", ignoring: pages
    ) {
      let own = $0["publish_dir"] ?? $0["folder"] ?? $0["FOLDER"]
      guard let folder = own ?? ($0.name.hasPrefix("peaceiris") ? "public" : nil) else {
        return nil
      }
      let branch = $0["publish_branch"] ?? $0["branch"] ?? $0["BRANCH"] ?? "gh-pages"
      let target = $0["destination_dir"] ?? $0["target-folder"]
      return .script(
        "npx gh-pages --dist \"\(folder)\" --branch \"\(branch)\""
          + (target.map { " --dest \"\($0)\"" } ?? "") + $0.option("cname", "--cname")
          + $0.flag("keep_files", "--add"))
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

  private static let pages: Set = [
    "github_token", "deploy_key", "personal_token", "user_name", "user_email", "commit_message",
    "full_commit_message", "force_orphan", "git-config-name", "git-config-email", "single-commit",
    "ACCESS_TOKEN", "SINGLE_COMMIT",
  ]
}

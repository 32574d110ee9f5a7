// Actions that publish: commits, releases, pages and packages, each as the command that does it.

import YAML

extension ActionEquivalent {
  /// Returns the equivalent of an action that publishes something.
  static func publish(_ name: String, _ inputs: Inputs) -> ActionEquivalent? {
    let token = ("GH_TOKEN", "${{ secrets.GITHUB_TOKEN }}")
    switch name {
    case "EndBug/add-and-commit":
      guard inputs["tag"] == nil, inputs["branch"] == nil, inputs["remove"] == nil else {
        return nil
      }
      return .script(
        "git add \(inputs["add"] ?? ".")\ngit diff --cached --quiet || git commit -m \"$MESSAGE\"\ngit push",
        env: [("MESSAGE", inputs["message"] ?? "Commit from GitHub Actions")])
    case "ncipollo/release-action":
      let draft = inputs["draft"] == "true" ? " --draft" : ""
      let files = (inputs["artifacts"] ?? inputs["artifact"] ?? "").split(separator: ",")
        .map { $0.trimmed }.joined(separator: " ")
      return .script(
        "gh release create \"$TAG\" --title \"$TITLE\" --notes \"$NOTES\"\(draft) \(files)".trimmed,
        env: [
          token, ("TAG", inputs["tag"] ?? "${{ github.ref_name }}"),
          ("TITLE", inputs["name"] ?? inputs["tag"] ?? "${{ github.ref_name }}"),
          ("NOTES", inputs["body"] ?? ""),
        ])
    case "yyx990803/release-tag":
      let tag = inputs["tag_name"] ?? "${{ github.ref_name }}"
      return .script(
        "gh release create \"${TAG#refs/tags/}\" --title \"${TITLE#refs/tags/}\" --notes \"$NOTES\"",
        env: [
          token, ("TAG", tag), ("TITLE", inputs["release_name"] ?? tag),
          ("NOTES", inputs["body"] ?? ""),
        ])
    case "zofrex/mirror-branch":
      return inputs["target-branch"].map { .script("git push --force origin \"HEAD:\($0)\"") }
    default: return publishSite(name, inputs)
    }
  }

  private static func publishSite(_ name: String, _ inputs: Inputs) -> ActionEquivalent? {
    switch name {
    case "mhausenblas/mkdocs-deploy-gh-pages": return .script("mkdocs gh-deploy --force")
    case "netlify/actions/cli":
      return inputs["args"].map { .script("npx netlify-cli \($0.onOneLine)") }
    case "nwtgck/actions-netlify":
      let production = inputs["production-deploy"] == "true" ? " --prod" : ""
      return .script(
        "npx netlify-cli deploy --dir \"\(inputs["publish-dir"] ?? ".")\"\(production)",
        note: "\(name): comments on no pull request")
    case "dswistowski/surge-sh-action":
      return .script(
        "npx surge \"\(inputs["project"] ?? ".")\" \"\(inputs["domain"] ?? "")\"",
        env: [("SURGE_LOGIN", inputs["login"] ?? ""), ("SURGE_TOKEN", inputs["token"] ?? "")])
    case "crazy-max/ghaction-github-pages":
      guard let folder = inputs["build_dir"] else { return nil }
      return .script(
        "npx gh-pages --dist \"\(folder)\" --branch \"\(inputs["target_branch"] ?? "gh-pages")\"")
    case "JS-DevTools/npm-publish":
      // It publishes only a version that is not there yet.
      return .script(
        """
        name=$(jq -r .name package.json) version=$(jq -r .version package.json)
        npm view "$name@$version" version > /dev/null 2>&1 || npm publish
        """, env: [("NODE_AUTH_TOKEN", inputs["token"] ?? "")],
        note: "\(name): uses the login of npm on this machine")
    default: return nil
    }
  }

  /// Actions that push changes, or upload a package or a site.
  static func deploy(_ name: String, _ inputs: Inputs) -> ActionEquivalent? {
    switch name {
    case "peter-evans/create-pull-request":
      return .script(
        "git switch -c \"$BRANCH\"\ngit commit -a -m \"$MESSAGE\"\ngit push -u origin \"$BRANCH\"\n"
          + "gh pr create --title \"$TITLE\" --body \"$BODY\""
          + inputs["base"].map { " --base \"\($0)\"" }.orEmpty,
        env: [
          ("BRANCH", inputs["branch"] ?? "create-pull-request/patch"),
          ("MESSAGE", inputs["commit-message"] ?? "Apply automatic changes"),
          ("TITLE", inputs["title"] ?? "Apply automatic changes"), ("BODY", inputs["body"] ?? ""),
          ("GH_TOKEN", "${{ secrets.GITHUB_TOKEN }}"),
        ])
    case "pypa/gh-action-pypi-publish":
      let skips = (inputs["skip_existing"] ?? inputs["skip-existing"]) == "true"
      let address = inputs["repository_url"] ?? inputs["repository-url"]
      let folder = inputs["packages_dir"] ?? inputs["packages-dir"] ?? "dist"
      return .script(
        "twine upload" + (skips ? " --skip-existing" : "")
          + address.map { " --repository-url \"\($0)\"" }.orEmpty + " \(folder)/*",
        env: [
          ("TWINE_USERNAME", inputs["user"] ?? "__token__"),
          ("TWINE_PASSWORD", inputs["password"] ?? "${{ secrets.PYPI_TOKEN }}"),
        ])
    case "peaceiris/actions-gh-pages", "JamesIves/github-pages-deploy-action":
      let own = inputs["publish_dir"] ?? inputs["folder"] ?? inputs["FOLDER"]
      guard let folder = own ?? (name.hasPrefix("peaceiris") ? "public" : nil) else { return nil }
      let branch = inputs["publish_branch"] ?? inputs["branch"] ?? inputs["BRANCH"] ?? "gh-pages"
      let target = inputs["destination_dir"] ?? inputs["target-folder"]
      return .script(
        "npx gh-pages --dist \"\(folder)\" --branch \"\(branch)\""
          + target.map { " --dest \"\($0)\"" }.orEmpty
          + inputs["cname"].map { " --cname \"\($0)\"" }.orEmpty
          + (inputs["keep_files"] == "true" ? " --add" : ""))
    default: return nil
    }
  }

  /// Actions that create releases.
  static func release(_ name: String, _ inputs: Inputs) -> ActionEquivalent? {
    let token = [("GH_TOKEN", "${{ secrets.GITHUB_TOKEN }}")]
    switch name {
    case "softprops/action-gh-release":
      let files = (inputs["files"] ?? "").split(whereSeparator: \.isNewline).joined(separator: " ")
      let tag = inputs["tag_name"] ?? "${{ github.ref_name }}"
      var options = ""
      if let name = inputs["name"] { options += " --title \"\(name)\"" }
      if let path = inputs["body_path"] { options += " --notes-file \"\(path)\"" }
      let body = inputs["body"]
      if body != nil { options += " --notes \"$NOTES\"" }
      if !options.contains("--notes") { options += " --generate-notes" }
      if inputs["draft"] == "true" { options += " --draft" }
      if inputs["prerelease"] == "true" { options += " --prerelease" }
      return .script(
        "gh release create \"\(tag)\"\(options) \(files)".trimmed,
        env: token + (body.map { [("NOTES", $0)] } ?? []))
    case "actions/create-release":
      let tag = inputs["tag_name"] ?? "${{ github.ref_name }}"
      return .script(
        "gh release create \"$TAG\" --title \"$TITLE\" --notes \"$NOTES\""
          + (inputs["draft"] == "true" ? " --draft" : "")
          + (inputs["prerelease"] == "true" ? " --prerelease" : ""),
        env: token + [
          ("TAG", tag), ("TITLE", inputs["release_name"] ?? tag), ("NOTES", inputs["body"] ?? ""),
        ])
    case "actions/upload-release-asset", "svenstaro/upload-release-action":
      let path = inputs["asset_path"] ?? inputs["file"] ?? ""
      return .script(
        "gh release upload \"$TAG\" \"\(path)\" --clobber",
        env: token + [("TAG", inputs["tag"] ?? "${{ github.ref_name }}")])
    default: return nil
    }
  }
}

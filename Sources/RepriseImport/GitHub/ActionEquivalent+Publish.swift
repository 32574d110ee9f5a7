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
}

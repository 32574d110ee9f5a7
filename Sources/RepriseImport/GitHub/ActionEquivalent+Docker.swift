// Actions that are containers, and checkouts.

import YAML

extension ActionEquivalent {
  /// Returns the equivalent of `uses: docker://IMAGE`.
  static func container(_ image: String, _ step: SourceNode) -> ActionEquivalent {
    let inputs = step["with"]?.pairs ?? []
    var words = ["docker run --rm --workdir /github/workspace -v \"$PWD:/github/workspace\""]
    var environment: [(String, String)] = []
    for pair in step["env"]?.pairs ?? [] { words.append("-e \(pair.key.text ?? "")") }
    for pair in inputs {
      guard let name = pair.key.text, let value = pair.value.text else { continue }
      switch name {
      case "args": continue
      case "entrypoint": words.append("--entrypoint \"\(value)\"")
      default:
        let variable = "INPUT_" + StepNames.identifier(name).uppercased()
        guard variable == "INPUT_" + name.uppercased() else {
          return .missing("uses: docker://\(image)")
        }
        words.append("-e \(variable)")
        environment.append((variable, value))
      }
    }
    words.append("\"\(image)\"")
    if let arguments = step["with"]?["args"]?.text { words.append(arguments.onOneLine) }
    return .script(
      words.joined(separator: " "), env: environment,
      note: "docker://\(image): runs in docker, without variables of GitHub")
  }

  /// Returns the equivalent of a checkout: the files are there, except those of other folders.
  static func checkout(_ inputs: Inputs) -> ActionEquivalent {
    let ref = inputs["ref"]
    // A ref from the event is the one that the files here are from.
    let isOther = ref.map { !$0.contains("${{") } ?? false
    let submodules = inputs["submodules"].map { $0 != "false" } ?? false
    if let path = inputs["path"], path != ".", path != "./" {
      var command = "git clone"
      if submodules { command += " --recurse-submodules" }
      if isOther, let ref { command += " --branch \"\(ref)\"" }
      let source = inputs["repository"].map { "https://github.com/\($0)" } ?? "."
      return .script(
        "[ -e \"\(path)\" ] || \(command) \"\(source)\" \"\(path)\"",
        note: "checkout: \(path) is cloned once, with the credentials of git on this machine")
    }
    if let repository = inputs["repository"] {
      return .note("checkout of \(repository): clone it once, before the run")
    }
    if isOther, let ref { return .note("checkout of \(ref): switch to it before the run") }
    return submodules ? .note("checkout: fetch the submodules once") : .nothing
  }

  /// Returns the equivalent of an action for artifacts.
  static func artifact(_ name: String, _ inputs: Inputs, isFirstVersion: Bool)
    -> ActionEquivalent?
  {
    let note = "\(name): the files are kept in the folder of the run"
    switch name {
    case "actions/upload-artifact", "actions/upload-pages-artifact":
      let isPages = name == "actions/upload-pages-artifact"
      let script = GitHubArtifact.upload(
        name: inputs["name"] ?? (isPages ? "github-pages" : "artifact"),
        paths: inputs["path"] ?? (isPages ? "_site" : ""),
        fails: inputs["if-no-files-found"] == "error")
      return script.map { .script($0, note: note) }
        ?? .note("\(name): other jobs find the files at their place (\(inputs["path"] ?? "."))")
    case "actions/download-artifact":
      guard inputs["pattern"] == nil, inputs["run-id"] == nil, inputs["artifact-ids"] == nil,
        inputs["merge-multiple"] == nil
      else { return nil }
      let path = inputs["path"] ?? (isFirstVersion ? inputs["name"] : nil)
      return .script(GitHubArtifact.download(name: inputs["name"], path: path), note: note)
    default: return nil
    }
  }
}

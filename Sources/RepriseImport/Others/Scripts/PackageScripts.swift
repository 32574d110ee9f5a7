// Imports the scripts of a package.json: each is a workflow, with those before and after it.

import YAML

/// Imports the `scripts` of a package.json.
struct PackageScripts {
  private let root: SourceNode
  private var remarks: [ImportRemark] = []

  init(_ root: SourceNode) { self.root = root }

  /// Translates the file.
  mutating func draft() throws(ImportError) -> ImportDraft {
    let scripts =
      root["scripts"]?.pairs.compactMap { pair in
        pair.key.text.map { (name: $0, line: pair.key.mark.line, command: pair.value.text) }
      } ?? []
    guard !scripts.isEmpty else { throw ImportError("it has no scripts") }
    var names = StepNames()
    var workflows: [Draft.Item] = []
    var count = 0
    for script in scripts {
      var steps: [Draft.Item] = []
      for name in ["pre" + script.name, script.name, "post" + script.name] {
        guard let part = scripts.first(where: { $0.name == name }) else { continue }
        var own = StepNames()
        let id = own.id(for: name, otherwise: "script")
        steps.append(step(id, part.line, part.command))
        count += 1
      }
      workflows.append(
        Draft.Item(
          names.workflow(for: script.name, otherwise: "script"),
          .map([
            Draft.Item("shell", .texts(["sh", "-c"])), Draft.Item("steps", .list(steps)),
          ])))
    }
    let items = [
      Draft.Item(
        "workflows", .map(workflows), comments: ["Run a script: reprise run FILE#SCRIPT"])
    ]
    return ImportDraft(root: .map(items), remarks: remarks, stepCount: count)
  }

  private mutating func step(_ id: String, _ line: Int, _ command: String?) -> Draft.Item {
    var script = "PATH=\"$PWD/node_modules/.bin:$PATH\"\n\(command ?? "")"
    var comments: [String] = []
    let own = ["npm_package", "npm_config", "npm_lifecycle", "npm_execpath", "INIT_CWD"]
    var problem = command == nil ? "a script that is no text" : nil
    if let name = own.first(where: { command?.contains($0) == true }) {
      problem = "\(name), which only npm sets"
    }
    if let problem {
      let remark = ImportRemark(weight: .missing, line: line, text: "\(id): \(problem)")
      if !remarks.contains(remark) { remarks.append(remark) }
      comments = ["missing: \(problem)"] + (command.map { ["  \($0)"] } ?? [])
      script = Draft.failing(problem, line: line)
    }
    return Draft.Item(
      "", .map([Draft.Item("id", .text(id)), Draft.Item("run", .text(script))]),
      comments: comments)
  }
}

// Imports a workflow of GitHub Actions: jobs become branches that run in parallel.

import YAML

/// Imports workflows of GitHub Actions.
struct GitHubImport {
  private let file: GitHubFile

  init(_ root: Node, files: @escaping (String) -> [UInt8]?) {
    file = GitHubFile(root, files: files)
  }

  /// Translates the workflow.
  mutating func draft() throws(ImportError) -> ImportDraft {
    let root = file.root
    guard let jobs = root["jobs"], jobs.isMap else {
      throw ImportError("a workflow of GitHub Actions has \"jobs\"")
    }
    file.readInputs()
    for pair in jobs.pairs {
      guard let id = pair.key.text, pair.value.isMap else { continue }
      file.add(id, pair.value)
    }
    file.resolveNeeds()
    if !file.calls.isEmpty, !file.variables.isEmpty {
      file.remark(.note, "the workflows that are called see the variables of this file, too", at: 0)
    }
    if file.jobs.count > 1 {
      for job in file.jobs { job.groupID = file.stepNames.id(for: job.id, otherwise: "job") }
    }
    for job in file.jobs { job.plan(in: file) }
    var branches: [Draft.Item] = []
    var comments: [String] = []
    for job in file.jobs {
      var writer = GitHubJobWriter(file: file, job: job)
      guard var branch = writer.branch() else {
        comments.append("job \(job.id): nothing to do")
        continue
      }
      branch.comments = comments + branch.comments
      comments = []
      branches.append(branch)
    }
    guard !branches.isEmpty else {
      throw ImportError("no job has a step that could run here: only checkouts, tools and services")
    }
    return ImportDraft(
      root: .map(items(steps: steps(of: branches))), remarks: file.remarks,
      stepCount: file.jobs.reduce(0) { $0 + $1.stepIDs.count },
      differences: file.differences)
  }

  private func steps(of branches: [Draft.Item]) -> Draft {
    if branches.count == 1, branches[0].value.items.map(\.key) == ["steps"],
      let only = branches[0].value["steps"]
    {
      return only
    }
    if branches.count == 1 { return .list(branches) }
    return .list([Draft.Item("", .map([Draft.Item("parallel", .list(branches))]))])
  }

  private func items(steps: Draft) -> [Draft.Item] {
    let root = file.root
    var items: [Draft.Item] = []
    if let name = root["name"]?.text, !name.isEmpty, name.utf8.count <= 256 {
      items.append(Draft.Item("name", .text(name)))
    }
    let triggers = file.triggers()
    let concurrency = file.concurrency()
    // As on the machines of GitHub, tools can ask whether they run without a person.
    let hasOwn = file.variables.contains("CI")
    let environment = Draft.map(
      (hasOwn ? [] : [Draft.Item("CI", .text("true"))])
        + (GitHubEnvironment(file: file, names: GitHubNames(file: file))
          .draft(root["env"]?.pairs ?? [])?.items ?? []))
    if let parameters = file.parametersDraft() { items.append(Draft.Item("params", parameters)) }
    items.append(Draft.Item("env", environment))
    if let secrets = file.secretsDraft() { items.append(Draft.Item("secrets", secrets)) }
    let shell = GitHubShell(root["defaults"]?["run"]?["shell"]?.text ?? "").draft
    items.append(Draft.Item("shell", shell ?? .texts(["bash", "-e", "-c"])))
    if let concurrency { items.append(Draft.Item("concurrency", concurrency)) }
    if let triggers { items.append(Draft.Item("on", triggers)) }
    return items + [Draft.Item("steps", steps)]
  }
}

/// Variables of a workflow, job or step.
struct GitHubEnvironment {
  let file: GitHubFile
  var names: GitHubNames

  /// Returns the variables; nil if there are none.
  func draft(_ pairs: [Node.Pair]) -> Draft? {
    var items: [Draft.Item] = []
    for pair in pairs {
      guard let name = pair.key.text else { continue }
      file.line = pair.key.mark.line
      guard let text = pair.value.text else { continue }
      let known = StepNames.identifier(name)
      if known != name { file.remark(.note, "the variable \(name) is \(known)") }
      guard pair.value.text?.contains("${{") == true else {
        items.append(Draft.Item(known, pair.value.isNull ? .text("") : pair.value.draft))
        continue
      }
      var own = names
      own.allowsSecrets = true
      own.variables[name] = nil
      do throws(Untranslatable) {
        items.append(
          Draft.Item(known, .text(try ExpressionTranslator(names: own).template(text))))
      } catch {
        file.remark(.missing, "env.\(name): \(error.reason)")
      }
    }
    return items.isEmpty ? nil : .map(items)
  }
}

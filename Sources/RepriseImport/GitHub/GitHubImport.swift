// Imports a workflow of GitHub Actions: jobs become branches that run in parallel.

import YAML

/// Imports workflows of GitHub Actions.
struct GitHubImport {
  private let file: GitHubFile

  init(_ root: SourceNode, folder: ImportFolder) {
    file = GitHubFile(root, folder: folder)
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
    let environment = environment()
    if file.jobs.count > 1 || file.jobs.contains(where: { $0.node["strategy"] != nil }) {
      file.remarkOfFile(
        .note, "all jobs and combinations work in the same folder, at the same time")
    }
    if file.jobs.count > 1 {
      for job in file.jobs { job.groupID = file.stepNames.id(for: job.id, otherwise: "job") }
    }
    for job in file.jobs { job.plan(in: file) }
    var start = file.takeComments()
    var branches: [Draft.Item] = []
    var comments: [String] = []
    for job in file.jobs {
      var writer = GitHubJobWriter(file: file, job: job)
      guard var branch = writer.branch() else {
        file.remark(.note, "job \(job.id): nothing of it runs here", at: job.node)
        comments += file.takeComments() + writer.leftOver
        continue
      }
      branch.comments = comments + branch.comments
      comments = []
      branches.append(branch)
    }
    guard !branches.isEmpty else {
      throw ImportError("no job has a step that could run here: only checkouts, tools and services")
    }
    // Those of the last jobs, if they have nothing to do.
    start += comments
    var items = items(environment, steps: steps(of: branches))
    for call in file.calls {
      // Read with the jobs, or about the call on GitHub.
      for key in ["name", "run-name", "on", "permissions", "env", "defaults"] {
        call.root[key]?.accept()
      }
      // Of the job that calls it, what its jobs do not read is about GitHub.
      for key in ["name", "permissions", "with", "secrets"] { call.job.node[key]?.accept() }
      if let node = call.root["concurrency"]?.accept() {
        file.remark(.note, "concurrency of a workflow that is called is left out", at: node)
      }
    }
    let actions = file.jobs.flatMap(\.scopes).map(\.action)
    for action in actions {
      for key in ["name", "description", "author", "branding", "inputs", "outputs"] {
        action[key]?.accept()
      }
    }
    // A call can be a part of another, so all have been read by now.
    for part in (file.calls.map(\.root) + actions + [root]).flatMap({ $0.unread() }) {
      file.remark(.missing, "\(part.path) has no equivalent", at: part.node)
    }
    start += file.takeComments()
    items[0].comments += start
    return ImportDraft(
      root: .map(items), remarks: file.remarks,
      stepCount: file.jobs.reduce(0) { $0 + $1.stepIDs.count },
      differences: file.differences, wanted: file.wanted)
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

  /// Returns the variables of the workflow; if one has no equivalent, all steps fail.
  private func environment() -> [Draft.Item] {
    file.place = file.root["env"]
    if file.isCaller, let variables = file.root["env"], variables.isMap {
      variables.accept()
      return []
    }
    do throws(Untranslatable) {
      return try GitHubEnvironment(file: file, names: GitHubNames(file: file))
        .items(file.root["env"])
    } catch {
      file.refusals.append(Refusal(reason: error.reason, place: error.place ?? file.place?.place))
      file.remark(.missing, error.reason, at: error.place ?? file.place?.place)
      return []
    }
  }

  private func items(_ own: [Draft.Item], steps: Draft) -> [Draft.Item] {
    let root = file.root
    var items: [Draft.Item] = []
    if let name = root["name"]?.text, !name.isEmpty, name.utf8.count <= 256 {
      items.append(Draft.Item("name", .text(name)))
    }
    // The name of a run is for people, and the token has the permissions of the person here.
    root["permissions"]?.accept()
    if let name = root["run-name"]?.accept() {
      file.remark(.note, "run-name is left out: runs are named by their workflow", at: name)
    }
    let triggers = file.triggers()
    let triggerComments = file.takeComments()
    let concurrency = file.concurrency()
    let concurrencyComments = file.takeComments()
    // As on the machines of GitHub, tools can ask whether they run without a person.
    let hasOwn = file.variables.contains("CI")
    let environment = Draft.map((hasOwn ? [] : [Draft.Item("CI", .text("true"))]) + own)
    if let parameters = file.parametersDraft() { items.append(Draft.Item("params", parameters)) }
    items.append(Draft.Item("env", environment))
    if let secrets = file.secretsDraft() { items.append(Draft.Item("secrets", secrets)) }
    let defaults = root["defaults"]?["run"]
    _ = defaults?["working-directory"]?.text
    let shell = GitHubShell(defaults?["shell"]?.text ?? "").draft
    items.append(Draft.Item("shell", shell ?? .texts(["bash", "-e", "-c"])))
    if let concurrency {
      items.append(Draft.Item("concurrency", concurrency, comments: concurrencyComments))
    }
    if let triggers { items.append(Draft.Item("on", triggers, comments: triggerComments)) }
    items.append(Draft.Item("steps", steps))
    if triggers == nil { items[0].comments += triggerComments }
    if concurrency == nil { items[0].comments += concurrencyComments }
    return items
  }
}

/// Variables of a workflow, job or step.
struct GitHubEnvironment {
  let file: GitHubFile
  var names: GitHubNames

  /// Returns the variables of a map.
  ///
  /// - Throws: ``Untranslatable`` if the value of one has no equivalent.
  func items(_ node: SourceNode?) throws(Untranslatable) -> [Draft.Item] {
    guard let node else { return [] }
    guard node.isMap else { throw Untranslatable("env is no map", at: node) }
    return try items(node.pairs)
  }

  /// Returns variables.
  ///
  /// - Throws: ``Untranslatable`` if the value of one has no equivalent.
  func items(_ pairs: [SourceNode.Pair]) throws(Untranslatable) -> [Draft.Item] {
    var items: [Draft.Item] = []
    for pair in pairs {
      guard let name = pair.key.text else { continue }
      guard let text = pair.value.text else {
        throw Untranslatable("env.\(name) is no text", at: pair.value)
      }
      let known = StepNames.identifier(name)
      if known != name { file.remark(.note, "the variable \(name) is \(known)", at: pair.value) }
      guard text.contains("${{") else {
        let value = pair.value.number.map(Draft.word) ?? pair.value.draft
        items.append(Draft.Item(known, pair.value.isNull ? .text("") : value))
        continue
      }
      var own = names.without(name, pair.value)
      own.allowsSecrets = true
      do throws(Untranslatable) {
        items.append(
          Draft.Item(known, .text(try ExpressionTranslator(names: own).template(text))))
      } catch {
        throw Untranslatable("env.\(name): \(error.reason)", at: error.place ?? pair.value.place)
      }
    }
    return items
  }
}

// What starts before the steps of a job: its services, and the step that decides whether it runs.

import YAML

extension GitHubJobWriter {
  /// Says which machines the job is meant for, if GitHub does not provide them.
  func remarkMachines(_ place: SourceNode) {
    let labels = place.texts + (place["labels"]?.texts ?? [])
    let others = labels.filter { label in
      !["ubuntu", "windows", "macos", "${{", "self-hosted"].contains {
        label.lowercased().contains($0)
      }
    }
    guard labels.contains("self-hosted") || !others.isEmpty else { return }
    let list = (labels.contains("self-hosted") ? ["self-hosted"] : []) + others
    file.remark(
      .note,
      "job \(job.id) is meant for a machine with what it needs: \(list.joined(separator: ", "))",
      at: place)
  }

  /// Says that a job which works on artifacts alone has the files of the repository beside them.
  func remarkFolder() {
    let actions = job.steps.compactMap { $0.node["uses"]?.text?.lowercased() }
    guard actions.contains(where: { $0.hasPrefix("actions/download-artifact@") }),
      !actions.contains(where: { $0.hasPrefix("actions/checkout@") })
    else { return }
    file.remark(
      .note,
      "job \(job.id): without a checkout, its folder has only the artifacts there, and the "
        + "files of the repository here, too", at: job.node)
  }

  /// Returns a matrix with its limits.
  func limited(
    _ matrix: [Draft.Item], _ strategy: SourceNode
  ) throws(Untranslatable) -> [Draft.Item] {
    var all = matrix
    let translator = ExpressionTranslator(names: GitHubNames(file: file, job: job))
    let limit = try strategy["max-parallel"]?.text.map { text throws(Untranslatable) in
      try translator.template(text)
    }
    let stops = strategy["fail-fast"]
    let test = try stops?.text.map { text throws(Untranslatable) in
      try translator.condition(text).0
    }
    guard !matrix.isEmpty else { return [] }
    if job.services.isEmpty, limit != "1" {
      file.remark(
        .note,
        "job \(job.id): its combinations work at the same time, in one folder and with what they install",
        at: strategy)
    }
    if job.isMatrixGroup, !job.services.isEmpty {
      all.append(Draft.Item("max-parallel", .word("1")))
    } else if let limit {
      all.append(
        Draft.Item("max-parallel", limit.contains("${{") ? .text(limit) : .word(limit)))
    }
    let value = stops?.boolean.map { Translated.literal($0) } ?? test ?? .literal(true)
    switch value.truth {
    case true: all.append(Draft.Item("fail-fast", .word("true")))
    case false: break
    case nil: all.append(Draft.Item("fail-fast", .text("${{ \(value.text) }}")))
    }
    return all
  }

  /// Returns the services of the job.
  func services(_ condition: JobCondition) -> [Draft.Item] {
    var items: [Draft.Item] = []
    for service in job.services {
      file.place = job.node["services"]
      do throws(Untranslatable) {
        let needs = file.lastSteps(neededBy: job)
        let text = condition.value.flatMap { $0.truth == true ? nil : $0.text }
        var names = GitHubNames(file: file, ofStepsOf: job)
        names.isOutsideMatrix = !job.isMatrixGroup
        let others = (job.node["services"]?.pairs ?? []).compactMap(\.key.text)
          .filter { $0 != service.name }
        items.append(
          try service.step(needs: needs, condition: text, names: names, besides: others))
        file.remark(.note, "services: run in docker")
        if job.hasDynamicMatrix {
          file.remark(.note, "job \(job.id): all combinations use the same services")
        } else if job.isMatrixGroup {
          file.remark(
            .note, "job \(job.id): one combination at a time, because of the ports of its services")
        }
      } catch {
        refuse(error, "service \(service.name)", at: job.node["services"])
        job.services.removeAll { $0.id == service.id }
      }
    }
    return items
  }

  /// Returns the step that decides whether the job runs.
  func start(_ condition: JobCondition) -> Draft.Item? {
    guard let id = job.startID else { return nil }
    let needs = file.lastSteps(neededBy: job) + job.services.map(\.id)
    var items = [Draft.Item("id", .text(id)), Draft.Item("needs", .texts(needs))]
    if let value = condition.value, value.truth != true {
      items.append(Draft.Item("if", .text(value.text)))
    }
    if file.skipsOthers(job) { items.append(Draft.Item("if-skipped", .text("skip"))) }
    items.append(Draft.Item("run", .text("true")))
    return Draft.Item("", .map(items))
  }

  /// Returns the step that fails if a step before it has failed.
  func end() -> Draft.Item? {
    guard let id = job.endID else { return nil }
    var items = [Draft.Item("id", .text(id))]
    if let needs = needs(ofStepAt: job.steps.count) {
      items.append(Draft.Item("needs", .texts(needs)))
    }
    items.append(Draft.Item("run", .text("true")))
    return Draft.Item("", .map(items))
  }

  /// Returns the settings of the job that are those of the group of its steps.
  func settings() -> [Draft.Item] {
    var items: [Draft.Item] = []
    let translator = ExpressionTranslator(names: GitHubNames(file: file, job: job))
    let node = job.node
    do throws(Untranslatable) {
      if let timeout = try node["timeout-minutes"]?.minutes(translator) {
        items.append(Draft.Item("timeout", .text(timeout)))
        if job.steps.contains(where: { $0.id != nil && $0.testsStatus }) {
          file.remark(
            .note,
            "job \(job.id): after its time, no step of it runs here, also none with always()",
            at: node["timeout-minutes"])
        }
      }
    } catch {
      refuse(error, "timeout-minutes", at: node["timeout-minutes"])
    }
    do throws(Untranslatable) {
      if let goesOn = try node["continue-on-error"]?.condition(translator).flag {
        items.append(Draft.Item("continue-on-error", goesOn))
      }
    } catch {
      refuse(error, "continue-on-error", at: node["continue-on-error"])
    }
    // The shell of GitHub in a container that has no bash is sh, unless the workflow has one.
    if node["container"] != nil,
      job.call != nil || file.root["defaults"]?["run"]?["shell"]?.text == nil
    {
      items.append(
        Draft.Item(
          "shell",
          .texts([
            "sh", "-c",
            "if command -v bash > /dev/null; then exec bash -e -c \"$0\"; else exec sh -e -c \"$0\"; fi",
          ])))
    }
    do throws(Untranslatable) {
      let names = GitHubNames(file: file, ofStepsOf: job)
      let variables = try GitHubEnvironment(file: file, names: names)
        .items(node["container"]?["env"])
      if !variables.isEmpty { items.append(Draft.Item("env", .map(variables))) }
    } catch {
      refuse(error, "container", at: node["container"])
    }
    if job.steps.contains(where: \.written.addsVariables), !job.groupID.isEmpty {
      items.append(Draft.Item("private-env", .word("true")))
    }
    return items
  }

  /// Returns the group of the steps, with the settings of the job.
  func group(
    _ steps: [Draft.Item], matrix: [Draft.Item], runner: Draft?, settings: [Draft.Item]
  ) -> [Draft.Item] {
    var group: [Draft.Item] = []
    if !job.groupID.isEmpty { group.append(Draft.Item("id", .text(job.groupID))) }
    var names = GitHubNames(file: file, job: job)
    names.isOutsideMatrix = !job.isMatrixGroup
    if file.jobs.count > 1 || job.isMatrixGroup, let name = job.node["name"]?.text,
      let label = names.label(name),
      label != job.groupID
    {
      group.append(Draft.Item("name", .text(label)))
    }
    if job.isMatrixGroup { group += matrix }
    if let runner { group.append(Draft.Item("runner", runner)) }
    return group + settings + [Draft.Item("steps", .list(steps))]
  }
}

extension GitHubNames {
  /// Returns a name for displays, with the values of the matrix; nil if nothing is left of it.
  func label(_ text: String) -> String? {
    if text.contains("${{"), let whole = try? ExpressionTranslator(names: self).template(text) {
      let names = whole.ranges(of: "${{").map { whole[$0.upperBound...].trimmed }
      // A name can use nothing else.
      let isKnown = names.allSatisfy { name in
        ["params.", "matrix."].contains { name.hasPrefix($0) }
          && name.prefix { $0 != "}" }.allSatisfy {
            $0.isLetter || $0.isNumber || "._- ".contains($0)
          }
      }
      if isKnown, !whole.isEmpty, whole.utf8.count <= 256 { return whole.onOneLine }
    }
    return text.label
  }
}

extension SourceNode {
  /// A number of minutes as a duration.
  func minutes(_ translator: ExpressionTranslator) throws(Untranslatable) -> String {
    let text = try translator.template(self.text ?? "").trimmed
    if text.hasPrefix("${{"), text.hasSuffix("}}"), text.ranges(of: "${{").count == 1 {
      return text + "m"
    }
    guard let minutes = Double(text), minutes > 0, minutes < 1e6 else {
      throw Untranslatable("\(text) is no number of minutes", at: self)
    }
    return minutes == minutes.rounded() ? "\(Int(minutes))m" : "\(Int(minutes * 60))s"
  }

  /// A boolean, or a condition.
  func condition(_ translator: ExpressionTranslator) throws(Untranslatable) -> Translated {
    if let boolean { return .literal(boolean) }
    guard let text else { throw Untranslatable("it is neither true nor false", at: self) }
    return try translator.condition(text).0
  }
}

extension Translated {
  /// A setting that is true or false; nil if it is false.
  var flag: Draft? {
    switch truth {
    case true: .word("true")
    case false: nil
    case nil: .text("${{ \(text) }}")
    }
  }
}

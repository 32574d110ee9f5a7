// Writes a job of GitHub Actions as a branch of steps.

import YAML

/// Writes one job.
struct GitHubJobWriter {
  let file: GitHubFile
  let job: GitHubJob
  /// The comments of a job with nothing to do.
  private(set) var leftOver: [String] = []

  init(file: GitHubFile, job: GitHubJob) {
    self.file = file
    self.job = job
  }

  private var names: GitHubNames { GitHubNames(file: file, ofStepsOf: job) }

  /// Returns the branch: a nested list of steps; nil if there is nothing to do.
  mutating func branch() -> Draft.Item? {
    file.place = job.node
    file.remarkSources(of: job)
    let condition = jobCondition()
    readPlace()
    let runner = container()
    let matrix = matrix()
    var items = services(condition)
    let settings = settings()
    refuseOthers()
    if let start = start(condition) { items.append(start) }
    var comments = file.takeComments()
    let steps = steps(condition, matrix, comments: &comments)
    guard !steps.isEmpty else {
      leftOver = comments
      return nil
    }
    items += steps
    if let end = end() { items.append(end) }
    if job.hasDynamicMatrix, job.stepIDs.count > 1 {
      file.remark(
        .note,
        "job \(job.id): each step waits for all combinations of the step before, "
          + "and runs only if all have succeeded", at: job.node)
    }
    let isRefused = !job.refusals.isEmpty
    let group = group(
      items, matrix: isRefused ? [] : matrix, runner: isRefused ? nil : runner,
      settings: isRefused ? [] : settings)
    var about = ["job \(job.id)" + (job.node["name"]?.text.map { ": \($0)" } ?? "")]
    if let needed = job.node["needs"]?.texts, !needed.isEmpty {
      about[0] += ", needs \(needed.joined(separator: ", "))"
    }
    comments += file.takeComments()
    return Draft.Item("", .map(group), comments: file.jobs.count > 1 ? about + comments : comments)
  }

  /// Says that none of the steps of the job can run as it does there.
  func refuse(_ error: Untranslatable, _ subject: String, at node: SourceNode?) {
    let reason = "\(subject): \(error.reason)"
    job.refusals.append(Refusal(reason: reason, place: error.place ?? node?.place))
    file.remark(.missing, "job \(job.id): \(reason)", at: error.place ?? node?.place)
  }

  /// Refuses the job if it has keys that were not read.
  private func refuseOthers() {
    // The steps read their keys, and the variables of the job; other jobs read its outputs.
    for part in job.node.unread(except: ["steps", "env"]) {
      refuse(Untranslatable("this key has no equivalent"), part.path, at: part.node)
    }
    if let environment = job.node["env"], !environment.isMap {
      refuse(Untranslatable("it is no map"), "env", at: environment)
    }
  }

  /// Returns the steps; a comment of those that are left out belongs to the next one.
  private func steps(
    _ condition: JobCondition, _ matrix: [Draft.Item], comments: inout [String]
  ) -> [Draft.Item] {
    var items: [Draft.Item] = []
    for (position, step) in job.steps.enumerated() {
      file.place = step.node
      file.remarkSources(of: step, after: position == 0 ? nil : job.steps[position - 1])
      comments += file.takeComments()
      switch step.work {
      case .nothing:
        step.node.accept()
        continue
      case .note(let text):
        step.node.accept()
        file.remark(.note, text)
        comments = comments.filter { $0 != text } + [text]
        _ = file.takeComments()
        continue
      case .script, .missing: break
      }
      var writer = GitHubStepWriter(
        file: file, job: job, step: step, names: names, variables: variables(before: position))
      let needs = needs(ofStepAt: position)
      compare(needs, ofStepAt: position)
      var item = writer.item(
        needs: needs, condition: condition,
        matrix: job.isMatrixGroup ? [] : matrix)
      item.comments = comments + item.comments
      comments = []
      // What needs a job that is skipped is skipped.
      if condition.testsStatus, job.startID == nil, step.id == job.stepIDs.first,
        file.skipsOthers(job)
      {
        item.value["if-skipped"] = .text("skip")
      }
      items.append(item)
    }
    // What is said to an action of which nothing runs here is not needed.
    for use in job.scopes {
      let runs = job.steps.contains { step in
        step.id != nil && step.scope?.chain.contains { $0 === use } == true
      }
      if !runs { use.step.accept() }
    }
    return items
  }

  /// Reads what the job says about the machines of GitHub.
  private func readPlace() {
    let node = job.node
    for key in ["name", "permissions", "outputs", "uses", "with", "secrets"] {
      node[key]?.accept()
    }
    for name in ["working-directory", "shell"] { _ = node["defaults"]?["run"]?[name]?.text }
    if let place = node["runs-on"] {
      let labels = (place.texts + (place["labels"]?.texts ?? [])).joined(separator: " ")
      place["group"]?.accept()
      remarkMachines(place)
      remarkFolder()
      for system in ["windows", "macos"]
      where labels.withoutExpressions.lowercased().contains(system)
        || system == "windows" && job.isForWindows
      {
        file.remark(.note, "job \(job.id) is meant for \(system)", at: place)
      }
      if labels.contains("${{") {
        file.remark(
          .note, "job \(job.id): runs-on depends on an expression; all runs on this machine",
          at: place)
      }
    }
    if job.isPartlyForWindows, let place = node["runs-on"] {
      file.remark(
        .note,
        "job \(job.id): combinations for windows run here, too, and scripts without a shell in bash "
          + "instead of PowerShell", at: place)
    }
    if let environment = node["environment"]?.accept() {
      file.remark(
        .note, "job \(job.id): an environment can require an approval: add \"approval\"",
        at: environment)
    }
    if let value = node["concurrency"]?.accept() {
      file.remark(
        .note, "job \(job.id): concurrency is left out: only a whole run has \"concurrency\"",
        at: value)
    }
    guard let services = node["services"], node["container"] != nil else { return }
    let names = services.pairs.compactMap(\.key.text).joined(separator: ", ")
    services.accept()
    refuse(Untranslatable("\(names): beside a container"), "services", at: services)
  }

  /// Returns the variables that earlier steps of the job have set.
  private func variables(before position: Int) -> [(name: String, value: Translated)] {
    job.hasDynamicMatrix ? [] : job.variables(before: position, in: file)
  }

  /// Returns the place where the steps run; nil for this machine.
  private func container() -> Draft? {
    guard let container = job.node["container"] else { return nil }
    file.place = container
    do throws(Untranslatable) {
      guard let image = container.text ?? container["image"]?.text else {
        throw Untranslatable("it has no image", at: container)
      }
      let translator = ExpressionTranslator(names: GitHubNames(file: file, job: job))
      var settings = [Draft.Item("image", .text(try translator.template(image)))]
      var options = (container["volumes"]?.texts ?? []).flatMap { ["-v", $0] }
      if let text = container["options"]?.text {
        guard !text.contains("'"), !text.contains("\""), !text.contains("\\") else {
          throw Untranslatable("its options have quotes", at: container["options"])
        }
        options += text.split(whereSeparator: \.isWhitespace).map(String.init)
      }
      guard !options.joined().contains("${{") else {
        throw Untranslatable("its options are an expression", at: container)
      }
      if container["credentials"]?.accept() != nil {
        file.remark(.note, "job \(job.id): log in to the registry of its container once")
      }
      if !options.isEmpty { settings.append(Draft.Item("options", .texts(options))) }
      return .map([Draft.Item("container", .map(settings))])
    } catch {
      refuse(error, "container", at: container)
      return nil
    }
  }

  // MARK: Order

  /// Returns the needs of a step, for which the order of the list is not enough; nil otherwise.
  ///
  /// A step of GitHub looks at all earlier steps. Here it looks at the steps that it needs, so a
  /// step after one that runs in any case also needs the steps before that one.
  func needs(ofStepAt position: Int) -> [String]? {
    var needs: [String] = []
    let other = position < job.steps.count ? job.steps[position] : nil
    for step in job.steps[..<position].reversed() {
      guard let id = step.id else { continue }
      needs.append(id)
      if !step.canFollowFailure(for: other) { break }
    }
    let isFirst = needs.isEmpty
    let areOpen = job.steps[..<position].allSatisfy {
      $0.id == nil || $0.canFollowFailure(for: other)
    }
    // The step that starts the job is the one before the first.
    if let start = job.startID {
      if isFirst { return nil }
      if areOpen { needs.append(start) }
      return needs.count == 1 ? nil : needs.reversed()
    }
    if isFirst { needs += job.services.reversed().map(\.id) }
    if isFirst || areOpen {
      needs += file.lastSteps(neededBy: job)
    }
    return needs.isEmpty || !isFirst && needs.count == 1 ? nil : needs.reversed()
  }

  /// Notes that a step would look at fewer steps here, if it was copied.
  private func compare(_ needs: [String]?, ofStepAt position: Int) {
    guard let needs, needs.count > 1 else { return }
    let list = "needs: [\(needs.joined(separator: ", "))]"
    let step = job.steps[position]
    if job.steps[..<position].contains(where: {
      $0.id != nil && $0.canFollowFailure(for: step)
    }) {
      file.differ(
        "step \(step.id ?? ""): it looks at all steps before it there, and only at those that it "
          + "needs here: \(list)", at: step.node)
    } else if job.needs.contains(where: { file.job($0)?.testsStatus == true }) {
      let place = job.node["needs"] ?? job.node
      file.differ(
        "job \(job.id): it looks at all jobs before it there, and only at the steps that it needs "
          + "here: \(list)", at: place)
    }
  }

  /// Returns the condition of the job, with those of the jobs that it needs.
  private func jobCondition() -> JobCondition {
    var condition = JobCondition()
    do throws(Untranslatable) {
      condition = try job.condition(in: file, names)
    } catch {
      refuse(error, "if: \(job.node["if"]?.text ?? "")", at: job.node["if"])
    }
    guard !condition.testsStatus else { return condition }
    // A job that needs a skipped job is skipped there, and would run here.
    if let inherited = file.condition(ofNeedsOf: job) {
      condition.value = inherited.and(condition.value ?? .literal(true))
    }
    return condition
  }

  // MARK: Matrix

  private func matrix() -> [Draft.Item] {
    guard let strategy = job.node["strategy"] else { return [] }
    file.place = strategy
    do throws(Untranslatable) {
      guard let matrix = strategy["matrix"] else { return try limited([], strategy) }
      let translator = ExpressionTranslator(names: names)
      if let text = matrix.text {
        return try limited([Draft.Item("matrix", .text(try translator.template(text)))], strategy)
      }
      var items: [Draft.Item] = []
      for pair in matrix.pairs {
        guard let name = pair.key.text else { continue }
        if pair.value.isComputedList {
          items.append(Draft.Item(name, .text(try list(pair.value, translator))))
        } else if pair.value.isList {
          items.append(Draft.Item(name, try translated(pair.value, translator)))
        } else if let text = pair.value.text, text.contains("${{") {
          items.append(Draft.Item(name, .text(try translator.template(text))))
        }
      }
      return try limited([Draft.Item("matrix", .map(items))], strategy)
    } catch {
      refuse(error, "strategy", at: strategy)
      return []
    }
  }

  /// Returns a list with values that are known only during the run, as one expression.
  private func list(
    _ node: SourceNode, _ translator: ExpressionTranslator
  ) throws(Untranslatable) -> String {
    var values: [String] = []
    for element in node.elements {
      let text = element.text ?? ""
      let isText = text.contains("${{") || element.boolean == nil && !element.isNumber
      values.append(isText ? "toJSON(\(try translator.expression(text).text))" : "'\(text)'")
    }
    let pattern = values.indices.map { "{\($0)}" }.joined(separator: ",")
    return "${{ fromJSON(format('[\(pattern)]', \(values.joined(separator: ", ")))) }}"
  }

  /// Returns a list of the matrix with its expressions translated.
  private func translated(
    _ node: SourceNode, _ translator: ExpressionTranslator
  ) throws(Untranslatable) -> Draft {
    switch node.content {
    case .scalar(let text, _):
      guard !text.contains("${{") else { return .text(try translator.template(text)) }
      return node.number.map(Draft.word) ?? node.draft
    case .sequence(let nodes):
      var items: [Draft.Item] = []
      for node in nodes { items.append(Draft.Item("", try translated(node, translator))) }
      return .list(items)
    case .mapping(let pairs):
      var items: [Draft.Item] = []
      for pair in pairs {
        items.append(Draft.Item(pair.key.text ?? "", try translated(pair.value, translator)))
      }
      return .map(items)
    }
  }
}

/// The condition of a job.
struct JobCondition {
  var value: Translated?
  /// Whether it tests the status of other jobs.
  var testsStatus = false
}

extension GitHubFile {
  /// Returns the last steps of the jobs that a job needs.
  ///
  /// A job of GitHub looks at all jobs before it, so this includes those before a job that runs in
  /// any case.
  func lastSteps(neededBy job: GitHubJob) -> [String] {
    var steps: [String] = []
    var visited: Set = [job.id]
    var pending = job.needs
    while !pending.isEmpty {
      let id = pending.removeFirst()
      guard visited.insert(id).inserted, let other = self.job(id) else { continue }
      if other.isMatrixGroup {
        steps.append(other.groupID)
      } else {
        // Without an ordinary step at the end, the step before it counts, too.
        for step in other.steps.reversed() {
          // A service is known in its job only.
          guard let id = step.id, id == other.stepIDs.last || !step.leavesProcesses else {
            continue
          }
          steps.append(id)
          if !step.canFollowFailure(for: nil) { break }
        }
      }
      if other.testsStatus || other.stepIDs.isEmpty { pending += other.needs }
    }
    return steps.reversed()
  }
}

// Writes a job of GitHub Actions as a branch of steps.

import YAML

/// Writes one job.
struct GitHubJobWriter {
  let file: GitHubFile
  let job: GitHubJob

  private var names: GitHubNames {
    GitHubNames(
      file: file, job: job,
      variables: Dictionary(
        job.environment.map { ($0.key.text ?? "", $0.value) }, uniquingKeysWith: { $1 }))
  }

  /// Returns the branch: a nested list of steps; nil if there is nothing to do.
  mutating func branch() -> Draft.Item? {
    file.line = job.node.mark.line
    remarkPlace()
    let condition = jobCondition()
    let matrix = matrix()
    var items = services(condition) + (start(condition).map { [$0] } ?? [])
    var comments: [String] = []
    let steps = steps(condition, matrix, comments: &comments)
    guard !steps.isEmpty else { return nil }
    items += steps
    if let end = end() { items.append(end) }
    if job.hasDynamicMatrix, job.stepIDs.count > 1 {
      file.remark(
        .note,
        "job \(job.id): each step waits for all combinations of the step before, "
          + "and runs only if all have succeeded", at: job.node.mark.line)
    }
    let group = group(items, matrix: matrix, runner: container())
    var about = ["job \(job.id)" + (job.node["name"]?.text.map { ": \($0)" } ?? "")]
    if let needed = job.node["needs"]?.texts, !needed.isEmpty {
      about[0] += ", needs \(needed.joined(separator: ", "))"
    }
    about += comments
    return Draft.Item("", .map(group), comments: file.jobs.count > 1 ? about : comments)
  }

  /// Returns the steps; a comment of those that are left out belongs to the next one.
  private func steps(
    _ condition: JobCondition, _ matrix: [Draft.Item], comments: inout [String]
  ) -> [Draft.Item] {
    var items: [Draft.Item] = []
    for (position, step) in job.steps.enumerated() {
      file.line = step.node.mark.line
      switch step.work {
      case .nothing: continue
      case .note(let text):
        comments.append(text)
        file.remark(.note, text)
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
      if condition.testsStatus, job.startID == nil, step.id == job.stepIDs.first {
        item.value["if-skipped"] = .text("skip")
      }
      items.append(item)
    }
    return items
  }

  /// Reports settings of the job that depend on the machines of GitHub.
  private func remarkPlace() {
    let node = job.node
    if let place = node["runs-on"] {
      let labels = place.texts.joined(separator: " ").lowercased()
      for system in ["windows", "macos"] where labels.contains(system) {
        file.remark(.note, "job \(job.id) is meant for \(system)", at: place.mark.line)
      }
      if labels.contains("${{") {
        file.remark(
          .note, "job \(job.id): runs-on depends on an expression; all runs on this machine",
          at: place.mark.line)
      }
    }
    if let environment = node["environment"] {
      file.remark(
        .note, "job \(job.id): an environment can require an approval: add \"approval\"",
        at: environment.mark.line)
    }
    if let value = node["services"], node["container"] != nil {
      let names = value.pairs.compactMap(\.key.text).joined(separator: ", ")
      file.remark(
        .missing, "job \(job.id): services beside a container: \(names)", at: value.mark.line)
    }
    let others = [
      ("timeout-minutes", "is left out: set \"timeout\" of its steps"),
      ("continue-on-error", "is left out: a failure of the job fails the run"),
      ("concurrency", "is left out: only a whole run has \"concurrency\""),
    ]
    for (key, text) in others {
      guard let value = node[key], value.boolean == nil,
        key != "timeout-minutes" || value.minutes == nil
      else { continue }
      file.remark(.note, "job \(job.id): \(key) \(text)", at: value.mark.line)
    }
  }

  /// Returns the variables that earlier steps of the job have set.
  private func variables(before position: Int) -> [(name: String, value: Translated)] {
    let variables = job.variables(before: position)
    guard !variables.isEmpty, job.hasDynamicMatrix else { return variables }
    file.remark(.missing, "GITHUB_ENV: the outputs of a step with a matrix are a list")
    return []
  }

  private func container() -> Draft? {
    guard let container = job.node["container"] else { return nil }
    file.line = container.mark.line
    guard let image = container.text ?? container["image"]?.text else { return nil }
    guard !image.contains("${{") else {
      file.remark(.missing, "job \(job.id): the image of its container is an expression")
      return nil
    }
    var settings = [Draft.Item("image", .text(image))]
    var options = (container["volumes"]?.texts ?? []).flatMap { ["-v", $0] }
    if let text = container["options"]?.text {
      options += text.split(whereSeparator: \.isWhitespace).map(String.init)
      if text.contains("'") || text.contains("\"") {
        file.remark(.missing, "job \(job.id): the options of its container have quotes")
      }
    }
    if container["credentials"] != nil {
      file.remark(.note, "job \(job.id): log in to the registry of its container once")
    }
    guard !options.joined().contains("${{") else {
      file.remark(.missing, "job \(job.id): the options of its container are an expression")
      return nil
    }
    if !options.isEmpty { settings.append(Draft.Item("options", .texts(options))) }
    return .map([Draft.Item("container", .map(settings))])
  }

  // MARK: Order

  /// Returns the needs of a step, for which the order of the list is not enough; nil otherwise.
  ///
  /// A step of GitHub looks at all earlier steps. Here it looks at the steps that it needs, so a
  /// step after one that runs in any case also needs the steps before that one.
  func needs(ofStepAt position: Int) -> [String]? {
    var needs: [String] = []
    for step in job.steps[..<position].reversed() {
      guard let id = step.id else { continue }
      needs.append(id)
      if !step.testsStatus { break }
    }
    let isFirst = needs.isEmpty
    // The step that starts the job is the one before the first.
    if let start = job.startID {
      if isFirst { return nil }
      if job.steps[..<position].allSatisfy({ $0.id == nil || $0.testsStatus }) {
        needs.append(start)
      }
      return needs.count == 1 ? nil : needs.reversed()
    }
    if isFirst { needs += job.services.reversed().map(\.id) }
    if isFirst || job.steps[..<position].allSatisfy({ $0.id == nil || $0.testsStatus }) {
      needs += file.lastSteps(neededBy: job)
    }
    return needs.isEmpty || !isFirst && needs.count == 1 ? nil : needs.reversed()
  }

  /// Notes that a step would look at fewer steps here, if it was copied.
  private func compare(_ needs: [String]?, ofStepAt position: Int) {
    guard let needs, needs.count > 1 else { return }
    let list = "needs: [\(needs.joined(separator: ", "))]"
    let step = job.steps[position]
    if job.steps[..<position].contains(where: { $0.id != nil && $0.testsStatus }) {
      file.differ(
        "step \(step.id ?? ""): it looks at all steps before it there, and only at those that it "
          + "needs here: \(list)", at: step.node.mark.line)
    } else if job.needs.contains(where: { file.job($0)?.testsStatus == true }) {
      let place = job.node["needs"] ?? job.node
      file.differ(
        "job \(job.id): it looks at all jobs before it there, and only at the steps that it needs "
          + "here: \(list)", at: place.mark.line)
    }
  }

  /// Returns the condition of the job, with those of the jobs that it needs.
  private func jobCondition() -> JobCondition {
    var condition = JobCondition()
    do throws(Untranslatable) {
      condition = try job.condition(in: file, names)
    } catch {
      file.remark(.missing, "job \(job.id): if: \(error.reason)")
    }
    guard !condition.testsStatus else { return condition }
    // A job that needs a skipped job is skipped there, and would run here.
    var visited: Set = [job.id]
    var pending = job.needs
    while let id = pending.popLast() {
      guard visited.insert(id).inserted, let other = file.job(id) else { continue }
      pending += other.testsStatus ? [] : other.needs
      guard !other.testsStatus,
        let inherited = try? other.condition(in: file, GitHubNames(file: file, job: other)).value
      else { continue }
      condition.value = inherited.and(condition.value ?? .literal(true))
    }
    return condition
  }

  // MARK: Matrix

  private func matrix() -> [Draft.Item] {
    guard let strategy = job.node["strategy"], let matrix = strategy["matrix"] else { return [] }
    file.line = matrix.mark.line
    var items: [Draft.Item] = []
    if let text = matrix.text, let value = computed(text) {
      return limited([Draft.Item("matrix", .text(value))], strategy)
    }
    for pair in matrix.pairs {
      guard let name = pair.key.text else { continue }
      if pair.value.isList {
        items.append(Draft.Item(name, translated(pair.value)))
      } else if let text = pair.value.text, let value = computed(text) {
        items.append(Draft.Item(name, .text(value)))
      }
    }
    return limited([Draft.Item("matrix", .map(items))], strategy)
  }

  /// Returns a matrix, or a list of it, that is computed during the run.
  private func computed(_ text: String) -> String? {
    var names = GitHubNames(file: file, job: job)
    names.variables = self.names.variables
    do throws(Untranslatable) {
      return try ExpressionTranslator(names: names).template(text)
    } catch {
      file.remark(.missing, "job \(job.id): matrix: \(error.reason)")
      return nil
    }
  }

  private func limited(_ matrix: [Draft.Item], _ strategy: Node) -> [Draft.Item] {
    var all = matrix
    if job.isMatrixGroup, !job.services.isEmpty {
      all.append(Draft.Item("max-parallel", .word("1")))
    } else if let limit = strategy["max-parallel"], limit.isNumber {
      all.append(Draft.Item("max-parallel", limit.draft))
    }
    if strategy["fail-fast"]?.boolean ?? true { all.append(Draft.Item("fail-fast", .word("true"))) }
    return all
  }

  /// Returns a list of the matrix with its expressions translated.
  private func translated(_ node: Node) -> Draft {
    switch node.content {
    case .scalar(let text, _) where text.contains("${{"):
      let translator = ExpressionTranslator(names: GitHubNames(file: file))
      guard let value = try? translator.template(text) else {
        file.remark(.missing, "job \(job.id): an expression in its matrix")
        return .text("")
      }
      return .text(value)
    case .scalar: return node.draft
    case .sequence(let nodes): return .list(nodes.map { Draft.Item("", translated($0)) })
    case .mapping(let pairs):
      return .map(pairs.map { Draft.Item($0.key.text ?? "", translated($0.value)) })
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
      } else if let last = other.stepIDs.last {
        // Without an ordinary step at the end, the step before it counts, too.
        for step in other.steps.reversed() {
          guard let id = step.id else { continue }
          steps.append(id)
          if !step.testsStatus { break }
        }
        _ = last
      }
      if other.testsStatus || other.stepIDs.isEmpty { pending += other.needs }
    }
    return steps.reversed()
  }
}

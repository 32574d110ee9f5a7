// Jobs that call another workflow of the repository: its jobs become jobs of this file.

import YAML

/// A call of a reusable workflow.
final class GitHubCall {
  /// How deep workflows that call workflows are followed.
  fileprivate static let depthMax = 4
  fileprivate static let countMax = 100

  /// The job that calls it.
  let job: GitHubJob
  /// The workflow that is called.
  let root: SourceNode
  /// The commit of another repository that it was read from; nil for this repository.
  let source: GitHubSource?

  init(_ job: GitHubJob, _ root: SourceNode, source: GitHubSource? = nil) {
    self.job = job
    self.root = root
    self.source = source
  }

  var depth: Int { (job.call?.depth ?? 0) + 1 }
  /// The name of the call, which precedes those of its jobs; no id of a job contains its last character.
  var prefix: String { job.id + "/" }
  /// The inputs, outputs and secrets of the workflow.
  var declaration: SourceNode? { root["on"]?["workflow_call"] }
  /// Whether a job belongs to the call, or to one within it.
  func contains(_ job: GitHubJob) -> Bool {
    guard let call = job.call else { return false }
    return call === self || contains(call.job)
  }
}

extension GitHubFile {
  /// Adds a job, or the jobs of the workflow that it calls.
  func add(_ id: String, _ node: SourceNode, within call: GitHubCall? = nil) {
    // A workflow that is called does not see the variables of the caller, but its own.
    let variables = call?.root["env"] ?? (call == nil && isCaller ? root["env"] : nil)
    let job = GitHubJob(id: id, node, call: call, variables: variables)
    do throws(Untranslatable) {
      guard let inner = try self.call(by: job) else {
        jobs.append(job)
        return
      }
      calls.append(inner)
      for pair in inner.root["jobs"]?.pairs ?? [] where pair.value.isMap {
        add(inner.prefix + (pair.key.text ?? ""), pair.value, within: inner)
      }
    } catch {
      job.missing = "uses: \(node["uses"]?.text ?? ""): \(error.reason)"
      jobs.append(job)
    }
  }

  /// Returns the call of a workflow; nil if the job calls none that is here.
  ///
  /// - Throws: ``Untranslatable`` if a workflow of another repository is missing, or any cannot be a part
  ///   of this one.
  private func call(by job: GitHubJob) throws(Untranslatable) -> GitHubCall? {
    guard let uses = job.node["uses"]?.text else { return nil }
    guard job.node["strategy"] == nil else { throw Untranslatable("it is called with a strategy") }
    guard (job.call?.depth ?? 0) < GitHubCall.depthMax, calls.count < GitHubCall.countMax else {
      throw Untranslatable("workflows that call one another, or too many of them")
    }
    try spend(1)
    guard let other = other(uses, from: job.call?.source, isJob: true) else {
      guard let own = file(of: uses, job.node), let root = workflow(own) else { return nil }
      try spend(root["jobs"]?.pairs.count ?? 0)
      return GitHubCall(job, root)
    }
    let (root, source) = try read(other, hint: "reprise import --fetch reads it")
    let events = root["on"].map { $0.texts + $0.pairs.compactMap(\.key.text) } ?? []
    guard root["jobs"]?.isMap == true, events.contains("workflow_call") else {
      throw Untranslatable("it is no workflow that can be called")
    }
    try spend(root["jobs"]?.pairs.count ?? 0)
    return GitHubCall(job, root, source: source)
  }

  /// Returns the path of a workflow of this repository, with a remark if another version is asked.
  private func file(of uses: String, _ node: SourceNode) -> String? {
    guard let own = ownPath(uses), workflow(own) != nil else { return nil }
    if !uses.isOfRepository { remark(.note, "uses: \(uses): the file here", at: node) }
    return own
  }

  private func workflow(_ uses: String) -> SourceNode? {
    let path = String(uses.dropFirst(2))
    guard !uses.contains(".."), let root = document(path), root["jobs"]?.isMap == true else {
      return nil
    }
    return root
  }

  /// Finds the jobs that each job needs, when all jobs are known.
  func resolveNeeds() {
    for job in jobs { job.needs = needs(of: job).flatMap { jobs(named: $0).map(\.id) } }
  }

  /// Returns the ids of the jobs and calls that a job needs.
  func needs(of job: GitHubJob) -> [String] {
    var needs = job.node["needs"]?.texts ?? []
    var call = job.call
    // The first jobs of a call need what the call needs.
    while needs.isEmpty, let outer = call {
      needs = outer.job.node["needs"]?.texts ?? []
      call = outer.job.call
    }
    return needs.map { (call?.prefix ?? "") + $0 }
  }

  /// Returns the job of an id, or all jobs of the call of that id.
  private func jobs(named id: String) -> [GitHubJob] {
    if let inner = calls.first(where: { $0.job.id == id }) { return jobs.filter(inner.contains) }
    return jobs.filter { $0.id == id }
  }

  /// Returns the condition of the jobs and calls that a job needs, and of those that these need: a job
  /// that needs a skipped one is skipped.
  ///
  /// - Parameter job: The job.
  /// - Returns: The condition; nil if they always run.
  func condition(ofNeedsOf job: GitHubJob) -> Translated? {
    var visited: Set = [job.id]
    var pending = needs(of: job)
    var whole: Translated?
    while let id = pending.popLast() {
      guard visited.insert(id).inserted else { continue }
      if let call = calls.first(where: { $0.job.id == id }) {
        whole = condition(of: call).map { $0.and(whole ?? .literal(true)) } ?? whole
      } else if let other = self.job(id), !other.testsStatus {
        pending += needs(of: other)
        let own = try? other.condition(in: self, GitHubNames(file: self, job: other)).value
        whole = own.map { $0.and(whole ?? .literal(true)) } ?? whole
      }
    }
    return whole
  }

  /// Whether what needs a job is skipped with it: what needs its call is not, as long as that has others.
  func skipsOthers(_ job: GitHubJob) -> Bool {
    guard let call = job.call, jobs.count(where: call.contains) > 1 else { return true }
    return jobs.contains { call.contains($0) && $0.needs.contains(job.id) }
  }

  /// Returns the condition under which a call runs any of its jobs; nil if it always does.
  private func condition(of call: GitHubCall) -> Translated? {
    let inner = jobs.filter(call.contains)
    var whole: Translated?
    var known: Set<String> = []
    for job in inner {
      let own = try? job.condition(in: self, GitHubNames(file: self, ofStepsOf: job))
      // What tests the status of others can run whenever the call does.
      guard let own, !own.testsStatus else { return start(of: call) }
      let needed = condition(ofNeedsOf: job)
      guard let value = own.value.map({ needed?.and($0) ?? $0 }) ?? needed else { return nil }
      if known.insert(value.text).inserted { whole = whole?.or(value) ?? value }
    }
    return whole
  }

  /// Returns the condition of a call itself; nil if it always runs, or tests the status of others.
  private func start(of call: GitHubCall) -> Translated? {
    guard !call.job.testsStatus else { return nil }
    let own = try? call.job.condition(in: self, GitHubNames(file: self, job: call.job)).value
    return condition(ofNeedsOf: call.job).map { $0.and(own ?? .literal(true)) } ?? own
  }
}

extension GitHubNames {
  /// The names in the place of the job that calls a workflow.
  private func outside(of call: GitHubCall) -> GitHubNames {
    var names = GitHubNames(file: file, job: call.job)
    names.allowsSecrets = allowsSecrets
    return names
  }

  /// Returns the value of an input of a workflow that is called.
  func input(_ name: String, of call: GitHubCall) throws(Untranslatable) -> Translated {
    let declared = call.declaration?["inputs"]?.member(name)
    let type = declared?["type"]?.text
    guard let node = call.job.node["with"]?.member(name) ?? declared?["default"] else {
      return type == "boolean"
        ? .literal(false)
        : type == "number"
          ? Translated(text: "0", kind: .number, constant: "0") : .literal(text: "")
    }
    guard let text = node.text else { throw Untranslatable("the input \(name) is no text") }
    var value = try ExpressionTranslator(names: outside(of: call)).expression(text)
    if let boolean = node.boolean { value = .literal(boolean) }
    if let number = node.number {
      value = Translated(text: number, kind: .number, constant: number)
    }
    return type == "string" || type == nil ? value.asText : value
  }

  /// Returns a secret that a call passes on.
  func secret(_ name: String, of call: GitHubCall) throws(Untranslatable) -> Translated {
    let names = outside(of: call)
    let passed = call.job.node["secrets"]
    if passed?.text == "inherit" || name.uppercased() == "GITHUB_TOKEN" {
      let path = GitHubExpression.path("secrets", [.name(name)])
      return try ExpressionTranslator(names: names).value(of: path)
    }
    guard let text = passed?.member(name)?.text else { return .literal(text: "") }
    return try ExpressionTranslator(names: names).expression(text)
  }

  /// Returns the result or an output of a call.
  func value(
    of call: GitHubCall, _ path: ArraySlice<String>
  ) throws(Untranslatable) -> Translated {
    if path.first == "result" {
      let results = file.jobs.filter(call.contains).map { $0.result(in: file).text }
      guard let last = results.last else { return .literal(text: "success") }
      let failed = results.map { "\($0) == 'failure'" }.joined(separator: " || ")
      guard results.count > 1 else { return Translated(text: last, kind: .text) }
      let succeeded = results.map { "\($0) == 'success'" }.joined(separator: " || ")
      return Translated(
        text: "((\(failed)) && 'failure' || (\(succeeded)) && 'success' || \(last))", kind: .text)
    }
    guard path.first == "outputs", path.count == 2, let name = path.last else {
      throw Untranslatable("needs.\(call.job.id) is no value")
    }
    guard let text = call.declaration?["outputs"]?.member(name)?["value"]?.text else {
      return .literal(text: "")
    }
    let inside = GitHubJob(id: call.job.id, call.root, call: call)
    return try ExpressionTranslator(names: GitHubNames(file: file, job: inside)).expression(text)
  }
}

extension GitHubJob {
  /// Returns the condition of the job with those of the calls that it is a part of.
  func condition(in file: GitHubFile, _ names: GitHubNames) throws(Untranslatable) -> JobCondition {
    var condition = JobCondition()
    if let text = node["if"]?.text {
      file.place = node["if"]
      let (own, testsStatus) = try ExpressionTranslator(names: names).condition(text)
      condition = JobCondition(value: own, testsStatus: testsStatus)
    }
    guard let call else { return condition }
    var outer = try call.job.condition(in: file, GitHubNames(file: file, job: call.job))
    if condition.testsStatus {
      // It would run here although its workflow does not.
      let isKnown =
        node["needs"] == nil
        && ["failure(", "success("].allSatisfy {
          node["if"]?.text?.contains($0) == false
        }
      guard !outer.testsStatus || isKnown else {
        throw Untranslatable("it and the call of its workflow test the status of other jobs")
      }
      if !outer.testsStatus, let start = try call.start(in: file) {
        outer.value = outer.value.map { $0.and(start) } ?? start
      }
    }
    // Later jobs of a call look at the jobs before them.
    guard !outer.testsStatus || node["needs"] == nil else { return condition }
    if let value = outer.value { condition.value = condition.value?.and(value) ?? value }
    condition.testsStatus = condition.testsStatus || outer.testsStatus
    return condition
  }
}

extension GitHubCall {
  /// Returns the condition that all which the call needs has succeeded; nil if it needs nothing.
  fileprivate func start(in file: GitHubFile) throws(Untranslatable) -> Translated? {
    var needy: GitHubJob? = job
    while let job = needy, job.node["needs"] == nil { needy = job.call?.job }
    guard let needy else { return nil }
    var whole: Translated?
    let names = GitHubNames(file: file, job: needy)
    for name in needy.node["needs"]?.texts ?? [] {
      let result = try names.need(name, ["result"], false)
      let succeeded = Translated.binary(
        "==", 3, result, .literal(text: "success"), kind: .boolean)
      whole = whole?.and(succeeded) ?? succeeded
    }
    return whole
  }
}

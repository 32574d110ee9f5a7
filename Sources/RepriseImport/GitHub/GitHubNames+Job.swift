// What other jobs and its steps can ask of a job: its result, its matrix, the ports of services.

import YAML

extension GitHubJob {
  /// Whether its steps run for each combination of a matrix.
  var hasMatrix: Bool { hasDynamicMatrix || !matrixKinds.isEmpty }

  private static let combinationsMax = 64

  /// The number of the instance of a matrix of lists, or of maps only, by its values: a step of a
  /// group does not know it otherwise.
  func index() throws(Untranslatable) -> Translated {
    guard let matrix = node["strategy"]?["matrix"], let combinations = combinations(of: matrix)
    else { throw Untranslatable("the index of this matrix is not known", at: node["strategy"]) }
    var text = ""
    for (position, values) in combinations.enumerated() {
      let tests = values.map { "matrix.\($0.name) == \($0.value)" }.joined(separator: " && ")
      text += "\(text.isEmpty ? "" : " || ")\(tests) && '\(position)'"
    }
    return Translated(text: "(\(text))", kind: .text)
  }

  /// Returns the values of each combination; nil if they do not tell the combinations apart.
  private func combinations(of matrix: SourceNode) -> [[(name: String, value: String)]]? {
    let included = matrix["include"]?.elements ?? []
    let lists = matrix.pairs.filter { $0.key.text != "include" }
    var all: [[(name: String, value: String)]] = [[]]
    if included.isEmpty {
      for pair in lists {
        let name = pair.key.text ?? ""
        let values = pair.value.elements.map { Self.values(of: $0, name) }
        guard name != "exclude", all.count * values.count <= Self.combinationsMax else {
          return nil
        }
        all = all.flatMap { start in values.map { start + $0 } }
      }
      // What only some maps of a list have does not tell which of them it is.
      let names = Set(all.joined().map(\.name)).filter { name in
        all.allSatisfy { $0.contains { $0.name == name && !$0.value.isEmpty } }
      }
      all = all.map { $0.filter { names.contains($0.name) } }
    } else {
      guard lists.isEmpty, included.count <= Self.combinationsMax else { return nil }
      all = included.map { $0.pairs.map { ($0.key.text ?? "", $0.value.literal ?? "") } }
      // A name that only some have does not tell which of them it is.
      let names = Set(all.map { $0.map(\.name).sorted() })
      guard names.count == 1 else { return nil }
    }
    let texts = all.map { $0.map { "\($0.name)=\($0.value)" }.joined(separator: ",") }
    let isKnown = !all.joined().contains { $0.value.isEmpty } && !all.contains(where: \.isEmpty)
    return isKnown && !all.isEmpty && Set(texts).count == all.count ? all : nil
  }

  /// Returns a value of a matrix, or those of a map with their names; an empty one for other values.
  private static func values(
    of node: SourceNode, _ name: String
  ) -> [(name: String, value: String)] {
    guard node.isMap else { return [(name, node.literal ?? "")] }
    return node.pairs.map { ("\(name).\($0.key.text ?? "")", $0.value.literal ?? "") }
  }

  /// Whether a value can be another one for each instance of its matrix.
  func decides(_ value: Translated) -> Bool {
    value.text.contains("matrix.") || value.text.contains("index")
      || stepIDs.contains { value.text.contains("steps.\($0).") }
  }

  /// Returns the result of the job: a failure of any of its steps is one, unless the job goes on.
  func result(in file: GitHubFile) -> Translated {
    if isMatrixGroup {
      // A step is cancelled there only after a failure of another.
      let result = "steps.\(groupID).result"
      let other = "\(ofSkippedSteps(result, in: file))\(result)"
      return Translated(text: "(\(result) == 'cancelled' && 'failure' || \(other))", kind: .text)
    }
    guard let last = stepIDs.last else { return .literal(text: "success") }
    let result = Translated(text: "steps.\(last).result", kind: .text)
    let names = GitHubNames(file: file, ofStepsOf: self)
    var (failed, succeeded): ([String], [String]) = ([], [])
    var isPlain = stepIDs.count == 1
    for step in steps {
      guard let id = step.id else { continue }
      // A step whose setting has no equivalent fails.
      let goesOn = (try? names.goesOn(after: step)) ?? .literal(false)
      if goesOn.truth == false { succeeded.append("steps.\(id).result == 'success'") }
      if goesOn.truth != false {
        succeeded.append("steps.\(id).result != 'skipped'")
        isPlain = false
      }
      if goesOn.truth != true {
        let test = Translated(
          text: "steps.\(id).result == 'failure'", kind: .boolean, precedence: 3)
        failed.append(test.and(goesOn.negated).text)
      }
    }
    let skipped = ofSkippedSteps(result.text, in: file)
    guard !isPlain || !skipped.isEmpty else { return result }
    let failure = failed.isEmpty ? "" : "(\(failed.joined(separator: " || "))) && 'failure' || "
    return Translated(
      text: "(\(failure)(\(succeeded.joined(separator: " || "))) && 'success' || "
        + "\(skipped)\(result.text))",
      kind: .text)
  }

  /// Returns the part of the result for a job that has run although all of its steps were skipped,
  /// which is a success; empty if that cannot be.
  private func ofSkippedSteps(_ result: String, in file: GitHubFile) -> String {
    guard let first = steps.first(where: { $0.id != nil }),
      first.node["if"] != nil
        || first.scope?.chain.contains(where: { $0.step["if"] != nil }) == true
    else { return "" }
    let place = file.place
    defer { file.place = place }
    var ran = Translated(text: "\(result) == 'skipped'", kind: .boolean, precedence: 3)
    if let startID {
      guard !isMatrixGroup else { return "" }
      ran = ran.and(
        Translated(text: "steps.\(startID).result == 'success'", kind: .boolean, precedence: 3))
    } else {
      let names = GitHubNames(file: file, ofStepsOf: self)
      guard !testsStatus, let condition = try? condition(in: file, names) else { return "" }
      let inherited = file.condition(ofNeedsOf: self) ?? .literal(true)
      ran = ran.and(inherited).and(condition.value ?? .literal(true))
    }
    return ran.truth == false ? "" : "\(ran.operand(3)) && 'success' || "
  }
}

extension GitHubNames {
  /// The folder of a composite action, wherever its steps run.
  func folder(of scope: GitHubScope?) -> Translated {
    if let source = scope?.source {
      let path = source.clone + (source.folder.isEmpty ? "" : "/" + source.folder)
      return Translated(
        text: "format('{0}/{1}', run.dir, \(Translated.literal(text: path).text))", kind: .text)
    }
    guard let path = scope?.path, !path.isEmpty else {
      return Translated(text: "run.working-dir", kind: .text)
    }
    let name = Translated.literal(text: path).text
    return Translated(text: "format('{0}/{1}', run.working-dir, \(name))", kind: .text)
  }

  /// Returns the port of the host in `job.services.NAME.ports[PORT]`.
  func port(_ accesses: [GitHubExpression.Access]) throws(Untranslatable) -> Translated {
    var port: String?
    if case .name(let name) = accesses[1], case .name("ports") = accesses[2] {
      let service = job?.services.first { $0.name == name }
      switch accesses[3] {
      case .index(.text(let text)), .index(.number(let text)), .name(let text):
        port = service?.port(text)
      case .all, .index: break
      }
    }
    guard let port else { throw Untranslatable("there is no such port of a service") }
    return .literal(text: port)
  }
}

extension GitHubNames {
  /// Returns the results of all jobs that the job needs, a list: `needs.*.result`.
  func results(
    _ accesses: [GitHubExpression.Access]
  ) throws(Untranslatable) -> Translated {
    guard let job, accesses == [.all, .name("result")] else {
      throw Untranslatable("there are no values of all jobs that a job needs, except the results")
    }
    var results: [Translated] = []
    for name in job.node["needs"]?.texts ?? [] { results.append(try need(name, ["result"], false)) }
    guard let first = results.first else { throw Untranslatable("the job needs no other") }
    // There are no lists in expressions, and no commas in results.
    let pattern = results.indices.map { "{\($0)}" }.joined(separator: ",")
    let text =
      results.count == 1
      ? first.text : "format('\(pattern)', \(results.map(\.text).joined(separator: ", ")))"
    return Translated(text: "split(\(text), ',')", kind: .unknown)
  }

  /// Returns the results and outputs of all jobs that the job needs, a map: `needs`.
  func allNeeds() throws(Untranslatable) -> Translated {
    guard let job else { throw Untranslatable("there is no job that needs others") }
    var map = ValueMap()
    for name in job.node["needs"]?.texts ?? [] {
      var outputs = ValueMap()
      for pair in file.job((job.call?.prefix ?? "") + name)?.node["outputs"]?.pairs ?? [] {
        guard let output = pair.key.text else { continue }
        outputs.add(output, try need(name, ["outputs", output], true))
      }
      var own = ValueMap()
      own.add("result", try need(name, ["result"], true))
      own.add("outputs", outputs)
      map.add(name, own)
    }
    return map.value
  }

  /// Returns the variables of this place whose names are in the file, a map: `env`.
  func allVariables() throws(Untranslatable) -> Translated {
    var map = ValueMap()
    for name in Set(variables.keys).union(written.keys).union(file.variables).sorted() {
      map.add(name, try variable(name))
    }
    return map.value
  }
}

/// A map with values of expressions, which this language has only as JSON.
private struct ValueMap {
  private var parts: [String] = []
  private var arguments: [String] = []

  mutating func add(_ name: String, _ value: Translated) {
    parts.append("\"\(Self.escaped(name))\":{\(arguments.count)}")
    arguments.append("toJSON(\(value.text))")
  }

  mutating func add(_ name: String, _ map: ValueMap) { add(name, map.value) }

  var value: Translated {
    guard !arguments.isEmpty else { return Translated(text: "fromJSON('{}')", kind: .unknown) }
    let pattern = Translated.literal(text: "{{\(parts.joined(separator: ","))}}").text
    return Translated(
      text: "fromJSON(format(\(pattern), \(arguments.joined(separator: ", "))))", kind: .unknown)
  }

  private static func escaped(_ name: String) -> String {
    name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      .replacing("{", with: "{{").replacing("}", with: "}}")
  }
}

extension Translated {
  /// The value, or the empty text if there is none.
  var orEmpty: Translated {
    Translated(text: "(\(text) || '')", kind: .text)
  }
}

extension GitHubFile {
  /// Whether a property of `github` has a value with each of some events.
  func hasValue(_ path: [String], with events: [String]) -> Bool {
    let isForPulls = !events.isEmpty && events.allSatisfy { $0.hasPrefix("pull_request") }
    switch path.first {
    case "head_ref", "base_ref": return isForPulls
    case "event":
      switch path.dropFirst().first {
      case "pull_request", "number": return isForPulls
      case let object?:
        // An event has the object that it is about, such as an issue.
        let ofEvents = [
          "issues": ["issue"], "issue_comment": ["issue", "comment"], "release": ["release"],
          "workflow_run": ["workflow_run"], "discussion": ["discussion"],
          "repository_dispatch": ["client_payload"], "deployment": ["deployment"],
          "push": ["after", "before", "commits", "compare", "pusher", "ref"],
        ]
        return !events.isEmpty
          && events.allSatisfy { event in
            object == "repository" || ofEvents[event]?.contains(object) == true
          }
      case nil: return true
      }
    default: return true
    }
  }

  /// Returns parts of a text in which the folder of the repository, as a part of that of the machine,
  /// is the folder of the run, whatever its name is here.
  func withWorkspace(_ parts: [GitHubTemplate.Part]) -> [GitHubTemplate.Part] {
    let folder = "/" + repository.drop { $0 != "/" }.dropFirst()
    guard folder.count > 1, parts.count > 1 else { return parts }
    var parts = parts
    for position in parts.indices.dropLast() {
      guard case .expression(.path(let root, [.name("workspace")])) = parts[position],
        root.lowercased() == "runner", case .text(let text) = parts[position + 1],
        text.hasPrefix(folder),
        text.dropFirst(folder.count).first.map({
          $0.isLetter || $0.isNumber || "._-".contains($0)
        }) != true
      else { continue }
      parts[position] = .expression(.path("github", [.name("workspace")]))
      parts[position + 1] = .text(String(text.dropFirst(folder.count)))
    }
    return parts
  }

  /// Returns a text with folders of this machine in place of those of a machine of GitHub.
  ///
  /// - Parameters:
  ///   - text: A path, or a script of a shell.
  ///   - repository: The folder of the repository.
  ///   - home: The home folder.
  /// - Returns: The text; without a change if it has single quotes, where a shell reads no variables.
  func withFolders(_ text: String, repository: String, home: String) -> String {
    let name = self.repository.drop { $0 != "/" }.dropFirst()
    guard text.contains("/home/runner"), !text.contains("'") else { return text }
    let own =
      name.isEmpty ? text : text.replacing("/home/runner/work/\(name)/\(name)", with: repository)
    return own.replacing(/\/home\/runner(?!\/work\/|[A-Za-z0-9_-])/, with: home)
  }

  /// The repository that the files were cloned from, or the one that conditions ask for.
  var repository: String { origin ?? literal(after: "github.repository") ?? "" }

  /// The owner of that repository.
  var owner: String {
    guard origin == nil, let owner = literal(after: "github.repository_owner") else {
      return String(repository.prefix { $0 != "/" })
    }
    return owner
  }

  /// The branch that starts the workflow.
  var mainBranch: String { pushedBranch ?? defaultBranch }

  private var pushedBranch: String? {
    let branches = root["on"]?["push"]?["branches"]?.texts ?? []
    return branches.first { name in !name.contains { "*?[!+".contains($0) } }
  }

  /// The branch that the repository has by default, as the clone knows it.
  var defaultBranch: String {
    let start = "ref: refs/remotes/origin/"
    let bytes = files(".git/refs/remotes/origin/HEAD") ?? []
    let text = String(decoding: bytes, as: UTF8.self).trimmed
    return text.hasPrefix(start) ? String(text.dropFirst(start.count)) : pushedBranch ?? "main"
  }

  /// The text with which the conditions of jobs and steps compare a value.
  private func literal(after name: String) -> String? {
    let nodes = jobs.map(\.node) + jobs.flatMap { $0.node["steps"]?.elements ?? [] }
    for text in nodes.compactMap({ $0["if"]?.text }) {
      guard let range = text.firstRange(of: name) else { continue }
      let rest = text[range.upperBound...].drop { $0 == " " }
      guard rest.hasPrefix("==") else { continue }
      let value = rest.dropFirst(2).drop { $0 == " " }
      guard value.first == "'" else { continue }
      return String(value.dropFirst().prefix { $0 != "'" })
    }
    return nil
  }
}

extension SourceNode {
  /// The value of a key, as GitHub finds those of inputs, outputs and secrets: without regard to case.
  func member(_ key: String) -> SourceNode? {
    self[key]
      ?? pairs.last { $0.key.text?.lowercased() == key.lowercased() && !$0.value.isNull }?.value
  }

  /// The text of a number as GitHub has it: 3.10 is 3.1, and 010 is 10; nil for other values.
  var number: String? {
    guard case .scalar(let text, isPlain: true) = content else { return nil }
    var value: Double?
    if text.hasPrefix("0x") {
      value = Int(text.dropFirst(2), radix: 16).map(Double.init)
    } else if text.hasPrefix("0o") {
      value = Int(text.dropFirst(2), radix: 8).map(Double.init)
    } else if text.wholeMatch(of: /[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?/) != nil {
      value = Double(text) ?? Double(text + "0")
    }
    guard let value, abs(value) < 1e15 else { return nil }
    return value == value.rounded() ? "\(Int(value))" : "\(value)"
  }

  /// A scalar of a matrix as an expression; nil for other values.
  fileprivate var literal: String? {
    guard case .scalar(let text, _) = content, !isNull, !text.contains("${{") else { return nil }
    if let boolean { return "\(boolean)" }
    return number ?? Translated.literal(text: text).text
  }
}

// What the contexts of GitHub Actions are called here: github, env, matrix, needs, steps and so on.

import YAML

/// The names that expressions in one place can use.
struct GitHubNames {
  let file: GitHubFile
  var job: GitHubJob?
  /// A variable of a job or step, with the place that its expressions belong to.
  struct Variable {
    let node: SourceNode
    let scope: GitHubScope?
  }

  /// Variables of the job and step, which are not variables of the workflow.
  var variables: [String: Variable] = [:]
  /// Outer variables of the same names, the innermost last.
  var shadowed: [String: [Variable]] = [:]
  /// The values of variables that earlier steps have set.
  var written: [String: Translated] = [:]
  /// Whether a script has set variables whose names are not known, for another job to read.
  var hasUnknownVariables = false
  /// Whether this place is one for all combinations of the matrix.
  var isOutsideMatrix = false
  /// Whether this place is the name of a group of runs, for which one is as good as another.
  var isGroup = false
  /// Whether secrets are allowed in this place.
  var allowsSecrets = false
  /// The use of the composite action that this place is a part of.
  var scope: GitHubScope?

  func remark(_ weight: ImportRemark.Weight, _ text: String) { file.remark(weight, text) }

  /// Returns the value of a path.
  func value(
    _ root: String, _ accesses: [GitHubExpression.Access], _ translator: ExpressionTranslator,
    isOptional: Bool
  ) throws(Untranslatable) -> Translated {
    let path = accesses.compactMap { if case .name(let name) = $0 { name } else { nil } }
    switch (root, path.first) {
    case ("github", nil): return whole
    case ("github", "action_path"): return folder(of: scope)
    // An action of the repository itself has neither.
    case ("github", "action_ref") where scope != nil:
      return .literal(text: scope?.version ?? "")
    case ("github", "action_repository") where scope != nil:
      return .literal(text: scope?.source?.repository ?? "")
    case ("github", let name?):
      return github(name, path, isNeeded: !isOptional && !translator.isCompared)
    case ("inputs", let name?):
      if let scope { return try input(name, of: scope) }
      if let call = job?.call { return try input(name, of: call) }
      return input(name)
    case ("vars", let name?):
      return parameter(
        ["vars", name], name: StepNames.identifier(name), kind: .text, fallback: .text(""),
        isNeeded: !isOptional && !translator.isCompared)
    case ("env", let name?): return try variable(name, isOptional: isOptional)
    case ("needs", nil) where accesses.isEmpty: return try allNeeds()
    case ("env", nil) where accesses.count == 1:
      return try translator.member(of: try allVariables(), accesses).orEmpty
    case ("needs", _) where accesses.first == .all: return try results(accesses)
    case ("secrets", let name?) where accesses.count == 1:
      guard allowsSecrets else { throw Untranslatable("a secret is allowed in env only") }
      if let call = job?.call { return try secret(name, of: call) }
      return Translated(text: "secrets.\(file.secret(name))", kind: .text)
    case ("matrix", let name?):
      guard let job, !isOutsideMatrix else { throw Untranslatable("the matrix is not known") }
      guard job.hasMatrix else { return .literal(text: "") }
      let isDynamic = job.hasDynamicMatrix
      guard let kind = job.matrixKinds[name] ?? (isDynamic ? .unknown : nil) else {
        return .literal(text: "")
      }
      let base = Translated(
        text: "matrix." + name, kind: kind)
      return try property(of: base, name, accesses.dropFirst(), translator)
    case ("steps", let name?): return try step(name, path.dropFirst(), isOptional)
    case ("needs", let name?), ("jobs", let name?):
      return try need(name, path.dropFirst(), isOptional)
    case ("runner", let name?): return try runner(name)
    // Of the program of an action, which leaves nothing there.
    case ("machine", "temp"):
      return Translated(text: "env.TMPDIR || '/tmp'", kind: .text, precedence: 1)
    case ("job", "services") where accesses.count == 4: return try port(accesses)
    case ("strategy", "job-index"):
      guard let job, job.isMatrixGroup else { return Translated(text: "index", kind: .number) }
      return try job.index()
    default:
      throw Untranslatable("there is no \"\(([root] + path).joined(separator: "."))\" here")
    }
  }

  /// Whether a path is a property of the event, whose type is not known.
  func isEvent(_ root: String, _ accesses: [GitHubExpression.Access]) -> Bool {
    guard root.lowercased() == "github", case .name("event")? = accesses.first else { return false }
    if case .name("inputs")? = accesses.dropFirst().first { return false }
    return true
  }

  /// Whether a path is an object that the event has whenever the workflow runs.
  func isAlwaysThere(_ accesses: [GitHubExpression.Access]) -> Bool {
    guard accesses.count == 2, case .name(let event) = accesses[0],
      case .name(let name) = accesses[1]
    else { return false }
    return file.hasValue([event, name], with: file.events)
  }

  /// Returns the parameter for a property of the event that is used as a condition.
  func eventFlag(_ root: String, _ accesses: [GitHubExpression.Access]) -> Translated {
    let path = accesses.compactMap { if case .name(let name) = $0 { name } else { nil } }
    return parameter(["github"] + path, kind: .boolean, fallback: .word("false")).asCondition
  }

  /// The properties of `github` that are known without the event, as a map.
  private var whole: Translated {
    let names = ["event_name", "ref", "ref_name", "ref_type", "run_id", "workflow"]
    remark(.note, "github as a whole has only \(names.joined(separator: ", "))")
    let pattern = names.enumerated().map { "\"\($0.element)\":{\($0.offset)}" }
      .joined(separator: ",")
    let values = names.map { "toJSON(\(github($0, [$0], isNeeded: false).text))" }
    return Translated(
      text: "fromJSON(format('{{\(pattern)}}', \(values.joined(separator: ", "))))", kind: .unknown)
  }

  private func github(_ name: String, _ path: [String], isNeeded: Bool) -> Translated {
    switch name {
    case "workflow": return Translated(text: "workflow.name", kind: .text)
    case "run_id":
      remark(.note, "github.run_id is the id of the run here, which is no number")
      return Translated(text: "run.id", kind: .text)
    case "run_attempt": return Translated(text: "run.generation", kind: .number)
    case "job": return .literal(text: job?.name ?? "")
    case "server_url": return .literal(text: "https://github.com")
    case "api_url": return .literal(text: "https://api.github.com")
    case "workspace": return Translated(text: "run.working-dir", kind: .text)
    case "token" where allowsSecrets:
      return Translated(text: "secrets.\(file.secret("GITHUB_TOKEN"))", kind: .text)
    case "event" where path.count == 3 && path[1] == "inputs":
      // Texts there, also those of booleans.
      return input(path[2]).asText
    default:
      let branch = file.mainBranch
      let defaults = [
        "event_name": file.eventName, "ref": "refs/heads/\(branch)", "ref_name": branch,
        "ref_type": file.startsOnTag ? "tag" : "branch", "repository": file.repository,
        "repository_owner": file.owner, "event.repository.default_branch": file.defaultBranch,
        "event.repository.full_name": file.repository,
        "event.repository.name": String(file.repository.drop { $0 != "/" }.dropFirst()),
      ]
      // Where the event has no branch, no value of a branch is true, not even in a comparison.
      let isElsewhere =
        ["ref", "ref_name"].contains(name) && !isGroup && file.needsRef(asValue: isNeeded)
      let known = isElsewhere ? "" : defaults[path.joined(separator: ".")] ?? ""
      return parameter(
        ["github"] + path, kind: .text, fallback: .text(known),
        isNeeded: isElsewhere
          || isNeeded && known.isEmpty && file.hasValue(path, with: [file.eventName]))
    }
  }

  /// Returns a parameter with a value that GitHub knows.
  ///
  /// If it is needed, an empty text would be another value than there, so it has no default value.
  private func parameter(
    _ path: [String], name given: String? = nil, kind: Translated.Kind, fallback: Draft,
    isNeeded: Bool = false
  ) -> Translated {
    let source = path.joined(separator: ".")
    let name = given ?? path.map(StepNames.identifier).joined(separator: "_")
    let parameter = file.parameter(
      .init(
        name: name, kind: kind, fallback: fallback, description: source, isRequired: isNeeded,
        isOfGitHub: true))
    remark(
      .note,
      "\(source) is the parameter \(name)"
        + (parameter.isRequired ? ", which has no default value" : ""))
    return Translated(text: "params.\(name)", kind: parameter.kind)
  }

  private func input(_ name: String) -> Translated {
    let known = StepNames.identifier(name)
    let parameter = file.parameter(.init(name: known, kind: .text, fallback: .text("")))
    return Translated(text: "params.\(known)", kind: parameter.kind)
  }

  func variable(_ name: String, isOptional: Bool = false) throws(Untranslatable) -> Translated {
    if let variable = variables[name] {
      guard let text = variable.node.number ?? variable.node.text else {
        throw Untranslatable("env.\(name) is no text")
      }
      // Without the variable itself, which can be defined by its outer value.
      var outer = without(name, variable.node)
      outer.scope = variable.scope
      return try ExpressionTranslator(names: outer).expression(text).asText
    }
    if let value = written[name] { return value }
    guard !hasUnknownVariables || file.variables.contains(name) else {
      throw Untranslatable("env.\(name) can be set by a script that does not contain its name")
    }
    if job?.steps.contains(where: \.written.addsVariables) == true {
      let known = StepNames.identifier(name)
      return Translated(text: isOptional ? "env.\(known)" : "(env.\(known) || '')", kind: .text)
    }
    guard file.variables.contains(name) else {
      // That of the machine is not seen there.
      remark(.note, "there is no variable \"\(name)\" under env: it is empty")
      return .literal(text: "")
    }
    if let text = file.root["env"]?[name]?.text, text.contains("secrets.") {
      var outer = GitHubNames(file: file)
      outer.allowsSecrets = allowsSecrets
      return try ExpressionTranslator(names: outer).expression(text).asText
    }
    return Translated(text: "env.\(StepNames.identifier(name))", kind: .text)
  }

  private func step(
    _ name: String, _ rest: ArraySlice<String>, _ isOptional: Bool
  ) throws(Untranslatable) -> Translated {
    guard let step = job?.steps.first(where: { $0.originalID == name && $0.scope === scope })
    else {
      if let use = job?.scopes.first(where: { $0.step["id"]?.text == name && $0.outer === scope }) {
        return try output(rest, of: use)
      }
      // Its values are empty there, too.
      remark(.note, "there is no step \"\(name)\": its values are empty")
      return .literal(text: "")
    }
    if let id = step.id { return try value(of: step, id, name, rest, isOptional) }
    if rest.first != "outputs" { return .literal(text: "success") }
    let action = String((step.node["uses"]?.text ?? "").prefix { $0 != "@" })
    if rest.count == 2,
      let secret = ActionRule.secret(of: action, rest.last ?? "")
    {
      guard allowsSecrets else { throw Untranslatable("a secret is allowed in env only") }
      return Translated(text: "secrets.\(file.secret(secret))", kind: .text)
    }
    if rest.first == "outputs", rest.count == 2,
      ActionRule.propertiesOfEvent.contains(action.lowercased())
    {
      return parameter(
        ["steps", name, rest.last ?? ""], kind: .text, fallback: .text(""), isNeeded: true)
    }
    // Without a cache, there is never a hit. Other values are missed by what reads them.
    guard rest.last == "cache-hit" else {
      throw Untranslatable(
        "steps.\(name).\(rest.joined(separator: ".")) is a value of an action that is left out")
    }
    remark(.note, "steps.\(name).\(rest.joined(separator: ".")) is empty")
    return .literal(text: "")
  }

  /// Returns the result or an output of a step.
  private func value(
    of step: GitHubStep, _ id: String, _ name: String, _ rest: ArraySlice<String>,
    _ isOptional: Bool
  ) throws(Untranslatable) -> Translated {
    switch rest.first {
    case "conclusion":
      let result = "steps.\(id).result"
      guard let node = step.node["continue-on-error"], node.boolean != false else {
        return Translated(text: result, kind: .text)
      }
      var names = self
      names.scope = step.scope
      let goesOn = try node.condition(ExpressionTranslator(names: names))
      let failed = Translated(text: "\(result) == 'failure'", kind: .boolean, precedence: 3)
      return Translated(
        text: "(\(failed.and(goesOn).operand(2)) && 'success' || \(result))", kind: .text)
    case "outcome", "result":
      return Translated(text: "steps.\(id).result", kind: .text)
    case "outputs" where rest.count == 2:
      let output = rest.last ?? ""
      guard step.hasOutput(output) else {
        throw Untranslatable(
          "steps.\(name).outputs.\(output) is a value of an action that is a command here")
      }
      guard job?.hasDynamicMatrix != true else {
        throw Untranslatable("the outputs of a step with a matrix are a list")
      }
      let text = "steps.\(id).outputs.\(output)"
      let source = job.flatMap { step.script(in: $0, of: file) }
      // A missing output is empty there, and an error here.
      if isOptional { return Translated(text: text, kind: .text, source: source) }
      return Translated(text: "\(text) || ''", kind: .text, precedence: 1, source: source)
    default: throw Untranslatable("steps.\(name) is no value")
    }
  }

  func need(
    _ name: String, _ rest: ArraySlice<String>, _ isOptional: Bool
  ) throws(Untranslatable) -> Translated {
    let id = (job?.call?.prefix ?? "") + name
    if let call = file.calls.first(where: { $0.job.id == id }) { return try value(of: call, rest) }
    guard let other = file.job(id) else { throw Untranslatable("there is no job \"\(name)\"") }
    switch rest.first {
    case "result":
      if other.stepIDs.isEmpty {
        // It says something only beside the results of jobs that run.
        let needs = job?.needs.compactMap { file.job($0) } ?? []
        guard needs.contains(where: { !$0.stepIDs.isEmpty }) else {
          throw Untranslatable("needs.\(name).result: nothing of the job runs here")
        }
        remark(.note, "needs.\(name).result: success, because nothing of the job runs here")
      }
      return other.result(in: file)
    case "outputs" where rest.count == 2:
      guard let text = other.node["outputs"]?[rest.last ?? ""]?.text else {
        return .literal(text: "")
      }
      // What the job says of itself, after its last step.
      var names = GitHubNames(file: file, ofStepsOf: other)
      for (name, value) in other.variables(before: other.steps.count, in: file)
      where value.kind == .text {
        names.write(name, value)
      }
      names.hasUnknownVariables = other.steps.contains(where: \.written.addsVariables)
      let value = try ExpressionTranslator(names: names).expression(text)
      // The instances of a matrix have one value only if it comes from elsewhere.
      guard !other.hasMatrix || !other.decides(value) else {
        throw Untranslatable("the outputs of a job with a matrix are a list")
      }
      return value
    default: throw Untranslatable("needs.\(name) is no value")
    }
  }

  private func runner(_ name: String) throws(Untranslatable) -> Translated {
    switch name {
    case "os":
      return Translated(text: "(machine.os == 'macos' && 'macOS' || 'Linux')", kind: .text)
    case "arch":
      return Translated(text: "(machine.arch == 'arm64' && 'ARM64' || 'X64')", kind: .text)
    case "temp":
      remark(.note, "runner.temp is the folder for temporary files here, which is not emptied")
      return Translated(text: "(env.TMPDIR || '/tmp')", kind: .text)
    case "workspace":
      remark(.note, "runner.workspace is the folder around this one, which has its name there")
      return Translated(text: "format('{0}/..', run.working-dir)", kind: .text)
    default:
      return parameter(["runner", name], kind: .text, fallback: .text(""))
    }
  }
}

extension GitHubNames {
  /// The names that the steps of a job can use.
  init(file: GitHubFile, ofStepsOf job: GitHubJob) {
    self.init(file: file, job: job)
    for pair in job.environment {
      add(pair, scope: nil)
    }
  }

  /// Adds a variable, which hides an outer one of its name.
  mutating func add(_ pair: SourceNode.Pair, scope: GitHubScope?) {
    let name = pair.key.text ?? ""
    if let outer = variables[name] { shadowed[name, default: []].append(outer) }
    variables[name] = Variable(node: pair.value, scope: scope)
  }

  /// Notes a value that a step has set for later ones, in place of all that were defined before.
  mutating func write(_ name: String, _ value: Translated) {
    written[name] = value
    (variables[name], shadowed[name]) = (nil, nil)
  }

  /// The names where a variable is defined: those around it, without what it hides them from.
  func without(_ name: String, _ node: SourceNode) -> GitHubNames {
    var names = self
    while let inner = names.variables[name] {
      names.variables[name] = names.shadowed[name]?.popLast()
      if inner.node === node { break }
    }
    return names
  }
}

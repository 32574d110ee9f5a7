// The values of the names in a step's expressions during a run.

/// The value source for the expressions of one step.
package struct StepSource: ValueSource {
  let workflow: Workflow
  let values: RunValues
  let scope: Int
  let bindings: Bindings?
  /// The variables under `env` of the step's file, if already computed.
  var variables: [String: String]?
  /// Whether this evaluates `env` of the file itself, which cannot refer to its own variables.
  var isOfFileEnvironment = false
  var written: [String: String] = [:]
  var standardOutput = ""
  /// The exit status of the round, for `repeat`.
  var exitStatus: Int?
  /// The budget shared by all values of the step, including values from other files.
  package var budget = EvaluationBudget()

  private var found: Scope { workflow.scopes[scope] }

  package func text(of template: Template, _ place: String) throws(ResolutionError) -> String {
    let text = try value(of: template, place).asText
    guard !text.utf8.contains(0) else {
      throw ResolutionError(place, .invalid(ExpressionError(.nulInValue, 0..<1)))
    }
    return text
  }

  package func value(of template: Template, _ place: String) throws(ResolutionError) -> Value {
    do throws(EvaluationError) {
      return try template.value(from: self)
    } catch {
      throw ResolutionError(place, error)
    }
  }

  func texts(
    of templates: [String: Template], _ place: String
  ) throws(ResolutionError) -> [String: String] {
    var texts: [String: String] = [:]
    for (name, template) in templates {
      texts[name] = try text(of: template, "\(place).\(name)")
    }
    return texts
  }

  package func status() throws(ValueProblem) -> RunEnding { values.status }

  package func hash(ofFiles patterns: [String]) throws(ValueProblem) -> String {
    do {
      return try values.hashFiles(patterns)
    } catch {
      throw .missing(.failed(String(describing: error)))
    }
  }

  package func file(with text: String) throws(ValueProblem) -> String {
    guard let keep = values.keepInFile else { throw .unknown }
    let folder = try values.foundDirectory()
    do {
      return try keep(text, folder)
    } catch {
      throw .missing(.failed(String(describing: error)))
    }
  }

  package func files(matching patterns: [String]) throws(ValueProblem) -> [String] {
    do {
      return try values.files(patterns)
    } catch {
      throw .missing(.failed(String(describing: error)))
    }
  }

  package func value(of root: Expression.Root, member: String?) throws(ValueProblem) -> Value {
    switch (root, member) {
    case (.params, let name?): return try parameter(name)
    case (.params, nil):
      var result: [String: Value] = [:]
      for name in found.parameters.keys { result[name] = try parameter(name) }
      return .map(result)
    case (.env, let name?):
      if let value = try variable(name) { return .text(value) }
      guard !values.nonUTF8Variables.contains(name) else {
        throw .missing(.notText(variable: name))
      }
      return (values.environment[name] ?? found.dotenv[name]).map(Value.text) ?? .null
    case (.env, nil): return .map(try environment().mapValues(Value.text))
    case (.secrets, let name?):
      guard let secret = values.secrets(workflow.secretScope(of: scope), name) else {
        throw .missing(.noSecret(name))
      }
      return .text(secret)
    case (.steps, let name?): return try step(name)
    case (.run, let member): return try run(member)
    case (.stdout, _): return .text(standardOutput)
    case (.status, _): return exitStatus.map { .number(Double($0)) } ?? .null
    case (.outputs, let name?):
      guard let text = written[name] else {
        throw .missing(.notWritten(name, written: written.keys.sorted()))
      }
      return .text(text)
    case (.outputs, nil): return .map(written.mapValues(Value.text))
    case (.matrix, _), (.item, _), (.index, _), (.workflow, _), (.machine, _), (.trigger, _),
      (.args, _):
      return try StaticValues(scope: found, bindings: bindings, what: "it")
        .value(of: root, member: member)
    case (.secrets, nil), (.steps, nil), (.attempt, _): return .null
    }
  }

  private func run(_ member: String?) throws(ValueProblem) -> Value {
    switch member {
    case "id": return .text(values.run)
    case "generation": return .number(Double(values.generation))
    case "dir": return .text(try values.foundDirectory())
    case "working-dir": return .text(values.workingDirectory)
    case nil:
      var run: [String: Value] = [
        "id": .text(values.run), "generation": .number(Double(values.generation)),
        "working-dir": .text(values.workingDirectory),
      ]
      if let directory = try? values.foundDirectory() { run["dir"] = .text(directory) }
      if let end = values.end() {
        run["result"] = .text(end.result.rawValue)
        run["reason"] = .text(end.reason)
        run["outcome"] = .text(end.outcome)
        run["failed"] = .list(end.failed.map(Value.text))
      }
      return .map(run)
    case "result": return values.end().map { .text($0.result.rawValue) } ?? .null
    case "reason": return values.end().map { .text($0.reason) } ?? .null
    case "outcome": return values.end().map { .text($0.outcome) } ?? .null
    case "failed": return .list((values.end()?.failed ?? []).map(Value.text))
    default: return .null
    }
  }

  /// Returns the variables that expressions can read.
  private func environment() throws(ValueProblem) -> [String: String] {
    var all = found.dotenv.merging(values.environment) { $1 }
    for name in values.nonUTF8Variables { all[name] = nil }
    let names = Set(found.environment.keys).union(variables.map { Array($0.keys) } ?? [])
    for name in names {
      if let value = try variable(name) { all[name] = value }
    }
    return all
  }

  /// Returns the value of a variable under `env` of the file, or nil if it is not declared there.
  private func variable(_ name: String) throws(ValueProblem) -> String? {
    if let variables { return variables[name] }
    if !isOfFileEnvironment, let value = ofEarlierSteps(name) { return value }
    guard !isOfFileEnvironment, let template = found.environment[name] else { return nil }
    do throws(EvaluationError) {
      return try template.value(from: ofFileEnvironment).asText
    } catch {
      throw error.problem(in: "env.\(name)")
    }
  }

  /// Returns the value of a variable that an earlier step of the file of the values has set.
  private func ofEarlierSteps(_ name: String) -> String? {
    workflow.fileScope(of: scope) == values.scopeOfVariables ? values.stepVariables[name] : nil
  }

  /// The source for the values under `env` of the file.
  private var ofFileEnvironment: StepSource {
    var source = StepSource(workflow: workflow, values: values, scope: scope, bindings: nil)
    source.isOfFileEnvironment = true
    return source
  }

  /// Returns all variables under `env` of the file.
  ///
  /// - Throws: ``ResolutionError`` for the first error.
  func fileVariables() throws(ResolutionError) -> [String: String] {
    guard !found.environment.isEmpty else { return [:] }
    return try ofFileEnvironment.texts(of: found.environment, "env")
  }

  private func parameter(_ name: String) throws(ValueProblem) -> Value {
    switch found.parameters[name] {
    case .value(let value): return value
    case .template(let template, let parameter):
      let outer = source(in: found.parent ?? 0, found.bindings)
      let value: Value
      do throws(EvaluationError) {
        value = try template.value(from: outer)
      } catch {
        throw error.problem(in: "the parameter \"\(name)\"")
      }
      do throws(ParameterError) {
        switch (parameter.kind, value) {
        // As text, a large list would be parsed again at each use.
        case (.list, .list), (.map, .map): return try parameter.checked(value)
        default: return try parameter.value(of: value.asText)
        }
      } catch {
        throw .missing(error.cause)
      }
    case .open, nil: throw .missing(.noValue(ofParameter: name))
    }
  }

  /// Returns the source for another scope, with the same budget.
  private func source(in scope: Int, _ bindings: Bindings? = nil) -> StepSource {
    var source = StepSource(workflow: workflow, values: values, scope: scope, bindings: bindings)
    source.budget = budget
    return source
  }

  // MARK: Steps

  private func step(_ name: String) throws(ValueProblem) -> Value {
    guard let group = found.groups[name] else {
      if let step = values.step(found.prefix + name) { return try value(of: step, name) }
      guard let outer = found.enclosing else { throw .missingOutput(.notInRun(name)) }
      return try source(in: outer).step(name)
    }
    if let kept = workflow.keptGroups[found.prefix + name] { return kept }
    switch group.kind {
    case .used(let inner, let outputs):
      let source = source(in: inner)
      var results: [String: Value] = [:]
      for (output, template) in outputs {
        do throws(EvaluationError) {
          results[output] = .text(try template.value(from: source).asText)
        } catch .missingOutput {
          // A missing output is an error only if an expression reads it, as for a step.
          continue
        } catch {
          throw error.problem(in: "the output \"\(output)\" of \"\(name)\"")
        }
      }
      return .map(withResult(of: group, name, ["outputs": .map(results)]))
    case .each(let members):
      var all: [Value] = []
      for member in members { all.append(try step(member)) }
      // One list per output, in the order of the items; null for an item without that output.
      var names: Set<String> = []
      var maps: [[String: Value]] = []
      for case .map(let values) in all {
        guard case .map(let outputs) = values["outputs"] ?? .null else { continue }
        names.formUnion(outputs.keys)
        maps.append(outputs)
      }
      var outputs: [String: Value] = [:]
      for name in names { outputs[name] = .list(maps.map { $0[name] ?? .null }) }
      return .map(withResult(of: group, name, ["outputs": .map(outputs)]))
    }
  }

  package func absentOutput(_ output: String, of name: String) throws(ValueProblem) -> Value? {
    switch found.groups[name]?.kind {
    case .each(let members):
      // A list with null for each item; empty if there are no items.
      for member in members {
        guard case .map(let values) = try step(member) else { continue }
        if values["result"] == .text("success") { return nil }
      }
      return .list(members.map { _ in .null })
    case .used(let inner, let outputs):
      guard let template = outputs[output] else { return nil }
      let source = StepSource(workflow: workflow, values: values, scope: inner, bindings: nil)
      do throws(EvaluationError) {
        return .text(try template.value(from: source).asText)
      } catch {
        throw error.problem(in: "the output \"\(output)\" of \"\(name)\"")
      }
    case nil:
      guard let outer = found.enclosing, values.step(found.prefix + name) == nil else { return nil }
      return try StepSource(workflow: workflow, values: values, scope: outer, bindings: nil)
        .absentOutput(output, of: name)
    }
  }

  /// Adds the worst of the results of a group's last steps, with its status and reason.
  ///
  /// Last steps that were cancelled because of a failure in the group count as this failure.
  private func withResult(
    of group: StepGroup, _ name: String, _ outputs: [String: Value]
  ) -> [String: Value] {
    let ends = group.ends.compactMap { values.step($0) }
    var worst = ["failure", "cancelled", "", "success"].lazy
      .compactMap { result in ends.first { $0.result == result } }.first
    if worst?.result == "cancelled" { worst = failure(in: found.prefix + name) ?? worst }
    let none = group.ends.isEmpty ? "success" : "skipped"
    let members = (worst ?? StepValues(result: none, outputs: [:])).members
    return outputs.merging(members) { first, _ in first }
  }

  /// Returns the first failure in a group that is not tolerated.
  private func failure(in group: String) -> StepValues? {
    workflow.indices(named: group).lazy.map { workflow.steps[$0.position] }
      .filter { $0.extrasIfAny?.continuesOnError != true }.compactMap { values.step($0.id) }
      .first { $0.result == "failure" }
  }

  private func value(of step: StepValues, _ name: String) throws(ValueProblem) -> Value {
    .map(step.members)
  }
}

extension StepValues {
  /// The members of the step in expressions.
  fileprivate var members: [String: Value] {
    [
      "outputs": .map(outputs.mapValues(Value.text)), "result": .text(result),
      "status": status.map { .number(Double($0)) } ?? .null, "reason": .text(reason),
    ]
  }
}

extension Workflow {
  /// Returns the value of a group, as `steps.GROUP` in expressions.
  ///
  /// - Parameters:
  ///   - id: The id of the group.
  ///   - step: Returns the values of a step by its id.
  /// - Returns: The value; nil if there is no such group, or if its outputs cannot be computed.
  package func value(
    ofGroup id: String, step: @escaping @Sendable (_ id: String) -> StepValues?
  ) -> Value? {
    for scope in scopes.indices where id.hasPrefix(scopes[scope].prefix) {
      let name = String(id.dropFirst(scopes[scope].prefix.count))
      guard scopes[scope].groups[name] != nil else { continue }
      let source = StepSource(
        workflow: self, values: .withoutRun(step: step), scope: scope, bindings: nil)
      return try? source.value(of: .steps, member: name)
    }
    return nil
  }
}

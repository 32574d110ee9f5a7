// What the names in the expressions of a step stand for while a run is under way. Knows neither the
// engine nor processes.

/// The values of the expressions of one step.
struct StepSource: ValueSource {
  let workflow: Workflow
  let values: RunValues
  let scope: Int
  let bindings: Bindings?
  /// The variables of the file of the step.
  var variables: [String: String] = [:]
  var written: [String: String] = [:]
  var standardOutput = ""

  private var found: Scope { workflow.scopes[scope] }

  func text(of template: Template, _ place: String) throws(ResolutionError) -> String {
    let text = try value(of: template, place).asText
    guard !text.utf8.contains(0) else {
      throw ResolutionError(
        place,
        .mistake(
          ExpressionMistake(
            message: "the value has a NUL in it, which nothing can be given", range: 0..<1)))
    }
    return text
  }

  func value(of template: Template, _ place: String) throws(ResolutionError) -> Value {
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

  func status() throws(ValueProblem) -> StepsStatus { values.status }

  func hash(ofFiles patterns: [String]) throws(ValueProblem) -> String {
    do {
      return try values.hashFiles(patterns)
    } catch {
      throw .missing(String(describing: error), hint: nil)
    }
  }

  func value(of root: Expression.Root, member: String?) throws(ValueProblem) -> Value {
    switch (root, member) {
    case (.params, let name?): return try parameter(name)
    case (.params, nil):
      var result: [String: Value] = [:]
      for name in found.parameters.keys { result[name] = try parameter(name) }
      return .map(result)
    case (.env, let name?):
      return (variables[name] ?? values.environment[name] ?? found.dotenv[name]).map(Value.text)
        ?? .null
    case (.env, nil):
      let all = found.dotenv.merging(values.environment) { $1 }.merging(variables) { $1 }
      return .map(all.mapValues(Value.text))
    case (.secrets, let name?):
      guard let secret = values.secrets(scope, name) else {
        throw .missing("the secret \"\(name)\" is not known", hint: nil)
      }
      return .text(secret)
    case (.steps, let name?): return try step(name)
    case (.run, "id"?): return .text(values.run)
    case (.run, "generation"?): return .number(Double(values.generation))
    case (.run, nil):
      return .map(["id": .text(values.run), "generation": .number(Double(values.generation))])
    case (.stdout, _): return .text(standardOutput)
    case (.outputs, let name?):
      guard let text = written[name] else {
        throw .missing("it has written no output \"\(name)\"", hint: writtenHint(written))
      }
      return .text(text)
    case (.outputs, nil): return .map(written.mapValues(Value.text))
    case (.matrix, _), (.item, _), (.index, _), (.workflow, _), (.trigger, _):
      return try SettledValues(scope: found, bindings: bindings, what: "it")
        .value(of: root, member: member)
    case (.secrets, nil), (.steps, nil), (.run, _): return .null
    }
  }

  private func writtenHint(_ outputs: [String: String]) -> String {
    outputs.isEmpty
      ? "it has written none" : "it has written: " + outputs.keys.sorted().joined(separator: ", ")
  }

  private func parameter(_ name: String) throws(ValueProblem) -> Value {
    switch found.parameters[name] {
    case .value(let value): return value
    case .template(let template, let types):
      let outer = StepSource(
        workflow: workflow, values: values, scope: found.parent ?? 0, bindings: found.bindings)
      let value: Value
      do throws(EvaluationError) {
        value = try template.value(from: outer)
      } catch {
        guard case .mistake(let mistake) = error else { throw .unknown }
        throw .missing("the parameter \"\(name)\": \(mistake.message)", hint: mistake.hint)
      }
      return try converted(value, to: types, name)
    case .open, nil: throw .missing("the parameter \"\(name)\" was not given", hint: nil)
    }
  }

  /// What a step has computed is a text; a parameter may be a number.
  private func converted(
    _ value: Value, to types: ValueTypes, _ name: String
  ) throws(ValueProblem) -> Value {
    if value.types == types { return value }
    let kind: Parameter.Kind = types == .number ? .number : types == .boolean ? .boolean : .string
    do throws(ParameterError) {
      return try Parameter(name: name, kind: kind).value(of: value.asText)
    } catch {
      throw .missing(error.description, hint: nil)
    }
  }

  // MARK: Steps

  private func step(_ name: String) throws(ValueProblem) -> Value {
    guard let group = found.groups[name] else {
      guard let step = values.step(found.prefix + name) else {
        throw .missing("the step \"\(name)\" is not part of this run", hint: nil)
      }
      return try value(of: step, name)
    }
    switch group.kind {
    case .used(let inner, let outputs):
      let source = StepSource(workflow: workflow, values: values, scope: inner, bindings: nil)
      var results: [String: Value] = [:]
      for (output, template) in outputs {
        do throws(EvaluationError) {
          results[output] = .text(try template.value(from: source).asText)
        } catch {
          guard case .mistake(let mistake) = error else { throw .unknown }
          throw .missing(
            "the output \"\(output)\" of \"\(name)\": \(mistake.message)", hint: mistake.hint)
        }
      }
      return .map(["outputs": .map(results), "result": .text(try result(of: group))])
    case .each(let members):
      var all: [Value] = []
      for member in members { all.append(try step(member)) }
      // One list for each output, in the order of the items; nothing where one has left none.
      var names: Set<String> = []
      var maps: [[String: Value]] = []
      for case .map(let values) in all {
        guard case .map(let outputs) = values["outputs"] ?? .null else { continue }
        names.formUnion(outputs.keys)
        maps.append(outputs)
      }
      var outputs: [String: Value] = [:]
      for name in names { outputs[name] = .list(maps.map { $0[name] ?? .null }) }
      return .map(["outputs": .map(outputs), "result": .text(try result(of: group))])
    }
  }

  /// The worst of the results of a group's last steps.
  private func result(of group: StepGroup) throws(ValueProblem) -> String {
    let results = group.ends.compactMap { values.step($0)?.result }
    for result in ["failure", "cancelled", ""] where results.contains(result) { return result }
    return results.contains("success") ? "success" : "skipped"
  }

  private func value(of step: StepValues, _ name: String) throws(ValueProblem) -> Value {
    .map(["outputs": .map(step.outputs.mapValues(Value.text)), "result": .text(step.result)])
  }
}

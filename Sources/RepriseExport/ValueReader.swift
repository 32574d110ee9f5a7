// Computes the values of a workflow as far as they are known before a run.

import WorkflowFiles

/// Evaluates templates, except for what is only known during a run.
struct ValueReader {
  /// The names that a template sees.
  struct Place {
    var scope: Int
    var bindings: Bindings?
    /// Whether the template belongs to `env` of the file, which does not see itself.
    var isFileEnvironment = false
    /// The needs of the step with the condition; nil outside of conditions and under `finally`.
    var needs: [StepIndex]?
  }

  /// The reason why a value cannot be exported, as a clause.
  struct Problem: Error {
    let reason: String

    static func unknown(_ name: String) -> Problem {
      Problem(reason: "\"\(name)\" is only known during a run")
    }
  }

  let workflow: Workflow

  /// Returns the value of a template.
  ///
  /// - Throws: ``Problem`` if no export format can express it.
  func value(of template: Template, _ place: Place) throws(Problem) -> ExportedValue {
    if try isFixed(template, place) { return .constant(try fixed(template, place)) }
    var parts: [ExportedValue] = []
    for part in template.parts {
      switch part {
      case .text(let text): parts.append(.constant(.text(text)))
      case .expression(let expression, _): parts.append(try value(of: expression, place))
      }
    }
    return parts.count == 1 ? parts[0] : ExportedValue.text(of: parts)
  }

  /// Returns the value of a template as text.
  func text(of template: Template, _ place: Place) throws(Problem) -> ExportedValue {
    ExportedValue.text(of: [try value(of: template, place)])
  }

  private func fixed(_ template: Template, _ place: Place) throws(Problem) -> Value {
    let scope = try settled(place.scope)
    do throws(EvaluationError) {
      return try template.value(
        from: StaticValues(scope: scope, bindings: place.bindings, what: "an export"))
    } catch {
      switch error {
      case .invalid(let error), .missingOutput(let error): throw Problem(reason: error.message)
      case .unknown: throw Problem(reason: "it is only known during a run")
      }
    }
  }

  /// Returns a scope with the values of the parameters that steps with `uses` compute before a run.
  private func settled(_ position: Int) throws(Problem) -> Scope {
    var scope = workflow.scopes[position]
    for (name, argument) in scope.parameters {
      guard case .template(let template, let parameter) = argument else { continue }
      let outer = outer(of: position)
      guard try isFixed(template, outer) else { continue }
      let value = try fixed(template, outer)
      do throws(ParameterError) {
        switch (parameter.kind, value) {
        case (.list, .list), (.map, .map):
          scope.parameters[name] = .value(try parameter.checked(value))
        default: scope.parameters[name] = .value(try parameter.value(of: value.asText))
        }
      } catch {
        throw Problem(reason: error.description)
      }
    }
    return scope
  }

  private func fixed(_ kind: Expression.Kind, _ place: Place) throws(Problem) -> ExportedValue {
    let template = Template(Expression(kind: kind, range: 0..<1), source: "")
    return .constant(try fixed(template, place))
  }

  /// Returns the value of an expression all of whose parts are known; nil if one is not.
  private func known(
    of parts: [ExportedValue], _ kind: ([Expression]) -> Expression.Kind, _ place: Place
  ) throws(Problem) -> ExportedValue? {
    let literals = parts.compactMap(\.constant).map {
      Expression(kind: .literal($0), range: 0..<1)
    }
    return literals.count == parts.count ? try fixed(kind(literals), place) : nil
  }

  // MARK: What is known before a run

  private func isFixed(_ template: Template, _ place: Place) throws(Problem) -> Bool {
    for (expression, _) in template.expressions where !(try isFixed(expression, place)) {
      return false
    }
    return true
  }

  private func isFixed(_ expression: Expression, _ place: Place) throws(Problem) -> Bool {
    var isFixed = true
    expression.visit { part in
      switch part.kind {
      case .call(let function, _): if function.readsFiles || function.isStatus { isFixed = false }
      case .root(let root): if !Self.isFixed(root) { isFixed = false }
      default: break
      }
    }
    guard isFixed else { return false }
    if expression.references.contains(where: { $0.root == .workflow && $0.member != "name" }) {
      throw Problem(reason: "the other engine has no folder of the workflow file")
    }
    let parameters = workflow.scopes[place.scope].parameters
    for (root, name) in expression.references where root == .params {
      // `toJSON(params)` reads all of them.
      for name in name.map({ [$0] }) ?? parameters.keys.sorted() {
        switch parameters[name] {
        case .template(let template, _):
          if try !self.isFixed(template, outer(of: place.scope)) { return false }
        case .open: throw Problem(reason: "the parameter \"\(name)\" has no default value")
        case .value, nil: break
        }
      }
    }
    return true
  }

  private static func isFixed(_ root: Expression.Root) -> Bool {
    switch root {
    case .params, .matrix, .item, .index, .workflow: true
    case .env, .secrets, .steps, .run, .machine, .trigger, .args, .stdout, .outputs, .status,
      .attempt:
      false
    }
  }

  /// The names that the arguments of a used file see.
  private func outer(of scope: Int) -> Place {
    Place(scope: workflow.scopes[scope].parent ?? 0, bindings: workflow.scopes[scope].bindings)
  }

  // MARK: What is known during a run

  private func value(of expression: Expression, _ place: Place) throws(Problem) -> ExportedValue {
    if try isFixed(expression, place) { return try fixed(expression.kind, place) }
    if let value = try named(expression, place) { return value }
    switch expression.kind {
    case .literal(let value): return .constant(value)
    case .root(let root): return try member(nil, of: root, place)
    case .member(let base, let name):
      return .element(try value(of: base, place), .constant(.text(name)))
    case .element(let base, let key):
      let values = [try value(of: base, place), try value(of: key, place)]
      return try known(of: values, { .element($0[0], $0[1]) }, place)
        ?? .element(values[0], values[1])
    case .each:
      throw Problem(reason: "\".*\" of a value that is only known during a run cannot be exported")
    case .not(let inner):
      let inner = try value(of: inner, place)
      return inner.constant.map { .constant(.boolean(!$0.isTruthy)) } ?? .not(inner)
    case .binary(let symbol, let left, let right):
      return try binary(symbol, left, right, place)
    case .call(let function, let arguments):
      var values: [ExportedValue] = []
      for argument in arguments { values.append(try value(of: argument, place)) }
      if !function.readsFiles, !function.isStatus,
        let known = try known(of: values, { .call(function, $0) }, place)
      {
        return known
      }
      return try call(function, values, place)
    }
  }

  private func binary(
    _ symbol: Expression.Operator, _ left: Expression, _ right: Expression, _ place: Place
  ) throws(Problem) -> ExportedValue {
    let first = try value(of: left, place)
    if let known = first.constant, symbol == .and || symbol == .or {
      // Only one side counts.
      return known.isTruthy == (symbol == .and) ? try value(of: right, place) : first
    }
    let second = try value(of: right, place)
    if let known = try known(of: [first, second], { .binary(symbol, $0[0], $0[1]) }, place) {
      return known
    }
    switch symbol {
    case .add, .subtract, .multiply, .divide, .remainder:
      throw Problem(reason: "arithmetic with a value of a run cannot be exported")
    case .or, .and, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
      return .binary(symbol, first, second)
    }
  }

  private func call(
    _ function: Expression.Function, _ values: [ExportedValue], _ place: Place
  ) throws(Problem) -> ExportedValue {
    if function.isStatus { return try status(function, place) }
    if function == .format, let pattern = values[0].constant?.asText {
      return ExportedValue.text(of: try parts(of: pattern, Array(values.dropFirst())))
    }
    if function.readsFiles { throw .unknown("\(function.rawValue)()") }
    guard let function = ExportedValue.Function(function) else {
      throw Problem(
        reason: "\"\(function.rawValue)()\" of a value that is only known during a run"
          + " cannot be exported")
    }
    return .call(function, values)
  }

  /// Returns the value of a function of the status of the steps before.
  private func status(
    _ function: Expression.Function, _ place: Place
  ) throws(Problem) -> ExportedValue {
    let isFailed =
      place.needs.map(ExportedValue.failed)
      ?? .binary(.equal, .ending, .constant(.text(RunEnding.failure.rawValue)))
    switch function {
    case .failure: return isFailed
    case .success: return .not(isFailed)
    case .cancelled where place.needs != nil: return .constant(.boolean(false))
    case .cancelled: throw Problem(reason: "a run that is stopped has failed in the other engine")
    default: return .constant(.boolean(true))
    }
  }

  /// Splits a pattern of `format` at its places, such as `{0}`.
  private func parts(
    of pattern: String, _ values: [ExportedValue]
  ) throws(Problem) -> [ExportedValue] {
    var parts: [ExportedValue] = []
    var rest = pattern[...]
    while let place = rest.firstMatch(of: /\{\{|\}\}|\{([0-9]+)\}/) {
      parts.append(.constant(.text(String(rest[..<place.range.lowerBound]))))
      if let number = place.output.1.flatMap({ Int($0) }) {
        guard values.indices.contains(number) else {
          throw Problem(reason: "format() has no value \(number)")
        }
        parts.append(values[number])
      } else {
        parts.append(.constant(.text(String(place.output.0.prefix(1)))))
      }
      rest = rest[place.range.upperBound...]
    }
    return parts + [.constant(.text(String(rest)))]
  }
}

// Names.
extension ValueReader {
  /// Returns the value of `run.id`, `steps.ID.outputs.NAME` and the like; nil for other expressions.
  private func named(_ expression: Expression, _ place: Place) throws(Problem) -> ExportedValue? {
    switch expression.kind {
    case .member(let base, let name):
      if let value = try ofStep(base, name, place) { return value }
      guard case .root(let root) = base.kind else { return nil }
      return try member(name, of: root, place)
    case .element(let base, let key):
      guard case .literal(.text(let name)) = key.kind else { return nil }
      return try ofStep(base, name, place)
    default: return nil
    }
  }

  private func ofStep(
    _ base: Expression, _ name: String, _ place: Place
  ) throws(Problem) -> ExportedValue? {
    if let step = Self.stepName(base) {
      guard case .step(let index) = try target(step, place.scope) else {
        throw Problem(reason: "the \(name) of a group or of several items cannot be exported")
      }
      switch name {
      case "outputs": return .outputs(index)
      case "result": return .result(index)
      default: throw .unknown("steps.\(step).\(name)")
      }
    }
    guard case .member(let inner, "outputs") = base.kind, let step = Self.stepName(inner) else {
      return nil
    }
    guard name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_-]*/) != nil else {
      throw Problem(reason: "no step can have an output with this name")
    }
    switch try target(step, place.scope) {
    case .step(let index): return .output(index, name)
    case .items(let steps): return .outputList(steps, name)
    case .used(let scope, let outputs):
      guard let template = outputs[name] else {
        throw Problem(reason: "\"\(step)\" has no output \"\(name)\"")
      }
      return try text(of: template, Place(scope: scope))
    }
  }

  private static func stepName(_ expression: Expression) -> String? {
    guard case .member(let base, let name) = expression.kind, case .root(.steps) = base.kind else {
      return nil
    }
    return name
  }

  /// What a name of a step refers to.
  private enum Target {
    case step(StepIndex)
    case items([StepIndex])
    case used(scope: Int, outputs: [String: Template])
  }

  private func target(_ name: String, _ scope: Int) throws(Problem) -> Target {
    let found = workflow.scopes[scope]
    switch found.groups[name]?.kind {
    case .used(let inner, let outputs): return .used(scope: inner, outputs: outputs)
    case .each(let members):
      var steps: [StepIndex] = []
      for member in members {
        guard case .step(let index) = try target(member, scope) else {
          throw Problem(reason: "outputs of groups with several items cannot be exported")
        }
        steps.append(index)
      }
      return .items(steps)
    case nil: break
    }
    if let index = workflow.graph.index(of: found.prefix + name) { return .step(index) }
    guard let outer = found.enclosing else {
      throw Problem(reason: "there is no step \"\(name)\"")
    }
    return try target(name, outer)
  }

  private func member(
    _ name: String?, of root: Expression.Root, _ place: Place
  ) throws(Problem) -> ExportedValue {
    let scope = workflow.scopes[place.scope]
    switch (root, name) {
    case (.run, "id"?): return .runID
    case (.run, "result"?): return .ending
    case (.stdout, nil): return .stdout
    case (.outputs, let name?): return .written(name)
    case (.secrets, let name?): return .secret(try secretName(name, place.scope))
    case (.env, let name?):
      guard !place.isFileEnvironment, let template = scope.environment[name] else { break }
      return try text(of: template, Place(scope: place.scope, isFileEnvironment: true))
    case (.params, let name?):
      guard case .template(let template, let parameter) = scope.parameters[name] else { break }
      guard parameter.kind == .string, parameter.limits == Parameter.Limits() else {
        throw Problem(
          reason: "the parameter \"\(name)\" is computed during a run, and only Reprise checks it")
      }
      return try text(of: template, outer(of: place.scope))
    default: break
    }
    throw .unknown(name.map { "\(root.rawValue).\($0)" } ?? root.rawValue)
  }

  /// The name of a secret in the other engine; of a used file, it begins with the id of the step.
  private func secretName(_ name: String, _ scope: Int) throws(Problem) -> String {
    let file = workflow.scopes[workflow.secretScope(of: scope)]
    if case .optional = file.secrets[name] {
      throw Problem(reason: "the secret \"\(name)\" may be missing, and the other engine needs it")
    }
    return safeName(file.prefix + name, allowing: "-_.", upTo: 100)
  }
}
